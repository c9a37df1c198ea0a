package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/parttest"
	"switchyard/ops/client"
)

// midwayEnv is an account with a campaign. The test stops long jobs of the account in the middle by holding a lock that
// they need.
type midwayEnv struct {
	*env
	api      *client.API
	account  uuid.UUID
	campaign uuid.UUID
	clicks   []uuid.UUID
}

// midwayClicks is the number of clicks: more than a correction or a deletion handles in one transaction.
const midwayClicks = 1300

func newMidwayEnv(t *testing.T, settings ...string) *midwayEnv {
	t.Helper()
	m := &midwayEnv{env: newEnv(t, settings...)}
	if _, err := m.Spawn("web"); err != nil {
		t.Fatal(err)
	}
	if err := m.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.clock()
	m.open("midway")
	return m
}

func (m *midwayEnv) open(name string) {
	m.t.Helper()
	account, api, err := m.Account(m.t.Context(), name, "scale")
	if err != nil {
		m.t.Fatal(err)
	}
	m.api, m.account, m.campaign, m.clicks = api, uuid.MustParse(account), uuid.New(), nil
	dbtest.Exec(m.t, m.db, `INSERT INTO domains (id, host) VALUES ($1, $2 || '.example')`, m.campaign, name)
	dbtest.Exec(m.t, m.db, `INSERT INTO campaigns (id, account_id, name, alias, domain_id) VALUES ($1, $2, $3, $3, $1)`, m.campaign, m.account, name)
	m.storeClicks()
}

// undisturbed creates another account on the same servers with the same number of clicks.
func (m *midwayEnv) undisturbed() *midwayEnv {
	m.t.Helper()
	other := *m
	other.open("undisturbed")
	return &other
}

