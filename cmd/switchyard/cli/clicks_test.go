package cli

import (
	"bufio"
	"encoding/json"
	"net/url"
	"os"
	osexec "os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickcopy"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/ops/lab/e2e"
)

// TestClicks runs the operator's commands for the copy of clicks in ClickHouse.
func TestClicks(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	d, address := dbtest.NewURL(t)
	vars := map[string]string{"DATABASE_URL": address}
	run := func(want int, args ...string) string {
		t.Helper()
		stdout, stderr, code := try(t, vars, append([]string{"clicks"}, args...)...)
		if code != want {
			t.Fatalf("clicks %v ended with code %d, want %d: %s%s", args, code, want, stdout, stderr)
		}
		return stdout + stderr
	}
	status := func() (s copyStatus) {
		t.Helper()
		if err := json.Unmarshal([]byte(run(0, "status", "--json")), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if got := status(); got.State != "off" {
		t.Errorf("the status without a copy is %+v, want off", got)
	}
	if got := run(1, "move", "--to", "clickhouse"); !strings.Contains(got, "CLICKS_URL is not set") {
		t.Errorf("move without CLICKS_URL prints %s, want that CLICKS_URL is not set", got)
	}
	conn, copyURL := clickhousetest.NewURL(t)
	vars["CLICKS_URL"] = copyURL
	if u, err := url.Parse(copyURL); err != nil || u.Path == "/default" {
		t.Fatal(copyURL, err)
	}
	account := uuid.New()
	dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', 'k')`, account)
	record(t, d, account, 20)
	if got := run(0, "move", "--to", "clickhouse"); !strings.Contains(got, "20 in all") || !strings.Contains(got, "every day") {
		t.Errorf("the move to ClickHouse prints %s, want 20 clicks and every day", got)
	}
	run(0, "move", "--to", "clickhouse") // changes nothing
	if got := run(0, "audit"); !strings.Contains(got, "0 keys of the ledger differ") {
		t.Errorf("the audit after the move prints %s, want no differences", got)
	}
	record(t, d, account, 3)
	if got := status(); got.State != "on" || got.Waiting != 3 || got.AgeSeconds <= 0 {
		t.Errorf("the status is %+v, want on, with 3 waiting changes and the age of the oldest", got)
	}
	k := clickcopy.Copy{From: d, To: conn}
	if _, err := k.Forward(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(t.Context(), "damage", `TRUNCATE TABLE clicks`); err != nil {
		t.Fatal(err)
	}
	var sum auditSum
	stdout, _, code := try(t, vars, "clicks", "audit", "--json")
	if err := json.Unmarshal([]byte(stdout), &sum); err != nil || code != 1 || sum.Differences == 0 || len(sum.Examples) == 0 {
		t.Errorf("the audit of a damaged copy ended with code %d, want 1 and examples: %s", code, stdout)
	}
	run(0, "audit", "--repair")
	run(0, "audit")
	if err := k.Freeze(t.Context(), time.Now().AddDate(0, 0, 2), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := status(); got.ColdBefore == nil {
		t.Errorf("after days became cold, the status is %+v, want a value of cold_before", got)
	}
	if got := run(0, "move", "--to", "postgres"); !strings.Contains(got, "is back") || status().State != "off" {
		t.Errorf("the move back to PostgreSQL prints %s", got)
	}
	if n, err := db.Get[int](t.Context(), d, "clicks", `SELECT count(*) FROM clicks`); err != nil || n != 23 {
		t.Errorf("%d clicks are in PostgreSQL after the move back, want 23: %v", n, err)
	}
}

func record(t *testing.T, d *db.DB, account uuid.UUID, n int) {
	t.Helper()
	var clicks []*models.Click
	for range n {
		clicks = append(clicks, &models.Click{ID: models.NewClickID(), AccountID: account, CampaignID: uuid.New(), Currency: "USD"})
	}
	ingestClicks(t, d, clicks...)
}

func ingestClicks(t *testing.T, d *db.DB, clicks ...*models.Click) {
	t.Helper()
	s, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range clicks {
		if err := s.Append(t.Context(), spool.Record{Click: c}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(s, d, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The clicks that TestClicksMoveKilled moves, and CLICKS_BATCH.
const (
	someMoved, someBatch = 20_000, "1000"
	manyMoved, manyBatch = 2_000_005, "20000" // used by `make chaos`
)

// multiply copies an account's only click $1 times, spread over the last four days. recountClicks adds the ledger rows.
const multiply = `
INSERT INTO clicks SELECT r.* FROM (SELECT c FROM clicks c LIMIT 1) f, generate_series(1, $1) n,
	LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint - n * 345600000::bigint / $1 AS ms) m,
	LATERAL jsonb_populate_record(f.c, jsonb_build_object('at', to_timestamp(ms / 1000.0), 'is_unique', false,
		'id', lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))) r`

const recountClicks = `
INSERT INTO ledger SELECT account_id, date_trunc('hour', at, 'UTC'), campaign_id, stream_id, lander_id, offer_id, source_id, country, device_type, os, browser,
	count(*), 0, 0, sum(lp_views), sum(lp_clicks), 0, 0, 0, 0, sum(cost * rate), 0, 0
FROM clicks WHERE NOT is_unique GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11`

// recounted selects the number of ledger keys that differ from the clicks.
const recounted = `
SELECT count(*) FROM (
	SELECT account_id, date_trunc('hour', at, 'UTC') AS hour, campaign_id, country, count(*) AS clicks, sum(lp_views) AS views, sum(cost * rate) AS cost
	FROM clicks WHERE NOT is_bot GROUP BY 1, 2, 3, 4
) f FULL JOIN (
	SELECT account_id, hour, campaign_id, country, sum(clicks) AS clicks, sum(lp_views) AS views, sum(cost) AS cost FROM ledger GROUP BY 1, 2, 3, 4
) l USING (account_id, hour, campaign_id, country) WHERE (f.clicks, f.views, f.cost) IS DISTINCT FROM (l.clicks, l.views, l.cost)`

// moverEnv runs a command repeatedly while clicks arrive.
type moverEnv struct {
	*testing.T

	d       *db.DB
	account uuid.UUID
	vars    []string
	stored  int
}

func (m *moverEnv) record(n int) {
	m.Helper()
	record(m.T, m.d, m.account, n)
	m.stored += n
}

// move runs `clicks move` repeatedly until a run succeeds. It kills each of the first three runs when the run prints the given
// text.
func (m *moverEnv) move(to, step string) {
	m.Helper()
	began := time.Now()
	for kills := 0; ; kills++ {
		cmd := osexec.CommandContext(m.Context(), e2e.Program, "clicks", "move", "--to", to)
		cmd.Env = append(os.Environ(), m.vars...)
		said, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			m.Fatal(err)
		}
		m.record(20)
		lines := bufio.NewScanner(said)
		for lines.Scan() {
			m.record(5)
			if kills < 3 && strings.Contains(lines.Text(), step) {
				_ = cmd.Process.Kill()
			}
		}
		if err := cmd.Wait(); err == nil {
			m.Logf("%d clicks are in %s after %s, with %d kills", m.stored, to, time.Since(began).Round(time.Second), kills)
			return
		}
		if kills > 10 {
			m.Fatal("the command does not end after the kills")
		}
	}
}

// TestClicksMoveKilled: while clicks arrive, all clicks are copied to ClickHouse, old days are removed from PostgreSQL, and all
// clicks are moved back. The commands are killed and started again. After each step, the ledger and the clicks agree.
func TestClicksMoveKilled(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	if e2e.Program == "" {
		t.Skip("SWITCHYARD_TEST_BINARY names no program: run the tests by make e2e")
	}
	conn, there := clickhousetest.NewURL(t)
	d, address := dbtest.NewURL(t)
	clicks, batch := someMoved, someBatch
	if longtest.On() {
		clicks, batch = manyMoved, manyBatch
	}
	m := &moverEnv{T: t, d: d, account: uuid.New(), vars: []string{"DATABASE_URL=" + address, "CLICKS_URL=" + there, "CLICKS_BATCH=" + batch}}
	exec := func(query string, args ...any) {
		t.Helper()
		err := db.Tx(t.Context(), d, func(c db.Conn) error {
			if _, err := db.Exec(t.Context(), c, "test", `SET LOCAL statement_timeout = 0`); err != nil {
				return err
			}
			_, err := db.Exec(t.Context(), c, "test", query, args...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	number := func(query string) (n int) {
		t.Helper()
		err := db.Tx(t.Context(), d, func(c db.Conn) error {
			_, err := db.Exec(t.Context(), c, "test", `SET LOCAL statement_timeout = 0`)
			if err == nil {
				n, err = db.Get[int](t.Context(), c, "test", query)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	exec(`INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', 'k')`, m.account)
	for back := range 6 {
		if err := (click.Log{Conn: d}).EnsurePartition(t.Context(), time.Now().AddDate(0, 0, -back)); err != nil {
			t.Fatal(err)
		}
	}
	m.record(1)
	exec(multiply, clicks)
	exec(recountClicks)
	m.stored += clicks
	k := clickcopy.Copy{From: d, To: conn}
	equal := func(what string) {
		t.Helper()
		if _, err := k.Forward(t.Context()); err != nil {
			t.Fatal(err)
		}
		vars := map[string]string{"DATABASE_URL": address, "CLICKS_URL": there}
		stdout, stderr, code := try(t, vars, "clicks", "audit", "--days", "7")
		if code != 0 || !strings.Contains(stdout, " 0 keys of the ledger differ") {
			t.Errorf("the audit after %s ended with code %d, want 0 and no differences: %s%s", what, code, stdout, stderr)
		}
	}
	m.move("clickhouse", "clicks,")
	equal("the copy")
	if err := k.Freeze(t.Context(), time.Now(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if n := number(`SELECT count(*) FROM clicks`); n > m.stored/2 {
		t.Errorf("%d of %d clicks are still in PostgreSQL", n, m.stored)
	}
	equal("the removal of old days from PostgreSQL")
	m.move("postgres", "is back")
	if n := number(`SELECT count(*) FROM clicks`); n != m.stored {
		t.Errorf("%d of %d clicks are in PostgreSQL after the move back", n, m.stored)
	}
	if n := number(recounted); n != 0 {
		t.Errorf("%d keys of the ledger differ from the figures of the clicks", n)
	}
}
