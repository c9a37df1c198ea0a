package api

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	dbexport "switchyard/db/export"
	"switchyard/db/integration"
	"switchyard/db/jobrow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/client"
	"switchyard/workers"
	"switchyard/workers/adspend"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/export"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest/resttest"
)

// spendEnv is an account whose traffic source is connected to an ad platform. Two campaigns have clicks of the source.
type spendEnv struct {
	*correctionEnv

	platforms *adstest.Platforms
	path      string // of the integration
}

type spendAnswer struct {
	OK                     bool
	Detail, Currency       *string
	Rows, Matched, Changed int
	Spend                  float64
	Range                  struct{ From, To string }
}

func newSpendEnv(t *testing.T, clicks int) *spendEnv {
	t.Helper()
	y := &spendEnv{platforms: &adstest.Platforms{}}
	server := adstest.Serve(t, y.platforms)
	y.correctionEnv = newCorrectionEnv(t, clicks, func(r *workers.Runtime, s *apitest.Server) {
		adspend.Register(r, s.Store, adspend.Options{Clicks: click.Log{Conn: s.DB}, Client: ads.New(ads.Options{Options: platform.Options{
			Egress: egresstest.Client(t, server, egress.Options{MaxBody: 32 << 20}), URL: server.URL,
			Wait:    func(context.Context, time.Duration) error { return nil },
			Timeout: func() time.Duration { return 5 * time.Minute }, // a busy machine may take more than the usual ten seconds for a page
		}})})
		export.Register(r, s.Store, dbexport.Reader{Conn: s.DB}, report.Reader{Conn: s.DB})
	})
	y.path = "/traffic-sources/" + y.sources[0].String() + "/integration"
	dbtest.Exec(y.t, y.s.DB, `UPDATE clicks SET source_id = $1`, y.sources[0])
	dbtest.Exec(y.t, y.s.DB, `UPDATE ledger SET source_id = $1`, y.sources[0])
	y.came(`CASE WHEN campaign_id = '` + y.campaigns[0].String() + `' THEN 'x=1&CampaignID=111' ELSE 'campaignid=2%322&y=1' END`)
	y.s.Do("PUT", y.path, map[string]any{
		"provider": "propellerads", "credentials": adstest.Fakes["propellerads"].Credentials(), "is_enabled": false, "campaign_param": "campaignid",
	}).Want(200, "")
	return y
}

// came sets the query parameters of the clicks to an SQL expression.
func (y *spendEnv) came(query string) {
	y.t.Helper()
	dbtest.Exec(y.t, y.s.DB, `UPDATE clicks SET params = `+query)
}

func (y *spendEnv) row(campaign, spent string, clicks int) adstest.Row {
	return adstest.Row{Day: y.day, Campaign: campaign, Spend: spent, Clicks: clicks, Impressions: 100 * clicks}
}

// sync imports the spend of the day of the clicks and of the day before.
func (y *spendEnv) sync() (got spendAnswer) {
	y.t.Helper()
	day, err := time.Parse(time.DateOnly, y.day)
	if err != nil {
		y.t.Fatal(err)
	}
	y.send(y.path, map[string]any{"action": "sync", "from": day.AddDate(0, 0, -1).Format(time.DateOnly), "to": y.day}, &got)
	return got
}

// costs returns the cost of each campaign and the total. It fails the test if the ledger has other costs than the rows.
func (y *spendEnv) costs() string {
	y.t.Helper()
	var byLedger, byRows string
	const each = `SELECT string_agg(coalesce(cost, 0)::float::text, ' ' ORDER BY i) FROM (
		SELECT i, (SELECT sum(cost) FROM %s f WHERE campaign_id = id OR i = 3) AS cost FROM unnest($1::uuid[]) WITH ORDINALITY AS k (id, i)) s`
	ids := "{" + y.campaigns[0].String() + "," + y.campaigns[1].String() + "," + uuid.Nil.String() + "}"
	for table, into := range map[string]*string{"ledger": &byLedger, "(SELECT campaign_id, cost FROM clicks UNION ALL SELECT campaign_id, amount FROM spend WHERE alone)": &byRows} {
		if err := y.s.DB.GetContext(y.t.Context(), into, fmt.Sprintf(each, table), ids); err != nil {
			y.t.Fatal(err)
		}
	}
	if byLedger != byRows {
		y.t.Errorf("the ledger has the costs %s, the rows have %s", byLedger, byRows)
	}
	return byLedger
}

