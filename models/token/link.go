package token

import (
	"strings"

	"switchyard/models"
)

// AppendMacros appends the value of a query parameter that another party fills in. Its macros stay unchanged, and everything
// else is percent-encoded. No text can therefore end the parameter that contains it.
func AppendMacros(dst []byte, text string) []byte {
	for text != "" {
		start, end := findMacro(text)
		dst = append(AppendEscaped(dst, text[:start]), text[start:end]...)
		text = text[end:]
	}
	return dst
}

// If the text has no macro, both bounds are the end of the text.
func findMacro(text string) (start, end int) {
	for i := range len(text) {
		for _, f := range frames {
			rest, ok := strings.CutPrefix(text[i:], f.open)
			if !ok {
				continue
			}
			if n := strings.Index(rest, f.close); n > 0 && isMacroName(rest[:n]) && !strings.Contains(rest[:n], " ") {
				return i, i + len(f.open) + n + len(f.close)
			}
		}
	}
	return len(text), len(text)
}

// AppendParam appends to a query a parameter that another party fills in.
func AppendParam(query []byte, m models.TokenMacro) []byte {
	if len(query) > 0 {
		query = append(query, '&')
	}
	return AppendMacros(append(AppendEscaped(query, m.Param), '='), m.Macro)
}

// LinkQuery returns the query of a tracking link for a traffic source, with its macros unfilled.
func LinkQuery(l models.SourceLink) string {
	var query []byte
	for _, m := range l.Params() {
		query = AppendParam(query, m)
	}
	return string(query)
}
