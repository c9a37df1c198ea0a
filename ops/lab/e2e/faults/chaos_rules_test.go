package faults

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// TestKilledRule kills the worker while a rule acts: before its change is committed, and before its run is recorded. Each time,
// there is one change with one event, and one finished job.
func TestKilledRule(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	m := newMidwayEnv(t)
	for _, name := range []string{"before", "after"} {
		m.open("rule-" + name)
		o, applied := obstacle{`SELECT FROM campaigns WHERE id = $1 FOR UPDATE`, []any{m.campaign}, "FROM campaigns"}, 0
		if name == "after" {
			o, applied = obstacle{`LOCK TABLE copilot_rule_runs IN SHARE MODE`, nil, "INSERT INTO copilot_rule_runs"}, 1
		}
		rule := map[string]any{
			"name": "Enough", "looks_at": "campaign", "action": "pause", "mode": "live", "window": 1, "include_current": true,
			"conditions": []map[string]any{{"figure": "clicks", "operator": ">", "value": 100}},
		}
		hook := map[string]any{"url": "https://hooks.acme.com/y", "events": []string{"campaign.paused"}}
		for path, body := range map[string]any{"/copilot/rules": rule, "/webhooks": hook} {
			if err := m.api.Do(t.Context(), http.StatusCreated, "POST", path, body, nil); err != nil {
				t.Fatal(err)
			}
		}
		m.stopAt(o, func() {
			m.checkCount(name+": changes at the kill", applied, `SELECT count(*) FROM copilot_changes WHERE account_id = $1`, m.account)
			m.checkCount(name+": paused at the kill", applied, `SELECT count(*) FROM campaigns WHERE id = $1 AND status = 'paused'`, m.campaign)
		})
		next := m.worker()
		m.until(name+": the rule has run", func() bool {
			return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM jobs WHERE account_id = $1 AND kind = 'copilot:rules' AND state = 'done'`, m.account) > 0
		})
		next.Stop()
		for what, query := range map[string]string{
			"changes": `SELECT count(*) FROM copilot_changes WHERE account_id = $1`,
			"events":  `SELECT count(*) FROM events WHERE account_id = $1 AND type = 'campaign.paused'`,
			"paused":  `SELECT count(*) FROM campaigns WHERE account_id = $1 AND status = 'paused'`,
			"jobs":    `SELECT count(*) FROM jobs WHERE account_id = $1 AND kind = 'copilot:rules' AND state = 'done' AND attempts > 1`,
		} {
			m.checkCount(name+": "+what, 1, query, m.account)
		}
		if err := m.api.Do(t.Context(), http.StatusOK, "PATCH", "/copilot/rules", map[string]any{
			"id": dbtest.Get[uuid.UUID](m.t, m.db, `SELECT id FROM copilot_rules WHERE account_id = $1`, m.account), "is_active": false,
		}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilledCurrency kills the worker while the currency of an account is changed. Reports answer in the new currency throughout,
// and in the end every fact counts once in it.
func TestKilledCurrency(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	m := newMidwayEnv(t)
	dbtest.Exec(m.t, m.db, `INSERT INTO currency_rates (base, currency, day, rate, source) VALUES ('EUR', 'USD', current_date - 1, 1.25, 'file')`)
	var changed struct {
		Job uuid.UUID `json:"jobId"`
	}
	if err := m.api.Do(t.Context(), http.StatusOK, "PATCH", "/settings", map[string]any{"currency": "EUR"}, &changed); err != nil {
		t.Fatal(err)
	}
	cost := func(when string) {
		t.Helper()
		var got struct{ Cost float64 }
		if err := m.api.Get(t.Context(), "/stats/overview", &got); err != nil || got.Cost != 10.4 { // 13 dollars in euros
			t.Errorf("%s the cost is %v, want 10.4: %v", when, got.Cost, err)
		}
	}
	older := m.begin(`SELECT 1`)
	worker := m.worker()
	waits := func() {
		t.Helper()
		m.until("the job waits for older transactions", func() bool {
			return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'switchyard-faultworker-%'
				AND position('virtualtransaction = ANY' IN query) > 0`) > 0
		})
	}
	waits()
	if longtest.On() {
		worker.Kill()
		cost("before anything is restated")
		m.until("the killed worker is gone", func() bool {
			return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'switchyard-faultworker-%'`) == 0
		})
		worker = m.worker()
		waits()
	}
	last := m.begin(`SELECT FROM clicks WHERE id = $1 FOR UPDATE`, m.clicks[len(m.clicks)-1])
	older()
	m.until("the job waits in the middle", func() bool {
		return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'switchyard-faultworker-%'
			AND wait_event_type = 'Lock' AND position('FOR NO KEY UPDATE' IN query) > 0`) > 0
	})
	worker.Kill()
	m.checkCount("clicks that are restated", 1000, `SELECT count(*) FROM clicks WHERE rate = 0.8`)
	cost("in the middle")
	last()
	next := m.worker()
	defer next.Stop()
	m.until("the change has ended", func() bool {
		return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM jobs WHERE id = $1 AND state = 'done'`, changed.Job) > 0
	})
	cost("in the end")
	m.checkCount("clicks in the former currency", 0, `SELECT count(*) FROM clicks WHERE rate <> 0.8`)
	m.checkCount("cost in the ledger, in cents", 1040, `SELECT (100 * sum(cost))::int FROM ledger WHERE account_id = $1`, m.account)
	m.checkCount("changes under way", 0, `SELECT count(*) FROM currency_changes`)
}

// begin opens a transaction and runs a statement in it. The returned function rolls the transaction back.
func (m *midwayEnv) begin(query string, args ...any) (end func()) {
	m.t.Helper()
	tx, err := m.db.BeginTxx(m.t.Context(), nil)
	if err != nil {
		m.t.Fatal(err)
	}
	end = func() { _ = tx.Rollback() }
	m.t.Cleanup(end)
	dbtest.Exec(m.t, tx, query, args...)
	return end
}