// TestSpendSync: spend goes to the campaigns that had the clicks. Syncing again replaces the earlier figures.
func TestSpendSync(t *testing.T) {
	t.Parallel()
	y := newSpendEnv(t, 10)
	dbtest.Exec(y.t, y.s.DB, `UPDATE clicks SET params = 'campaignid=112' WHERE id = (SELECT id FROM clicks WHERE campaign_id = $1 LIMIT 1)`, y.campaigns[0])
	if got := y.costs(); got != "0.05 0.05 0.1" {
		t.Fatalf("before the sync the costs are %s", got)
	}
	rows := []adstest.Row{y.row("111", "10", 7), y.row("112", "5", 2), y.row("222", "4", 6), y.row("999", "1.5", 1)}
	y.platforms.Set(rows...)
	got := y.sync()
	if !got.OK || got.Rows != 4 || got.Matched != 3 || got.Changed != 1 || got.Spend != 20.5 || *got.Currency != "USD" || got.Range.To != y.day {
		t.Errorf("the sync is answered with %+v, want 3 of 4 rows matched and a spend of 20.5 USD", got)
	}
	if got := y.costs(); got != "15.75 4.75 20.5" { // each click names one of the other campaigns, so all clicks share the 1.5 of campaign 999
		t.Errorf("after the sync the costs are %s, want 15.75 4.75 20.5", got)
	}
	if got := y.sync(); got.Changed != 0 {
		t.Errorf("the second sync is answered with %+v, want no change", got)
	}
	loss := fmt.Sprintf("map[day:%s loss_pct:37.5 lp_clicks:0 lp_views:0 redirects:10 source_clicks:16]", y.day)
	if got := fmt.Sprint(y.s.Do("GET", y.path, nil).Want(200, "").Map()["click_loss"]); got != "["+loss+"]" {
		t.Errorf("the click loss is %s, want %s", got, loss)
	}
	if list := string(y.s.Do("GET", "/traffic-sources", nil).Want(200, "").Raw); !strings.Contains(list, `"source_clicks":16,"redirects":10`) {
		t.Errorf("the list of sources is %s, want 16 clicks of the source and 10 redirects", list)
	}
	dbtest.Exec(y.t, y.s.DB, `UPDATE clicks SET params = '' WHERE campaign_id = $1`, y.campaigns[1])
	if y.sync(); y.costs() != "15 5.5 20.5" { // the clicks without a campaign of the platform get all unmatched spend
		t.Errorf("with clicks that name no campaign of the platform the costs are %s, want 15 5.5 20.5", y.costs())
	}
	y.platforms.Set(rows[0])
	if y.sync(); y.costs() != "10 0 10" {
		t.Errorf("after campaigns vanished from the platform the costs are %s, want 10 0 10", y.costs())
	}
	y.came(`''`)
	if y.sync(); y.costs() != "5 5 10" {
		t.Errorf("if no click matches, the costs are %s, want 5 5 10", y.costs())
	}
	y.came(`'campaignid=111'`)
	dbtest.Exec(y.t, y.s.DB, `UPDATE clicks SET subs = '{a,111}' WHERE campaign_id = $1`, y.campaigns[1])
	y.s.Do("PUT", y.path, map[string]any{"provider": "propellerads", "campaign_param": "sub2"}).Want(200, "")
	if y.sync(); y.costs() != "0 10 10" {
		t.Errorf("matched by a sub-parameter the costs are %s, want 0 10 10", y.costs())
	}
	y.post("/corrections/cost", "day,source,spend\n"+y.day+",Push Ads,77\n", true, &map[string]any{})
	if y.sync(); y.costs() != "0 10 10" {
		t.Errorf("the sync after a correction gives the costs %s, want 0 10 10", y.costs())
	}
	y.platforms.Set()
	if y.sync(); y.costs() != "0 0 0" {
		t.Errorf("if nothing was spent, the costs are %s, want 0 0 0", y.costs())
	}
	if n := dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM source_spend_days`); n != 1 {
		t.Errorf("%d days are stored, want 1, because the platform reported one day", n)
	}
	y.platforms.Set(rows...)
	dbtest.Exec(y.t, y.s.DB, `UPDATE clicks SET source_id = $1`, y.sources[1])
	dbtest.Exec(y.t, y.s.DB, `UPDATE ledger SET source_id = $1 WHERE clicks > 0`, y.sources[1])
	if y.sync(); !strings.HasSuffix(y.costs(), " 20.5") {
		t.Errorf("spend without a click is not in the total of 20.5: the costs are %s", y.costs())
	}
	about := y.s.Do("GET", y.path, nil).Want(200, "").Map()
	if runs := about["runs"].([]any); len(runs) != 9 || about["last_status"] != "ok" || about["last_sync_at"] == nil || about["currency"] != "USD" {
		t.Errorf("%d runs are listed, want 9, the last one without an error: %v", len(runs), about)
	}
}

// TestSpendSyncFails: the API shows and stores the error of the platform without the credentials. A failed sync writes no spend.
func TestSpendSyncFails(t *testing.T) {
	t.Parallel()
	y := newSpendEnv(t, 2)
	y.platforms.Set(y.row("111", "10", 1))
	y.platforms.Fail(resttest.Echo)
	for _, action := range []string{"test", "sync", "sync", "sync"} {
		var got spendAnswer
		y.send(y.path, map[string]any{"action": action}, &got)
		if got.OK || got.Detail == nil || !strings.Contains(*got.Detail, "cannot serve") || strings.Contains(*got.Detail, "canary") || got.Range.From == "" {
			t.Errorf("a call to a failing platform is answered with %+v, want its error without credentials", got)
		}
	}
	raw := string(y.s.Do("GET", y.path, nil).Raw)
	alerts := string(y.s.Do("GET", "/alerts", nil).Raw)
	if !strings.Contains(raw, `"last_status":"error"`) || strings.Contains(raw, "canary") || !strings.Contains(alerts, "spend.failing") || strings.Contains(alerts, "canary") {
		t.Errorf("the integration is %s and the alerts are %s; want the error and spend.failing, without credentials", raw, alerts)
	}
	for _, table := range []string{"jobs", "source_integrations", "integration_runs", "corrections"} {
		if n := dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%canary%'`); n != 0 {
			t.Errorf("%d rows of %s have a credential", n, table)
		}
	}
	y.namesRequest(raw, alerts)
	if got := y.costs(); got != "0.01 0.01 0.02" {
		t.Errorf("after the failures the costs are %s, want them unchanged", got)
	}
	y.platforms.Fail(resttest.None)
	if got := y.sync(); !got.OK || y.costs() != "10 0 10" {
		t.Errorf("the sync after the failures is answered with %+v, and the costs are %s, want 10 0 10", got, y.costs())
	}
	y.s.Do("PUT", y.path, map[string]any{"provider": "propellerads", "credentials_clear": []string{"api_token"}}).Want(200, "")
	y.s.Do("POST", y.path, map[string]any{"action": "sync"}).Want(400, "not_configured")
}

