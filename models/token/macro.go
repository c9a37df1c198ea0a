package token

import (
	"net/url"
	"strings"
)

type frame struct{ open, close string }

// frames lists the marks around macros of trackers and traffic sources. A longer mark comes before a shorter mark of the same
// kind.
var frames = []frame{
	{"[[[", "]]]"},
	{"[[", "]]"},
	{"[", "]"},
	{"${", "}"},
	{"{{", "}}"},
	{"{", "}"},
	{"##", "##"},
	{"#", "#"},
	{"__", "__"},
	{"!!!", "!!!"},
	{"@@", "@@"},
}

// maxMacro is the maximum length of a name that counts as the name of a macro.
const maxMacro = 64

// LooksLikeMacro reports whether a received value is a macro that was not filled in, such as {cost} or ##COST_CPC##. Such a
// value counts as empty. The name inside must contain a letter, and only letters, digits and a few signs. A value that only
// stands in brackets, such as a number, is therefore kept.
func LooksLikeMacro(value string) bool {
	value = strings.TrimSpace(value)
	for _, f := range frames {
		if len(value) <= len(f.open)+len(f.close) || !strings.HasPrefix(value, f.open) ||
			!strings.HasSuffix(value, f.close) {
			continue
		}
		if macroName(value[len(f.open) : len(value)-len(f.close)]) {
			return true
		}
	}
	return false
}

func macroName(s string) bool {
	letter := false
	for i := range len(s) {
		c := s[i] | 0x20
		switch {
		case 'a' <= c && c <= 'z':
			letter = true
		case strings.IndexByte("0123456789_-.: ()|", s[i]) < 0:
			return false
		}
	}
	return letter && len(s) <= maxMacro
}

// QueryParam returns the value of a parameter in a query as received. It uses the first parameter with the name, without regard
// to case. It returns an empty text for a macro that was not filled in, and for a value that cannot be read.
func QueryParam(query, name string) string {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		n, v, _ := strings.Cut(pair, "=")
		n, err1 := url.QueryUnescape(n)
		v, err2 := url.QueryUnescape(v)
		if err1 != nil || err2 != nil || !strings.EqualFold(n, name) {
			continue
		}
		if LooksLikeMacro(v) {
			return ""
		}
		return v
	}
	return ""
}
