package country_test

import (
	"testing"
	"time"
	_ "time/tzdata" // not every system has zones

	"switchyard/models/country"
)

func TestOffsetFits(t *testing.T) {
	t.Parallel()
	summer, winter := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		code, offset string
		at           time.Time
		fits         bool
	}{
		{"DE", "+02:00", summer, true},
		{"DE", "+01:00", summer, false},
		{"DE", "+01:00", winter, true},
		{"DE", "+00:00", winter, false},
		{"GB", "+00:00", winter, true},
		{"US", "-10:00", summer, true}, // Hawaii
		{"US", "-04:00", summer, true},
		{"US", "-03:00", winter, false},
		{"ES", "+00:00", winter, true}, // the Canaries
		{"IN", "+05:30", summer, true},
		{"IN", "+05:00", summer, false},
		{"NP", "+05:45", winter, true},
		{"AU", "+10:30", winter, true},
		{"XK", "+09:00", winter, true}, // the library has no zones for Kosovo
		{"", "+09:00", winter, true},
		{"??", "+09:00", winter, true},
	} {
		if got := country.OffsetFits(tt.code, tt.offset, tt.at); got != tt.fits {
			t.Errorf("the offset %s fits the country %q on %s: %v, want %v", tt.offset, tt.code, tt.at.Format(time.DateOnly), got, tt.fits)
		}
	}
	missing := 0
	for _, code := range country.Codes() {
		if !country.OffsetFits(code, "+99:00", winter) {
			continue
		}
		missing++
		t.Log("no zones:", code)
	}
	const withoutZones = 6 // countries for which the library has no zones
	if missing > withoutZones {
		t.Errorf("%d countries have no zones, want at most %d", missing, withoutZones)
	}
}
