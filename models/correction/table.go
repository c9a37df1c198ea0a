package correction

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/models/csvfile"
	"switchyard/models/money"
)

// table is a file whose header was read.
type table struct {
	scanner *csvfile.Scanner
	start   csvfile.Start
	columns []Column
	header  csvfile.Record
	indexes [][]int // for each column: the indexes of its cells, in the order of its names
	rows    int
	skipped skips
}

// headerLines is the number of records at the start of a file among which the header is searched. Reports of ad platforms have
// titles above it.
const headerLines = 50

// open finds the header of a file. The header must have all required columns except the given ones, whose value the caller gives.
// Errors: empty, invalid_input.
func open(text string, columns []Column, given ...int) (*table, error) {
	t, err := find(text, optional(columns, given))
	if err != nil {
		return nil, err
	}
	if missing := t.missing(); len(missing) > 0 {
		return nil, models.Invalid("invalid_input", "the header has no column for the %s", missing[0])
	}
	return t, nil
}

// find finds the separator and the header. The header is the first record with all required columns, or else the one with the
// most known columns. Among the separators, it prefers one with all required columns, and then the one with the most known
// columns. Without a known column, it uses the separator with the most columns, so that a caller can show unknown headings one by
// one. Errors: empty, invalid_input.
func find(text string, columns []Column) (*table, error) {
	text, err := csvfile.FromText(text)
	if err != nil {
		return nil, models.Invalid("invalid_input", "%v", err)
	}
	if strings.TrimSpace(text) == "" {
		return nil, models.Invalid("empty", "there is nothing to import")
	}
	start := csvfile.NewStart(text)
	var best *table
	for i := range len(start.Commas) {
		t := &table{scanner: start.Scanner(start.Commas[i]), start: start, columns: columns}
		if t.findHeader() && (best == nil || t.betterThan(best)) {
			best = t
		}
	}
	if best == nil {
		return nil, models.Invalid("invalid_input", "the file has no header of at most %d columns in its first %d lines",
			csvfile.MaxCells, headerLines)
	}
	best.skipHead()
	return best, nil
}

func optional(columns []Column, given []int) []Column {
	out := slices.Clone(columns)
	for _, i := range given {
		out[i].Required = false
	}
	return out
}

// findHeader searches for the header. It returns false if no record can be the header.
func (t *table) findHeader() bool {
	var best csvfile.Record
	mostColumns := -1 // known columns of the best record so far
	for range headerLines {
		r, ok := t.scanner.Next()
		if !ok {
			break
		}
		if r.Fault != "" || r.Blank() {
			continue
		}
		t.setHeader(r)
		if len(t.missing()) == 0 {
			return true
		}
		if n := t.known(); n > mostColumns {
			best, mostColumns = r, n
		}
	}
	if mostColumns >= 0 {
		t.setHeader(best)
	}
	return mostColumns >= 0
}

func (t *table) setHeader(r csvfile.Record) {
	t.header, t.indexes = r, make([][]int, len(t.columns))
	cellsByName := map[string][]int{}
	for i, cell := range r.Cells {
		full, short := headings(cell)
		name, _ := money.Heading(cell, "")
		names := []string{full, short, fold(name)}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			cellsByName[name] = append(cellsByName[name], i)
		}
	}
	for i, c := range t.columns {
		for _, name := range c.Names {
			t.indexes[i] = append(t.indexes[i], cellsByName[name]...)
		}
	}
}

func (t *table) known() int {
	n := 0
	for _, p := range t.indexes {
		n += min(len(p), 1)
	}
	return n
}

// follows maps a required column to the column that can replace it: the source of a row follows from its campaign.
var follows = map[string]string{"source": "campaign"}

func (t *table) has(name string) bool {
	i := slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == name })
	return i >= 0 && len(t.indexes[i]) > 0
}

// missing returns the names of the required columns that the header lacks.
func (t *table) missing() (names []string) {
	for i, c := range t.columns {
		if c.Required && len(t.indexes[i]) == 0 && !t.has(follows[c.Name]) {
			names = append(names, c.Name)
		}
	}
	return names
}

// rank orders tables that were read with different separators. Tables with all required columns come first.
func (t *table) rank() int {
	if len(t.missing()) == 0 {
		return len(t.columns) + 1 + t.known()
	}
	return t.known()
}

func (t *table) betterThan(other *table) bool {
	if t.rank() != other.rank() {
		return t.rank() > other.rank()
	}
	return t.known() == 0 && len(t.header.Cells) > len(other.header.Cells)
}

// headings returns the folded text of a header cell, with and without the part in parentheses.
func headings(cell string) (full, short string) {
	short = cell
	if i := strings.IndexAny(cell, "(["); i > 0 {
		short = cell[:i]
	}
	return fold(cell), fold(short)
}

