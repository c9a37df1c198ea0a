package postback

import (
	"strings"
	"unicode"

	"github.com/shopspring/decimal"
)

const (
	maxAmountText = 64
	amountPlaces  = 6
)

var maxAmount = decimal.New(1, 9)

// ParseAmount reads an amount of money as people and networks write it. It accepts currency signs and codes around the amount,
// spaces or apostrophes between thousands, and a decimal point or a decimal comma. A single comma before exactly three digits
// separates thousands ("1,250"), unless only a zero stands before it ("0,125"). The result has at most six decimals. ok is
// false for any other text, for exponents, and for more than 1e9.
func ParseAmount(s string) (amount decimal.Decimal, ok bool) {
	if len(s) > maxAmountText {
		return decimal.Zero, false
	}
	if amount, ok := plain(s); ok {
		return amount, true
	}
	s, negative := bare(s)
	s = normalize(s)
	if s == "" || len(s) > 30 {
		return decimal.Zero, false
	}
	digits := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			digits++
		} else if r != '.' {
			return decimal.Zero, false
		}
	}
	if digits == 0 {
		return decimal.Zero, false
	}
	d, err := decimal.NewFromString(s)
	if err != nil || d.GreaterThan(maxAmount) {
		return decimal.Zero, false
	}
	if negative {
		d = d.Neg()
	}
	return d.Round(amountPlaces), true
}

// plain is the fast path of ParseAmount for digits with at most one point, the usual form of a click's cost. ok is false for
// any other text, which may still be an amount.
func plain(s string) (amount decimal.Decimal, ok bool) {
	const maxDigits = 9 // not beyond maxAmount
	if len(s) == 0 || len(s) > maxDigits {
		return decimal.Zero, false
	}
	value, places, digits := int64(0), -1, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			value = value*10 + int64(c-'0')
			digits++
			if places >= 0 {
				places++
			}
		case c == '.' && places < 0:
			places = 0
		default:
			return decimal.Zero, false
		}
	}
	places = max(places, 0)
	if digits == 0 || places > amountPlaces {
		return decimal.Zero, false
	}
	return decimal.New(value, -int32(places)), true
}

// bare removes the currency, the sign, and the spaces and apostrophes from an amount. negative reports whether the sign was a
// minus.
func bare(s string) (digits string, negative bool) {
	around := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsLetter(r) || unicode.Is(unicode.Sc, r)
	}
	s = strings.TrimFunc(s, around)
	if t, cut := strings.CutPrefix(s, "-"); cut {
		s, negative = strings.TrimFunc(t, around), true
	} else if t, cut := strings.CutPrefix(s, "+"); cut {
		s = strings.TrimFunc(t, around)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\'' || r == '\u2019' {
			return -1
		}
		return r
	}, s), negative
}

// normalize changes the separators to at most one decimal point. The result may still not be a number.
func normalize(s string) string {
	comma, dot := strings.LastIndexByte(s, ','), strings.LastIndexByte(s, '.')
	switch {
	case comma < 0:
		if strings.Count(s, ".") > 1 { // 1.234.567
			return grouped(s, ".")
		}
		return s
	case dot > comma: // 1,234.56
		return grouped(s[:dot], ",") + s[dot:]
	case dot >= 0: // 1.234,56
		return grouped(s[:comma], ".") + "." + s[comma+1:]
	case strings.Count(s, ",") > 1: // 1,234,567
		return grouped(s, ",")
	case len(s)-comma == 4 && comma > 0 && s[:comma] != "0": // 1,250
		return grouped(s, ",")
	default: // 12,5
		return s[:comma] + "." + s[comma+1:]
	}
}

// grouped removes the thousands separators. If a group does not have three digits, it returns "?", which is not a number.
func grouped(s, sep string) string {
	parts := strings.Split(s, sep)
	for i, p := range parts {
		if (i > 0 && len(p) != 3) || (i == 0 && (len(p) == 0 || len(parts) > 1 && len(p) > 3)) {
			return "?"
		}
	}
	return strings.Join(parts, "")
}
