package main

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestClicks walks the operators' commands on the copy of clicks.
func TestClicks(t *testing.T) {
	t.Parallel()
	d, address := dbtest.NewURL(t)
	vars := map[string]string{"DATABASE_URL": address}
	run := func(want int, args ...string) string {
		t.Helper()
		stdout, stderr, code := try(t, vars, append([]string{"clicks"}, args...)...)
		if code != want {
			t.Fatalf("%v: code %d, want %d: %s%s", args, code, want, stdout, stderr)
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
		t.Errorf("without a copy: %+v", got)
	}
	if got := run(1, "move", "--to", "clickhouse"); !strings.Contains(got, "CLICKS_URL is not set") {
		t.Errorf("without CLICKS_URL: %s", got)
	}
	conn, there := clickhousetest.NewURL(t)
	vars["CLICKS_URL"] = there
	if u, err := url.Parse(there); err != nil || u.Path == "/default" {
		t.Fatal(there, err)
	}
	account := uuid.New()
	if _, err := db.Exec(t.Context(), d, "account", `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', 'k')`, account); err != nil {
		t.Fatal(err)
	}
	record(t, d, account, 20)
	if got := run(0, "move", "--to", "clickhouse"); !strings.Contains(got, "20 in all") || !strings.Contains(got, "every day") {
		t.Errorf("moved: %s", got)
	}
	run(0, "move", "--to", "clickhouse") // again
	if got := run(0, "audit"); !strings.Contains(got, "0 keys of the ledger differ") {
		t.Errorf("audit: %s", got)
	}
	record(t, d, account, 3)
	if got := status(); got.State != "on" || got.Waiting != 3 || got.AgeSeconds <= 0 {
		t.Errorf("with changes that wait: %+v", got)
	}
	k := clicklog.Copy{From: d, To: conn}
	if _, err := k.Forward(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(t.Context(), "damage", `TRUNCATE TABLE clicks`); err != nil {
		t.Fatal(err)
	}
	var sum auditSum
	stdout, _, code := try(t, vars, "clicks", "audit", "--json")
	if err := json.Unmarshal([]byte(stdout), &sum); err != nil || code != 1 || sum.Differences == 0 || len(sum.Examples) == 0 {
		t.Errorf("a damaged copy: code %d, %s", code, stdout)
	}
	run(0, "audit", "--repair")
	run(0, "audit")
	if err := k.Freeze(t.Context(), time.Now().AddDate(0, 0, 2), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := status(); got.ColdBefore == nil {
		t.Errorf("with cold days: %+v", got)
	}
	if got := run(0, "move", "--to", "postgres"); !strings.Contains(got, "is back") || status().State != "off" {
		t.Errorf("back: %s", got)
	}
	if n, err := db.Get[int](t.Context(), d, "clicks", `SELECT count(*) FROM clicks`); err != nil || n != 23 {
		t.Errorf("%d clicks are back, %v", n, err)
	}
}

// record stores clicks of now.
func record(t *testing.T, d *db.DB, account uuid.UUID, n int) {
	t.Helper()
	s, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over with it
	for range n {
		c := &models.Click{ID: models.NewClickID(), AccountID: account, CampaignID: uuid.New(), Currency: "USD"}
		if err := s.Append(t.Context(), spool.Record{Click: c}); err != nil {
			t.Fatal(err)
		}
	}
	if err := clicklog.NewIngester(s, d, clicklog.IngestOptions{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}
