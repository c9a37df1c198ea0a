package trackerimport

import (
	"regexp"
	"strings"

	"golang.org/x/text/currency"

	"switchyard/models/token"
)

// foreignMacros match macros between marks that our tokens do not use.
var foreignMacros = []*regexp.Regexp{
	regexp.MustCompile(`\[[A-Za-z_][\w.:-]*\]+`),
	regexp.MustCompile(`<[A-Za-z_][\w.:-]*>`),
	regexp.MustCompile(`(?i)%7B[\w.:%-]*?%7D`),
	regexp.MustCompile(`\$\{?[A-Za-z_]\w*\}?`),
	regexp.MustCompile(`__[A-Za-z]\w*?__`),
}

// ForeignMacro looks in an address for macros that are not tokens here. The tokens of conversions, such as {payout}, are tokens
// only in the address of a postback.
func ForeignMacro(address string, postback bool) string {
	if macro := token.Unknown(address); macro != "" {
		return macro
	}
	for rest := address; !postback; {
		open := strings.IndexByte(rest, '{')
		end := strings.IndexByte(rest[open+1:], '}') + open + 1
		if open < 0 || end <= open {
			break
		}
		if isConversionToken(rest[open+1 : end]) {
			return rest[open : end+1]
		}
		rest = rest[end+1:]
	}
	for _, form := range foreignMacros {
		for _, at := range form.FindAllStringIndex(address, -1) {
			if address[at[0]] == '[' && at[1] < len(address) && strings.IndexByte("=[", address[at[1]]) >= 0 {
				continue // part of the name of a parameter, as in filter[id]=5
			}
			return address[at[0]:at[1]]
		}
	}
	return ""
}

func isConversionToken(inner string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(inner, "_"), ":")
	t, ok := token.Lookup(name)
	return ok && t.Name >= token.Payout && t.Name <= token.EventTime
}

// Currency returns the code of a currency as we write it.
func Currency(code string) (iso string, ok bool) {
	unit, err := currency.ParseISO(strings.TrimSpace(code))
	return unit.String(), err == nil
}
