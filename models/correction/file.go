package correction

import "switchyard/models"

// Check checks that a file can be read and has rows. It returns the text up to row MaxRows, and whether rows were cut off.
// sourced says that the caller names the traffic source of rows without one. Errors: empty, no_rows, invalid_input.
func Check(kind Kind, text string, sourced bool) (kept string, truncated bool, err error) {
	t, err := open(text, kinds[kind], given(kind, sourced)...)
	if err != nil {
		return "", false, err
	}
	for more := true; more; {
		_, more = t.row()
	}
	if t.rows == 0 {
		return "", false, models.Invalid("no_rows", "there are no rows under the header")
	}
	kept = t.scanner.Read()
	_, truncated = t.next()
	return kept, truncated, nil
}

// given returns the required columns whose value the caller gives.
func given(kind Kind, sourced bool) []int {
	if kind == Costs && sourced {
		return []int{sourceColumn}
	}
	return nil
}

// Preview describes a file before the values in its rows are parsed.
type Preview struct {
	Header  []Heading `json:"header" doc:"the cells of the header"`
	Missing []string  `json:"missing" doc:"required columns that the header lacks"`
	Rows    int       `json:"rows" doc:"number of rows below the header, without empty lines; at most 5001"`
	Records []Cells   `json:"records" doc:"the rows of a file with offers or links, at most 1000; empty for other files"`
	Skips
}

// Heading is a cell of a header.
type Heading struct {
	Cell   string `json:"cell"`
	Column string `json:"column" doc:"the name of the column that the cell stands for; empty: cells below it are not read"`
}

// Cells are the cells of a row.
type Cells struct {
	Line  int      `json:"line"`
	Cells []string `json:"cells"`
}

// maxRecords is the maximum number of rows that a preview returns.
const maxRecords = 1000

// ReadPreview reads the header of a file and counts its rows. Required columns may be missing. Errors: empty, invalid_input.
func ReadPreview(kind Kind, text string) (Preview, error) {
	t, err := find(text, kinds[kind])
	if err != nil {
		return Preview{}, err
	}
	out := Preview{Missing: append([]string{}, t.missing()...), Records: []Cells{}, Header: t.headings()}
	for r, ok := t.next(); ok && out.Rows <= MaxRows; r, ok = t.next() {
		if out.Rows++; kind >= Offers && len(out.Records) < maxRecords && r.Fault == "" {
			out.Records = append(out.Records, Cells{r.Line, r.Cells})
		}
	}
	out.Skips = t.skipped.OrEmpty()
	return out, nil
}

func (t *table) headings() []Heading {
	out := make([]Heading, len(t.header.Cells))
	for i, cell := range t.header.Cells {
		out[i].Cell = cell
	}
	for i, places := range t.indexes {
		for _, at := range places {
			if out[at].Column == "" {
				out[at].Column = t.columns[i].Name
			}
		}
	}
	return out
}
