package plan_test

import (
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/workers"
	"switchyard/workers/plan"
)

// TestWatch checks that exceeding the month's allowance is reported once, however often it is checked, and again in the
// next month.
func TestWatch(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(d, box)
	var now atomic.Pointer[time.Time]
	setNow := func(text string) {
		v, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		now.Store(&v)
	}
	watch := start(t, d, s, func() time.Time { return *now.Load() })
	over, under, large := uuid.New(), uuid.New(), uuid.New()
	for id, name := range map[uuid.UUID]string{over: "growth", under: "growth", large: "scale"} {
		dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', $2, $3)`, id, name, id.String())
		dbtest.Exec(t, d, `INSERT INTO webhook_endpoints (id, account_id, url, events, secret)
			VALUES ($1, $2, 'https://hooks.acme.com', '{plan.limit_reached}', '')`, uuid.New(), id)
	}
	// click adds n clicks of people, and 5,000,000 clicks of bots, which do not count.
	click := func(account uuid.UUID, hour string, n int) {
		dbtest.Exec(t, d, `INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country,
			device_type, os, browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected,
			chargebacks, cost, revenue, pending_revenue)
			VALUES ($1, $2, $3, $3, $3, $3, $3, '', '', '', '', $4, 0, 5000000, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
			account, hour, uuid.Nil, n)
	}
	events := func(want int) (last map[string]any) {
		t.Helper()
		watch()
		watch()
		var bodies [][]byte
		err := d.SelectContext(t.Context(), &bodies, `SELECT e.body FROM events e JOIN webhook_deliveries USING (account_id)
			WHERE event_id = e.id AND type = 'plan.limit_reached' AND e.account_id = $1 ORDER BY e.created_at`, over)
		if err != nil || len(bodies) != want {
			t.Fatalf("%d events, want %d; %v", len(bodies), want, err)
		}
		if want > 0 {
			var e struct{ Data map[string]any }
			if err := json.Unmarshal(bodies[want-1], &e); err != nil {
				t.Fatal(err)
			}
			last = e.Data
		}
		return last
	}
	setNow("2026-03-20 12:00:00")
	click(over, "2026-02-28 23:00:00Z", 900_000) // last month
	click(over, "2026-03-01 00:00:00Z", 600_000)
	click(over, "2026-03-19 00:00:00Z", 400_000)
	click(under, "2026-03-02 00:00:00Z", 1_000_000)
	click(large, "2026-03-02 00:00:00Z", 900_000_000)
	events(0) // exactly the allowance
	click(over, "2026-03-20 11:00:00Z", 1)
	data := events(1)
	for k, v := range map[string]any{
		"plan": "growth", "limit": "clicks", "allowance": 1_000_000.0, "used": 1_000_001.0, "month": "2026-03",
		"resets_at": "2026-04-01T00:00:00.000Z",
	} {
		if data[k] != v {
			t.Errorf("%s is %v, want %v", k, data[k], v)
		}
	}
	dbtest.Exec(t, d, `UPDATE accounts SET plan = 'starter' WHERE id = $1`, over)
	click(over, "2026-03-21 11:00:00Z", 1_000_000)
	events(1)
	setNow("2026-04-01 00:00:00")
	events(1)
	click(over, "2026-04-01 00:00:00Z", 100_001)
	if data := events(2); data["month"] != "2026-04" || data["plan"] != "starter" {
		t.Errorf("the event of April is %v", data)
	}
	var all int
	if err := d.GetContext(t.Context(), &all, `SELECT count(*) FROM events`); err != nil || all != 2 {
		t.Errorf("%d events of all accounts, want 2; %v", all, err)
	}
}

func start(t *testing.T, d *db.DB, s *store.Store, now func() time.Time) func() {
	t.Helper()
	r := jobstest.Redis(t)
	client := jobs.Connect(r)
	rt := workers.New(workers.Options{
		DB: d, Redis: r, Client: client, Grace: 4 * time.Second, Queues: []jobs.Queue{{Name: jobs.Maintenance, Weight: 1}},
	})
	plan.Register(rt, s, report.Reader{Conn: s.Conn()}, now)
	jobstest.Run(t, rt.Run)
	return func() {
		t.Helper()
		ticket, err := jobs.Submit(t.Context(), client, jobs.WatchPlans, uuid.Nil, jobs.Tick{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jobs.Await(t.Context(), ticket); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnknownPlans checks that UnknownPlans returns an unknown plan once, even if several accounts have it.
func TestUnknownPlans(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"growth", "bronze", "bronze"} {
		dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', $2, $3)`,
			uuid.New(), name, uuid.NewString())
	}
	if got, err := store.New(d, box).Usage().UnknownPlans(t.Context()); err != nil || !slices.Equal(got, []string{"bronze"}) {
		t.Errorf("%v, %v", got, err)
	}
}
