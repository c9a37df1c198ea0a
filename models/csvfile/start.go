package csvfile

import "strings"

// separators lists the possible separators, in the order in which they are tried.
const separators = ",;\t|"

// Start is the beginning of a CSV text, which may name the separator, as spreadsheets do.
type Start struct {
	text   string
	Commas string // the separators to try, beginning with the separator that the text names
	Named  bool   // the first line names the separator
}

// NewStart reads the first line of a text. It may name the separator, as in sep=; (with or without quotes).
func NewStart(text string) Start {
	s := Start{text: text, Commas: separators}
	line, _, complete := strings.Cut(strings.ReplaceAll(text[:min(len(text), 16)], "\r", "\n"), "\n")
	line = strings.TrimLeft(line, `" `)
	if !complete || len(line) < 4 || !strings.EqualFold(line[:4], "sep=") {
		return s
	}
	s.Named = true
	if line = strings.Replace(line[4:], `\t`, "\t", 1); line != "" && line[0] < 0x80 && line[0] != '"' {
		s.Commas = line[:1] + separators
	}
	return s
}

// Scanner returns a scanner of the text. It skips the first line if this line names the separator.
func (s Start) Scanner(comma byte) *Scanner {
	out := NewScanner(s.text, comma)
	if s.Named {
		out.skipLine()
	}
	return out
}

const guessLines = 10

// Guess returns a scanner with the separator that splits the first records into the most cells. It is for files with unknown
// columns.
func Guess(text string) *Scanner {
	start := NewStart(text)
	var best byte
	most := 0
	for i := range len(start.Commas) {
		cells, s := 0, start.Scanner(start.Commas[i])
		for range guessLines {
			r, _ := s.Next()
			cells += len(r.Cells)
		}
		if cells > most {
			best, most = start.Commas[i], cells
		}
	}
	return start.Scanner(best)
}
