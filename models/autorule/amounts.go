package autorule

import (
	"slices"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

// amounts are the figures that are money.
var amounts = []string{"cost", "revenue", "pending_revenue", "profit", "epc", "cpc", "cpa", Payout}

// amountPlaces are the decimals of an amount that a rule names.
const amountPlaces = 6

// IsAmount reports whether the value of the comparison is in the account's currency, or by it. Of a number of times an amount, and
// of nothing, it is not.
func (c Comparison) IsAmount() bool {
	return slices.Contains(amounts, c.Figure) != slices.Contains(amounts, c.Times) && !c.Value.IsZero()
}

// Converted is the comparison after the account's currency has changed: one of the former is so much of the new one. A value
// that is a number of times an amount is no amount.
func (c Comparison) Converted(rate decimal.Decimal) Comparison {
	left, right := slices.Contains(amounts, c.Figure), slices.Contains(amounts, c.Times)
	switch {
	case left && !right:
		c.Value = models.NewMoney(c.Value.Mul(rate).Round(amountPlaces))
	case right && !left && !rate.IsZero():
		c.Value = models.NewMoney(c.Value.DivRound(rate, amountPlaces))
	}
	return c
}
