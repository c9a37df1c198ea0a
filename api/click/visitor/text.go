package visitor

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// header is the first value of a header given by its canonical name, without the copy that Get would check for.
func header(h http.Header, canonical string) string {
	if v := h[canonical]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// clean makes a text from outside fit to be stored: valid UTF-8, no control characters, trimmed, at most max bytes.
// It copies only what has to change.
func clean(s string, max int) string {
	s = strings.TrimSpace(s)
	if isPlain(s) {
		if len(s) > max {
			return strings.Clone(strings.TrimSpace(s[:max])) // do not keep a long header alive for its beginning
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

// language is the primary subtag of the first language of an Accept-Language header, or empty.
func language(accept string) string {
	for i := range len(accept) {
		switch c := accept[i] | 0x20; {
		case 'a' <= c && c <= 'z' && i < 8:
			continue
		case i < 2, i > 3:
			return ""
		case strings.IndexByte("-,; ", accept[i]) >= 0:
			return strings.ToLower(accept[:i])
		}
		return ""
	}
	if len(accept) == 2 || len(accept) == 3 {
		return strings.ToLower(accept)
	}
	return ""
}
