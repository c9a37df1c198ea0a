package v1

import (
	"cmp"
	"testing"
	"time"

	"switchyard/db/report"
)

// TestForecastBand: the band lies around the forecast. Equal days have a band without width, and too few days have no band.
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
		days                []report.DayClicks
		at                  time.Duration
		forecast, low, high int64
	}{
		{days(100, 100, 100, 100, 0), 4 * 24 * time.Hour, 3000, 3000, 3000},
		{days(0, 200, 0, 200, 0), 4 * 24 * time.Hour, 3000, 933, 5067},                 // standard deviation 115.47, and 26 days are left
		{days(100, 100, 100, 100, 90), 4*24*time.Hour + 6*time.Hour, 3065, 3065, 3065}, // 90 clicks before 6:00, when 25 are usual
		{days(100, 100, 100, 100, 0), 4*24*time.Hour + 18*time.Hour, 2925, 2925, 2925},
	} {
		f, _ := forecastOf(c.days, nil, month.Add(c.at))
		if f.Low == nil || f.High == nil {
			t.Fatalf("%v: the forecast %d has no band, want %d, %d to %d", c.days, f.Clicks, c.forecast, c.low, c.high)
		}
		if f.Clicks != c.forecast || *f.Low < c.low-1 || *f.Low > c.low+1 || *f.High < c.high-1 || *f.High > c.high+1 {
			t.Errorf("%v: %d, %d to %d, want %d, %d to %d", c.days, f.Clicks, *f.Low, *f.High, c.forecast, c.low, c.high)
		}
		if f.Clicks < *f.Low || f.Clicks > *f.High {
			t.Errorf("%v: the forecast %d is not in the band %d to %d", c.days, f.Clicks, *f.Low, *f.High)
		}
	}
	if f, _ := forecastOf(days(5, 5, 5), nil, month.AddDate(0, 0, 2)); f.Low != nil || f.High != nil || f.Clicks != 225 {
		t.Errorf("with two whole days the forecast is %d, with a band: %t, want 225 without a band", f.Clicks, f.Low != nil || f.High != nil)
	}
	limit := int64(1050)
	f, _ := forecastOf(days(100, 100, 100, 100, 0), &limit, month.AddDate(0, 0, 4))
	if over := cmp.Or(f.OverOn, new("no day")); *over != "2026-06-11" {
		t.Errorf("the forecast exceeds the allowance on %s, want 2026-06-11", *over)
	}
}