func fold(s string) string {
	if len(s) > 100 { // longer than the name of any column
		return ""
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// row returns the next row. It returns false at the end, and after MaxRows rows.
func (t *table) row() (line, bool) {
	if t.rows == MaxRows {
		return line{}, false
	}
	r, ok := t.next()
	if !ok {
		return line{}, false
	}
	t.rows++
	for i := len(t.header.Cells); i < len(r.Cells) && r.Fault == ""; i++ {
		if strings.TrimSpace(r.Cells[i]) != "" {
			r.Fault = "it has more cells than the header"
		}
	}
	return line{Record: r, table: t}, true
}

func (t *table) next() (r csvfile.Record, ok bool) {
	for {
		if r, ok = t.scanner.Next(); !ok || !r.Blank() {
			return r, ok
		}
		t.skipped.add(r, skipEmpty)
	}
}

func read[T any](text string, columns []Column, row func(*line) T, given ...int) ([]T, Skips, error) {
	t, err := open(text, columns, given...)
	if err != nil {
		return nil, Skips{}, err
	}
	var rows []T
	for l, ok := t.row(); ok; l, ok = t.row() {
		rows = append(rows, row(&l))
	}
	return rows, t.skipped.OrEmpty(), nil
}

type line struct {
	csvfile.Record
	table   *table
	note    string // Row.Note
	depends bool   // Row.DependsOnCurrency
}

const maxCell = 500 // in bytes; no valid value is longer

// cell returns the value of a column. It is empty if the row has no value for the column. If it is too long, the row is refused.
func (l *line) cell(column int) string {
	text, _ := l.find(column)
	return text
}

// find returns the same value as cell, with the heading of its column in the file.
func (l *line) find(column int) (text, heading string) {
	v, _ := l.next(column, 0)
	return v.text, v.heading
}

type value struct{ text, heading string }

func (l *line) values(column int) (list []value) {
	for v, after := l.next(column, 0); v.text != ""; v, after = l.next(column, after) {
		list = append(list, v)
	}
	return list
}

// next returns the first value among the column's cells from the given index on. after is the index after it.
func (l *line) next(column, from int) (v value, after int) {
	indexes := l.table.indexes[column]
	for i := from; i < len(indexes); i++ {
		at := indexes[i]
		if at >= len(l.Cells) {
			continue
		}
		text := strings.TrimSpace(l.Cells[at])
		if len(text) > maxCell {
			l.refuse("its " + l.table.columns[column].Name + " is too long")
			return v, i
		}
		if text = unguarded(text); text != "" && !placeholders[text] {
			return value{text, l.table.header.Cells[at]}, i + 1
		}
	}
	return v, len(indexes)
}

// placeholders lists the texts that platforms write into a cell that has no value.
var placeholders = map[string]bool{"-": true, "--": true, "---": true, "\u2013": true, "\u2014": true, "N/A": true, "n/a": true}

func (l *line) end() Row {
	if l.Fault != "" && l.isTotal() {
		l.Fault = reasonTotal
	}
	return Row{Line: l.Line, Refusal: l.Fault, Note: l.note, DependsOnCurrency: l.depends}
}

// reasonTotal is the reason why a line with the sums of other lines is refused.
const reasonTotal = "it is a line of totals"

// totals lists the words with which a line of totals can begin. No letter may follow.
var totals = []string{
	"total", "totals", "grand total", "subtotal", "sub total", "sum", "summary", "results from", "overall", "all campaigns",
	"gesamt", "insgesamt", "summe",
}

func (l *line) isTotal() bool {
	first := ""
	for i := 0; i < len(l.Cells) && first == ""; i++ {
		first = strings.ToLower(strings.TrimSpace(l.Cells[i]))
	}
	for _, word := range totals {
		after, ok := strings.CutPrefix(first, word)
		if next, _ := utf8.DecodeRuneInString(after); ok && !unicode.IsLetter(next) { // at the end of the cell, next is no letter
			return true
		}
	}
	return false
}

// refuse sets the reason why the row is refused. An earlier reason stays.
func (l *line) refuse(reason string) {
	if l.Fault == "" {
		l.Fault = reason
	}
}

// unguarded removes the apostrophe that report files write before a cell that a spreadsheet would execute as a formula.
func unguarded(v string) string {
	if text, ok := strings.CutPrefix(v, "'"); ok && models.IsFormula(text) {
		return strings.TrimSpace(text)
	}
	return v
}

// Kind is a kind of file.
type Kind uint8

// The kinds.
const (
	Conversions Kind = iota
	Costs
	Totals
	Offers
	Links
)

var kinds = map[Kind][]Column{Conversions: conversionColumns, Costs: costColumns, Totals: totalColumns, Offers: offerColumns, Links: linkColumns}
