package correction

import (
	"strings"

	"switchyard/models/csvfile"
)

// Skipped describes consecutive lines of a file that are not rows.
type Skipped struct {
	Line   int    `json:"line"`
	Last   int    `json:"last" doc:"the last of the consecutive lines that are skipped for the same reason; the same as line if there is only one"`
	Reason string `json:"reason"`
	Text   string `json:"text" doc:"the beginning of the first of these lines"`
}

// Skips lists the lines that are not rows, in at most maxSkipped entries, and counts all of them.
type Skips struct {
	Skipped []Skipped `json:"skipped" doc:"lines that are not rows, such as titles above the header and empty lines; at most 100 entries"`
	Lines   int       `json:"skipped_lines" doc:"number of all these lines, including lines beyond the 100 entries"`
}

const (
	maxSkipped     = 100
	maxSkippedText = 100 // in bytes
)

// Reasons for which lines are skipped.
const (
	skipSeparator = "it names the separator"
	skipTitle     = "it is above the header"
	skipEmpty     = "it is empty"
)

type skips struct{ Skips }

func (s *skips) add(r csvfile.Record, reason string) {
	s.Lines++
	if n := len(s.Skipped); n > 0 && s.Skipped[n-1].Reason == reason && s.Skipped[n-1].Last == r.Line-1 {
		s.Skipped[n-1].Last = r.Line
		return
	}
	if len(s.Skipped) < maxSkipped {
		text := strings.TrimSpace(strings.Join(r.Cells[:min(len(r.Cells), 5)], " ")) // the first few cells are enough
		s.Skipped = append(s.Skipped, Skipped{
			Line: r.Line, Last: r.Line, Reason: reason, Text: strings.ToValidUTF8(text[:min(len(text), maxSkippedText)], ""),
		})
	}
}

// OrEmpty replaces a nil list by an empty one.
func (s Skips) OrEmpty() Skips {
	if s.Skipped == nil {
		s.Skipped = []Skipped{}
	}
	return s
}

// skipHead records the lines above the header and moves past the header.
func (t *table) skipHead() {
	comma := t.scanner.Comma()
	t.scanner = t.start.Scanner(comma)
	if t.start.Named {
		t.skipped.add(csvfile.Record{Line: 1}, skipSeparator)
	}
	for {
		r, ok := t.scanner.Next()
		switch {
		case !ok || r.Line == t.header.Line:
			return
		case r.Blank():
			t.skipped.add(r, skipEmpty)
		default:
			t.skipped.add(r, skipTitle)
		}
	}
}