func (m *midwayEnv) storeClicks() {
	m.t.Helper()
	log, err := spool.Open(m.t.TempDir(), spool.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	for i := range midwayClicks {
		c := &models.Click{
			ID: models.NewClickID(), AccountID: m.account, CampaignID: m.campaign, UniqueHours: 24, Currency: "USD",
			UniqueKey: [16]byte{byte(i), byte(i >> 8)}, Cost: decimal.New(1, -2),
		}
		m.clicks = append(m.clicks, c.ID)
		if err := log.Append(m.t.Context(), spool.Record{Click: c}); err != nil {
			m.t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(log, m.db, ingest.Options{}).Drain(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
}

type answered struct {
	client.Answer
	err error
}

// obstacle is a lock that stops a job in the middle. waiting is a part of the statement that waits for it.
type obstacle struct {
	lock    string
	args    []any
	waiting string
}

func onClick(id uuid.UUID) obstacle {
	return obstacle{`SELECT FROM clicks WHERE id = $1 FOR UPDATE`, []any{id}, "FOR NO KEY UPDATE"}
}

// killed starts a call, and kills the worker while the call's job waits for the obstacle. It returns the answer that the caller
// gets after the next worker has finished the job.
func (m *midwayEnv) killed(method, path string, body any, o obstacle, check func()) map[string]any {
	m.t.Helper()
	got := m.call(method, path, body)
	m.stopAt(o, check)
	next := m.worker()
	defer next.Stop()
	return m.final(got())
}

// stopAt starts a worker and kills it while its job waits for the obstacle. It then calls check.
func (m *midwayEnv) stopAt(o obstacle, check func()) {
	m.t.Helper()
	tx, err := m.db.BeginTxx(m.t.Context(), nil)
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	var holder int
	if err := tx.QueryRowxContext(m.t.Context(), `SELECT pg_backend_pid()`).Scan(&holder); err != nil {
		m.t.Fatal(err)
	}
	dbtest.Exec(m.t, tx, o.lock, o.args...)
	worker := m.worker()
	m.until("the job waits in its middle", func() bool {
		return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM pg_stat_activity
			WHERE $1 = ANY (pg_blocking_pids(pid)) AND application_name LIKE 'switchyard-faultworker-%'
			AND position($2 IN query) > 0`, holder, o.waiting) > 0
	})
	worker.Kill()
	check()
	if err := tx.Rollback(); err != nil {
		m.t.Fatal(err)
	}
}

// call starts an API call, which continues even if the test fails. got waits for the answer.
func (m *midwayEnv) call(method, path string, body any) (got func() client.Answer) {
	done := make(chan answered, 1)
	go func() {
		a, err := m.api.Call(context.WithoutCancel(m.t.Context()), method, path, body)
		done <- answered{a, err}
	}()
	return func() client.Answer {
		m.t.Helper()
		a := <-done
		if a.err != nil {
			m.t.Fatal(a.err)
		}
		return a.Answer
	}
}

// final returns the data of an answer. For a 202 it waits for the job's result.
func (m *midwayEnv) final(a client.Answer) map[string]any {
	m.t.Helper()
	data := map[string]any{}
	if err := json.Unmarshal(a.Data, &data); err != nil || a.Status >= 300 {
		m.t.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
	if a.Status != http.StatusAccepted {
		return data
	}
	path := fmt.Sprint("/jobs/", data["job"].(map[string]any)["id"])
	var job struct {
		Status string
		Result map[string]any
	}
	m.until("the job that the 202 names is done", func() bool {
		if err := m.api.Get(m.t.Context(), path, &job); err != nil || job.Status == models.JobFailed {
			m.t.Fatalf("the job at %s is %+v, want it done: %v", path, job, err)
		}
		return job.Status == models.JobDone
	})
	return job.Result
}

func (m *midwayEnv) checkCount(what string, want int, query string, args ...any) {
	m.t.Helper()
	if n := dbtest.Get[int](m.t, m.db, query, args...); n != want {
		m.t.Errorf("%s: %d, want %d", what, n, want)
	}
}

func (m *midwayEnv) checkData(data map[string]any, want map[string]any) {
	m.t.Helper()
	for name, value := range want {
		if fmt.Sprint(data[name]) != fmt.Sprint(value) {
			m.t.Errorf("%s is %v, want %v", name, data[name], value)
		}
	}
}

// TestKilledMidway kills the worker with -9 in the middle of an export, a correction and a deletion. The next worker finishes
// each job once, and the waiting caller gets the answer.
func TestKilledMidway(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	m := newMidwayEnv(t)
	m.export()
	m.correction()
	m.deletion()
}

func (m *midwayEnv) export() {
	m.t.Helper()
	finish := obstacle{`LOCK TABLE exports IN SHARE MODE`, nil, "INSERT INTO exports"}
	got := m.killed("POST", "/reports/exports", map[string]any{"kind": "clicks"}, finish, func() {
		m.checkCount("stored parts of the unfinished file", 1, `SELECT count(*) FROM export_chunks`)
		m.checkCount("files", 0, `SELECT count(*) FROM exports`)
	})
	m.checkData(got, map[string]any{"row_count": midwayClicks})
	m.checkCount("files", 1, `SELECT count(*) FROM exports`)
	text := m.download(fmt.Sprint("/reports/exports/", got["id"]))
	if n := strings.Count(text, "\n"); n != midwayClicks+1 || fmt.Sprint(got["byte_size"]) != fmt.Sprint(float64(len(text))) {
		m.t.Errorf("the file has %d lines and %d bytes, byte_size is %v", n, len(text), got["byte_size"])
	}
	for _, id := range m.clicks {
		if strings.Count(text, models.FormatClickID(id)) != 1 {
			m.t.Fatalf("click %s is not in the file exactly once", models.FormatClickID(id))
		}
	}
}

// download returns the text of a file. A file has no envelope, unlike other answers of the API.
func (m *midwayEnv) download(path string) string {
	m.t.Helper()
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, m.api.Base+path, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+m.api.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		m.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		m.t.Fatalf("%d %.200s: %v", resp.StatusCode, text, err)
	}
	return string(text)
}

func (m *midwayEnv) correction() {
	m.t.Helper()
	csv := []byte("click id,payout,conversion id\n")
	for i, id := range m.clicks {
		csv = fmt.Appendf(csv, "%s,0.5,order-%d\n", models.FormatClickID(id), i)
	}
	body := map[string]any{"csv": string(csv), "apply": true}
	const part = 500 // rows that a correction writes in one transaction
	got := m.killed("POST", "/corrections/conversions", body, onClick(m.clicks[part+part/2]), func() {
		m.checkCount("conversions of the first part", part, `SELECT count(*) FROM conversions`)
		m.checkCount("events of these conversions", part, `SELECT count(*) FROM events WHERE type = 'conversion.created'`)
		m.checkCount("stored parts of the correction", 1, `SELECT count(*) FROM correction_parts`)
	})
	m.checkData(got, map[string]any{
		"dryRun": false, "total": midwayClicks, "accepted": midwayClicks, "refused": 0, "payout": midwayClicks / 2,
		"truncated": false,
	})
	list := got["outcomes"].([]any)
	if len(list) != midwayClicks {
		m.t.Fatalf("%d outcomes instead of one for each click", len(list))
	}
	for i, o := range list {
		m.checkData(o.(map[string]any), map[string]any{
			"line": i + 2, "result": "created", "click_id": models.FormatClickID(m.clicks[i]),
		})
	}
	m.checkCount("conversions", midwayClicks, `SELECT count(*) FROM conversions WHERE payout = 0.5`)
	m.checkCount("different events", midwayClicks, `SELECT count(DISTINCT body) FROM events`)
	m.checkCount("all events", midwayClicks, `SELECT count(*) FROM events`)
	m.checkCount("revenue by the ledger", midwayClicks/2, `SELECT sum(revenue)::int FROM ledger`)
	m.checkCount("stored correction files", 0, `SELECT count(*) FROM corrections`)
	// The same correction changes nothing when it is applied again.
	defer m.worker().Stop()
	a, err := m.api.Call(m.t.Context(), "POST", "/corrections/conversions", body)
	if err != nil {
		m.t.Fatal(err)
	}
	m.checkData(m.final(a), map[string]any{"accepted": midwayClicks, "payout": midwayClicks / 2})
	m.checkCount("events", midwayClicks, `SELECT count(*) FROM events`)
	m.checkCount("revenue by the ledger", midwayClicks/2, `SELECT sum(revenue)::int FROM ledger`)
}

func (m *midwayEnv) deletion() {
	m.t.Helper()
	if err := m.api.Do(m.t.Context(), http.StatusOK, "DELETE", "/campaigns/"+m.campaign.String(), nil, nil); err != nil {
		m.t.Fatal(err)
	}
	const part = 1000 // clicks that a deletion deletes in one transaction
	body := map[string]any{"campaign_ids": []uuid.UUID{m.campaign, uuid.New()}}
	got := m.killed("DELETE", "/reports/orphaned", body, onClick(m.clicks[midwayClicks-1]), func() {
		m.checkCount("clicks after the first part", midwayClicks-part, `SELECT count(*) FROM clicks`)
		m.checkCount("clicks of the ledger after the first part", midwayClicks-part, `SELECT sum(clicks) FROM ledger`)
	})
	m.checkData(got, map[string]any{"deleted": 1, "clicks": midwayClicks})
	m.checkCount("clicks", 0, `SELECT count(*) FROM clicks`)
	m.checkCount("conversions", 0, `SELECT count(*) FROM conversions`)
	m.checkCount("figures", 0, `SELECT sum(clicks + approved + cost + revenue)::int FROM ledger`)
	var left struct{ Rows []any }
	from := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	if err := m.api.Get(m.t.Context(), "/reports/orphaned?from="+from, &left); err != nil || len(left.Rows) != 0 {
		m.t.Errorf("the report still lists deleted campaigns: %v, %v", left.Rows, err)
	}
}
