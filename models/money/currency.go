package money

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Unknown is the currency of an amount whose stated currency is not understood. It is the code of ISO 4217 for no currency. It
// never has an exchange rate, so such an amount counts no money.
const Unknown = "XXX"

// unit is a currency of ISO 4217.
type unit struct {
	code   string
	number uint16 // zero: withdrawn
	minor  uint8  // decimals by ISO 4217
	used   uint8  // decimals in use: 0 if CLDR says that people write none, else minor
	// dotGroups reports whether a locale of the currency's country separates thousands by a dot. commaDecimal reports whether one
	// of them has a decimal comma.
	dotGroups, commaDecimal bool
}

func unitOf(code string) (unit, bool) {
	i, ok := slices.BinarySearchFunc(units, code, func(u unit, code string) int { return strings.Compare(u.code, code) })
	if !ok {
		return unit{code: code, minor: 2, used: 2}, false
	}
	return units[i], true
}

// sign is what a sign, a code or a name of a currency may stand for.
type sign struct {
	codes []string
	usual string // the currency for which it stands if nothing else is known; empty: none
}

// signs holds the signs and names of currencies, folded by foldWord.
var signs = func() map[string]sign {
	all := map[string]sign{}
	add := func(word, codes string) {
		s := all[word]
		for code := range strings.FieldsSeq(codes) {
			if !slices.Contains(s.codes, code) {
				s.codes = append(s.codes, code)
			}
		}
		all[word] = s
	}
	for word, codes := range cldrSigns {
		add(word, codes)
	}
	for codes, list := range names {
		for word := range strings.FieldsSeq(list) {
			add(foldWord([]rune(word)), codes)
		}
	}
	for code, list := range usual {
		for word := range strings.FieldsSeq(list) {
			word = foldWord([]rune(word))
			add(word, code)
			s := all[word]
			s.usual = code
			all[word] = s
		}
	}
	return all
}()

// foldWord returns a word in upper case, without spaces, dots and apostrophes.
func foldWord(word []rune) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '.' || r == '\'' || r == '\u00b7' {
			return -1
		}
		return unicode.ToUpper(r)
	}, string(word))
}

// multipliers are letters behind a number that multiply it, or that are minor units. They are never currencies there.
const multipliers = "BCDGHKLMT"

// lookup returns what a folded word may stand for. given is the currency that holds if an amount states none. A single Latin
// letter stands only for the given currency, and behind a number not even for that if it may be a multiplier.
func lookup(word, given string, behind bool) (sign, bool) {
	switch {
	case word == given && given != "":
		return sign{codes: []string{given}}, true
	case isCode(word):
		u, known := unitOf(word)
		if known && u.code[0] != 'X' || isShared(word) {
			return sign{codes: []string{word}}, true
		}
	case len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z':
		if behind && strings.Contains(multipliers, word) || !slices.Contains(signs[word].codes, given) {
			return sign{}, false
		}
		return sign{codes: []string{given}}, true
	}
	s, ok := signs[word]
	return s, ok
}

// isShared reports whether a code with X is a currency of several countries.
func isShared(code string) bool {
	return slices.Contains([]string{"XAF", "XCD", "XCG", "XOF", "XPF", "XDR", "XAU", "XAG", "XPT", "XPD"}, code)
}

func isCode(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// find returns what a folded word stands for. A word may consist of two, such as "USD$" or "€EUR", which then agree.
func find(word, given string, behind bool) (sign, bool) {
	if s, ok := lookup(word, given, behind); ok {
		return s, true
	}
	last := rune(-1)
	for i, r := range word {
		if i > 0 && unicode.IsLetter(last) != unicode.IsLetter(r) {
			a, okA := lookup(word[:i], given, behind)
			b, okB := lookup(word[i:], given, behind)
			if both := a.and(b); okA && okB && len(both.codes) > 0 {
				return both, true
			}
		}
		last = r
	}
	return sign{}, false
}

// and returns the currencies for which both signs stand.
func (s sign) and(o sign) sign {
	var both []string
	for _, code := range s.codes {
		if slices.Contains(o.codes, code) {
			both = append(both, code)
		}
	}
	out := sign{codes: both}
	for _, usual := range []string{s.usual, o.usual} {
		if slices.Contains(both, usual) {
			out.usual = usual
		}
	}
	return out
}

// pick returns the currency for which a sign stands: the given one if it has this sign, or else the usual one. err says that
// there are several.
func (s sign) pick(given string) (code string, err error) {
	switch {
	case slices.Contains(s.codes, given):
		return given, nil
	case len(s.codes) == 1:
		return s.codes[0], nil
	case s.usual != "":
		return s.usual, nil
	}
	return Unknown, ErrSeveral
}

// Currency reads a currency: a code of ISO 4217 in any case, its number ("978"), a sign ("€") or a name ("euros", "руб."). given is
// the currency that holds if the text states none: a sign of several currencies, such as "$" or "kr", stands for the given one if
// that has this sign, otherwise for the usual one ("$" for USD, "£" for GBP), and "kr", "¥" or "Rs" for none. An empty text gives an
// empty code.
//
// The code can be stored even with an error, as it counts no money then: it is the three letters as they are, or Unknown.
func Currency(text, given string) (code string, err error) {
	if len(text) > maxText {
		return Unknown, ErrNoCurrency
	}
	word := foldWord(normalize(nil, text))
	if word == "" && strings.TrimSpace(text) == "" {
		return "", nil
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 16); err == nil && len(word) == 3 {
		for _, u := range units {
			if uint64(u.number) == n && u.code != Unknown {
				return u.code, nil
			}
		}
	}
	if s, ok := find(word, given, false); ok {
		return s.pick(given)
	}
	if isCode(word) {
		return word, ErrNoCurrency
	}
	return Unknown, ErrNoCurrency
}

// Heading reads a heading of a table that may name a currency at its end, such as "Amount spent (INR)" or "Cost, €". It returns the
// heading without the currency, and the code. The code is Unknown if it is a code that is not understood, and empty if the heading
// names none.
func Heading(text string) (name, code string) {
	text = strings.TrimSpace(text)
	if len(text) > maxHeading {
		return text, ""
	}
	if i := strings.LastIndexAny(text, "(["); i > 0 && strings.IndexByte(")]", text[len(text)-1]) >= 0 {
		inside := strings.TrimSpace(text[i+1 : len(text)-1])
		upper := strings.ToUpper(inside)
		code, err := Currency(inside, "")
		switch {
		case code == "" || slices.Contains(noCurrencies, upper) || isNumber(inside):
		case err == nil, errors.Is(err, ErrSeveral):
			return strings.TrimSpace(text[:i]), code
		case len(inside) >= 3 && len(inside) <= 4 && inside == upper:
			return strings.TrimSpace(text[:i]), Unknown
		}
		return text, ""
	}
	i := strings.LastIndexAny(text, " ,_-/:")
	if i <= 0 {
		return text, ""
	}
	word := text[i+1:]
	if code, err := Currency(word, ""); err == nil && code != "" && !isNumber(word) && !slices.Contains(noCurrencies, strings.ToUpper(word)) && (word == strings.ToUpper(word) || text[i] == '_') {
		return strings.TrimRight(text[:i], " ,_-/:"), code
	}
	return text, ""
}

const maxHeading = 100

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// noCurrencies are words of a heading that look like a code but name no currency.
var noCurrencies = []string{"NET", "TOP", "VAT", "TAX", "ALL", "SUM", "AVG", "CPA", "CPC", "CPM", "CPI", "CPL", "CPV", "ROI", "ROAS", "EPC", "GMT", "UTC"}
