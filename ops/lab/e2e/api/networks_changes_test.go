package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/client"
	"switchyard/workers/networksync"
	"switchyard/workers/providers/networks/networkstest"
	"switchyard/workers/providers/rest/resttest"
)

// changeEnv is an account whose network is connected to a platform that changes orders late.
type changeEnv struct{ *syncEnv }

func newChangeEnv(t *testing.T, provider string, options ...func(*networksync.Options)) *changeEnv {
	t.Helper()
	y := &changeEnv{newSyncEnv(t, 2, options...)}
	y.s.Do("PUT", "/networks/"+y.id+"/integration", map[string]any{
		"provider": provider, "credentials": networkstest.Fakes[provider].Credentials(), "is_enabled": true,
	}).Want(200, "")
	dbtest.Exec(t, y.s.DB, `UPDATE network_integrations SET wide_at = now() + interval '1 day'`)
	return y
}

func (y *changeEnv) clickAt(days int) string {
	y.t.Helper()
	c := models.Click{
		ID: models.NewClickID(), AccountID: y.s.Account.ID, CampaignID: y.campaigns[0], SourceID: y.sources[0],
		Cost: decimal.New(1, -2), Currency: "USD", UniqueHours: 24, UniqueKey: [16]byte{9},
	}
	floor := models.FloorClickID(time.Now().AddDate(0, 0, -days))
	copy(c.ID[:6], floor[:6])
	storeRecords(y.t, y.s.DB, spool.Record{Click: &c})
	return models.FormatClickID(c.ID)
}

func (y *changeEnv) run() string {
	y.t.Helper()
	const count = `SELECT count(*) FROM integration_runs WHERE ended_at IS NOT NULL`
	before := dbtest.Get[int](y.t, y.s.DB, count)
	dbtest.Exec(y.t, y.s.DB, `UPDATE network_integrations SET next_at = now() - interval '1 second'`)
	ticket, err := jobs.Submit(y.t.Context(), y.jobs, jobs.SweepNetworks, uuid.Nil, jobs.Tick{})
	if err != nil {
		y.t.Fatal(err)
	}
	if _, err := jobs.Await(y.t.Context(), ticket); err != nil {
		y.t.Fatal(err)
	}
	if err := client.Poll(y.t.Context(), time.Second, func() (bool, error) {
		return dbtest.Get[int](y.t, y.s.DB, count) > before, nil
	}); err != nil {
		y.t.Fatal(err)
	}
	return dbtest.Get[string](y.t, y.s.DB, `SELECT kind FROM integration_runs ORDER BY started_at DESC, ended_at DESC LIMIT 1`)
}

// The result is the age in hours of the stored time changes_to, up to which changes were read, or -1 if that time is not set.
func (y *changeEnv) changes() int {
	y.t.Helper()
	dbtest.Exec(y.t, y.s.DB, `UPDATE network_integrations SET changes_at = now() - interval '1 second'`)
	if kind := y.run(); kind != models.RunNetworkChanges {
		y.t.Fatalf("the run is %s, want the import of changes", kind)
	}
	return dbtest.Get[int](y.t, y.s.DB, `SELECT coalesce(extract(epoch FROM now() - changes_to)::int / 3600, -1) FROM network_integrations`)
}

func (y *changeEnv) conversions() string {
	y.t.Helper()
	return dbtest.Get[string](y.t, y.s.DB, `SELECT coalesce(string_agg(concat_ws(' ', conversion_id, status, payout::float, currency), ', '
		ORDER BY conversion_id), '') FROM conversions`)
}

