package edge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
	"switchyard/workers/edge"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/cloudflare"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
)

// env is two accounts with a domain each, and a worker that publishes to a fake of Cloudflare.
type env struct {
	*testing.T
	db      *db.DB
	store   *store.Store
	client  *jobs.Client
	fake    *cloudflaretest.Fake
	account uuid.UUID
	other   uuid.UUID
	domains map[uuid.UUID]uuid.UUID // by account
}

type unlimited struct{}

func (unlimited) Allow(context.Context, int) time.Duration { return 0 }
func (unlimited) Pause(context.Context, time.Duration)     {}

// compile replaces the compiler of bundles. The value of a bundle has the name of the campaign and the number of offers.
func compile(r *store.Routing) ([]models.EdgeBundle, error) {
	hosts := map[uuid.UUID]string{}
	for _, d := range store.RoutingRows[*store.RoutingDomain](r) {
		hosts[d.ID] = d.Host
	}
	var out []models.EdgeBundle
	for _, c := range store.RoutingRows[*store.RoutingCampaign](r) {
		if strings.HasPrefix(c.Name, "broken") {
			return nil, errors.New("a campaign that cannot be compiled")
		}
		if hosts[c.DomainID] == "" || c.Status != "active" {
			continue
		}
		value, err := json.Marshal(map[string]any{"name": c.Name, "offers": len(store.RoutingRows[*store.RoutingOffer](r))})
		if err != nil {
			return nil, err
		}
		b := models.EdgeBundle{Key: models.EdgeKey(hosts[c.DomainID], c.Alias), CampaignID: c.ID, Value: value, Origin: []string{"daily_cap"}}
		if strings.HasPrefix(c.Name, "large") {
			b.Value, b.Origin = nil, []string{models.EdgeTooLarge}
		}
		out = append(out, b)
	}
	return out, nil
}

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{T: t, db: dbtest.New(t), account: uuid.New(), other: uuid.New(), fake: cloudflaretest.Serve(t), domains: map[uuid.UUID]uuid.UUID{}}
	for _, id := range []uuid.UUID{w.account, w.other} {
		dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'scale', $2)`, id, id.String())
		w.domains[id] = w.domain(id, "go-"+id.String()[:8]+".example")
	}
	box, err := seal.New(w.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	queue := jobstest.Redis(t)
	w.store, w.client = store.New(w.db, box), jobs.Connect(queue)
	rt := workers.New(workers.Options{DB: w.db, Redis: queue, Client: w.client, Grace: 4 * time.Second})
	keys := cloudflare.NewKV(cloudflare.New(cloudflare.Options{
		Egress: egresstest.Client(t, w.fake.Server, egress.Options{}), Token: cloudflaretest.Token, URL: w.fake.Server.URL, Budget: unlimited{},
	}), cloudflaretest.Account, cloudflaretest.Namespace)
	edge.Register(rt, w.store, edge.Options{Locks: w.db, Keys: keys, Background: keys, Compile: compile, Format: 1, Pause: 10 * time.Millisecond})
	jobstest.Run(t, rt.Run)
	clock := time.Now()
	w.fake.SetNow(func() time.Time { clock = clock.Add(2 * time.Second); return clock }) // no two writes are in the same second
	return w
}

func (w *env) domain(account uuid.UUID, host string) uuid.UUID {
	w.Helper()
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, true)`, id, account, host)
	return id
}

