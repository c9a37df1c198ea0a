package money

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The separators of Arabic script.
const (
	arabicDecimal = '\u066b'
	arabicGroup   = '\u066c'
)

var usualCharacters = func() map[rune]rune {
	m := map[rune]rune{}
	for to, list := range map[rune]string{
		'-':  "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
		'+':  "\uff0b\ufe62",
		'\'': "\u2019\u2018\u02bb\u02bc\u2032\uff07\u0060\u00b4",
		',':  "\uff0c\ufe50\u060c",
		'.':  "\uff0e\ufe52",
		'(':  "\uff08\ufe59",
		')':  "\uff09\ufe5a",
		'$':  "\uff04\ufe69",
		'£':  "\uffe1",
		'¥':  "\uffe5",
		'₩':  "\uffe6",
		'¢':  "\uffe0",
	} {
		for _, r := range list {
			m[r] = to
		}
	}
	return m
}()

// normalize appends the characters of a text to buf in normal form. Characters without width are left out.
func normalize(buf []rune, text string) []rune {
	for _, r := range text {
		if r < 0x80 {
			switch {
			case r >= '\t' && r <= '\r':
				r = ' '
			case r == '`':
				r = '\''
			}
			buf = append(buf, r)
			continue
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case unicode.Is(unicode.Cf, r):
			continue
		case unicode.IsDigit(r):
			r = '0' + digit(r)
		default:
			if to, ok := usualCharacters[r]; ok {
				r = to
			}
		}
		buf = append(buf, r)
	}
	return buf
}

// In Unicode, the digits of a script are in order, so each range consists of runs of ten that begin with the digit zero.
func digit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if lo, hi := rune(t.Lo), rune(t.Hi); r >= lo && r <= hi {
			return (r - lo) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if lo, hi := rune(t.Lo), rune(t.Hi); r >= lo && r <= hi { //nolint:gosec // code points are small
			return (r - lo) % 10
		}
	}
	return 0
}

type parts struct {
	before, after string // folded words before and after the number
	number        number
	negative      bool
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isMark(r rune) bool { return r == '.' || r == ',' || r == arabicDecimal }

func split(text string) (p parts, err error) {
	if !utf8.ValidString(text) {
		return p, ErrMalformed
	}
	var buf [MaxText]rune
	s := trim(normalize(buf[:0], text))
	if len(s) > 2 && s[0] == s[len(s)-1] && (s[0] == '"' || s[0] == '\'') {
		s = trim(s[1 : len(s)-1])
	}
	first := slices.IndexFunc(s, isDigit)
	switch {
	case len(s) == 0:
		return p, ErrEmpty
	case first < 0:
		return p, ErrNoNumber
	}
	end := len(s)
	for !isDigit(s[end-1]) {
		end--
	}
	if first > 0 && isMark(s[first-1]) && (first == 1 || !unicode.IsLetter(s[first-2]) && s[first-2] != '/') {
		first--
	}
	before, after := s[:first], s[end:]
	if len(after) > 0 && isMark(after[0]) { // the number ends with its decimal mark, as in "5." and "12,-"
		after = after[1:]
		end++
		for dashes := 0; dashes < 2 && len(after) > 0 && after[0] == '-'; dashes++ {
			after = after[1:]
		}
	}
	if len(after) > 1 && slices.Contains(wholeMarks, string(after[:2])) {
		after = after[2:]
	}
	if p.number, err = newNumber(s[first:end]); err != nil {
		return p, err
	}
	return p, p.around(before, after)
}

// wholeMarks are marks that people write after an amount without decimals: "1,250/-" in India, "500/=" in Kenya and "12:-" in
// Sweden.
var wholeMarks = []string{"/-", "/=", ":-"}

func trim(s []rune) []rune {
	for len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}

type signCount struct{ minus, plus, open, closed int }

func (c *signCount) peel(s []rune, set string) []rune {
	for {
		s = trim(s)
		switch {
		case len(s) > 0 && strings.ContainsRune(set, s[0]):
			c.add(s[0])
			s = s[1:]
		case len(s) > 0 && strings.ContainsRune(set, s[len(s)-1]):
			c.add(s[len(s)-1])
			s = s[:len(s)-1]
		default:
			return s
		}
	}
}

func (c *signCount) add(r rune) {
	switch r {
	case '-':
		c.minus++
	case '+':
		c.plus++
	case '(':
		c.open++
	case ')':
		c.closed++
	}
}

func (p *parts) around(before, after []rune) error {
	if len(after) > 1 && after[0] == '-' && unicode.IsLetter(after[1]) {
		return ErrMalformed
	}
	var c signCount
	before, after = c.peel(before, "-+("), c.peel(after, "-)")
	if c.open != c.closed || c.minus+c.plus+c.open > 1 {
		return ErrMalformed
	}
	p.negative = c.minus+c.open > 0
	if len(before) == 1 && before[0] == '\'' { // spreadsheets mark a cell as text in this way
		before = nil
	}
	p.before, p.after = foldWord(before), foldWord(after)
	if len(before) > 0 && p.before == "" || len(after) > 0 && p.after == "" {
		return ErrMalformed
	}
	return nil
}

func (p *parts) currencies(given string) (sign, error) {
	var out sign
	for _, w := range []struct {
		word   string
		behind bool
	}{{p.before, false}, {p.after, true}} {
		if w.word == "" {
			continue
		}
		s, ok := find(w.word, given, w.behind)
		switch {
		case !ok:
			return out, ErrWords
		case len(out.codes) == 0:
			out = s
		default:
			if out = out.common(s); len(out.codes) == 0 {
				return out, ErrCurrencies
			}
		}
	}
	return out, nil
}
