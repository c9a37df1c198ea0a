package correction

import (
	"strings"
	"unicode"

	"switchyard/models"
)

// column is a column that is looked for, under its names. Names are in lower case, letters and digits only; of several
// cells that stand under names of one column the first name's that says something counts.
type column struct {
	name     string // as documented
	required bool
	names    []string
}

// table is a file whose header has been understood.
type table struct {
	s       scanner
	columns []column
	places  [][]int // the cells of each column
	width   int
	rows    int // read so far
}

// separators by preference, where headers are understood equally well.
const separators = ",;\t|"

// open understands the header. Errors: empty, invalid_input.
func open(text string, columns []column) (*table, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.TrimSpace(text) == "" {
		return nil, models.Invalid("empty", "there is nothing to import")
	}
	if fault := readable(text); fault != "" {
		return nil, models.Invalid("invalid_input", "%s", fault)
	}
	choices := separators
	start := scanner{text: text, line: 1}
	if sep, ok := strings.CutPrefix(strings.ToLower(text[:min(len(text), 5)]), "sep="); ok && sep != "" { // of Excel
		choices = sep[:1]
		start.skipLine()
	}
	var best *table
	for i := range len(choices) {
		t := &table{s: start, columns: columns}
		t.s.comma = choices[i]
		if t.head() && (best == nil || t.known() > best.known()) {
			best = t
		}
	}
	if best == nil {
		return nil, models.Invalid("invalid_input", "the first line is not a header of at most %d columns", maxCells)
	}
	for i, c := range columns {
		if c.required && len(best.places[i]) == 0 {
			return nil, models.Invalid("invalid_input", "the header has no column for the %s", c.name)
		}
	}
	return best, nil
}

// head reads the first record as the header.
func (t *table) head() bool {
	r, ok := t.s.next()
	if !ok || r.fault != "" {
		return false
	}
	t.width = len(r.cells)
	t.places = make([][]int, len(t.columns))
	under := map[string][]int{}
	for i, cell := range r.cells {
		full, short := headings(cell)
		under[full] = append(under[full], i)
		if short != full {
			under[short] = append(under[short], i)
		}
	}
	for i, c := range t.columns {
		for _, name := range c.names {
			t.places[i] = append(t.places[i], under[name]...)
		}
	}
	return true
}

func (t *table) known() int {
	n := 0
	for _, p := range t.places {
		if len(p) > 0 {
			n++
		}
	}
	return n
}

// headings folds a header cell: its letters and digits in lower case, with and without what stands in parentheses.
func headings(cell string) (full, short string) {
	short = cell
	if i := strings.IndexAny(cell, "(["); i > 0 {
		short = cell[:i]
	}
	return fold(cell), fold(short)
}

func fold(s string) string {
	if len(s) > 100 { // no name is so long
		return ""
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// row gives the next row; false at the end or after MaxRows.
func (t *table) row() (line, bool) {
	if t.rows == MaxRows {
		return line{}, false
	}
	r, ok := t.s.next()
	if !ok {
		return line{}, false
	}
	t.rows++
	for i := t.width; i < len(r.cells) && r.fault == ""; i++ {
		if strings.TrimSpace(r.cells[i]) != "" {
			r.fault = "it has more cells than the header"
		}
	}
	return line{record: r, table: t}, true
}

// line is a row under its header.
type line struct {
	record
	table *table
}

const maxCell = 500 // bytes; no value of ours is so long

// cell gives what a row says in a column; empty when nothing. A cell that is too long is a fault of the row.
func (l *line) cell(column int) string {
	for _, at := range l.table.places[column] {
		if at >= len(l.cells) {
			continue
		}
		v := strings.TrimSpace(l.cells[at])
		if len(v) > maxCell {
			l.refuse("its " + l.table.columns[column].name + " is too long")
			return ""
		}
		if v = unguarded(v); v != "" {
			return v
		}
	}
	return ""
}

// refuse notes the first reason why a row is not taken.
func (l *line) refuse(reason string) {
	if l.fault == "" {
		l.fault = reason
	}
}

// unguarded takes away the apostrophe with which report files keep spreadsheets from running a cell.
func unguarded(v string) string {
	if len(v) > 1 && v[0] == '\'' && strings.IndexByte("=+-@", v[1]) >= 0 {
		return v[1:]
	}
	return v
}

// Check looks whether a file of a kind can be read and has rows, and gives the part of it that is read: at most MaxRows
// rows. Errors: empty, no_rows, invalid_input.
func Check(kind Kind, text string) (kept string, truncated bool, err error) {
	t, err := open(text, kinds[kind])
	if err != nil {
		return "", false, err
	}
	for more := true; more; {
		_, more = t.row()
	}
	if t.rows == 0 {
		return "", false, models.Invalid("no_rows", "there are no rows under the header")
	}
	kept = t.s.text[:t.s.pos]
	_, truncated = t.s.next()
	return kept, truncated, nil
}

// Kind is a kind of file.
type Kind uint8

// The kinds.
const (
	Conversions Kind = iota
	Costs
)

var kinds = map[Kind][]column{Conversions: conversionColumns, Costs: costColumns}