func (w *env) campaigns(account uuid.UUID, n int, name string) {
	w.Helper()
	dbtest.Exec(w, w.db, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, streams)
		SELECT gen_random_uuid(), $1, $4 || n, $4 || '-' || n, $2, '[]' FROM generate_series(1, $3) n`, account, w.domains[account], n, name)
}

func (w *env) publish(account uuid.UUID) jobs.PublishedEdge {
	w.Helper()
	ticket, err := jobs.Submit(w.Context(), w.client, jobs.PublishEdge, account, jobs.None{})
	if err != nil {
		w.Fatal(err)
	}
	out, err := jobs.Await(w.Context(), ticket)
	if err != nil {
		w.Fatal(err)
	}
	out.MS = 0
	return out
}

func (w *env) sweep() {
	w.Helper()
	ticket, err := jobs.Submit(w.Context(), w.client, jobs.SweepEdge, uuid.Nil, jobs.Tick{At: time.Now()})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := jobs.Await(w.Context(), ticket); err != nil {
		w.Fatal(err)
	}
}

func (w *env) wantResult(got, want jobs.PublishedEdge) {
	w.Helper()
	want.Configured = true
	if got != want {
		w.Errorf("got %+v, want %+v", got, want)
	}
}

func (w *env) keys() string {
	return fmt.Sprint(slices.Sorted(maps.Keys(w.fake.Values())))
}

func (w *env) host(account uuid.UUID) string { return "go-" + account.String()[:8] + ".example/" }

// TestPublish checks that the new and changed campaigns of an account are written. Campaigns that are paused or too large are
// removed. No call is made if nothing has changed.
func TestPublish(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{})
	w.campaigns(w.account, 3, "summer")
	w.campaigns(w.other, 1, "theirs")
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 3, Written: 3})
	mine := w.host(w.account)
	if got, want := w.keys(), fmt.Sprint([]string{mine + "summer-1", mine + "summer-2", mine + "summer-3"}); got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	calls := w.fake.Count("")
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 3})
	if n := w.fake.Count("") - calls; n != 0 {
		t.Errorf("%d calls although nothing has changed", n)
	}
	dbtest.Exec(w, w.db, `UPDATE campaigns SET name = 'winter' WHERE account_id = $1 AND alias = 'summer-2'`, w.account)
	dbtest.Exec(w, w.db, `UPDATE campaigns SET status = 'paused' WHERE account_id = $1 AND alias = 'summer-3'`, w.account)
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 2, Written: 1, Removed: 1})
	if got := w.fake.Values()[mine+"summer-2"]; !strings.Contains(got, "winter") {
		t.Errorf("the value of the changed campaign is %s, want its new name", got)
	}
	dbtest.Exec(w, w.db, `UPDATE campaigns SET name = 'large one' WHERE account_id = $1 AND alias = 'summer-1'`, w.account)
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 1, Removed: 1})
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 1})
	state, err := w.store.Edge().State(t.Context(), w.account)
	if err != nil || state.Routable != 2 || state.Published != 1 || state.Waiting || state.PublishedAt == nil ||
		!slices.Equal(state.Origin, []store.EdgeOrigin{{What: "daily_cap", Campaigns: 1}, {What: models.EdgeTooLarge, Campaigns: 1}}) {
		t.Errorf("%+v, %v", state, err)
	}
}

// TestSweep checks that a sweep publishes changes of campaigns, offers and domains and the deletion of an account, and publishes
// only the account that has changed.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaigns(w.account, 2, "summer")
	w.campaigns(w.other, 1, "theirs")
	w.sweep()
	if n := len(w.fake.Values()); n != 3 {
		t.Fatalf("%d keys are stored at the edge, want 3", n)
	}
	calls := w.fake.Count("")
	w.sweep()
	for range 5 {
		dbtest.Exec(w, w.db, `UPDATE campaigns SET name = name || '!' WHERE account_id = $1`, w.account)
	}
	w.sweep()
	w.sweep()
	if n := w.fake.Count("") - calls; n != 1 {
		t.Errorf("%d calls for five changes, want 1", n)
	}
	dbtest.Exec(w, w.db, `INSERT INTO offers (id, account_id, name, url) VALUES (gen_random_uuid(), $1, 'o', 'https://a.test/')`, w.other)
	w.sweep()
	if got := w.fake.Values()[w.host(w.other)+"theirs-1"]; !strings.Contains(got, `"offers":1`) {
		t.Errorf("after the change of an offer the value is %s", got)
	}
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = false WHERE account_id = $1`, w.other)
	w.sweep()
	if n := len(w.fake.Values()); n != 2 {
		t.Errorf("%d keys are left: keys of a domain that no longer serves were not removed", n)
	}
	if err := w.store.DeleteAccount(t.Context(), w.account, func(string, int64) {}); err != nil {
		t.Fatal(err)
	}
	w.sweep()
	if n := len(w.fake.Values()); n != 0 {
		t.Errorf("%d keys are left although the account is deleted", n)
	}
	left, err := db.Get[int](t.Context(), w.db, "left", `SELECT (SELECT count(*) FROM edge_keys) + (SELECT count(*) FROM edge_changes)
		+ (SELECT count(*) FROM edge_accounts WHERE owner_id = $1)`, w.account)
	if err != nil || left != 0 {
		t.Errorf("%d rows are left, %v", left, err)
	}
}

