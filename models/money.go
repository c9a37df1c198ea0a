package models

import "github.com/shopspring/decimal"

// Money is an exact amount. Answers show it as a JSON number with at most six decimals. It can be read from and written to
// numeric columns.
type Money struct{ decimal.Decimal }

// NewMoney wraps an exact amount.
func NewMoney(d decimal.Decimal) Money { return Money{d} }

// MoneyOf wraps an amount that may be missing.
func MoneyOf(d *decimal.Decimal) *Money {
	if d == nil {
		return nil
	}
	return &Money{*d}
}

// Text returns the amount in the form that answers and report files have: rounded to six decimals.
func (m Money) Text() string { return m.Round(6).String() }

// MarshalJSON writes a number, never a string.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.Text()), nil }
