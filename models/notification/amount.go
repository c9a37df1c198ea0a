package notification

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// The currencies whose smallest unit is not a hundredth in Stripe's amounts (https://docs.stripe.com/currencies). Stripe uses
// hundredths for ISK and UGX, although these currencies have no smaller unit.
var (
	withoutDecimals = []string{
		"BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
	}
	threeDecimals = []string{"BHD", "JOD", "KWD", "OMR", "TND"}
)

func decimals(currency string) int32 {
	switch currency = strings.ToUpper(currency); {
	case slices.Contains(withoutDecimals, currency):
		return 0
	case slices.Contains(threeDecimals, currency):
		return 3
	}
	return 2
}

// Number parses a plain decimal number. It does not accept an exponent, because a small text could then mean a number with a
// billion digits.
func Number(s string) (d decimal.Decimal, ok bool) {
	const longest = 30
	if s == "" || len(s) > longest || strings.Trim(s, "0123456789.-") != "" {
		return d, false
	}
	d, err := decimal.NewFromString(s)
	return d, err == nil
}

// inWholeUnits converts an amount from smallest units to whole units. If the text is not a whole number, it returns the text
// with a remark. The conversion then shows this text, but counts without a payout.
func inWholeUnits(amount string, places int32) string {
	if amount == "" {
		return ""
	}
	d, ok := Number(amount)
	if !ok || !d.IsInteger() {
		return amount + " in smallest units"
	}
	return d.Shift(-places).String()
}

// If a part to subtract cannot be read, the result is a text such as "10.00 less x".
func subtract(amount string, minus ...string) string {
	d, ok := Number(amount)
	if !ok {
		return amount
	}
	for _, m := range minus {
		part, ok := Number(m)
		if !ok {
			return amount + " less " + m
		}
		d = d.Sub(part.Abs())
	}
	return d.String()
}

// negated returns an amount with a minus, which means that the conversion is reversed.
func negated(amount string) string {
	amount = strings.TrimLeft(amount, "-\u2212")
	if amount == "" {
		return ""
	}
	return "-" + amount
}

// refundAmount returns the refunded amount without its sign. The result is empty if the amount is zero or cannot
// be read. The refund then counts as a refund of the whole sale.
func refundAmount(amount string) string {
	d, ok := Number(amount)
	if !ok || d.IsZero() {
		return ""
	}
	return d.Abs().String()
}

// The result is empty if there are no amounts, or if an amount cannot be read.
func sum(amounts []string) string {
	if len(amounts) == 0 {
		return ""
	}
	total := decimal.Zero
	for _, a := range amounts {
		d, ok := Number(a)
		if !ok {
			return ""
		}
		total = total.Add(d)
	}
	return total.String()
}
