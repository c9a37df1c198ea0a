package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/parttest"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads/adstest"
)

// TestKilledSpendSync kills the worker with kill -9 while a sync writes the last of its days. The next worker writes this day.
func TestKilledSpendSync(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	platforms := &adstest.Platforms{}
	server := adstest.Serve(t, platforms)
	m := newMidwayEnv(t, "AD_URL="+server.URL, "EGRESS_CA_FILE="+egresstest.CAFile(t, server), "EGRESS_ALLOW=127.0.0.0/8",
		"ENCRYPTION_KEY="+strings.Repeat("07", 32))
	source := uuid.New()
	dbtest.Exec(m.t, m.db, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, 'S')`, source, m.account)
	dbtest.Exec(m.t, m.db, `UPDATE clicks SET source_id = $1, params = 'c=77'`, source)
	dbtest.Exec(m.t, m.db, `UPDATE ledger SET source_id = $1`, source)
	today := models.ClickTime(m.clicks[0]).UTC().Truncate(24 * time.Hour)
	day := func(n int) string { return today.AddDate(0, 0, n).Format(time.DateOnly) }
	platforms.Set(adstest.Row{Day: day(-2), Campaign: "77", Spend: "5", Clicks: 1}, adstest.Row{Day: day(-1), Campaign: "78", Spend: "7", Clicks: 1},
		adstest.Row{Day: day(0), Campaign: "77", Spend: "26", Clicks: midwayClicks, Impressions: 9})
	path := "/traffic-sources/" + source.String() + "/integration"
	if err := m.api.Do(t.Context(), 200, "PUT", path, map[string]any{
		"provider": "propellerads", "credentials": adstest.Fakes["propellerads"].Credentials(), "is_enabled": false, "campaign_param": "c",
	}, nil); err != nil {
		t.Fatal(err)
	}
	body := map[string]any{"action": "sync", "from": day(-2), "to": day(0)}
	got := m.killed("POST", path, body, onClick(m.clicks[midwayClicks/2]), func() {
		m.checkCount("days that are written", 2, `SELECT count(*) FROM source_spend_days`)
		m.checkCount("spend", 12, `SELECT sum(amount)::int FROM spend`)
	})
	m.checkData(got, map[string]any{"ok": true, "rows": 3, "changed": 3, "spend": 38})
	check := func() {
		t.Helper()
		m.checkCount("spend", 38, `SELECT sum(amount)::int FROM spend`)
		m.checkCount("cost by the ledger", 38, `SELECT sum(cost)::int FROM ledger`)
		m.checkCount("cost of the clicks, in cents", 2600, `SELECT (100 * sum(cost))::int FROM clicks`)
		m.checkCount("clicks whose cost is not 0.02", 0, `SELECT count(*) FROM clicks WHERE cost <> 0.02`)
		m.checkCount("stored correction rows", 0, `SELECT count(*) FROM corrections`)
	}
	check()
	m.checkCount("runs", 1, `SELECT count(*) FROM integration_runs WHERE ended_at IS NOT NULL AND failure = ''`)
	defer m.worker().Stop()
	a, err := m.api.Call(t.Context(), "POST", path, body)
	if err != nil {
		t.Fatal(err)
	}
	m.checkData(m.final(a), map[string]any{"ok": true, "changed": 0})
	check()
}
