package ads

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/models/money"
	"switchyard/workers/providers/rest"
)

// TestHugeFigures checks that an amount that is too large is refused, and that an impossible count is unknown.
func TestHugeFigures(t *testing.T) {
	t.Parallel()
	for _, r := range []row{
		{amount: "9999999999999999999999999999999999999999", shift: -6},
		{amount: "1e21", shift: -6},
		{amount: "1000000001"},
		{amount: "1000000000", divisor: decimal.New(1, -6)},
	} {
		if value, _, err := r.readAmount("USD"); !errors.Is(err, money.ErrTooLarge) {
			t.Errorf("%s: %s, %v", r.amount, value, err)
		}
	}
	if value, _, err := (row{amount: "1000000000000000", shift: -6}).readAmount("USD"); err != nil || value.String() != "1000000000" {
		t.Errorf("%s, %v", value, err)
	}
	for _, text := range []rest.Text{"1000000000001", "99999999999999999999", "9223372036854775808e3", "1e13", "-1", "1e-99999999", "NaN"} {
		if n := count(text); n != nil {
			t.Errorf("%s: %d", text, *n)
		}
	}
	if n := count("1,000,000"); n == nil || *n != 1_000_000 {
		t.Error(n)
	}
}
