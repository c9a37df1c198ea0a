package correction

import (
	"strings"
	"unicode"

	"switchyard/models"
)

// column is a column that a file may have, under any of its names. Names are folded: see fold. If a header has several of these
// names, the first name with a non-empty cell counts.
type column struct {
	name     string // the documented name
	required bool
	names    []string
}

// table is a file whose header was read.
type table struct {
	s       scanner
	columns []column
	indexes [][]int // for each column: the indexes of its cells, in the order of its names
	width   int
	rows    int // read so far
}

// separators lists the possible separators. The separator that gives the header the most known columns is used. Among equals
// the first one is used.
const separators = ",;\t|"

// open finds the separator and reads the header. Errors: empty, invalid_input.
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
	if sep, ok := strings.CutPrefix(strings.ToLower(text[:min(len(text), 5)]), "sep="); ok && sep != "" { // Excel writes this line
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
		if c.required && len(best.indexes[i]) == 0 {
			return nil, models.Invalid("invalid_input", "the header has no column for the %s", c.name)
		}
	}
	return best, nil
}

// head reads the first record as the header. It returns false if the record cannot be a header.
func (t *table) head() bool {
	r, ok := t.s.next()
	if !ok || r.fault != "" {
		return false
	}
	t.width = len(r.cells)
	t.indexes = make([][]int, len(t.columns))
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
			t.indexes[i] = append(t.indexes[i], under[name]...)
		}
	}
	return true
}

// known returns the number of columns that the header has.
func (t *table) known() int {
	n := 0
	for _, p := range t.indexes {
		if len(p) > 0 {
			n++
		}
	}
	return n
}

// headings returns the folded text of a header cell, with and without the part in parentheses.
func headings(cell string) (full, short string) {
	short = cell
	if i := strings.IndexAny(cell, "(["); i > 0 {
		short = cell[:i]
	}
	return fold(cell), fold(short)
}

// fold returns the letters and digits of a name in lower case.
func fold(s string) string {
	if len(s) > 100 { // longer than any name
		return ""
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// row returns the next row. ok is false at the end, or after MaxRows rows.
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

// read reads all rows of a file.
func read[T any](text string, columns []column, row func(*line) T) ([]T, error) {
	t, err := open(text, columns)
	if err != nil {
		return nil, err
	}
	var rows []T
	for l, ok := t.row(); ok; l, ok = t.row() {
		rows = append(rows, row(&l))
	}
	return rows, nil
}

// line is a row of a table.
type line struct {
	record
	table *table
}

const maxCell = 500 // bytes; no valid value is longer

// cell returns the value of a column, or an empty text if the row has no value for it. A value that is too long makes cell
// refuse the row.
func (l *line) cell(column int) string {
	for _, at := range l.table.indexes[column] {
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

// end returns the line of the row, and the reason why the row is refused.
func (l *line) end() Row { return Row{Line: l.line, Refusal: l.fault} }

// refuse sets the reason why the row is refused. A reason that is already set stays.
func (l *line) refuse(reason string) {
	if l.fault == "" {
		l.fault = reason
	}
}

// unguarded removes the apostrophe that report files put before a cell that a spreadsheet would run as a formula.
func unguarded(v string) string {
	if text, ok := strings.CutPrefix(v, "'"); ok && models.IsFormula(text) {
		return strings.TrimSpace(text)
	}
	return v
}

// Check checks that a file can be read and has rows. It returns the text up to row MaxRows, and whether rows were cut
// off. Errors: empty, no_rows, invalid_input.
func Check(kind Kind, text string) (head string, truncated bool, err error) {
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
	head = t.s.text[:t.s.pos]
	_, truncated = t.s.next()
	return head, truncated, nil
}

// Kind is a kind of file.
type Kind uint8

// The kinds.
const (
	Conversions Kind = iota
	Costs
)

var kinds = map[Kind][]column{Conversions: conversionColumns, Costs: costColumns}
