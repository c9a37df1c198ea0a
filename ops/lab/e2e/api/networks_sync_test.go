package api

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/ops/client"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/networksync"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/networks/networkstest"
	"switchyard/workers/providers/rest/resttest"
)

type syncEnv struct {
	*correctionEnv

	platforms *networkstest.Platforms
	id        string
}

type syncAnswer struct {
	DryRun                    bool
	Provider, From, To        string
	Total, Matched, Unmatched int
	Payout                    float64
	Outcomes                  []correction.ConversionOutcome
}

func newSyncEnv(t *testing.T, clicks int, options ...func(*networksync.Options)) *syncEnv {
	t.Helper()
	y := &syncEnv{platforms: &networkstest.Platforms{}}
	server := networkstest.Serve(t, y.platforms)
	y.correctionEnv = newCorrectionEnv(t, clicks, func(r *workers.Runtime, s *apitest.Server) { registerSync(t, r, s, server, options...) })
	made := y.s.Do("POST", "/networks", map[string]any{"name": "N", "status_map": map[string]any{"approved": []string{"on the moon"}}})
	y.id = made.Want(201, "").Map()["id"].(string)
	y.connect("affise")
	return y
}

func registerSync(t *testing.T, r *workers.Runtime, s *apitest.Server, server *httptest.Server, options ...func(*networksync.Options)) {
	t.Helper()
	clicks := click.Log{Conn: s.DB}
	o := networksync.Options{Clicks: clicks, Client: networks.New(networks.Options{
		Egress: egresstest.Client(t, server, egress.Options{MaxBody: 32 << 20}), URL: server.URL,
		Wait: func(context.Context, time.Duration) error { return nil },
	})}
	for _, set := range options {
		set(&o)
	}
	networksync.Register(r, s.Store, o)
}

func (y *syncEnv) connect(provider string) {
	y.t.Helper()
	y.s.Do("PUT", "/networks/"+y.id+"/integration", map[string]any{
		"provider": provider, "credentials": networkstest.Fakes[provider].Credentials(), "is_enabled": false,
	}).Want(200, "")
}

func (y *syncEnv) sync(apply bool) (got syncAnswer) {
	y.t.Helper()
	y.send("/networks/"+y.id+"/integration/sync", map[string]any{"from": y.day, "to": y.day, "apply": apply}, &got)
	return got
}

func (y *syncEnv) integration() map[string]any {
	y.t.Helper()
	return y.s.Do("GET", "/networks/"+y.id+"/integration", nil).Want(200, "").Map()
}

func (y *syncEnv) order(id string, click int, status, payout string) networkstest.Order {
	at, err := time.Parse(time.DateOnly, y.day)
	if err != nil {
		y.t.Fatal(err)
	}
	return networkstest.Order{
		ID: id, Click: y.clicks[click], Status: status, Payout: payout, Currency: "USD", At: at.Add(10 * time.Hour),
	}
}

func (y *syncEnv) figures() string {
	y.t.Helper()
	rows := y.s.Do("GET", "/reports/performance?dimension=date", nil).Want(200, "").Map()["rows"].([]any)
	row := rows[0].(map[string]any)
	return fmt.Sprint(row["conversions"], " ", row["approved"], " ", row["pending"], " ", row["chargebacks"], " ", row["revenue"])
}

