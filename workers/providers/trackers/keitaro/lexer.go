package keitaro

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// part is a token of a statement. kind is w for a word or a number, n for a quoted name, s for a text, and otherwise the
// character itself.
type part struct {
	kind byte
	text string
}

func (t part) is(word string) bool { return t.kind == 'w' && strings.EqualFold(t.text, word) }

func (s *sqlReader) token() (part, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return part{}, err
		}
		switch {
		case c <= ' ':
		case c == '#':
			err = s.skipPast("\n")
		case c == '-' && s.next('-'):
			err = s.skipPast("\n")
		case c == '/' && s.next('*'):
			err = s.skipPast("*/")
		case c == '\'' || c == '"':
			text, err := s.quoted(c, true)
			return part{'s', text}, err
		case c == '`':
			text, err := s.quoted(c, true)
			return part{'n', text}, err
		case isWord(c):
			text, err := s.word(c)
			return part{'w', text}, err
		default:
			return part{kind: c}, nil
		}
		if err != nil {
			return part{}, err
		}
	}
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == '+' || c >= 0x80
}

// next reads the next character if it is the given sign.
func (s *sqlReader) next(sign byte) bool {
	c, _ := s.in.Peek(1)
	if len(c) == 1 && c[0] == sign {
		_, _ = s.in.Discard(1) // cannot fail after Peek
		return true
	}
	return false
}

func (s *sqlReader) word(first byte) (string, error) {
	const longest = 1 << 20 // a hexadecimal text is a word too
	out := []byte{first}
	for {
		c, err := s.in.ReadByte()
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if err != nil {
			return string(out), nil
		}
		if !isWord(c) {
			return string(out), s.in.UnreadByte()
		}
		if out = append(out, c); len(out) > longest {
			return "", errTooMuch
		}
	}
}

// skipPast skips up to and including the end of a comment. A comment of one line may also end where the file ends.
func (s *sqlReader) skipPast(end string) error {
	last := end[len(end)-1]
	var before byte
	for {
		read, err := s.in.ReadSlice(last)
		if errors.Is(err, bufio.ErrBufferFull) {
			before = read[len(read)-1]
			continue
		}
		if err != nil {
			if errors.Is(err, io.EOF) && end == "\n" {
				return nil
			}
			return err
		}
		if len(read) > 1 {
			before = read[len(read)-2]
		}
		if len(end) == 1 || before == end[0] {
			return nil
		}
		before = last
	}
}

// escapes maps the characters that have another meaning after a backslash to this meaning.
var escapes = map[byte]byte{'0': 0, 'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'Z': 26}

// quoted reads a text up to its closing quote. A quote within it is doubled or, except in backquotes, after a backslash. If keep
// is false, it returns no text.
func (s *sqlReader) quoted(quote byte, keep bool) (string, error) {
	var out []byte
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return "", err
		}
		switch {
		case c == '\\' && quote != '`':
			if c, err = s.in.ReadByte(); err != nil {
				return "", err
			}
			if to, ok := escapes[c]; ok {
				c = to
			}
		case c == quote && !s.next(quote):
			return string(out), nil
		}
		if keep {
			if out = append(out, c); len(out) > maxValue {
				return "", errTooMuch
			}
		}
	}
}
