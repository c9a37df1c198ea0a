package cond_test

import (
	"testing"
	"time"

	"switchyard/models/cond"
)

func TestAssign(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		ok          bool
		known       bool   // true if the attribute is known after Assign; the time and is_bot are known even before Assign
		text        string // the attribute's text after Assign
	}{
		{"country", "DE", true, true, "DE"},
		{"country", "uk", true, true, "GB"},
		{"country", "USSR", false, false, ""},
		{"device_type", "phone", true, true, "mobile"},
		{"browser", "Rare Thing", true, true, "Rare Thing"},
		{"country", "", true, false, ""},
		{"os_version", "10.2", true, true, "10.2"},
		{"sub10", "x", true, true, "x"},
		{"sub30", "x", true, true, "x"},
		{"ip", "::ffff:1.2.3.4", true, true, "1.2.3.4"},
		{"ip", "nowhere", false, false, ""},
		{"is_bot", "true", true, true, "true"},
		{"is_bot", "perhaps", false, true, "false"},
		{"asn", "64500", true, true, "64500"},
		{"asn", "x", false, false, ""},
		{"clicks_today", "-3", true, true, "-3"},
		{"mood", "good", false, false, ""},
		{"param.x", "y", false, false, ""},
		{"day_of_week", "3", false, true, "6"},
		{"hour_of_day", "3", false, true, "7"},
		{"date", "2020-01-01", false, true, "2026-11-21"},
		{"schedule", "x", false, true, "Sat 07:00"},
		{"ip_version", "6", false, false, ""},
	} {
		f := &cond.Facts{}
		f.SetTime(time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC), nil)
		f.SetBool(cond.IsBot, false)
		if got := f.Assign(c.name, c.value); got != c.ok {
			t.Errorf("Assign(%s, %q) = %v, want %v", c.name, c.value, got, c.ok)
		}
		for a := range cond.Attr(100) {
			if a.String() == c.name && (f.Known(a) != c.known || f.Text(a) != c.text) {
				t.Errorf("after Assign(%s, %q): known %v, text %q, want %v, %q", c.name, c.value, f.Known(a), f.Text(a), c.known, c.text)
			}
		}
	}
}
