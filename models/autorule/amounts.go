package autorule

import (
	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/measure"
)

func isAmount(figure string) bool {
	m := measure.Find(figure)
	return figure == Payout || m != nil && m.IsAmount()
}

const amountPlaces = 6

// IsAmount reports whether the value depends on the account's currency. A factor between two amounts and the value 0 do not.
func (c Comparison) IsAmount() bool {
	return isAmount(c.Figure) != isAmount(c.Times) && !c.Value.IsZero()
}

// Converted returns the comparison after the account's currency has changed. rate is the value of one unit of the old currency in
// the new currency. A factor between two amounts stays unchanged.
func (c Comparison) Converted(rate decimal.Decimal) Comparison {
	left, right := isAmount(c.Figure), isAmount(c.Times)
	switch {
	case left && !right:
		c.Value = models.NewMoney(c.Value.Mul(rate).Round(amountPlaces))
	case right && !left && !rate.IsZero():
		c.Value = models.NewMoney(c.Value.DivRound(rate, amountPlaces))
	}
	return c
}
