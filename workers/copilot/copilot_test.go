package copilot_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/flow"
	"switchyard/workers"
	worker "switchyard/workers/copilot"
)

// env is an account in Tokyo, a campaign with two paths, and a worker.
type env struct {
	*testing.T
	d           *db.DB
	store       *store.Store
	client      *jobs.Client
	account     models.Account
	campaign    models.Campaign
	paths       []flow.Path
	now         atomic.Pointer[time.Time]
	extraClicks atomic.Int64 // added to the number of clicks that each report reads
	broken      atomic.Int64 // how many of the next reports fail
}

// costlyReader is a report reader. It adds extraClicks to the result of Cost, which is a number of clicks. Its reports fail while
// broken is above 0.
type costlyReader struct {
	report.Reader
	w *env
}

func (d costlyReader) Performance(ctx context.Context, q report.Query) ([]report.Row, error) {
	if d.w.broken.Add(-1) >= 0 {
		return nil, errors.New("the connection is gone")
	}
	return d.Reader.Performance(ctx, q)
}

func (d costlyReader) Cost(ctx context.Context, q report.Query) (int64, error) {
	cost, err := d.Reader.Cost(ctx, q)
	return cost + d.w.extraClicks.Load(), err
}

func newEnv(t *testing.T) *env {
	t.Helper()
	d := dbtest.New(t)
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	w := &env{T: t, d: d, store: store.New(d, box)}
	w.setNow(time.Date(2026, 4, 15, 3, 0, 0, 0, time.UTC)) // noon in Tokyo
	if w.account, err = w.store.CreateAccount(t.Context(), "a", "pro"); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(w, w.d, `UPDATE accounts SET timezone = 'Asia/Tokyo' WHERE id = $1`, w.account.ID)
	dbtest.Exec(w, w.d, `INSERT INTO domains (id, host, is_verified) VALUES ($1, 'go.test', true) ON CONFLICT DO NOTHING`, uuid.New())
	source, err := w.store.Sources().Create(t.Context(), source(w.account.ID))
	if err != nil {
		t.Fatal(err)
	}
	w.create("shoes", uuid.NullUUID{UUID: source.ID, Valid: true})
	w.start()
	return w
}

// create adds a campaign, which becomes the campaign of the env.
func (w *env) create(name string, source uuid.NullUUID) {
	w.Helper()
	c := models.NewCampaign(w.account)
	c.Name, c.FlowRotation, c.SourceID = name, "weight", source
	var paths []flow.Path
	for i := range 2 {
		p := flow.NewPath()
		p.Action, p.Destinations = flow.ActionOffer, []flow.Destination{{URL: fmt.Sprintf("https://o%d.test/", i), Weight: 100}}
		paths = append(paths, p)
	}
	var err error
	if w.campaign, err = w.store.Campaigns().Create(w.Context(), c, flow.Normalize(paths)); err != nil {
		w.Fatal(err)
	}
	f, err := w.store.Campaigns().Flow(w.Context(), w.account.ID, w.campaign.ID)
	if err != nil {
		w.Fatal(err)
	}
	w.paths = f.Paths
}

func source(account uuid.UUID) models.TrafficSource {
	s := models.TrafficSource{SourceFields: models.SourceFields{Name: "push", CostModel: "cpc"}}
	s.AccountID = account
	return s
}

func (w *env) setNow(t time.Time) { w.now.Store(&t) }

// addFigures adds figures for each path and for each of the last n days before the current day. A conversion earns ten dollars.
func (w *env) addFigures(n, clicks int, conversions ...int) {
	w.Helper()
	for day := 1; day <= n; day++ {
		for i, p := range w.paths {
			dbtest.Exec(w, w.d, `INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country,
				device_type, os, browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected,
				chargebacks, cost, revenue, pending_revenue)
				VALUES ($1, $2, $3, $4, $5, $5, $6, 'DE', 'mobile', '', '', $7, 0, 0, 0, 0, $8, 0, 0, 0, 0, $9, 0)`,
				w.account.ID, w.now.Load().AddDate(0, 0, -day), w.campaign.ID, p.ID, uuid.Nil, w.campaign.SourceID, clicks, conversions[i], 10*conversions[i])
		}
	}
}

func (w *env) start() {
	w.Helper()
	r := jobstest.Redis(w.T)
	w.client = jobs.Connect(r)
	rt := workers.New(workers.Options{DB: w.d, Redis: r, Client: w.client, Grace: 4 * time.Second, Queues: []jobs.Queue{
		{Name: jobs.Maintenance, Weight: 1}, {Name: jobs.Bulk, Weight: 1},
	}})
	worker.Register(rt, w.store, costlyReader{report.Reader{Conn: w.store.Conn()}, w}, func() time.Time { return *w.now.Load() })
	jobstest.Run(w, rt.Run)
}

