package postback

import (
	"strings"
	"unicode/utf8"

	"switchyard/models/param"
	"switchyard/models/token"
)

// Limits of the parameters of a message that are not read as a field.
const (
	maxOthers     = 200     // maximum number
	maxOtherBytes = 8 << 10 // maximum bytes of all their names and values together
)

// Collect returns the parameters of a message for storage. If several parameters have the same name apart from case, it keeps the
// name of the first one, with the first filled value or, if no value is filled, the first value. known reports whether a name in
// lower case may be the name of a field. Parameters of fields are kept wherever they stand, so a message of any size is read the same
// way. Other parameters are kept up to the limits maxOthers and maxOtherBytes.
func Collect(list []param.Param, known func(name string) bool) map[string]string {
	params, names := map[string]string{}, map[string]string{}
	others, bytes := 0, 0
	for _, p := range list {
		name, value := Clean(p.Name, MaxName), Received(p, MaxValue)
		if name == "" {
			continue
		}
		lower := strings.ToLower(name)
		if first, twice := names[lower]; twice {
			if !isFilled(params[first]) && isFilled(value) {
				params[first] = value
			}
			continue
		}
		if _, field := fieldParams[lower]; !field && !known(lower) {
			if others == maxOthers || bytes+len(name)+len(value) > maxOtherBytes {
				continue
			}
			others, bytes = others+1, bytes+len(name)+len(value)
		}
		names[lower], params[name] = name, value
	}
	return params
}

// isFilled reports whether a value is neither empty nor an unfilled macro. A value without a readable character counts as empty.
func isFilled(value string) bool { return Clean(value, MaxValue) != "" && !token.LooksLikeMacro(value) }

const unreadable = string(utf8.RuneError)

// Received returns the value of a parameter as it was received, of at most limit bytes, in a form that can be stored.
// A character that cannot be read becomes U+FFFD, because an amount without one of its characters may be another
// amount. If the whole value was lost, the result is U+FFFD. A line end or a tab becomes a space.
func Received(p param.Param, limit int) string {
	if p.IsLost {
		return unreadable
	}
	value := strings.TrimFunc(p.Value, isInvisible)
	if strings.ContainsFunc(value, isControl) || !utf8.ValidString(value) {
		value = strings.Map(func(r rune) rune {
			switch {
			case '\t' <= r && r <= '\r':
				return ' '
			case isControl(r):
				return utf8.RuneError
			}
			return r
		}, cut(value, 4*limit))
	}
	return cut(value, limit)
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
