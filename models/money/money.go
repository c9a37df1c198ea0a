// Package money reads amounts of money and currencies in the forms that people, programs and networks write.
//
// An amount is never guessed. If a text can be read in two ways, or contains letters that are not a currency, the result is a
// ReadError instead of an amount.
package money

import (
	"errors"
	"strings"

	"github.com/shopspring/decimal"
)

// MaxText is the maximum length of an amount's text in bytes.
const MaxText = 64

const (
	places    = 6  // maximum number of decimals of an amount
	maxPower  = 9  // an amount is at most 1e9
	maxDigits = 40 // maximum number of digits in an amount's text
)

var maxAmount = decimal.New(1, maxPower)

// ReadError says why a text is not an amount or not a currency. Its message is for people and follows the text in a
// sentence, as in: "1.2,3.4" is not one number.
type ReadError string

// Error implements error.
func (r ReadError) Error() string { return string(r) }

// The reasons.
const (
	ErrEmpty      ReadError = "is empty"
	ErrTooLong    ReadError = "is longer than 64 bytes"
	ErrNoNumber   ReadError = "has no digits"
	ErrMalformed  ReadError = "is not one number"
	ErrWords      ReadError = "has letters or signs that are no currency"
	ErrAmbiguous  ReadError = "can be read in two ways: its separator may separate thousands or decimals"
	ErrCurrencies ReadError = "names two currencies"
	ErrTooLarge   ReadError = "is more than 1,000,000,000"
	ErrSeveral    ReadError = "has a sign or a word of several currencies: its code is needed"
	ErrNoCurrency ReadError = "is no currency of ISO 4217"
)

// Amount is an amount as it was read.
type Amount struct {
	Value decimal.Decimal // at most six decimals; negative if there is a minus or parentheses
	// Currency is the currency that the text states: its code, Unknown if it can be one of several currencies, or empty if the
	// text states no currency.
	Currency string
	Doubt    error
}

// Read reads an amount. currency is the currency that applies if the text states no currency. It is empty if that currency is not
// known.
//
// The currency can be before or after the number, as a code, a sign, or a word with its dots. Read understands digits of all
// scripts, spaces and apostrophes between thousands, Indian groups ("1,25,000"), exponents, a minus before or after the number,
// and parentheses instead of a minus.
//
// If a number has both dot and comma, the last of them is before the decimals. A separator that occurs twice separates thousands.
// A single separator is before decimals, except in a form such as "12.500": exactly three digits follow the separator, and one to
// three digits that do not begin with a zero come before it. In this form, the currency decides, by its number of decimals (ISO
// 4217) and by the separators that its country uses (CLDR):
//
//   - Thousands can be separated by a comma, as in English, or by a dot if the country does so. Decimals can follow a dot, as in
//     programs, or a comma if the country does so. If only one of the two is possible, it is used: "12,500 USD" is 12500, and
//     "12.500 USD" is 12.5.
//   - A currency that is used without decimals never has three decimals: "12.500 VND" and "12,500 JPY" are 12500. "12.500 JPY" is
//     ambiguous, because dots do not separate thousands of yen.
//   - In a currency with three decimals, decimals follow a dot if dots do not separate thousands in its country: "12.500 KWD" is
//     12.5. A comma is ambiguous in such a currency.
//   - All other cases are ambiguous: "12.500 EUR", "12,500 EUR", and such a number in an unknown currency. A sign of several
//     currencies is no problem if the number is the same in all of them.
//
// The error is a ReadError.
func Read(text, currency string) (Amount, error) {
	if value, ok := plain(text); ok {
		return Amount{Value: value}, nil
	}
	if len(text) > MaxText {
		return Amount{}, ErrTooLong
	}
	p, err := split(text)
	if err != nil {
		return Amount{}, err
	}
	stated, err := p.currencies(currency)
	if err != nil {
		return Amount{}, err
	}
	var out Amount
	deciding := []string{currency}
	if len(stated.codes) > 0 {
		if out.Currency, out.Doubt = stated.pick(currency); out.Doubt == nil {
			deciding[0] = out.Currency
		} else {
			deciding = stated.codes
		}
	}
	if out.Value, err = p.number.value(deciding); err != nil {
		return Amount{}, err
	}
	if p.negative {
		out.Value = out.Value.Neg()
	}
	return out, nil
}

// DependsOnCurrency reports whether a text may be read differently if another currency applies.
func DependsOnCurrency(text string) bool {
	if _, ok := plain(text); ok || len(text) > MaxText {
		return false
	}
	p, err := split(text)
	if err != nil {
		return false
	}
	if p.before != "" || p.after != "" {
		return true
	}
	_, err = p.number.value([]string{""})
	return errors.Is(err, ErrAmbiguous)
}

// Limit returns ErrTooLarge for an amount that is larger than the amounts that Read returns.
func Limit(amount decimal.Decimal) error {
	if amount.Abs().GreaterThan(maxAmount) {
		return ErrTooLarge
	}
	return nil
}

// Text returns a text that Read reads as the same amount in every currency.
func Text(amount decimal.Decimal) string { return Exact(amount.String()) }

// Exact returns the text of a number so that Read takes a point in it for the decimal point: "12.500" becomes "12.5000". It is
// for numbers from JSON and from programs.
func Exact(number string) string {
	if _, decimals, ok := strings.Cut(number, "."); ok && len(decimals) == groupDigits && strings.Trim(decimals, "0123456789") == "" {
		return number + "0"
	}
	return number
}

// plain is the fast path of Read, for digits with at most one point, which is the usual form of a click's cost.
func plain(s string) (value decimal.Decimal, ok bool) {
	const longest = 9 // numbers of this length do not exceed maxAmount
	if len(s) == 0 || len(s) > longest {
		return decimal.Zero, false
	}
	n, point := int64(0), -1
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return decimal.Zero, false
		}
	}
	if point < 0 {
		return decimal.New(n, 0), true
	}
	decimals := len(s) - 1 - point
	if len(s) == 1 || decimals > places || decimals == groupDigits && mayGroup(s[:point]) {
		return decimal.Zero, false
	}
	return decimal.New(n, -int32(decimals)), true
}

const groupDigits = 3

func mayGroup(digits string) bool {
	return len(digits) > 0 && len(digits) <= groupDigits && digits[0] != '0'
}
