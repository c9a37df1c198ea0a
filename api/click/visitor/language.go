package visitor

import (
	"strings"

	"switchyard/models/clickattr"
)

// maxLanguages is the number of members of an Accept-Language header that are read.
const maxLanguages = 50

// The weights of Accept-Language in thousandths, which is the precision that RFC 9110 allows.
const (
	fullWeight = 1000
	lastWeight = 1 // the lowest weight above 0, also of a member whose q cannot be parsed
)

// language returns the language that an Accept-Language header prefers: the primary subtag with the highest weight, and among
// equal weights the first (RFC 9110, sections 12.4.2 and 12.5.4). It skips members with weight 0, which the client does not
// accept, empty members, the * for any language, and texts that are not a language of ISO 639.
func language(accept string) (best string) {
	bestWeight := 0
	for range maxLanguages {
		member, rest, more := strings.Cut(accept, ",")
		tag, params, _ := strings.Cut(member, ";")
		if q := weight(params); q > bestWeight {
			if code := primarySubtag(tag); code != "" {
				best, bestWeight = code, q
			}
		}
		if !more || bestWeight == fullWeight {
			break
		}
		accept = rest
	}
	return best
}

// primarySubtag returns the language of a tag, such as de of de-AT. It also reads the underscore that programs write, as in
// en_US.
func primarySubtag(tag string) string {
	tag = strings.Trim(tag, " \t")
	if end := strings.IndexAny(tag, "-_"); end >= 0 {
		tag = tag[:end]
	}
	if len(tag) < 2 || len(tag) > 3 {
		return ""
	}
	code, _ := clickattr.Languages.Find(tag)
	return code
}

// weight returns the value of q among the parameters of a member, in thousandths. Without q it is fullWeight. A q that is not a
// number from 0 to 1 gives lastWeight.
func weight(params string) int {
	for params != "" {
		param, rest, _ := strings.Cut(params, ";")
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.Trim(name, " \t"), "q") {
			return thousandths(strings.Trim(value, " \t"))
		}
		params = rest
	}
	return fullWeight
}

// thousandths reads a number such as 1, 1.0, 0.85 or .5. Digits after the third decimal are ignored, but a number between 0 and
// 0.001 gives lastWeight.
func thousandths(text string) int {
	integer, decimals, _ := strings.Cut(text, ".")
	if len(integer)+len(decimals) == 0 || integer != "" && integer != "0" && integer != "1" {
		return lastWeight
	}
	n, place, isZero := 0, fullWeight, true
	if integer == "1" {
		n, isZero = fullWeight, false
	}
	for i := range len(decimals) {
		digit := int(decimals[i]) - '0'
		if digit < 0 || digit > 9 {
			return lastWeight
		}
		place /= 10
		n, isZero = n+digit*place, isZero && digit == 0
	}
	if n > fullWeight || n == 0 && !isZero {
		return lastWeight
	}
	return n
}
