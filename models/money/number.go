package money

import (
	"slices"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"
)

type number struct {
	digits string
	whole  int // number of digits before the decimals
	power  int // exponent of ten
	// unclear is a dot or a comma that can separate thousands or decimals, as in "12.500". In this case, whole is the number of
	// digits before it. unclear is 0 if the number can be read in only one way.
	unclear rune
}

func newNumber(s []rune) (n number, err error) {
	mantissa, exponent := s, false
	if i := slices.IndexFunc(s, func(r rune) bool { return r == 'e' || r == 'E' }); i >= 0 {
		if mantissa, exponent = s[:i], true; !n.readPower(s[i+1:]) {
			return n, ErrWords
		}
	}
	m, err := findMarks(mantissa)
	if err != nil {
		return n, err
	}
	whole, fraction := mantissa, []rune(nil)
	if m.decimal >= 0 {
		whole, fraction = mantissa[:m.decimal], mantissa[m.decimal+1:]
	}
	if m.single && !exponent && m.group == 0 && len(fraction) == groupDigits && mayGroup(string(whole)) {
		n.unclear = mantissa[m.decimal]
	}
	if !isGrouped(whole, m.group) || strings.ContainsFunc(string(fraction), isNoDigit) || len(whole)+len(fraction) == 0 {
		return n, ErrMalformed
	}
	var digits strings.Builder
	for _, r := range whole {
		if isDigit(r) {
			digits.WriteRune(r)
			n.whole++
		}
	}
	digits.WriteString(string(fraction))
	n.digits = digits.String()
	if n.digits == "" || len(n.digits) > maxDigits {
		return n, ErrMalformed
	}
	return n, nil
}

func isNoDigit(r rune) bool { return !isDigit(r) }

func (n *number) readPower(s []rune) bool {
	sign := 1
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 2 || slices.ContainsFunc(s, isNoDigit) {
		return false
	}
	for _, r := range s {
		n.power = n.power*10 + int(r-'0')
	}
	n.power *= sign
	return true
}

type marks struct {
	decimal int  // index of the decimal mark; -1: none
	group   rune // separator of thousands; 0: none
	single  bool // the decimal mark is the only dot or comma of the number, so it may separate thousands instead
}

func findMarks(s []rune) (m marks, err error) {
	count, last := map[rune]int{}, map[rune]int{}
	for i, r := range s {
		switch {
		case isDigit(r):
			continue
		case unicode.IsLetter(r):
			return m, ErrWords
		case r != ' ' && r != '\'' && r != arabicGroup && !isMark(r):
			return m, ErrMalformed
		}
		count[r]++
		last[r] = i
	}
	m.decimal = -1
	for _, r := range []rune{' ', '\'', arabicGroup} {
		if count[r] > 0 && !m.setGroup(r) {
			return m, ErrMalformed
		}
	}
	dots, commas, ok := count['.'], count[','], true
	switch {
	case count[arabicDecimal] > 0:
		m.decimal = last[arabicDecimal]
		ok = count[arabicDecimal] == 1 && (dots == 0 || m.setGroup('.')) && (commas == 0 || m.setGroup(','))
	case dots > 0 && commas > 0 && last['.'] > last[',']: // 1,234.56
		m.decimal, ok = last['.'], dots == 1 && m.setGroup(',')
	case dots > 0 && commas > 0: // 1.234,56
		m.decimal, ok = last[','], commas == 1 && m.setGroup('.')
	case dots > 1: // 1.234.567
		ok = m.setGroup('.')
	case commas > 1: // 1,234,567
		ok = m.setGroup(',')
	case dots == 1:
		m.decimal, m.single = last['.'], true
	case commas == 1:
		m.decimal, m.single = last[','], true
	}
	if !ok {
		return m, ErrMalformed
	}
	return m, nil
}

func (m *marks) setGroup(r rune) bool {
	if m.group != 0 {
		return false
	}
	m.group = r
	return true
}

// isGrouped reports whether a whole number has a separator before each group of three digits. With a comma or the Arabic
// separator, it also accepts groups of two digits before the last three, as in India. If group is 0, the number must have no
// separator, and may be empty.
func isGrouped(s []rune, group rune) bool {
	if group == 0 {
		return !slices.ContainsFunc(s, isNoDigit)
	}
	list := strings.Split(string(s), string(group))
	if strings.ContainsFunc(strings.Join(list, ""), isNoDigit) || !mayGroup(list[0]) {
		return false
	}
	groups := list[1:]
	size := groupDigits
	if (group == ',' || group == arabicGroup) && len(groups) > 1 && len(groups[0]) == 2 && len(list[0]) <= 2 {
		size = 2
	}
	for i, part := range groups {
		if i == len(groups)-1 {
			size = groupDigits
		}
		if len(part) != size {
			return false
		}
	}
	return true
}

// value returns the amount of the number, which must be the same in each of the given currencies.
func (n number) value(currencies []string) (decimal.Decimal, error) {
	whole := n.whole
	if n.unclear != 0 {
		for i, code := range currencies {
			isThousands, ok := thousands(code, n.unclear)
			if !ok || i > 0 && isThousands != (whole != n.whole) {
				return decimal.Zero, ErrAmbiguous
			}
			if isThousands {
				whole = len(n.digits)
			}
		}
	}
	d, err := decimal.NewFromString(n.digits)
	if err != nil {
		return decimal.Zero, ErrMalformed
	}
	d = d.Shift(int32(n.power + whole - len(n.digits))) //nolint:gosec // within maxDigits and an exponent of two digits
	if d.GreaterThan(maxAmount) {
		return decimal.Zero, ErrTooLarge
	}
	return d.Round(places), nil
}

// thousands reports whether a separator before exactly three digits separates thousands, not decimals, in amounts of a currency.
// ok is false if the number is ambiguous.
func thousands(code string, separator rune) (isThousands, ok bool) {
	u, known := unitOf(code)
	group := separator == ',' || u.dotGroups
	decimals := separator == '.' || u.commaDecimal
	switch {
	case !known, code == Unknown:
		return false, false
	case u.minor == groupDigits:
		return false, separator == '.' && !u.dotGroups && u.used != 0
	case group && (u.minor == 0 || u.used == 0):
		return true, true
	case u.minor == 0, u.used == 0, group && decimals:
		return false, false
	}
	return group, true
}
