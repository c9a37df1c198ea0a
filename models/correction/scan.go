package correction

import (
	"strings"
	"unicode/utf8"
)

// Limits of a record. A record beyond them is malformed.
const (
	maxCells  = 256
	maxQuoted = 64 << 10 // bytes between two quotes; beyond that the closing quote counts as missing
)

// scanner splits a text into records. A malformed record ends with the line on which it began, so that a missing quote does not
// make the rest of the file part of the record.
type scanner struct {
	text  string
	comma byte
	pos   int
	line  int // number of the line at pos
}

// record is one row of a CSV text. A quoted cell may span several lines.
type record struct {
	line  int
	cells []string // at most maxCells, without quotes
	count int      // number of cells, stored or not
	fault string   // why the record is malformed; empty: it is not
}

// blank reports whether all cells are empty.
func (r record) blank() bool {
	for _, c := range r.cells {
		if strings.TrimSpace(c) != "" {
			return false
		}
	}
	return r.fault == "" && r.count <= maxCells
}

// next returns the next record that is not blank. ok is false at the end of the text.
func (s *scanner) next() (r record, ok bool) {
	for s.pos < len(s.text) {
		if c := s.text[s.pos]; c == '\n' || c == '\r' {
			s.endLine()
		} else if r = s.record(); !r.blank() {
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

// cell reads a cell and the separator or line break after it. more reports whether a separator followed.
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

// quoted reads a quoted cell from its opening quote, and moves past the closing quote.
func (s *scanner) quoted() (cell, fault string) {
	s.pos++
	start := s.pos
	for {
		i := strings.IndexByte(s.text[s.pos:min(len(s.text), start+maxQuoted)], '"')
		if i < 0 {
			return "", "a quote is not closed"
		}
		s.pos += i + 1
		if s.pos < len(s.text) && s.text[s.pos] == '"' { // an escaped quote
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

// endLine moves past the line break at pos.
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

// lines returns the number of line breaks in a text.
func lines(s string) int {
	return strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// readable returns the reason why a text cannot be CSV in UTF-8. It returns an empty text if it can.
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
