package models

import "github.com/shopspring/decimal"

// MoneyScale is the maximum number of decimals of a stored amount. The cost of a single click may need more than the six decimals
// of answers.
const MoneyScale = 10

const ratioScale = 6

var hundred = count(100)

func count(n int64) decimal.Decimal { return decimal.NewFromInt(n) }

// ratio returns a quotient, rounded to six decimals. It is nil for a division by zero.
func ratio(a, b decimal.Decimal) *Money {
	if b.IsZero() {
		return nil
	}
	return &Money{a.DivRound(b, ratioScale)}
}

// percent returns a share in percent, or nil for a division by zero.
func percent(a, b decimal.Decimal) *Money { return ratio(a.Mul(hundred), b) }

// Percent returns a share in percent, rounded to six decimals. It is nil if the whole is zero.
func Percent(part, whole int64) *Money { return percent(count(part), count(whole)) }

// change returns the change of a figure in percent. It is positive if the figure has grown, and nil if the former figure is zero.
func change(now, then decimal.Decimal) *Money {
	if then.IsZero() {
		return nil
	}
	return &Money{now.Sub(then).Mul(hundred).DivRound(then.Abs(), 2)}
}

// ratioChange returns the change of a ratio in percent. It is nil if one of the ratios is nil or the former ratio is zero.
func ratioChange(now, then *Money) *Money {
	if now == nil || then == nil {
		return nil
	}
	return change(now.Decimal, then.Decimal)
}

func known(m *Money) (value decimal.Decimal, ok bool) {
	if m == nil {
		return value, false
	}
	return m.Decimal, true
}
