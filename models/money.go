package models

import "github.com/shopspring/decimal"

// Money is an exact amount that answers show as a JSON number with at most six decimals. It reads and writes numeric
// columns.
type Money struct{ decimal.Decimal }

// NewMoney wraps an exact amount.
func NewMoney(d decimal.Decimal) Money { return Money{d} }

// MarshalJSON writes a number, never a string.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.Round(6).String()), nil }