// TestNetworkSync: a dry run gives the same result as the apply after it, and a second apply changes nothing.
func TestNetworkSync(t *testing.T) {
	t.Parallel()
	y := newSyncEnv(t, 10)
	odd := y.order("odd", 5, "approved", "1")
	odd.Word = "unheard of"
	own := y.order("own", 6, "approved", "2")
	own.Word = "On the Moon"
	stranger := y.order("stranger", 0, "approved", "1")
	stranger.Click = models.FormatClickID(models.NewClickID())
	nobody := stranger
	nobody.ID, nobody.Click = "nobody", "affsub-1"
	event := y.order("event", 0, "approved", "0.5")
	event.Goal = "Deposit"
	list := []networkstest.Order{
		y.order("a", 0, "pending", "10"), event, y.order("b", 1, "approved", "4"), y.order("c", 2, "rejected", "3"),
		odd, own, stranger, nobody, y.order("b", 1, "approved", "5"), // listed twice: the last entry counts
	}
	y.platforms.Set(list...)
	first := []string{
		"1 created", "2 created", "3 refused the order appears again as number 9, and the last one counts", "4 created", `5 refused the status "unheard of" is not known: name it in the network's status_map`,
		"6 created", "7 refused there is no such click", "8 refused its click id is not one of this service", "9 created",
	}
	again := slicesWith(first, map[int]string{0: "1 unchanged", 1: "2 unchanged", 3: "4 unchanged", 5: "6 unchanged", 8: "9 unchanged"})
	for round, apply := range []bool{false, true, true} {
		got := y.sync(apply)
		want := first
		if round == 2 {
			want = again
		}
		if diff := cmp.Diff(want, verdicts(got.Outcomes)); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
		if got.DryRun == apply || got.Provider != "affise" || got.From != y.day || got.Total != 9 || got.Matched != 5 || got.Unmatched != 4 {
			t.Errorf("round %d: the answer is %+v, want 9 orders, 5 of them matched", round, got)
		}
		if events := dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM events`); (events > 0) != apply {
			t.Errorf("round %d: %d events are stored, want some only after an apply", round, events)
		}
	}
	if got := y.figures(); got != "4 3 1 0 7.5" {
		t.Errorf("conversions, approved, pending, chargebacks and revenue are %s, want 4 3 1 0 7.5", got)
	}
	row := y.s.Do("GET", "/logs/conversions", nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any)
	if row["source"] != models.FromNetworkSync {
		t.Errorf("the newest conversion is %v, want the import as its source", row)
	}

	y.platforms.Set(y.order("a", 0, "approved", "12"), y.order("b", 1, "approved", "6"), y.order("c", 2, "pending", "3"), event)
	got := y.sync(true)
	if diff := cmp.Diff([]string{"1 updated", "2 updated", "3 refused a conversion does not go from rejected to pending", "4 unchanged"},
		verdicts(got.Outcomes)); diff != "" {
		t.Error(diff)
	}
	y.platforms.Set(y.order("a", 0, "rejected", "12"))
	if diff := cmp.Diff([]string{"1 updated"}, verdicts(y.sync(true).Outcomes)); diff != "" {
		t.Error(diff)
	}
	y.runs(t)
}

func (y *syncEnv) runs(t *testing.T) {
	t.Helper()
	about := y.integration()
	runs := about["runs"].([]any)
	if len(runs) != 5 || about["lastStatus"] != "ok" || about["lastSyncedAt"] == nil || about["nextSyncAt"] != nil {
		t.Fatalf("the integration is %v, want 5 runs, the last one without an error", about)
	}
	last, first := runs[0].(map[string]any), runs[len(runs)-1].(map[string]any)
	if last["read"] != 1.0 || last["changed"] != 1.0 || first["applied"] != false || first["read"] != 9.0 || first["matched"] != 5.0 || first["kind"] != models.RunNetworkSync {
		t.Errorf("the last run is %v, want 1 changed order; the first is %v, want a dry run over 9 orders", last, first)
	}
}

func slicesWith(list []string, change map[int]string) []string {
	out := append([]string{}, list...)
	for i, text := range change {
		out[i] = text
	}
	return out
}

func verdicts(list []correction.ConversionOutcome) []string {
	var out []string
	for _, o := range list {
		out = append(out, verdict(o.Verdict))
	}
	return out
}

// TestNetworkSyncAdopts: an order that a postback has already reported, under another id or without an id, is the same
// conversion.
func TestNetworkSyncAdopts(t *testing.T) {
	t.Parallel()
	y := newSyncEnv(t, 4)
	y.post("/corrections/conversions", "click id,payout,status,conversion id\n"+y.clicks[0]+",5,pending,\n"+
		y.clicks[1]+",5,pending,tx-1\n"+y.clicks[2]+",5,pending,tx-2\n"+y.clicks[2]+",5,pending,tx-3\n", true, &conversionAnswer{})
	dbtest.Exec(y.t, y.s.DB, `UPDATE conversions SET source = 'postback', statements = '[]'`)
	y.platforms.Set(y.order("ef-1", 0, "approved", "6"), y.order("ef-2", 1, "approved", "6"), y.order("ef-3", 2, "approved", "6"))
	got := y.sync(true)
	if diff := cmp.Diff([]string{"1 updated", "2 updated", "3 created"}, verdicts(got.Outcomes)); diff != "" {
		t.Error(diff) // the third click has two conversions, so the order matches neither
	}
	if got := y.figures(); got != "5 3 2 0 18" {
		t.Errorf("conversions, approved, pending, chargebacks and revenue are %s, want 5 3 2 0 18", got)
	}
	if diff := cmp.Diff([]string{"1 unchanged", "2 unchanged", "3 unchanged"}, verdicts(y.sync(true).Outcomes)); diff != "" {
		t.Error(diff)
	}
}

// TestNetworkSyncVanished: Everflow stops reporting an order when the order is rejected. An order that an import by this
// connection has listed, and that is no longer reported, is therefore rejected.
func TestNetworkSyncVanished(t *testing.T) {
	t.Parallel()
	y := newSyncEnv(t, 4)
	y.connect("everflow")
	sync := func(days int, apply bool, want ...string) {
		t.Helper()
		var got syncAnswer
		first, _ := time.Parse(time.DateOnly, y.day)
		last := time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly)
		y.send("/networks/"+y.id+"/integration/sync", map[string]any{
			"from": first.AddDate(0, 0, -1).Format(time.DateOnly), "to": last, "apply": apply,
		}, &got)
		if diff := cmp.Diff(want, verdicts(got.Outcomes)); diff != "" {
			t.Error(diff)
		}
	}
	figures := func(want string) {
		t.Helper()
		if got := y.figures(); got != want {
			t.Errorf("conversions, approved, pending, chargebacks and revenue are %s, want %s", got, want)
		}
	}
	a, b, held, own := y.order("a", 0, "approved", "10"), y.order("b", 1, "approved", "4"), y.order("held", 2, "pending", "3"), y.order("own", 3, "approved", "1")
	a.Sale = "64.99"
	y.platforms.Set(a, b, held, own)
	sync(0, false, "1 created", "2 created", "3 created", "4 created")
	sync(0, true, "1 created", "2 created", "3 created", "4 created")
	figures("4 3 1 0 15")
	if row := y.s.Do("GET", "/logs/conversions?click_id="+a.Click, nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any); row["sale_amount"] != 64.99 || row["sale_currency"] != "USD" {
		t.Errorf("the conversion is %v, want a sale of 64.99 USD", row)
	}
	// A person corrects the order with the id "own" by hand, so the import does not reject it.
	y.post("/corrections/conversions", "click id,payout,status,conversion id\n"+own.Click+",2,approved,own\n", true, &conversionAnswer{})
	y.platforms.Set(a)
	sync(-1, true, "1 unchanged") // the range ends yesterday; a missing order may be reported today, so nothing is rejected
	sync(0, false, "1 unchanged", "2 updated", "3 updated")
	figures("4 3 1 0 16")
	sync(0, true, "1 unchanged", "2 updated", "3 updated")
	figures("2 2 0 0 12")
	sync(0, true, "1 unchanged")
	y.platforms.Set(a, b)
	sync(0, true, "1 unchanged", "2 updated")
	figures("3 3 0 0 16")
	// A report without any order may be a fault, so it rejects nothing. A new connection has not listed the orders of the former
	// connection, so it does not reject them.
	y.platforms.Set()
	sync(0, true)
	y.connect("everflow")
	y.platforms.Set(a)
	sync(0, true, "1 unchanged")
	figures("3 3 0 0 16")
}

// TestNetworkSyncFails: the API shows and stores the error of the platform without the credentials.
func TestNetworkSyncFails(t *testing.T) {
	t.Parallel()
	y := newSyncEnv(t, 1)
	y.platforms.Set(y.order("a", 0, "approved", "1"))
	path := "/networks/" + y.id + "/integration"
	body := map[string]any{"from": y.day, "to": y.day, "apply": true}
	y.platforms.Fail(resttest.Echo)
	y.s.Do("POST", path+"/sync", body).Want(502, "network_error")
	tested := y.s.Do("POST", path+"/test", nil).Want(200, "").Map()
	if tested["ok"] != false || !strings.Contains(fmt.Sprint(tested["detail"]), "cannot serve") {
		t.Errorf("the test of the connection is answered with %v, want the error of the platform", tested)
	}
	y.s.Do("POST", path+"/sync", body).Want(502, "network_error")
	raw := string(y.s.Do("GET", path, nil).Raw)
	about := y.integration()
	if about["lastStatus"] != "error" || strings.Contains(raw, "canary") || dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM conversions`) != 0 {
		t.Errorf("the integration is %s, want its status error and no credential", raw)
	}
	alerts := string(y.s.Do("GET", "/alerts", nil).Raw)
	if !strings.Contains(alerts, "network.failing") || strings.Contains(alerts, "canary") {
		t.Errorf("the alerts are %s, want network.failing and no credential", alerts)
	}
	for _, table := range []string{"jobs", "network_integrations", "integration_runs", "corrections"} {
		if n := dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%canary%'`); n != 0 {
			t.Errorf("%d rows of %s have a credential", n, table)
		}
	}
	y.namesRequest(raw, alerts)
	y.platforms.Fail(resttest.None)
	if got := y.sync(true); got.Matched != 1 || y.integration()["lastStatus"] != "ok" {
		t.Errorf("the sync after the failure is answered with %+v, want one matched order", got)
	}
	many := make([]networkstest.Order, networks.MaxOrders+1)
	for i := range many {
		many[i] = y.order(fmt.Sprint("m", i), 0, "approved", "1")
	}
	y.platforms.Set(many...)
	y.s.Do("POST", path+"/sync", body).Want(400, "too_many")
}