// TestLateDecision: an order is approved 200 days after it was made. The approval reaches the conversion and the reports,
// although the account's plan does not keep the click any more.
func TestLateDecision(t *testing.T) {
	t.Parallel()
	y := newChangeEnv(t, "partnerize")
	o := y.order("late", 0, models.StatusPending, "10")
	o.Click, o.At = y.clickAt(200), time.Now().AddDate(0, 0, -200).Add(time.Minute).UTC().Truncate(time.Second)
	y.platforms.Set(o)
	day := o.At.Format(time.DateOnly)
	y.send("/networks/"+y.id+"/integration/sync", map[string]any{"from": day, "to": day, "apply": true}, &syncAnswer{})
	if got := y.conversions(); got != "late pending 10 USD" {
		t.Fatalf("the conversions are %q, want the order pending", got)
	}
	dbtest.Exec(t, y.s.DB, `UPDATE accounts SET plan = 'growth'`)
	for range 2 {
		if err := retention.DeleteExpired(t.Context(), click.Log{Conn: y.s.DB}); err != nil {
			t.Fatal(err)
		}
		dbtest.Exec(t, y.s.DB, `UPDATE click_history SET announced_at = announced_at - interval '1 day'`)
	}
	if n := dbtest.Get[int](t, y.s.DB, `SELECT count(*) FROM clicks`); n != 2 {
		t.Fatalf("%d clicks are kept, want the two of yesterday", n)
	}
	o.Status, o.Payout, o.Decided = models.StatusApproved, "12", time.Now().Add(-time.Hour)
	y.platforms.Set(o)
	if kind := y.run(); kind == models.RunNetworkChanges { // the import of changes may be due first
		kind = y.run()
		if kind != models.RunNetworkSync {
			t.Errorf("after the import of changes, the run %s is due, want the import by days", kind)
		}
	}
	for range 3 {
		y.changes()
	}
	if got := y.conversions(); got != "late approved 12 USD" {
		t.Errorf("the conversions are %q, want the order approved with 12 USD", got)
	}
	if n := dbtest.Get[int](t, y.s.DB, `SELECT count(*) FROM events WHERE type = 'conversion.updated'`); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
	if got := dbtest.Get[string](t, y.s.DB, `SELECT concat_ws(' ', sum(pending), sum(approved), sum(revenue)::float) FROM ledger`); got != "0 1 12" {
		t.Errorf("the ledger has the pending, approved and revenue %s, want 0 1 12", got)
	}
	about := y.integration()
	at, err := time.Parse(time.RFC3339, fmt.Sprint(about["changesReadTo"]))
	if err != nil || time.Since(at) > time.Hour || about["changesError"] != nil {
		t.Errorf("changes are read up to %v with the error %v, want up to the last hour without an error", about["changesReadTo"], about["changesError"])
	}
}

// TestOlderOrders: some networks cannot be asked for orders by the date of a change. Once a day, the service reads a range of
// older days from them, each time the next range.
func TestOlderOrders(t *testing.T) {
	t.Parallel()
	y := newChangeEnv(t, "affise")
	from, _ := models.OlderWindow(time.Now().UTC(), nil)
	age := int(time.Since(from)/(24*time.Hour)) - 10
	o := y.order("old", 0, models.StatusPending, "10")
	o.Click, o.At = y.clickAt(age), time.Now().AddDate(0, 0, -age).Add(time.Minute).UTC().Truncate(time.Second)
	y.platforms.Set(o)
	day := o.At.Format(time.DateOnly)
	y.send("/networks/"+y.id+"/integration/sync", map[string]any{"from": day, "to": day, "apply": true}, &syncAnswer{})
	o.Status = models.StatusApproved
	y.platforms.Set(o)
	dbtest.Exec(t, y.s.DB, `UPDATE network_integrations SET changes_at = now() + interval '1 hour'`)
	for range 2 {
		if kind := y.run(); kind != models.RunNetworkSync {
			t.Errorf("the run is %s, want the import by days", kind)
		}
		const next = `UPDATE network_integrations SET changes_at = now() - interval '1 second' WHERE changes_at < now() + interval '2 hours'`
		dbtest.Exec(t, y.s.DB, next)
	}
	if got := y.conversions(); got != "old approved 10 USD" {
		t.Errorf("the conversions are %q, want the order approved", got)
	}
	const wait = `SELECT round(extract(epoch FROM changes_at - now()) / 3600)::int FROM network_integrations`
	if n := dbtest.Get[int](t, y.s.DB, wait); n < 20 || n > 28 {
		t.Errorf("the next import of older orders is in %d hours, want about 24", n)
	}
	if y.run(); dbtest.Get[int](t, y.s.DB, `SELECT current_date - from_day FROM integration_runs ORDER BY started_at DESC LIMIT 1`) > models.SyncDays {
		t.Error("the import of the last days does not follow")
	}
}

