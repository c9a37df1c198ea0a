package models_test

import (
	"testing"
	"time"

	"switchyard/models"
)

// TestOlderWindow checks that the windows of any eight days in a row leave out no day between 45 and 345 days ago. No window reaches back a
// year, because Everflow refuses that.
func TestOlderWindow(t *testing.T) {
	t.Parallel()
	for start := range 2 * models.OlderWindows {
		first := time.Date(2026, 11, 1, 13, 0, 0, 0, time.UTC).AddDate(0, 0, start)
		read := map[string]bool{}
		for n := range models.OlderWindows {
			today := first.AddDate(0, 0, n)
			from, to := models.OlderWindow(today)
			if days := to.Sub(from).Hours()/24 + 1; days != models.SyncWideDays || from.Before(today.AddDate(0, 0, -364)) {
				t.Errorf("%v to %v", from, to)
			}
			for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
				read[d.Format(time.DateOnly)] = true
			}
		}
		for age := models.SyncWideDays; age <= 345; age++ {
			if day := first.AddDate(0, 0, -age).Format(time.DateOnly); !read[day] {
				t.Errorf("from %s on, %s is not read", first.Format(time.DateOnly), day)
			}
		}
	}
}