func (w *env) refresh() []copilot.Suggestion {
	w.Helper()
	handle, err := jobs.Submit(w.Context(), w.client, jobs.RefreshCopilot, w.account.ID, jobs.None{})
	if err != nil {
		w.Fatal(err)
	}
	got, err := jobs.Await(w.Context(), handle)
	if err != nil {
		w.Fatal(err)
	}
	list, err := dbcopilot.NewSuggestions(w.store).Open(w.Context(), w.account.ID, *w.now.Load())
	if err != nil || got.Open != len(list) {
		w.Fatalf("%d suggestions are open, the refresh returned %+v; %v", len(list), got, err)
	}
	return list
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	if list := w.refresh(); len(list) != 0 {
		t.Fatalf("without figures: %+v", list)
	}
	w.addFigures(20, 1000, 40, 20)
	list := w.refresh()
	if len(list) != 1 || list[0].Kind != "pause_loser" || list[0].CampaignID.UUID != w.campaign.ID {
		t.Fatalf("suggestions: %+v", list)
	}
	run, err := dbcopilot.NewSuggestions(w.store).LastRun(t.Context(), w.account.ID)
	if err != nil || run.Scope == nil || run.Scope.Campaigns != 1 || run.Scope.Clicks != 40_000 || run.Judged != run.Scope.Judged() || run.Judged == 0 {
		t.Errorf("the refresh has the scope %+v and judged %d cases: %v", run.Scope, run.Judged, err)
	}
	s := list[0]
	if s.Action.Op != copilot.OpPausePath || s.Action.PathID != w.paths[1].ID {
		t.Errorf("action %+v, want a pause of %s", s.Action, w.paths[1].ID)
	}
	if s.Digest != s.Action.JudgedDigest(copilot.Record{Paths: w.paths}) {
		t.Error("the digest differs from the digest of the stored flow")
	}
	if s.Evidence.From != "2026-03-16" || s.Evidence.To != "2026-04-14" || s.Evidence.Sample != 40_000 || s.Evidence.Confidence < 0.99 {
		t.Errorf("evidence %+v", s.Evidence)
	}
	// The pause moves 20,000 of the 40,000 clicks in 30 days to the other path. There a click earns 0.4 dollars and not 0.2
	// dollars, which is 133 dollars more a day.
	if v := s.Effect.Value.InexactFloat64(); v < 100 || v > 150 || s.Effect.Unit != "USD a day" {
		t.Errorf("effect %+v", s.Effect)
	}
	w.setNow(w.now.Load().Add(time.Minute))
	if again := w.refresh(); len(again) != 1 || again[0].ID != s.ID || !again[0].JudgedAt.After(s.JudgedAt.Time) {
		t.Errorf("a second refresh returns %+v, want the same suggestion %s, judged later", again, s.ID)
	}
	dbtest.Exec(w, w.d, `DELETE FROM ledger`)
	w.setNow(w.now.Load().Add(time.Minute))
	if after := w.refresh(); len(after) != 0 {
		t.Errorf("without figures again: %+v", after)
	}
}

// TestReportsAreShared checks that all campaigns are read in the same reports, so that the cost does not depend on the number of
// campaigns. If the reports cost too much, the open suggestions stay until they expire.
func TestReportsAreShared(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	pauses := func(after time.Duration) (n int) {
		t.Helper()
		w.setNow(w.now.Load().Add(after))
		for _, s := range w.refresh() {
			if s.Kind == "pause_loser" {
				n++
			}
		}
		return n
	}
	const campaigns = 4
	for i := range campaigns {
		if i > 0 {
			w.create(fmt.Sprint("shoes ", i), w.campaign.SourceID)
		}
		w.addFigures(20, 1000, 40, 20)
	}
	w.extraClicks.Store(1_500_000) // the limit allows three reports
	if n := pauses(0); n != campaigns {
		t.Fatalf("%d of %d campaigns were read", n, campaigns)
	}
	dbtest.Exec(w, w.d, `DELETE FROM ledger`)
	w.extraClicks.Store(1 << 40)
	if n := pauses(time.Minute); n != campaigns {
		t.Errorf("%d of %d suggestions stay open after a refresh that could not read figures", n, campaigns)
	}
	if n := pauses(copilot.Life); n != 0 {
		t.Errorf("%d suggestions stay open after they expired", n)
	}
}

// TestSweep: each account is judged once a day, however often the sweep runs.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	runs := func() (at time.Time, next time.Time) {
		t.Helper()
		if err := w.d.QueryRowxContext(t.Context(), `SELECT coalesce(run_at, 'epoch'), next_at FROM copilot_runs WHERE account_id = $1`,
			w.account.ID).Scan(&at, &next); err != nil {
			t.Fatal(err)
		}
		return at, next
	}
	claimed := func(at time.Time) int {
		t.Helper()
		due, err := dbcopilot.NewSuggestions(w.store).ClaimDue(t.Context(), at, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(due)
	}
	now := *w.now.Load()
	if a, b := claimed(now), claimed(now); a != 1 || b != 0 {
		t.Errorf("the first sweep claimed %d accounts, want 1; the second claimed %d, want 0", a, b)
	}
	w.refresh()
	at, next := runs()
	if !at.Equal(now) || next.Sub(now) <= 0 || next.Sub(now) > 24*time.Hour {
		t.Errorf("judged at %v, next %v", at, next)
	}
	if a, b := claimed(next.Add(-time.Second)), claimed(next); a != 0 || b != 1 {
		t.Errorf("%d accounts were claimed before the account was due, want 0; then %d, want 1", a, b)
	}
}
