package postback

import (
	"strings"

	"switchyard/models/param"
	"switchyard/models/token"
)

// Limits of the parameters of a message that are read as no field. They are kept for the log of postbacks.
const (
	maxOthers     = 200     // their number
	maxOtherBytes = 8 << 10 // their names and values together
)

// Collect returns the parameters of a message for storage. Of parameters whose names differ only in case it takes the first that is
// filled, and otherwise the first. known reports whether a parameter, in lower case, may be read as a field. Known parameters are
// kept wherever they stand, so a message of any size is read the same way. Other parameters are kept up to a limit.
func Collect(list []param.Param, known func(name string) bool) map[string]string {
	params, names := map[string]string{}, map[string]string{}
	others, bytes := 0, 0
	for _, p := range list {
		name, value := Clean(p.Name, MaxName), Clean(p.Value, MaxValue)
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

// isFilled reports whether a value is neither empty nor an unfilled macro.
func isFilled(value string) bool { return value != "" && !token.LooksLikeMacro(value) }
