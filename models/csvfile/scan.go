package csvfile

import (
	"slices"
	"strings"
)

// Limits of a record. A larger record is malformed.
const (
	MaxCells  = 256
	maxQuoted = 64 << 10 // maximum bytes from an opening quote to its closing quote; otherwise the closing quote counts as missing
)

// Scanner splits a text into records. A record with a fault at a quote ends with its first line, so that a missing quote does not
// spoil the rest of the file.
type Scanner struct {
	text  string
	comma byte
	pos   int
	line  int // number of the line that contains pos
}

// NewScanner returns a scanner of a text whose cells are separated by the byte `comma`, such as a semicolon.
func NewScanner(text string, comma byte) *Scanner { return &Scanner{text: text, comma: comma, line: 1} }

// Comma returns the separator.
func (s *Scanner) Comma() byte { return s.comma }

// Read returns the text before the current position.
func (s *Scanner) Read() string { return s.text[:s.pos] }

// Record is one row of a CSV text. A quoted cell may span several lines.
type Record struct {
	Line  int
	Cells []string // at most MaxCells cells, without quotes
	Fault string   // why the record is malformed; empty: the record is valid
	count int      // number of cells, including cells beyond MaxCells
}

// Blank reports whether all cells are empty. A malformed record is not blank.
func (r Record) Blank() bool {
	hasText := slices.ContainsFunc(r.Cells, func(c string) bool { return strings.TrimSpace(c) != "" })
	return !hasText && r.Fault == "" && r.count <= MaxCells
}

// Next returns the next record. An empty line is a record without cells. ok is false at the end of the text.
func (s *Scanner) Next() (r Record, ok bool) {
	if s.pos >= len(s.text) {
		return r, false
	}
	if c := s.text[s.pos]; c == '\n' || c == '\r' {
		r.Line = s.line
		s.endLine()
		return r, true
	}
	return s.record(), true
}

func (s *Scanner) record() Record {
	r := Record{Line: s.line}
	start := s.pos
	for more := true; more; {
		var cell string
		cell, more, r.Fault = s.cell()
		if r.Fault != "" {
			s.pos, s.line = start, r.Line
			s.skipLine()
			return r
		}
		if r.count++; r.count <= MaxCells {
			r.Cells = append(r.Cells, cell)
		}
	}
	if r.count > MaxCells {
		r.Fault = "it has too many cells"
	}
	return r
}

// cell reads a cell and the separator or line break after it. `more` reports whether a separator followed.
func (s *Scanner) cell() (cell string, more bool, fault string) {
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
		if s.pos < len(s.text) && !s.endsCell(s.text[s.pos]) {
			return "", false, "there is text after a closing quote"
		}
	} else {
		end := s.pos
		for end < len(s.text) && !s.endsCell(s.text[end]) {
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

func (s *Scanner) endsCell(c byte) bool { return c == s.comma || c == '\n' || c == '\r' }

// quoted reads a quoted cell.
func (s *Scanner) quoted() (cell, fault string) {
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

// endLine moves to the position after the line break at pos.
func (s *Scanner) endLine() {
	if s.pos < len(s.text) && s.text[s.pos] == '\r' {
		s.pos++
	}
	if s.pos < len(s.text) && s.text[s.pos] == '\n' {
		s.pos++
	}
	s.line++
}

func (s *Scanner) skipLine() {
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
