package param

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Param is one parameter, unescaped.
type Param struct {
	Name, Value string
	// IsLost reports that the value is empty because it could not be converted to UTF-8.
	IsLost bool
}

// Next returns the first parameter of a query and the rest of the query. usual reports that the parameter is well-formed, so
// that every program reads the same name and value. If usual is false, the name and the value may be in another charset than
// UTF-8: see Clues.
func Next(query string) (p Param, rest string, usual bool) {
	pair, rest, _ := strings.Cut(query, "&")
	usual = true
	if pair != "" && (pair[0]|0x20 == 'a' || pair[0] == '#') { // there may be amp; or #38; after the &
		pair, usual = withoutEntity(pair)
	}
	name, value, _ := strings.Cut(pair, "=")
	var usualName, usualValue bool
	p.Name, usualName = unescape(name)
	p.Value, usualValue = unescape(value)
	return p, rest, usual && usualName && usualValue
}

// FromQuery returns the parameters of a query in UTF-8.
func FromQuery(query string, clues Clues) (list []Param) {
	for query != "" {
		var p Param
		p, query, _ = Next(query)
		list = append(list, p)
	}
	clues.Decode(list)
	return list
}

// Encode returns a query of at most `limit` bytes that contains whole parameters, in their order. If there is not enough room for all
// parameters, it first takes the parameters for which `prefer` returns true, and then the others, as far as they fit.
func Encode(list []Param, limit int, prefer func(name string) bool) string {
	parts := make([]string, len(list))
	for _, preferred := range [...]bool{true, false} {
		for i := range list {
			if p := &list[i]; p.Name != "" && prefer(p.Name) == preferred {
				part := url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value)
				if len(part)+1 <= limit {
					parts[i], limit = part, limit-len(part)-1
				}
			}
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "&")
}

var entities = [...]string{"amp;", "#38;", "#038;", "#x26;"}

// If a URL was escaped several times, there are several entities. `usual` reports that nothing was removed.
func withoutEntity(pair string) (rest string, usual bool) {
	usual = true
	for i := 0; i < len(entities); i++ {
		if e := entities[i]; len(pair) >= len(e) && strings.EqualFold(pair[:len(e)], e) {
			pair, usual, i = pair[len(e):], false, -1
		}
	}
	return pair, usual
}

// unescape returns a text from a query with its escapes replaced. usual is false if the text has a broken escape or is not
// UTF-8.
func unescape(s string) (text string, usual bool) {
	for i := range len(s) {
		if c := s[i]; c == '%' || c == '+' || c >= utf8.RuneSelf {
			return replaceEscapes(s, i)
		}
	}
	return s, true
}

// The bytes before the index "at" stay unchanged.
func replaceEscapes(s string, at int) (text string, usual bool) {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:at])
	broken, ascii := false, true
	for i := at; i < len(s); i++ {
		c := s[i]
		switch c {
		case '+':
			c = ' '
		case '%':
			if hi, lo := hexAt(s, i+1), hexAt(s, i+2); hi >= 0 && lo >= 0 {
				c = byte(hi<<4 | lo) //nolint:gosec // both are below 16
				i += 2
			} else {
				broken = true
			}
		}
		ascii = ascii && c < utf8.RuneSelf
		b.WriteByte(c)
	}
	text = b.String()
	return text, !broken && (ascii || utf8.ValidString(text))
}

func hexAt(s string, i int) int {
	if i >= len(s) {
		return -1
	}
	c := s[i]
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