// TestManyOlderOrders: older days that have too many orders for one import are read in pieces.
func TestManyOlderOrders(t *testing.T) {
	t.Parallel()
	y := newChangeEnv(t, "affise", func(o *networksync.Options) { o.Most = 3 })
	first, _ := models.OlderWindow(time.Now().UTC(), nil)
	var list []networkstest.Order
	var want []string
	for i, day := range []int{0, 3, 3, 9, 20, 20, 20, 20, 30, 31, 40, 44, 44} {
		o := y.order(fmt.Sprintf("o%02d", i), 0, models.StatusPending, "1")
		o.At = first.AddDate(0, 0, day).Add(12 * time.Hour)
		o.Click = y.clickAt(int(time.Since(o.At)/(24*time.Hour)) + 1)
		list = append(list, o)
		status := models.StatusApproved
		if day == 20 {
			status = models.StatusPending
		}
		want = append(want, o.ID+" "+status+" 1 USD")
	}
	y.platforms.Set(list...)
	day := func(n int) string { return first.AddDate(0, 0, n).Format(time.DateOnly) }
	y.send("/networks/"+y.id+"/integration/sync", map[string]any{"from": day(0), "to": day(44), "apply": true}, &syncAnswer{})
	for i := range list {
		list[i].Status = models.StatusApproved
	}
	y.platforms.Set(list...)
	const due = `UPDATE network_integrations SET changes_at = now() - interval '1 second'`
	older := func() {
		t.Helper()
		dbtest.Exec(t, y.s.DB, due)
		y.run()
		const wait = `SELECT extract(epoch FROM next_at - now())::int / 60 FROM network_integrations WHERE failures = 0`
		if n := dbtest.Get[int](t, y.s.DB, wait); n > 1 {
			t.Errorf("the import of the last days follows in %d minutes, want it at once", n)
		}
	}
	y.platforms.Fail(resttest.Refusal)
	older()
	if y.integration()["changesError"] == nil {
		t.Error("the failure is not shown")
	}
	y.platforms.Fail(resttest.None)
	for n := 0; ; n++ {
		next := dbtest.Get[string](t, y.s.DB, `SELECT coalesce(older_from::text, '') FROM network_integrations`)
		if next > day(44) || n > 15 {
			break
		}
		older()
	}
	if got := y.conversions(); got != strings.Join(want, ", ") {
		t.Errorf("the conversions are %s\nwant %s", got, strings.Join(want, ", "))
	}
	const failed = `SELECT concat_ws(' ', from_day, to_day, failure) FROM integration_runs WHERE failure LIKE '%more than%'`
	if got := dbtest.Get[string](t, y.s.DB, failed); !strings.HasPrefix(got, day(20)+" "+day(20)+" "+day(20)+" has more than 3 orders") {
		t.Errorf("the failed runs are %q, want the one day with too many orders", got)
	}
	if n := dbtest.Get[int](t, y.s.DB, `SELECT failures + changes_failures FROM network_integrations`); n != 0 {
		t.Errorf("%d failures of the connection are counted, want 0", n)
	}
	dbtest.Exec(t, y.s.DB, `UPDATE network_integrations SET older_from = NULL`)
	y.platforms.Fail(resttest.Refusal)
	for n := range models.FailingIntegration {
		if next := dbtest.Get[string](t, y.s.DB, `SELECT coalesce(older_from::text, '') FROM network_integrations`); next > day(0) {
			t.Errorf("after %d failures, the next import begins on %s, want the same days again", n, next)
		}
		older()
	}
	if next := dbtest.Get[string](t, y.s.DB, `SELECT older_from::text FROM network_integrations`); next <= day(0) {
		t.Errorf("after several failures, the next import still begins on %s", next)
	}
}

// TestChangesCatchUp: a connection that was off for 200 days reads the changes of that time in pieces.
func TestChangesCatchUp(t *testing.T) {
	t.Parallel()
	y := newChangeEnv(t, "awin")
	var list []networkstest.Order
	for i := range 20 {
		o := y.order(fmt.Sprintf("o%02d", i), 0, models.StatusApproved, "1")
		o.At, o.Decided = time.Now().AddDate(0, 0, -250), time.Now().AddDate(0, 0, -10*i).Add(-time.Hour)
		list = append(list, o)
	}
	y.platforms.Set(list...)
	dbtest.Exec(t, y.s.DB, `UPDATE network_integrations SET changes_to = now() - interval '200 days'`)
	behind := 200 * 24
	for n := 1; behind > 0; n++ {
		now := y.changes()
		if behind-now > 31*24 || now >= behind || n > 10 {
			t.Fatalf("run %d brings changes_to from %d hours ago to %d, want at most 10 runs of at most 31 days", n, behind, now)
		}
		if behind = now; y.run() != models.RunNetworkSync {
			t.Fatal("no import by days follows")
		}
	}
	if n := dbtest.Get[int](t, y.s.DB, `SELECT count(*) FROM conversions WHERE status = 'approved'`); n != len(list) {
		t.Errorf("%d of %d conversions are approved, want all", n, len(list))
	}
}

