package token

import (
	"net/url"
	"strings"

	"switchyard/models/param"
)

type frame struct{ open, close string }

// frames has the marks around the name of a macro. A longer mark comes before a shorter mark of the same kind.
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
	{"%%", "%%"},
	{"%", "%"},
}

const maxMacro = 64

// LooksLikeMacro reports whether a received value is a macro that was not filled in, such as {cost} or ##COST_CPC##. Such a value
// counts as empty. The name inside has at most maxMacro bytes. It must contain a letter, and only letters, digits and a few signs.
// A macro may also be escaped, as in %7Bcost%7D. The words REPLACE and OPTIONAL count too: the postback addresses of Voluum and
// BeMob have them where a person must write a macro.
func LooksLikeMacro(value string) bool {
	value = strings.TrimSpace(value)
	if value == "OPTIONAL" || value == "REPLACE" {
		return true
	}
	if len(value) > 1 && value[0] == '%' {
		if plain, err := url.PathUnescape(value); err == nil && plain != value {
			value = plain
		}
	}
	for _, f := range frames {
		if len(value) <= len(f.open)+len(f.close) || !strings.HasPrefix(value, f.open) ||
			!strings.HasSuffix(value, f.close) {
			continue
		}
		if isMacroName(value[len(f.open) : len(value)-len(f.close)]) {
			return true
		}
	}
	return false
}

func isMacroName(s string) bool {
	letter := false
	for i := range len(s) {
		c := s[i] | 0x20
		switch {
		case 'a' <= c && c <= 'z':
			letter = true
		case strings.IndexByte("0123456789_-.: ()|$", s[i]) < 0:
			return false
		}
	}
	return letter && len(s) <= maxMacro
}

// QueryParam returns the value, as received, of the first parameter of a query that has the name and is filled. Upper and lower
// case do not matter. A parameter with an empty value, or with a macro that was not filled in, is not filled.
func QueryParam(query, name string) string {
	for query != "" {
		var p param.Param
		if p, query, _ = param.Next(query); p.Value != "" && strings.EqualFold(p.Name, name) && !LooksLikeMacro(p.Value) {
			return p.Value
		}
	}
	return ""
}
