package visitor

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// header returns the first value of a header by its canonical name. Unlike Get, it does not check whether the name is canonical.
func header(h http.Header, canonical string) string {
	if v := h[canonical]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// clean returns a text from outside in a form that can be stored: valid UTF-8, no control characters, trimmed, at most max bytes.
func clean(s string, max int) string {
	s = strings.TrimSpace(s)
	if isPlain(s) {
		if len(s) > max {
			return strings.Clone(strings.TrimSpace(s[:max])) // a copy, so that the whole long header can be freed
		}
		return s
	}
	if len(s) > 4*max {
		s = s[:4*max]
	}
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, s)
	if len(s) > max {
		for max > 0 && !utf8.RuneStart(s[max]) {
			max--
		}
		s = s[:max]
	}
	return strings.TrimSpace(s)
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
