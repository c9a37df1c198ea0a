package models_test

import (
	"testing"
	"time"

	"switchyard/models"
)

// TestOlderWindows checks that successive imports of older orders leave out no day between 3 and 345 days ago.
func TestOlderWindows(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 1, 13, 0, 0, 0, time.UTC)
	for _, daysAtOnce := range []int{models.SyncWideDays, 22, 7, 1} {
		now, read := start, map[string]bool{}
		var next *time.Time
		for n := 0; n == 0 || next != nil; n++ {
			from, to := models.OlderWindow(now, next)
			if days := to.Sub(from).Hours()/24 + 1; days < 1 || days > models.SyncWideDays || from.Before(now.AddDate(0, 0, -364)) || n > 400 {
				t.Fatalf("with %d days per import, a window lasts from %v to %v", daysAtOnce, from, to)
			}
			if part := from.AddDate(0, 0, daysAtOnce-1); part.Before(to) {
				to = part
			}
			for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
				read[d.Format(time.DateOnly)] = true
			}
			var wait time.Duration
			next, wait = models.NextOlder(now, from, to)
			now = now.Add(max(wait, models.SyncEvery))
		}
		for age := models.SyncDays; age <= models.OlderDays; age++ {
			if day := start.AddDate(0, 0, -age).Format(time.DateOnly); !read[day] {
				t.Errorf("with %d days per import, no import reads the day %s", daysAtOnce, day)
			}
		}
		if now.Sub(start) > 9*24*time.Hour {
			t.Errorf("with %d days per import, all imports together take %v, want at most nine days", daysAtOnce, now.Sub(start))
		}
	}
	old := start.AddDate(-1, 0, 0)
	if from, _ := models.OlderWindow(start, &old); from.Before(start.AddDate(0, 0, -models.OlderDays-1)) {
		t.Errorf("after a pause of a year, the window begins on %v, which is before the oldest orders", from)
	}
}