// TestFailingAccountDelaysNoOther checks that an account that cannot be published does not delay the others, although it is due
// first.
func TestFailingAccountDelaysNoOther(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaigns(w.account, 1, "broken")
	w.campaigns(w.other, 1, "theirs")
	dbtest.Exec(w, w.db, `INSERT INTO edge_accounts (owner_id, next_at) VALUES ($1, now() - interval '1 hour')`, w.account)
	w.sweep()
	if got, want := w.keys(), fmt.Sprint([]string{w.host(w.other) + "theirs-1"}); got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	state, err := w.store.Edge().State(t.Context(), w.account)
	if err != nil || state.Failure == "" || !state.Waiting {
		t.Errorf("%+v, %v", state, err)
	}
	dbtest.Exec(w, w.db, `UPDATE campaigns SET name = 'mended' WHERE account_id = $1`, w.account)
	dbtest.Exec(w, w.db, `UPDATE edge_accounts SET next_at = now()`)
	w.sweep()
	if state, err = w.store.Edge().State(t.Context(), w.account); err != nil || state.Failure != "" || state.Published != 1 {
		t.Errorf("%+v, %v", state, err)
	}
}

// TestDomainMoves checks that the keys of a host move with it from one account to another.
func TestDomainMoves(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaigns(w.account, 2, "summer")
	w.publish(w.account)
	host := strings.TrimSuffix(w.host(w.account), "/")
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = false WHERE account_id = $1`, w.account)
	w.domains[w.other] = w.domain(w.other, host)
	w.campaigns(w.other, 1, "summer")
	w.wantResult(w.publish(w.other), jobs.PublishedEdge{Published: 1, Written: 1})
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Removed: 1})
	if got, want := w.keys(), fmt.Sprint([]string{host + "/summer-1"}); got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
}

// TestFailures checks that keys are written again if the edge did not accept some of them, if it refused the call, or if its answer
// was lost.
func TestFailures(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaigns(w.account, 5, "summer")
	w.fake.FailKeys(3)
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 5, Written: 5})
	dbtest.Exec(w, w.db, `UPDATE campaigns SET name = name || '!'`)
	w.fake.FailKeys(14) // five keys are tried three times each, and only the last of these 15 tries succeeds
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 1, Written: 1, Failed: 4})
	w.fake.FailKeys(0)
	w.fake.Refuse(403, 10000, "Authentication error")
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 1, Failed: 4})
	state, err := w.store.Edge().State(t.Context(), w.account)
	if err != nil || !strings.Contains(state.Failure, "Authentication error") || !state.Waiting {
		t.Errorf("%+v, %v", state, err)
	}
	w.sweep() // the account is not due
	w.fake.Refuse(0, 0, "")
	// The first publishing made two calls, the second three, and the refused one a single call.
	if n := w.fake.Count("PUT /accounts/{account}/storage/kv/namespaces/{namespace}/bulk"); n != 6 {
		t.Errorf("%d calls wrote keys, want 6", n)
	}
	dbtest.Exec(w, w.db, `UPDATE edge_accounts SET next_at = now()`)
	w.sweep()
	if state, err = w.store.Edge().State(t.Context(), w.account); err != nil || state.Failure != "" || state.Published != 5 {
		t.Errorf("%+v, %v", state, err)
	}
	dbtest.Exec(w, w.db, `UPDATE campaigns SET name = name || '?'`)
	w.fake.Fail(cloudflaretest.Drop) // the edge writes, but its answer is lost
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Failed: 5})
	w.fake.Fail(cloudflaretest.None)
	dbtest.Exec(w, w.db, `UPDATE campaigns SET name = rtrim(name, '?')`) // back to the values that PostgreSQL had recorded for the edge
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: 5, Written: 5})
	for key, value := range w.fake.Values() {
		if strings.Contains(value, "?") {
			t.Errorf("%s is still %s", key, value)
		}
	}
}

// TestManyCampaigns checks that 10,001 campaigns are published with two calls, and then a change with one. It logs the times.
func TestManyCampaigns(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	const many = 10_001
	w.campaigns(w.account, many, "summer")
	began := time.Now()
	w.wantResult(w.publish(w.account), jobs.PublishedEdge{Published: many, Written: many})
	calls, took := w.fake.Count(""), time.Since(began)
	dbtest.Exec(w, w.db, `UPDATE campaigns SET name = 'winter' WHERE alias = 'summer-77'`)
	began = time.Now()
	w.sweep()
	await.Until(t, "the change is published", func() bool { return strings.Contains(w.fake.Values()[w.host(w.account)+"summer-77"], "winter") })
	t.Logf("%d campaigns: %d calls, %s; then one change: %d call, %s", many, calls, took.Round(time.Millisecond),
		w.fake.Count("")-calls, time.Since(began).Round(time.Millisecond))
	if calls != 2 || w.fake.Count("") != 3 {
		t.Errorf("%d calls for all campaigns, want 2; %d for the change, want 1", calls, w.fake.Count("")-calls)
	}
}
