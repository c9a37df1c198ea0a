package v1_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// TestDelays: conversions are counted by the time since the click. Rejected conversions and conversions outside the window do not
// count.
func TestDelays(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 60, 20)
	// The conversions get these delays in turn. steps has the row of each delay.
	delays := []time.Duration{0, 59 * time.Second, time.Minute, 40 * time.Minute, 23 * time.Hour, 5 * 24 * time.Hour, 400 * 24 * time.Hour}
	steps := []int{0, 0, 1, 3, 7, 10, 13}
	want, mine, total := map[int]float64{}, 0.0, 0.0
	i := 0
	for _, v := range r.visits {
		for _, sale := range v.sales {
			at := i % len(delays)
			i++
			dbtest.Exec(t, s.DB, `UPDATE conversions SET recorded_at = $3 WHERE click_id = $1 AND conversion_id = $2`,
				v.ID, sale.ConversionID, v.at().Add(delays[at]))
			if sale.Status == "rejected" {
				continue
			}
			want[steps[at]]++
			total++
			if v.CampaignID == r.campaigns[0] {
				mine++
			}
		}
	}
	window := "/reports/delays?from=" + r.days(21)
	got := s.Do("GET", window, nil).Want(200, "").Map()
	same(t, got, map[string]any{"conversions": total, "truncated": false, "filters": []any{}})
	rows := got["rows"].([]any)
	if len(rows) != 14 {
		t.Fatalf("%d steps, want 14", len(rows))
	}
	for i, row := range rows {
		if n := number(row.(map[string]any)["conversions"]); n != want[i] {
			t.Errorf("step %d has %v conversions, want %v: %v", i, n, want[i], row)
		}
	}
	same(t, rows[0].(map[string]any), map[string]any{"from": 0, "to": 60})
	same(t, rows[13].(map[string]any), map[string]any{"from": 30. * 24 * 3600, "to": nil})

	own, all := "&f.campaign_id="+r.campaigns[0].String(), "&f.offer_id="+uuid.NewString()
	same(t, s.Do("GET", window+own, nil).Want(200, "").Map(), map[string]any{"conversions": mine})
	same(t, s.Do("GET", window+"&x."+own[3:], nil).Want(200, "").Map(), map[string]any{"conversions": total - mine})
	same(t, s.Do("GET", window+all, nil).Want(200, "").Map(), map[string]any{"conversions": 0})
	same(t, s.Do("GET", "/reports/delays?from="+r.days(60)+"&to="+r.days(40), nil).Want(200, "").Map(), map[string]any{"conversions": 0})
	_, foreign, _ := s.NewAccount("scale")
	same(t, s.As(foreign).Do("GET", window, nil).Want(200, "").Map(), map[string]any{"conversions": 0})
	s.Do("GET", window+"&f.campaign_id=x", nil).Want(400, "invalid_dimension")
	s.Do("GET", window+"&f.country=DE", nil).Want(400, "invalid_dimension")
}

// TestCaps: the caps of the day are listed with their used part, the fullest first.
func TestCaps(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	if rows := s.Do("GET", "/stats/caps", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 0 {
		t.Errorf("an empty account has the caps %v", rows)
	}
	dbtest.Exec(t, s.DB, `UPDATE accounts SET timezone = 'Asia/Tokyo' WHERE id = $1`, s.Account.ID)
	r := newTrafficEnv(t, s, 80, 3)
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	y, m, d := time.Now().In(tokyo).Date()
	start := time.Date(y, m, d, 0, 0, 0, 0, tokyo)
	clicks, sales := 0.0, map[uuid.UUID]float64{}
	for _, v := range r.visits {
		if !v.at().Before(start) && !v.IsBot {
			clicks++
		}
		for _, sale := range v.sales {
			if sale.Status != "rejected" && !sale.At.Before(start) {
				sales[v.offer()]++
			}
		}
	}
	dbtest.Exec(t, s.DB, `UPDATE offers SET daily_cap = 10 WHERE id = $1`, r.offers[0])
	dbtest.Exec(t, s.DB, `UPDATE offers SET daily_cap = 10, is_active = false WHERE id = $1`, r.offers[1])
	flow := func(active bool) string {
		return fmt.Sprintf(`[{"id": %q, "name": "Path 1", "daily_cap": 1000000, "is_active": %t}, {"id": %q, "name": "Path 2", "daily_cap": null, "is_active": true}]`,
			r.stream, active, uuid.New())
	}
	dbtest.Exec(t, s.DB, `UPDATE campaigns SET streams = $2 WHERE id = $1`, r.campaigns[0], flow(true))
	dbtest.Exec(t, s.DB, `UPDATE campaigns SET streams = $2 WHERE id = $1`, r.campaigns[1], flow(false))
	got := s.As(s.ReadKey).Do("GET", "/stats/caps", nil).Want(200, "").Map()
	rows := got["rows"].([]any)
	if len(rows) != 2 || got["day"] != start.Format(time.DateOnly) {
		t.Fatalf("the caps of the day %v are %v, want 2 caps of today", got["day"], rows)
	}
	for _, row := range rows {
		one := row.(map[string]any)
		if one["kind"] == "offer" {
			same(t, one, map[string]any{"id": r.offers[0].String(), "name": "Name 0", "used": sales[r.offers[0]], "daily_cap": 10, "campaign_id": nil})
		} else {
			same(t, one, map[string]any{"id": r.stream.String(), "name": "Path 1", "used": clicks, "daily_cap": 1_000_000., "campaign_name": "Name 0"})
		}
	}
	if first := rows[0].(map[string]any); sales[r.offers[0]] > 0 && first["kind"] != "offer" {
		t.Errorf("the fullest cap is not the first: %v", rows)
	}
	_, foreign, _ := s.NewAccount("scale")
	if rows := s.As(foreign).Do("GET", "/stats/caps", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 0 {
		t.Errorf("another account sees %v", rows)
	}
}
