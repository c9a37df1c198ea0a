package money

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"
)

// Unknown is the currency of an amount whose stated currency is not understood. It is the code of ISO 4217 for no currency. It
// never has an exchange rate, so such an amount counts no money.
const Unknown = "XXX"

// unit is a currency of ISO 4217.
type unit struct {
	code   string
	number uint16 // zero: withdrawn
	minor  uint8  // decimals by ISO 4217
	used   uint8  // decimals in use: 0 if CLDR says that people write no decimals, else minor
	// dotGroups reports whether a locale of the currency's country separates thousands by a dot. commaDecimal reports whether a
	// locale of that country has a decimal comma.
	dotGroups, commaDecimal bool
}

func unitOf(code string) (unit, bool) {
	i, ok := slices.BinarySearchFunc(units, code, func(u unit, code string) int { return strings.Compare(u.code, code) })
	if !ok {
		return unit{code: code, minor: 2, used: 2}, false
	}
	return units[i], true
}

// Minor returns an amount in the smallest unit of a currency, such as cents, rounded. ok is false if the currency is not known.
func Minor(amount decimal.Decimal, code string) (minor decimal.Decimal, ok bool) {
	u, ok := unitOf(code)
	return amount.Shift(int32(u.minor)).Round(0), ok && code != Unknown
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

// pence is a word for the hundredth part of a pound, which differs from the pound's code only in case. It is no currency here, so
// that an amount in pence never counts as pounds.
const pence = "GBp"

// formerRouble is a code that programs still write for RUB.
const formerRouble = "RUR"

// foldWord returns a word in upper case, without spaces, dots and apostrophes.
func foldWord(word []rune) string {
	folded := strings.Map(func(r rune) rune {
		if r == ' ' || r == '.' || r == '\'' || r == '\u00b7' {
			return -1
		}
		return unicode.ToUpper(r)
	}, string(word))
	switch {
	case folded == formerRouble:
		return "RUB"
	case strings.TrimSpace(string(word)) == pence:
		return "GBX"
	}
	return folded
}

// multipliers are letters after a number that multiply it, or that are minor units. They are never currencies there.
const multipliers = "BCDGHKLMT"

// lookup returns what a folded word may stand for. given is the currency that applies if an amount states none. behind says
// that the word follows a number. A single Latin letter stands only for the given currency. After a number, a letter that may
// be a multiplier stands for no currency.
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
			if both := a.common(b); okA && okB && len(both.codes) > 0 {
				return both, true
			}
		}
		last = r
	}
	return sign{}, false
}

// common returns the currencies for which both signs stand.
func (s sign) common(o sign) sign {
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
// the currency that applies if the text states none: a sign of several currencies, such as "$" or "kr", stands for the given one if
// that has this sign, otherwise for the usual one ("$" for USD, "£" for GBP), and "kr", "¥" or "Rs" for none. An empty text gives an
// empty code.
//
// With an error, the code is the three letters of the text, unchanged, or Unknown. Such a code can be stored, because it counts
// no money.
func Currency(text, given string) (code string, err error) {
	if len(text) > MaxText {
		return Unknown, ErrNoCurrency
	}
	word := foldWord(normalize(nil, text))
	if word == "" && strings.TrimSpace(text) == "" {
		return "", nil
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 16); err == nil && len(word) == 3 {
		for _, u := range units {
			if u.number != 0 && uint64(u.number) == n && u.code != Unknown {
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

// Heading reads a heading of a table that may name a currency, in parentheses or as its last or first word, such as
// "Amount spent (INR)", "Cost (EUR, net)", "Cost, €" or "USD revenue". It returns the heading without the currency, and the code.
// given is the currency that a column of its own names: see Currency. The code is Unknown if the currency is not understood, or if
// the heading names a unit that is no currency, such as "Cost (micros)". The code is empty if the heading names no currency.
func Heading(text, given string) (name, code string) {
	text = strings.TrimSpace(text)
	if len(text) > maxHeading {
		return text, ""
	}
	if i := strings.IndexAny(text, "(["); i > 0 {
		if code := statedIn(text[i:], given); code != "" {
			return strings.TrimSpace(text[:i]), code
		}
		return text, ""
	}
	const between = " ,_-/:"
	if i := strings.LastIndexAny(text, between); i > 0 {
		name = strings.TrimRight(text[:i], " ")
		apart := text[i] == '_' || text[i] == ',' || strings.HasSuffix(name, ",")
		if code := edgeWord(text[i+1:], given, apart); code != "" {
			return strings.TrimRight(name, between), code
		}
	}
	if i := strings.IndexAny(text, between); i > 0 {
		if name = strings.TrimLeft(text[i:], between); name != "" {
			if code := edgeWord(text[:i], given, false); code != "" {
				return name, code
			}
		}
	}
	return text, ""
}

// edgeWord returns the currency that the first or the last word of a heading names: a code, or a sign or a name that is written in
// capital letters or set apart.
func edgeWord(word, given string, apart bool) string {
	upper := strings.ToUpper(word)
	if isNumber(word) || !apart && word != upper && !isCode(upper) {
		return ""
	}
	if code := currencyOf(word, given); code != Unknown {
		return code
	}
	return ""
}

// statedIn returns the currency that the parentheses of a heading name. It returns Unknown if they name a unit, or if the currency is
// not understood, and an empty text if they name neither.
func statedIn(s, given string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("()[],;:/-_", r) })
	text := strings.Join(words, " ")
	if code := currencyOf(text, given); code != "" {
		return code
	}
	likeCode := len(words) == 1 && len(text) >= 3 && len(text) <= 4 && text == strings.ToUpper(text)
	if likeCode && !isNumber(text) && !slices.Contains(noCurrencies, text) {
		return Unknown
	}
	found := ""
	for _, word := range words {
		code := ""
		switch upper := strings.ToUpper(word); {
		case slices.Contains(headingUnits, upper):
			return Unknown
		case isCode(upper) || !isNumber(word) && word == upper: // other words, such as "real", may be words of the language
			code = currencyOf(word, given)
		}
		if found != "" && code != "" && code != found {
			return Unknown
		}
		found = cmp.Or(code, found)
	}
	return found
}

// currencyOf returns the currency for which a text of a heading stands, Unknown for one of several, or an empty text.
func currencyOf(text, given string) string {
	code, err := Currency(text, given)
	if slices.Contains(noCurrencies, strings.ToUpper(text)) || err != nil && !errors.Is(err, ErrSeveral) {
		return ""
	}
	return code
}

// headingUnits are words of a heading that say that its amounts are parts or multiples of a currency's unit.
var headingUnits = []string{
	"MICRO", "MICROS", "MICROAMOUNT", "MILLI", "MILLIS", "CENT", "CENTS", "PENCE", "PAISA", "PAISE", "KOPECKS", "MINOR",
	"K", "000", "000S", "1000", "1000S", "M", "MM", "THOUSAND", "THOUSANDS", "MLN", "MIO", "MILLION", "MILLIONS", "LAKH", "LAKHS", "CRORE", "CRORES", "%", "PERCENT", "PCT",
}

const maxHeading = 100

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// noCurrencies are words of a heading that look like a code but name no currency.
var noCurrencies = []string{"NET", "TOP", "VAT", "TAX", "ALL", "SUM", "AVG", "CPA", "CPC", "CPM", "CPI", "CPL", "CPV", "ROI", "ROAS", "EPC", "GMT", "UTC"}
