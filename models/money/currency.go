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

// Unknown is the currency of an amount whose stated currency is not understood. It is the code that ISO 4217 has for "no
// currency". It never has an exchange rate, so a conversion in it counts, but the amount is in no sum.
const Unknown = "XXX"

type unit struct {
	code   string
	number uint16 // zero: the currency was withdrawn
	minor  uint8  // number of decimals according to ISO 4217
	used   uint8  // number of decimals in use: 0 if CLDR says that people write no decimals, otherwise minor
	// dotGroups reports whether a locale of the currency's country separates thousands with a dot. commaDecimal reports whether
	// a locale of that country has a comma before the decimals.
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

type sign struct {
	codes []string
	usual string // the currency that it means if nothing else is known; empty: no such currency
}

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

// pence is a word for a hundredth of a pound. It differs from the pound's code only in case. It is not a currency here, so that
// an amount in pence never counts as pounds.
const pence = "GBp"

const formerRouble = "RUR"

// foldWord returns a word in upper case, without spaces, dots and apostrophes. Instead of the rouble's former code it returns RUB,
// and instead of "GBp" it returns GBX.
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

// multipliers are letters that, after a number, multiply it or mean minor units. In that position they never mean a currency.
const multipliers = "BCDGHKLMT"

// lookup returns the currencies that a folded word can mean. behind says that the word follows a number. A single Latin letter
// can mean only the given currency. After a number, a letter that may be a multiplier means no currency.
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

func isShared(code string) bool {
	return slices.Contains([]string{"XAF", "XCD", "XCG", "XOF", "XPF", "XDR", "XAU", "XAG", "XPT", "XPD"}, code)
}

func isCode(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// find returns the currencies that a folded word can mean. A word can consist of two parts, such as "USD$" or "€EUR". Both parts
// must then mean the same currency.
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

// pick returns the currency that a sign means: the given currency if it has this sign, otherwise the only or the usual currency
// with this sign. If the sign has several currencies and none is usual, the error is ErrSeveral.
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

// Currency reads a currency: a code of ISO 4217 in upper or lower case, its number ("978"), a sign ("€") or a name ("euros",
// "руб."). given is the currency that the caller uses if the text states none. A sign of several currencies, such as "$" or "kr",
// means the given currency if that has this sign. Otherwise it means the usual currency: "$" means USD and "£" means GBP, but
// "kr", "¥" and "Rs" have no usual currency. For an empty text, the code is empty.
//
// If a text of three letters is not a currency, the code is these letters in upper case, except that "GBp" becomes "GBX". For any
// other text with an error, the code is Unknown.
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

// Heading reads a heading of a table that may name a currency, in parentheses or as its first or last word, such as "Amount
// spent (INR)", "Cost (EUR, net)", "Cost, €" or "USD revenue". It returns the heading without the currency, and the code. given
// is the currency that a separate column names: see Currency. The code is Unknown if the parentheses name several currencies, a
// currency that is not understood, or a unit that is not a currency, such as "Cost (micros)". The code is empty if the heading
// names no currency.
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

// edgeWord returns the currency that the first or the last word of a heading names: a code, or a sign or name that is written in
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

// statedIn returns the currency that the parentheses of a heading name. It returns Unknown if they name a unit, a currency that
// is not understood or several currencies. It returns an empty text if they name neither a unit nor a currency.
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
		case isCode(upper) || !isNumber(word) && word == upper: // other words, such as "real", may be ordinary words
			code = currencyOf(word, given)
		}
		if found != "" && code != "" && code != found {
			return Unknown
		}
		found = cmp.Or(code, found)
	}
	return found
}

// currencyOf returns the currency that a text in a heading means. It returns Unknown if the text can mean several currencies,
// and an empty text if it means no currency.
func currencyOf(text, given string) string {
	code, err := Currency(text, given)
	if slices.Contains(noCurrencies, strings.ToUpper(text)) || err != nil && !errors.Is(err, ErrSeveral) {
		return ""
	}
	return code
}

// headingUnits are words in a heading that say that the numbers below it are not in units of a currency.
var headingUnits = []string{
	"MICRO", "MICROS", "MICROAMOUNT", "MILLI", "MILLIS", "CENT", "CENTS", "PENCE", "PAISA", "PAISE", "KOPECKS", "MINOR",
	"K", "000", "000S", "1000", "1000S", "M", "MM", "THOUSAND", "THOUSANDS", "MLN", "MIO", "MILLION", "MILLIONS", "LAKH", "LAKHS", "CRORE", "CRORES", "%", "PERCENT", "PCT",
}

const maxHeading = 100

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

var noCurrencies = []string{"NET", "TOP", "VAT", "TAX", "ALL", "SUM", "AVG", "CPA", "CPC", "CPM", "CPI", "CPL", "CPV", "ROI", "ROAS", "EPC", "GMT", "UTC"}