// TestNetworkSyncByItself: the periodic job imports the orders of the networks that are due.
func TestNetworkSyncByItself(t *testing.T) {
	t.Parallel()
	y := newSyncEnv(t, 2)
	y.platforms.Set(y.order("a", 0, "approved", "1"))
	y.s.Do("PUT", "/networks/"+y.id+"/integration", map[string]any{"provider": "affise", "is_enabled": true}).Want(200, "")
	tick := func() {
		t.Helper()
		dbtest.Exec(y.t, y.s.DB, `UPDATE network_integrations SET next_at = now() - interval '1 second', changes_at = now() + interval '1 day'`)
		ticket, err := jobs.Submit(t.Context(), y.jobs, jobs.SweepNetworks, uuid.Nil, jobs.Tick{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jobs.Await(t.Context(), ticket); err != nil {
			t.Fatal(err)
		}
	}
	ended := func(n int) {
		t.Helper()
		err := client.Poll(t.Context(), time.Second, func() (bool, error) {
			return dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM integration_runs WHERE ended_at IS NOT NULL`) == n, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Exec(y.t, y.s.DB, `UPDATE network_integrations SET wide_at = now() - interval '1 second'`)
	tick()
	ended(1)
	if got := y.figures(); got != "1 1 0 0 1" {
		t.Errorf("conversions, approved, pending, chargebacks and revenue are %s, want 1 1 0 0 1", got)
	}
	days := func() int {
		return dbtest.Get[int](y.t, y.s.DB, `SELECT to_day - from_day FROM integration_runs ORDER BY started_at DESC LIMIT 1`)
	}
	if n := days(); n < models.SyncWideDays-1 || n > models.SyncWideDays {
		t.Errorf("the first import covers %d days, want the longer window", n)
	}
	y.platforms.Fail(resttest.Echo)
	tick()
	ended(2)
	if n := days(); n < models.SyncDays-1 || n > models.SyncDays {
		t.Errorf("the next import covers %d days, want the shorter window", n)
	}
	const wait = `SELECT extract(epoch FROM next_at - now())::int / 60 FROM network_integrations`
	if n := dbtest.Get[int](y.t, y.s.DB, wait); n < 50 || n > 70 {
		t.Errorf("after a failure the next import waits %d minutes, want about 60", n)
	}
	tick()
	ended(3)
	if n := dbtest.Get[int](y.t, y.s.DB, wait); n < 100 || n > 140 {
		t.Errorf("after two failures the next import waits %d minutes, want about 120", n)
	}
	// After a failed import of many days, the next import covers only a few days, so that recent orders arrive even if the long
	// import keeps failing.
	dbtest.Exec(y.t, y.s.DB, `UPDATE network_integrations SET wide_at = now() - interval '1 second'`)
	for i, wide := range []bool{true, false, true, false} {
		tick()
		ended(4 + i)
		if n := days(); (n > models.SyncDays) != wide {
			t.Errorf("import %d covers %d days, want the longer window: %t", 4+i, n, wide)
		}
		y.platforms.Fail(resttest.None)
	}
	y.s.Do("PATCH", "/networks", map[string]any{"id": y.id, "is_active": false}).Want(200, "")
	tick()
	if n := dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM jobs WHERE kind = 'networks:sync'`); n != 7 {
		t.Errorf("%d imports, want 7, because the network is paused", n)
	}
}

// TestNetworkSyncGivenUp: an import whose worker dies at every attempt ends with an error, which counts as a failure.
func TestNetworkSyncGivenUp(t *testing.T) {
	t.Parallel()
	y := newSyncEnv(t, 1)
	id := uuid.MustParse(y.id)
	row, err := jobs.SyncNetwork.NewRow(y.s.Account.ID, jobs.CorrectionArgs{Apply: true, Network: &jobs.NetworkSync{
		NetworkID: id, PlatformRange: jobs.PlatformRange{Provider: "affise", From: y.day, To: y.day, Origin: models.RunByClock},
	}})
	if err != nil {
		t.Fatal(err)
	}
	y.givenUp(row, models.IntegrationRun{Kind: models.RunNetworkSync, TargetID: id, Provider: "affise"})
	about := y.integration()
	last := about["runs"].([]any)[0].(map[string]any)
	if last["endedAt"] == nil || last["error"] != "the job did not succeed" || about["lastError"] != last["error"] ||
		dbtest.Get[int](y.t, y.s.DB, `SELECT failures FROM network_integrations`) != 1 {
		t.Errorf("the last run is %v and the last error %v, want an ended run that counts as a failure", last, about["lastError"])
	}
}

// TestNetworkSyncOfMany: a sync started by the clock may import more orders than a sync that a caller waits for.
func TestNetworkSyncOfMany(t *testing.T) {
	t.Parallel()
	y := newSyncEnv(t, 1)
	many := make([]networkstest.Order, networks.MaxOrders+1)
	for i := range many {
		many[i] = y.order(fmt.Sprint("m", i), 0, "approved", "1")
		many[i].Click = "theirs"
	}
	many[7].Click = y.clicks[0]
	y.platforms.Set(many...)
	for round, want := range []int{1, 0} {
		row, err := jobs.SyncNetwork.NewRow(y.s.Account.ID, jobs.CorrectionArgs{Apply: true, Network: &jobs.NetworkSync{
			NetworkID:     uuid.MustParse(y.id),
			PlatformRange: jobs.PlatformRange{Provider: "affise", From: y.day, To: y.day, Origin: models.RunByClock},
		}})
		if err == nil {
			err = jobrow.Insert(t.Context(), y.s.DB, row)
		}
		if err != nil {
			t.Fatal(err)
		}
		y.jobs.DispatchFor(t.Context(), y.s.Account.ID, row.Kind, row.ID)
		if err := client.Poll(t.Context(), time.Second, func() (bool, error) {
			return dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM jobs WHERE id = $1 AND state IN ('done', 'failed')`, row.ID) == 1, nil
		}); err != nil {
			t.Fatal(err)
		}
		if n := dbtest.Get[int](y.t, y.s.DB, `SELECT jsonb_array_length(result->'outcomes') FROM jobs WHERE id = $1 AND state = 'done' AND result->>'total' = '5001'`, row.ID); n != want {
			t.Errorf("round %d: %d outcomes are stored, want %d", round, n, want)
		}
	}
}
