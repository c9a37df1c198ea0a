package correction

import (
	"strings"
	"unicode/utf8"
)

// Limits of one record. What is beyond is a fault of that record.
const (
	maxCells  = 256
	maxQuoted = 64 << 10 // bytes between two quotes; more is a quote that was never closed
)

// scanner cuts a text into records. A record with a fault ends with the line on which it began, so that one broken quote
// does not swallow the rest of the file.
type scanner struct {
	text  string
	comma byte
	pos   int
	line  int // number of the line at pos
}

// record is one line of a table; a quoted cell may reach over several.
type record struct {
	line  int
	cells []string // at most maxCells, as they stand between the separators, quotes removed
	count int      // of cells, stored or not
	fault string
}

// blank tells that no cell says anything.
func (r record) blank() bool {
	for _, c := range r.cells {
		if strings.TrimSpace(c) != "" {
			return false
		}
	}
	return r.fault == "" && r.count <= maxCells
}

// next gives the next record that is not blank; false at the end.
func (s *scanner) next() (record, bool) {
	for s.pos < len(s.text) {
		if c := s.text[s.pos]; c == '\n' || c == '\r' {
			s.endLine()
		} else if r := s.record(); !r.blank() {
			return r, true
		}
	}
	return record{}, false
}

func (s *scanner) record() record {
	r := record{line: s.line}
	start := s.pos
	for more := true; more; {
		var cell string
		cell, more, r.fault = s.cell()
		if r.fault != "" {
			s.pos, s.line = start, r.line
			s.skipLine()
			return r
		}
		if r.count++; r.count <= maxCells {
			r.cells = append(r.cells, cell)
		}
	}
	if r.count > maxCells {
		r.fault = "it has too many cells"
	}
	return r
}

// cell reads up to the next separator (more) or the end of the line.
func (s *scanner) cell() (cell string, more bool, fault string) {
	for s.pos < len(s.text) && s.text[s.pos] == ' ' {
		s.pos++
	}
	if s.pos < len(s.text) && s.text[s.pos] == '"' {
		if cell, fault = s.quoted(); fault != "" {
			return "", false, fault
		}
		for s.pos < len(s.text) && s.text[s.pos] == ' ' {
			s.pos++
		}
		if s.pos < len(s.text) && !s.ends(s.text[s.pos]) {
			return "", false, "there is text after a closing quote"
		}
	} else {
		end := s.pos
		for end < len(s.text) && !s.ends(s.text[end]) {
			end++
		}
		cell, s.pos = s.text[s.pos:end], end
	}
	if s.pos < len(s.text) && s.text[s.pos] == s.comma {
		s.pos++
		return cell, true, ""
	}
	s.endLine()
	return cell, false, ""
}

func (s *scanner) ends(c byte) bool { return c == s.comma || c == '\n' || c == '\r' }

// quoted reads from the opening to behind the closing quote.
func (s *scanner) quoted() (cell, fault string) {
	s.pos++
	start := s.pos
	for {
		i := strings.IndexByte(s.text[s.pos:min(len(s.text), start+maxQuoted)], '"')
		if i < 0 {
			return "", "a quote is not closed"
		}
		s.pos += i + 1
		if s.pos < len(s.text) && s.text[s.pos] == '"' { // a doubled one stands for itself
			s.pos++
			if s.pos >= start+maxQuoted {
				return "", "a quote is not closed"
			}
			continue
		}
		cell = s.text[start : s.pos-1]
		s.line += lines(cell)
		return strings.ReplaceAll(cell, `""`, `"`), ""
	}
}

// endLine goes behind the end of the line, where pos is.
func (s *scanner) endLine() {
	if s.pos < len(s.text) && s.text[s.pos] == '\r' {
		s.pos++
	}
	if s.pos < len(s.text) && s.text[s.pos] == '\n' {
		s.pos++
	}
	s.line++
}

func (s *scanner) skipLine() {
	i := strings.IndexAny(s.text[s.pos:], "\r\n")
	if i < 0 {
		i = len(s.text) - s.pos
	}
	s.pos += i
	s.endLine()
}

// lines counts the ends of lines in a text.
func lines(s string) int {
	return strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// readable tells whether a text can be a CSV file at all; else why not.
func readable(text string) (fault string) {
	switch {
	case strings.HasPrefix(text, "\xFF\xFE"), strings.HasPrefix(text, "\xFE\xFF"), strings.HasPrefix(text, "ÿþ"),
		strings.HasPrefix(text, "þÿ"), strings.IndexByte(text, 0) >= 0:
		return "the text is not UTF-8 but looks like UTF-16 or a binary file: save it as CSV in UTF-8"
	case !utf8.ValidString(text):
		return "the text is not UTF-8: save it as CSV in UTF-8"
	}
	return ""
}