// TestSpendSyncByItself: the periodic job imports the spend of the sources that are due. The wait for the next sync grows with each
// failure, and paused sources are skipped.
func TestSpendSyncByItself(t *testing.T) {
	t.Parallel()
	y := newSpendEnv(t, 2)
	y.platforms.Set(y.row("111", "10", 1))
	y.s.Do("PUT", y.path, map[string]any{"provider": "propellerads", "is_enabled": true}).Want(200, "")
	ended := func(n int) {
		t.Helper()
		dbtest.Exec(y.t, y.s.DB, `UPDATE source_integrations SET next_at = now() - interval '1 second'`)
		ticket, err := jobs.Submit(t.Context(), y.jobs, jobs.SweepSpend, uuid.Nil, jobs.Tick{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jobs.Await(t.Context(), ticket); err != nil {
			t.Fatal(err)
		}
		if err := client.Poll(t.Context(), time.Second, func() (bool, error) {
			return dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM integration_runs WHERE ended_at IS NOT NULL`) == n, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	days := func() int {
		return dbtest.Get[int](y.t, y.s.DB, `SELECT to_day - from_day + 1 FROM integration_runs ORDER BY started_at DESC LIMIT 1`)
	}
	dbtest.Exec(y.t, y.s.DB, `UPDATE source_integrations SET wide_at = now() - interval '1 second'`)
	if ended(1); y.costs() != "10 0 10" || days() != models.SpendWideDays {
		t.Errorf("the costs are %s after a sync of %d days, want 10 0 10 and the longer window", y.costs(), days())
	}
	y.platforms.Fail(resttest.Down)
	ended(2)
	const wait = `SELECT extract(epoch FROM next_at - now())::int / 60 FROM source_integrations`
	if n := dbtest.Get[int](y.t, y.s.DB, wait); days() != models.SpendDays || n < 300 || n > 400 {
		t.Errorf("a failed sync of %d days is repeated after %d minutes, want the shorter window and about 360", days(), n)
	}
	if ended(3); dbtest.Get[int](y.t, y.s.DB, wait) < 600 {
		t.Errorf("after two failures the next sync waits %d minutes, want at least 600", dbtest.Get[int](y.t, y.s.DB, wait))
	}
	// After a failed sync of many days, the next sync covers only a few days. Recent spend arrives even if the long sync keeps
	// failing.
	dbtest.Exec(y.t, y.s.DB, `UPDATE source_integrations SET wide_at = now() - interval '1 second'`)
	if ended(4); days() != models.SpendWideDays {
		t.Errorf("the sync that was due covers %d days, want the longer window", days())
	}
	y.platforms.Fail(resttest.None)
	for i, want := range []int{models.SpendDays, models.SpendWideDays, models.SpendDays} {
		if ended(5 + i); days() != want {
			t.Errorf("sync %d covers %d days, want %d", 5+i, days(), want)
		}
	}
	y.s.Do("PATCH", "/traffic-sources", map[string]any{"id": y.sources[0], "is_active": false}).Want(200, "")
	ended(7)
	if n := dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM jobs WHERE kind = 'sources:sync'`); n != 7 {
		t.Errorf("%d syncs, want 7, because the source is paused", n)
	}
}

// TestSpendTooMany: a range with too many rows does not count as a failure of the platform.
func TestSpendTooMany(t *testing.T) {
	t.Parallel()
	y := newSpendEnv(t, 2)
	many := make([]adstest.Row, ads.MaxRows+1)
	for i := range many {
		many[i] = y.row(fmt.Sprint("m", i), "1", 1)
	}
	y.platforms.Set(many...)
	if got := y.sync(); got.OK || got.Detail == nil || !strings.Contains(*got.Detail, "use a shorter one") {
		t.Errorf("the sync of too many rows is answered with %+v, want the advice to use a shorter range", got)
	}
	about := y.s.Do("GET", y.path, nil).Want(200, "").Map()
	last := about["runs"].([]any)[0].(map[string]any)
	if n := dbtest.Get[int](y.t, y.s.DB, `SELECT failures FROM source_integrations`); n != 0 || about["last_error"] != nil || last["error"] == nil || last["endedAt"] == nil {
		t.Errorf("%d failures are counted, want 0; the last error is %v, the last run %v", n, about["last_error"], last)
	}
}

// TestSpendWithoutCurrency: spend without a currency is in the currency of the account, not of a campaign.
func TestSpendWithoutCurrency(t *testing.T) {
	t.Parallel()
	y := newSpendEnv(t, 4)
	dbtest.Exec(y.t, y.s.DB, `UPDATE campaigns SET currency = 'EUR' WHERE id = $1`, y.campaigns[0])
	y.s.Do("PUT", y.path, map[string]any{
		"provider": "exoclick", "credentials": adstest.Fakes["exoclick"].Credentials(), "is_enabled": false, "campaign_param": "campaignid",
	}).Want(200, "")
	y.platforms.Set(y.row("111", "10", 2), y.row("222", "4", 2))
	if got := y.sync(); !got.OK || got.Rows != 2 || got.Currency != nil {
		t.Errorf("the sync is answered with %+v, want 2 rows without a currency", got)
	}
	if n := dbtest.Get[int](y.t, y.s.DB, `SELECT count(*) FROM spend WHERE currency = (SELECT currency FROM accounts WHERE id = $1)`, y.s.Account.ID); n != 2 {
		t.Errorf("%d of 2 rows of spend are in the account's currency, want both", n)
	}
}

// TestSpendGivenUp: a sync whose worker dies at every attempt ends with an error, which counts as a failure.
func TestSpendGivenUp(t *testing.T) {
	t.Parallel()
	y := newSpendEnv(t, 2)
	row, err := jobs.SyncSpend.NewRow(y.s.Account.ID, jobs.SpendArgs{
		SourceID: y.sources[0], PlatformRange: jobs.PlatformRange{Provider: "propellerads", From: y.day, To: y.day, Origin: models.RunByClock},
	})
	if err != nil {
		t.Fatal(err)
	}
	y.givenUp(row, models.IntegrationRun{Kind: models.RunCostSync, TargetID: y.sources[0], Provider: "propellerads"})
	about := y.s.Do("GET", y.path, nil).Want(200, "").Map()
	last := about["runs"].([]any)[0].(map[string]any)
	if last["endedAt"] == nil || last["error"] != "the job did not succeed" || about["last_error"] != last["error"] ||
		dbtest.Get[int](y.t, y.s.DB, `SELECT failures FROM source_integrations`) != 1 {
		t.Errorf("the last run is %v and the last error %v, want an ended run that counts as a failure", last, about["last_error"])
	}
}

// namesRequest checks that operators can find the provider's id of the failed request, and that customers cannot.
func (x *correctionEnv) namesRequest(answers ...string) {
	x.t.Helper()
	for what, query := range map[string]string{
		"runs": `SELECT count(*) FROM integration_runs WHERE provider_request = $1 AND failure <> '' AND failure NOT LIKE '%' || $1 || '%'`,
		"jobs": `SELECT count(*) FROM jobs WHERE error->>'detail' LIKE '%(provider request ' || $1 || ')' AND error->>'message' NOT LIKE '%' || $1 || '%'`,
	} {
		if dbtest.Get[int](x.t, x.s.DB, query, resttest.RequestID) == 0 {
			x.t.Errorf("the stored %s do not name the request", what)
		}
	}
	for _, text := range answers {
		if strings.Contains(text, resttest.RequestID) {
			x.t.Errorf("an answer names the request: %s", text)
		}
	}
}

// givenUp starts a run and makes its job fail, as if the worker had died during each attempt. It waits until the run has ended.
func (x *correctionEnv) givenUp(row models.Job, run models.IntegrationRun) {
	x.t.Helper()
	ctx := x.t.Context()
	run.ID, run.AccountID, run.Origin, run.StartedAt = row.ID, x.s.Account.ID, models.RunByClock, time.Now()
	if err := integration.NewRuns(x.s.Store).Start(ctx, run); err != nil {
		x.t.Fatal(err)
	}
	if err := jobrow.Insert(ctx, x.s.DB, row); err != nil {
		x.t.Fatal(err)
	}
	dbtest.Exec(x.t, x.s.DB, `UPDATE jobs SET attempts = 1000 WHERE id = $1`, row.ID)
	x.jobs.DispatchFor(ctx, x.s.Account.ID, row.Kind, row.ID)
	if err := client.Poll(ctx, time.Second, func() (bool, error) {
		return dbtest.Get[int](x.t, x.s.DB, `SELECT count(*) FROM integration_runs WHERE ended_at IS NOT NULL`) == 1, nil
	}); err != nil {
		x.t.Fatal(err)
	}
}
