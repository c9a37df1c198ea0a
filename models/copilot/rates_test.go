package copilot_test

import (
	"math"
	"testing"

	"switchyard/models/copilot"
)

// TestCompareRates compares p values with twice the smaller tail of the binomial distribution.
func TestCompareRates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  copilot.Rate
		p     float64
		state string
	}{
		{copilot.Rate{1000, 10}, copilot.Rate{1000, 9}, 1, copilot.TooEarly}, // 19 conversions
		{copilot.Rate{1000, 20}, copilot.Rate{1000, 20}, 1, copilot.ByChance},
		{copilot.Rate{1000, 15}, copilot.Rate{1000, 5}, 0.041389, copilot.Certain},
		{copilot.Rate{1000, 5}, copilot.Rate{1000, 15}, 0.041389, copilot.Certain},
		{copilot.Rate{1000, 14}, copilot.Rate{1000, 6}, 0.115318, copilot.ByChance},
		{copilot.Rate{2000, 14}, copilot.Rate{1000, 6}, 0.958414, copilot.ByChance},
		{copilot.Rate{1000, 20}, copilot.Rate{1000, 0}, 1.907e-6, copilot.Certain},
		{copilot.Rate{0, 20}, copilot.Rate{1000, 20}, 1, copilot.TooEarly},
	} {
		p, state := copilot.CompareRates(c.a, c.b)
		if state != c.state || math.Abs(p-c.p) > 1e-3*max(c.p, 1e-3) {
			t.Errorf("CompareRates(%v, %v) = %g, %s, want %g, %s", c.a, c.b, p, state, c.p, c.state)
		}
	}
}
