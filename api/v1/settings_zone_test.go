package v1_test

import (
	"fmt"
	"testing"
	"time"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// zoneAt returns a time zone in which the local hour of a time is the given hour.
func zoneAt(now time.Time, hour int) string {
	offset := (hour - now.UTC().Hour() + 36) % 24 // the zone's offset from UTC in hours, plus twelve
	return fmt.Sprintf("Etc/GMT%+d", 12-offset)   // the names of these zones have the opposite sign
}

// TestTimezoneTakesEffect: a change of the time zone immediately changes the days and hours of caps, alerts and conditions.
func TestTimezoneTakesEffect(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	offer := s.Do("POST", "/offers", object{"name": "Shop", "url": "https://o.acme.com/", "daily_cap": 1}).Want(201, "").Map()["id"]
	now := time.Now()
	dbtest.Exec(t, s.DB, conversionRow, s.Account.ID, offer)
	dbtest.Exec(t, s.DB, `UPDATE conversions SET recorded_at = $1`, now.Add(-3*time.Hour))
	streams := []object{
		{"name": "Night", "stream_type": "forced", "action": "nothing", "filters": []object{
			{"attribute": "hour_of_day", "operator": "equals", "value": 23},
			{"attribute": "date", "operator": "equals", "value": "2026-03-01"},
			{"attribute": "schedule", "operator": "equals", "value": []object{{"days": []int{7}, "from": "22:00", "to": "23:59"}}},
		}},
		{"name": "Day", "stream_type": "default", "action": "nothing"},
	}
	for _, c := range []struct {
		zone, path string
		alerts     float64
	}{
		{zoneAt(now, 0), "", 0},           // three hours ago was yesterday
		{zoneAt(now, 12), "", 1},          // three hours ago is today
		{"America/New_York", "Night", -1}, // 2026-03-02 04:30 UTC is Sunday night there
		{"Europe/Berlin", "Day", -1},
		{"UTC", "Day", -1},
	} {
		s.Do("PATCH", "/settings", object{"timezone": c.zone}).Want(200, "")
		if c.path != "" {
			got := s.Do("POST", "/tools/simulate", object{"streams": streams, "at": "2026-03-02 04:30:00"}).Want(200, "").Map()
			same(t, got["decision"].(map[string]any), object{"path": c.path})
			continue
		}
		if got := s.Do("GET", "/alerts", nil).Want(200, "").Map()["count"]; got != c.alerts {
			t.Errorf("%s: %v alerts, want %v", c.zone, got, c.alerts)
		}
		row := s.Do("GET", "/offers", nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any)
		if row["capped_today"] != (c.alerts == 1) {
			t.Errorf("in %s, capped_today does not match the alerts: %v", c.zone, row)
		}
	}
}