// TestChangesFail: after a failure, the stored time up to which changes were read stays the same, and the API shows the reason.
func TestChangesFail(t *testing.T) {
	t.Parallel()
	y := newChangeEnv(t, "partnerize")
	o := y.order("a", 0, models.StatusApproved, "1")
	o.Decided = time.Now().Add(-time.Hour)
	y.platforms.Set(o)
	dbtest.Exec(t, y.s.DB, `UPDATE network_integrations SET changes_to = now() - interval '5 days'`)
	y.platforms.Fail(resttest.Refusal)
	if behind := y.changes(); behind != 5*24 {
		t.Errorf("after the failure, changes are read up to %d hours ago, want still 120", behind)
	}
	about := y.integration()
	if about["changesError"] == nil || about["lastError"] != nil {
		t.Errorf("the errors are %v for changes and %v for the import by days, want only the first", about["changesError"], about["lastError"])
	}
	if alerts := string(y.s.Do("GET", "/alerts", nil).Raw); strings.Contains(alerts, "network.failing") {
		t.Error("a single failure raises an alert")
	}
	dbtest.Exec(t, y.s.DB, `UPDATE network_integrations SET changes_failures = $1`, models.FailingIntegration)
	if alerts := string(y.s.Do("GET", "/alerts", nil).Raw); !strings.Contains(alerts, "network.failing") || !strings.Contains(alerts, resttest.RefusalText) {
		t.Errorf("several failures raise no alert: %s", alerts)
	}
	dbtest.Exec(t, y.s.DB, `UPDATE network_integrations SET changes_failures = 1`)
	const wait = `SELECT extract(epoch FROM changes_at - now())::int / 60 FROM network_integrations`
	if n := dbtest.Get[int](t, y.s.DB, wait); n < 300 || n > 420 {
		t.Errorf("the next try is in %d minutes, want about 360", n)
	}
	y.platforms.Fail(resttest.None)
	if kind := y.run(); kind != models.RunNetworkSync {
		t.Errorf("the next run is %s, want the import by days", kind)
	}
	if behind := y.changes(); behind != 0 || y.integration()["changesError"] != nil || y.conversions() != "a approved 1 USD" {
		t.Errorf("after the success, changes are read up to %d hours ago, with the error %v and the conversions %s", behind, y.integration()["changesError"], y.conversions())
	}
	y.s.Do("PATCH", "/networks", map[string]any{"id": y.id, "status_map": map[string]any{"approved": []string{"moon"}}}).Want(200, "")
	if y.integration()["changesReadTo"] != nil {
		t.Error("after a change of status_map, changes are not read again")
	}
	y.changes()
	put := func(body map[string]any) {
		t.Helper()
		body["provider"] = "partnerize"
		y.s.Do("PUT", "/networks/"+y.id+"/integration", body).Want(200, "")
	}
	put(map[string]any{"is_enabled": false})
	if y.integration()["changesReadTo"] == nil {
		t.Error("switching the connection off deletes the time up to which changes were read")
	}
	put(map[string]any{"credentials": map[string]any{"publisher_id": "another"}})
	if y.integration()["changesReadTo"] != nil {
		t.Error("after a change to another account at the platform, the time up to which changes were read is kept")
	}
}

// TestStatusOnly: an update from Impact that has no amount rejects a recorded order and changes neither its amount nor its
// currency.
func TestStatusOnly(t *testing.T) {
	t.Parallel()
	y := newChangeEnv(t, "impact")
	o := y.order("a", 0, models.StatusPending, "7")
	o.Currency = "EUR"
	y.platforms.Set(o)
	y.send("/networks/"+y.id+"/integration/sync", map[string]any{"from": y.day, "to": y.day, "apply": true}, &syncAnswer{})
	stranger := y.order("b", 1, models.StatusRejected, "3")
	o.Status, o.Amended, stranger.Amended = models.StatusRejected, time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)
	o.At, stranger.At = time.Now().AddDate(0, 0, -100), time.Now().AddDate(0, 0, -100)
	y.platforms.Set(o, stranger)
	dbtest.Exec(t, y.s.DB, `UPDATE network_integrations SET changes_to = now() - interval '1 day'`)
	y.changes()
	if got := y.conversions(); got != "a rejected 7 EUR" {
		t.Errorf("the conversions are %q, want the order rejected with 7 EUR", got)
	}
	if got := dbtest.Get[string](t, y.s.DB, `SELECT concat_ws(' ', read, matched, changed) FROM integration_runs WHERE kind = 'network_changes'
		ORDER BY started_at DESC LIMIT 1`); got != "2 1 1" {
		t.Errorf("read, matched and changed are %s, want 2 1 1", got)
	}
}
