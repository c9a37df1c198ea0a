package faults

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks/networkstest"
	"switchyard/workers/providers/rest/resttest"
)

// importEnv is an account whose network is connected to a platform.
type importEnv struct {
	*midwayEnv
	platforms *networkstest.Platforms
	path      string // of the integration in the API
}

func (m *midwayEnv) newImportEnv(platforms *networkstest.Platforms) *importEnv {
	m.t.Helper()
	y := &importEnv{midwayEnv: m, platforms: platforms}
	var made struct{ ID uuid.UUID }
	if err := m.api.Create(m.t.Context(), "/networks", map[string]any{"name": "N"}, &made); err != nil {
		m.t.Fatal(err)
	}
	y.path = "/networks/" + made.ID.String() + "/integration"
	y.connect("affise")
	return y
}

func (y *importEnv) connect(provider string) {
	y.t.Helper()
	if err := y.api.Do(y.t.Context(), 200, "PUT", y.path, map[string]any{
		"provider": provider, "credentials": networkstest.Fakes[provider].Credentials(), "is_enabled": false,
	}, nil); err != nil {
		y.t.Fatal(err)
	}
}

// give gives the platform one order for each click, with these statuses in turn, and returns the orders.
func (y *importEnv) give(statuses ...string) []networkstest.Order {
	at := models.ClickTime(y.clicks[midwayClicks-1]).UTC().Truncate(time.Second).Add(time.Second)
	list := make([]networkstest.Order, midwayClicks)
	for i, id := range y.clicks {
		list[i] = networkstest.Order{
			ID: fmt.Sprintf("T%05d", i), Click: models.FormatClickID(id), Payout: fmt.Sprintf("%d.25", i%7), Currency: "USD", At: at,
			Status: statuses[i%len(statuses)],
		}
	}
	y.platforms.Set(list...)
	return list
}

// orders gives the platform one order for each click, and returns the body of a sync that reads them.
func (y *importEnv) orders() (body map[string]any) {
	day := y.give(models.StatusApproved, models.StatusPending, models.StatusRejected)[0].At.Format(time.DateOnly)
	return map[string]any{"from": day, "to": day, "apply": true}
}

// money returns the account's figures as a text: each conversion, the sums of the ledger, and the number of events by type.
func (m *midwayEnv) money() (out string) {
	m.t.Helper()
	const all = `SELECT concat_ws(E'\n',
		(SELECT string_agg(concat_ws(' ', conversion_id, goal, status, payout::float, currency, source), ',' ORDER BY conversion_id)
			FROM conversions WHERE account_id = $1),
		(SELECT concat_ws(' ', sum(clicks), sum(approved), sum(pending), sum(rejected), sum(revenue)::float, sum(cost)::float)
			FROM ledger WHERE account_id = $1),
		(SELECT string_agg(concat_ws(' ', type, n), ',' ORDER BY type)
			FROM (SELECT type, count(*) AS n FROM events WHERE account_id = $1 GROUP BY type) e))`
	if err := m.db.GetContext(m.t.Context(), &out, all, m.account); err != nil {
		m.t.Fatal(err)
	}
	return out
}

// TestKilledNetworkSync kills the worker with -9 while it reads the orders of a network, and while it writes them. All figures
// match the figures of an undisturbed account.
func TestKilledNetworkSync(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	platforms := &networkstest.Platforms{}
	server := networkstest.Serve(t, platforms)
	m := newMidwayEnv(t, "NETWORK_URL="+server.URL, "EGRESS_CA_FILE="+egresstest.CAFile(t, server), "EGRESS_ALLOW=127.0.0.0/8",
		"ENCRYPTION_KEY="+strings.Repeat("07", 32))
	undisturbed := m.undisturbed().newImportEnv(platforms)
	body := undisturbed.orders()
	undisturbedWorker := m.worker()
	want := undisturbed.final(undisturbed.call("POST", undisturbed.path+"/sync", body)())
	undisturbedWorker.Stop()
	if want["matched"] != float64(midwayClicks) {
		t.Fatalf("the undisturbed import did not match every click: %.300v", want)
	}

	y := m.newImportEnv(platforms)
	body = y.orders()
	got := y.call("POST", y.path+"/sync", body)
	for page := 0; page < longtest.Size(2, 3); page++ { // the worker gets this many pages, and is killed while it waits for the next one
		faults := make([]resttest.Fault, page, page+1)
		platforms.Fail(append(faults, resttest.Slow)...)
		before, worker := platforms.Calls(), m.worker()
		m.until("the worker reads", func() bool { return platforms.Calls() > before+page })
		worker.Kill()
		m.checkCount("conversions", 0, `SELECT count(*) FROM conversions WHERE account_id = $1`, y.account)
	}
	platforms.Fail(resttest.None)
	const part = 500
	for _, place := range longtest.Size([]int{part + part/2}, []int{part / 2, part + 1, 2*part - 1, midwayClicks - 1}) {
		y.stopAt(onClick(y.clicks[place]), func() {
			m.checkCount("conversions of the parts of 500 that are completely written", place/part*part, `SELECT count(*) FROM conversions WHERE account_id = $1`, y.account)
		})
	}
	defer m.worker().Stop()
	m.checkData(y.final(got()), map[string]any{
		"dryRun": false, "total": want["total"], "matched": want["matched"], "unmatched": want["unmatched"], "payout": want["payout"],
	})
	check := func() {
		t.Helper()
		if got, want := y.money(), undisturbed.money(); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
	check()
	m.checkCount("runs", 1, `SELECT count(*) FROM integration_runs WHERE account_id = $1 AND ended_at IS NOT NULL AND failure = ''
		AND changed = $2`, y.account, midwayClicks)
	m.checkData(y.final(y.call("POST", y.path+"/sync", body)()), map[string]any{"matched": midwayClicks})
	check()
}
