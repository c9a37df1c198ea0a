package v1

import (
	"testing"
	"time"

	"switchyard/db/report"
)

// TestForecastBand: equal days give a band without width, different days give one around the forecast, and a few days give
// no band.
func TestForecastBand(t *testing.T) {
	t.Parallel()
	month := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	days := func(clicks ...int64) (out []report.DayClicks) {
		for i, n := range clicks {
			out = append(out, report.DayClicks{Day: month.AddDate(0, 0, i), Clicks: n})
		}
		return out
	}
	for _, c := range []struct {
		days      []report.DayClicks
		clicks    int64
		at        int // day
		low, high int64
	}{
		{days(100, 100, 100, 100, 0), 400, 4, 3000, 3000},
		{days(0, 200, 0, 200, 0), 400, 4, 1015, 4986}, // s = 115.47, 26 days: 1.2816 * 115.47 * sqrt(26 + 169)
	} {
		low, high := forecastBand(c.days, c.clicks, month.AddDate(0, 0, c.at))
		if low == nil || *low < c.low-100 || *low > c.low+100 || *high < c.high-100 || *high > c.high+100 {
			t.Errorf("%v: %d to %d, want %d to %d", c.days, *low, *high, c.low, c.high)
		}
	}
	if low, high := forecastBand(days(5, 5, 5), 15, month.AddDate(0, 0, 2)); low != nil || high != nil {
		t.Error("two whole days have a band")
	}
}
