package exchangerate_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	dbrates "switchyard/db/exchangerate"
	"switchyard/db/seal"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/exchangerate"
)

const replace = true

// env is an account with a worker, and a fake of the European Central Bank. The fake serves the rates that are listed in `days`.
type env struct {
	*testing.T
	db      *db.DB
	client  *jobs.Client
	account uuid.UUID
	file    string

	mu         sync.Mutex
	now        time.Time
	requested  []string
	days       []string // the latest day first: day and rates, such as "2026-03-06 USD=1.1 JPY=160"
	failStatus int      // HTTP status of failing requests; 0: requests succeed
	body       string   // if set, served in place of the documents
	cut        int      // the call of restate that fails, counted from now on; 0: none
}

// restate restates three clicks at a time. If cut is n, the n-th call fails before its batch, as if the job was cut off there.
func (b *env) restate(ctx context.Context, l click.Log, c db.Conn, r *spend.Restatement, _ int) (bool, error) {
	b.mu.Lock()
	cut := b.cut == 1
	if b.cut > 0 {
		b.cut--
	}
	b.mu.Unlock()
	if cut {
		return false, errors.New("cut off")
	}
	return spend.Restate(ctx, l, c, r, 3)
}

func newEnv(t *testing.T, file string) *env {
	t.Helper()
	b := &env{T: t, db: dbtest.New(t), account: uuid.New(), file: file, now: time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)}
	dbtest.Exec(b.T, b.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'growth', 'k')`, b.account)
	server := httptest.NewTLSServer(http.HandlerFunc(b.serve))
	t.Cleanup(server.Close)
	box, err := seal.New(b.db)
	if err != nil {
		t.Fatal(err)
	}
	queue := jobstest.Redis(t)
	b.client = jobs.Connect(queue)
	rt := workers.New(workers.Options{DB: b.db, Redis: queue, Client: b.client, Grace: 4 * time.Second})
	if err := exchangerate.Register(rt, store.New(b.db, box), exchangerate.Options{
		Egress: egresstest.Client(t, server, egress.Options{MaxBody: exchangerate.MaxBody}), URL: server.URL, File: file, Clicks: click.Log{Conn: b.db}, Restate: b.restate,
		Now: func() time.Time { b.mu.Lock(); defer b.mu.Unlock(); return b.now },
	}); err != nil {
		t.Fatal(err)
	}
	jobstest.Run(t, rt.Run)
	return b
}

func (b *env) serve(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requested = append(b.requested, strings.TrimSuffix(filepath.Base(r.URL.Path), ".xml"))
	if b.failStatus != 0 {
		w.WriteHeader(b.failStatus)
		return
	}
	if b.body != "" {
		_, _ = w.Write([]byte(b.body))
		return
	}
	days := b.days
	if strings.HasSuffix(r.URL.Path, "-daily.xml") {
		days = days[:1]
	}
	var s strings.Builder
	s.WriteString(`<?xml version="1.0" encoding="UTF-8"?><gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" ` +
		`xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><gesmes:subject>Reference rates</gesmes:subject><Cube>`)
	for _, d := range days {
		words := strings.Fields(d)
		fmt.Fprintf(&s, "<Cube time='%s'>", words[0])
		for _, w := range words[1:] {
			currency, rate, _ := strings.Cut(w, "=")
			fmt.Fprintf(&s, "<Cube currency='%s' rate='%s'/>", currency, rate)
		}
		s.WriteString("</Cube>")
	}
	s.WriteString("</Cube></gesmes:Envelope>")
	_, _ = w.Write([]byte(s.String()))
}

// fetchAt sets the time, calls `change`, runs the job that fetches rates, and returns the documents that the job requested.
func (b *env) fetchAt(moment string, change func()) []string {
	b.Helper()
	now, err := time.Parse(time.DateTime, moment)
	if err != nil {
		b.Fatal(err)
	}
	b.mu.Lock()
	if change != nil {
		change()
	}
	b.now, b.requested = now, nil
	b.mu.Unlock()
	b.run(jobs.FetchRates, now)
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requested)
}

func (b *env) run(job jobs.Job[jobs.Tick, jobs.None], now time.Time) {
	b.Helper()
	h, err := jobs.Submit(b.Context(), b.client, job, uuid.Nil, jobs.Tick{At: now}, jobs.WithTick(now, time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := jobs.Await(b.Context(), h); err != nil {
		b.Fatal(err)
	}
}

func (b *env) stored() string {
	b.Helper()
	list, err := dbrates.List(b.Context(), b.db, dbrates.Query{Limit: 100})
	if err != nil {
		b.Fatal(err)
	}
	var lines []string
	for _, r := range list {
		lines = append(lines, fmt.Sprintf("%s %s=%s %s", r.Day.Format("02"), r.Currency, r.Rate, r.Source))
	}
	return strings.Join(lines, ", ")
}

func (b *env) source() dbrates.Source {
	b.Helper()
	list, err := dbrates.Sources(b.Context(), b.db)
	if err != nil || len(list) != 1 {
		b.Fatal(list, err)
	}
	return list[0]
}

// TestFetch checks when the bank is asked for rates, and that it is asked again after growing waits while it fails.
func TestFetch(t *testing.T) {
	t.Parallel()
	b := newEnv(t, "")
	b.days = []string{"2026-03-05 USD=1.1 JPY=160 XXX=N/A", "2026-03-04 USD=1.2", "1999-01-04 USD=1.17"}
	wantRequests := func(moment string, change func(), want ...string) {
		t.Helper()
		if got := b.fetchAt(moment, change); !slices.Equal(got, want) {
			t.Errorf("at %s the bank was asked for %v, want %v", moment, got, want)
		}
	}
	wantRequests("2026-03-06 12:00:00", nil) // a Friday; nothing needs rates
	dbtest.Exec(b.T, b.db, `INSERT INTO offers (id, account_id, name, url, currency) VALUES ($1, $2, 'O', 'https://o.test/', 'EUR')`, uuid.New(), b.account)
	wantRequests("2026-03-06 12:00:01", nil, "eurofxref-hist")
	if got := b.stored(); got != "05 JPY=160 ecb, 05 USD=1.1 ecb, 04 USD=1.2 ecb" {
		t.Errorf("stored %s", got)
	}
	wantRequests("2026-03-06 15:29:00", nil)
	wantRequests("2026-03-06 15:30:00", nil, "eurofxref-daily") // not published yet: asked again after two hours
	wantRequests("2026-03-06 17:20:00", nil)
	wantRequests("2026-03-06 17:30:00", func() { b.days = slices.Insert(b.days, 0, "2026-03-06 USD=1.3") }, "eurofxref-daily")
	wantRequests("2026-03-07 15:00:00", nil)
	wantRequests("2026-03-07 15:30:00", nil, "eurofxref-daily") // a Saturday has no rates, so the bank is not asked again on that day
	wantRequests("2026-03-07 17:30:00", nil)
	if got := b.stored(); !strings.HasPrefix(got, "06 USD=1.3 ecb, 05 ") {
		t.Errorf("stored %s", got)
	}
	wantRequests("2026-03-09 15:30:00", func() { b.failStatus = 503 }, "eurofxref-hist-90d")
	if s := b.source(); s.Failures != 1 || !strings.Contains(s.Failure, "HTTP 503") || !s.NextAt.Equal(b.now.Add(5*time.Minute)) {
		t.Errorf("after a failure: %+v", s)
	}
	wantRequests("2026-03-09 15:34:00", nil)
	wantRequests("2026-03-09 15:35:00", func() { b.failStatus, b.body = 0, "<html>maintenance</html>" }, "eurofxref-hist-90d")
	if s := b.source(); s.Failures != 2 || !strings.Contains(s.Failure, "no rates") || !s.NextAt.Equal(b.now.Add(10*time.Minute)) {
		t.Errorf("after two failures: %+v", s)
	}
	// Stored rates stay, whatever the bank publishes later.
	wantRequests("2026-03-09 16:00:00", func() {
		b.body, b.days = "", []string{"2026-03-09 USD=1.4", "2026-03-06 USD=9 JPY=161"}
	}, "eurofxref-hist-90d")
	if got := b.stored(); !strings.HasPrefix(got, "09 USD=1.4 ecb, 06 JPY=161 ecb, 06 USD=1.3 ecb, 05 ") {
		t.Errorf("stored %s", got)
	}
	if s := b.source(); s.Failures != 0 || s.Failure != "" {
		t.Errorf("after a success: %+v", s)
	}
}

// TestFile checks that the bank is not asked if the operator has a table, and that an invalid table is an error at the start.
func TestFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "rates.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("2026-03-05,USD,one\n")
	if err := exchangerate.Register(nil, nil, exchangerate.Options{File: name}); err == nil || !strings.Contains(err.Error(), "rates.csv") {
		t.Errorf("a wrong table: %v", err)
	}
	write("2026-03-05,USD,1.1\n")
	b := newEnv(t, name)
	if got := b.fetchAt("2026-03-06 12:00:00", nil); len(got) != 0 || b.stored() != "05 USD=1.1 file" {
		t.Errorf("asked for %v, stored %s", got, b.stored())
	}
	write("2026-03-05,USD,1.5\n2026-03-06,USD,1.2\n")
	b.fetchAt("2026-03-06 12:30:00", nil)
	b.fetchAt("2026-03-06 13:00:00", nil)
	if got := b.stored(); got != "06 USD=1.2 file, 05 USD=1.1 file" {
		t.Errorf("stored %s", got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	b.fetchAt("2026-03-06 14:00:00", nil)
	if s := b.source(); s.Name != models.RatesOfFile || s.Failures != 1 || !strings.Contains(s.Failure, "no such file") {
		t.Errorf("without the file: %+v", s)
	}
}

// TestPerEuro checks that a day uses its own rate, or else the last one of the seven days before.
func TestPerEuro(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	list, err := models.ReadRates(strings.NewReader("2026-03-06,USD,1.1\n2026-03-09,USD,1.2\n2026-03-09,JPY,160\n"))
	if err != nil {
		t.Fatal(err)
	}
	save := func(replace bool, list ...models.Rate) (saved dbrates.Saved) {
		t.Helper()
		if err := db.Tx(t.Context(), d, func(c db.Conn) (err error) {
			saved, err = dbrates.Save(t.Context(), c, list, replace)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return saved
	}
	if got := save(!replace, list...); got != (dbrates.Saved{Added: 3}) {
		t.Errorf("saved %+v", got)
	}
	list[1].Rate = list[1].Rate.Add(list[0].Rate)
	if got := save(!replace, list...); got != (dbrates.Saved{Kept: 3}) {
		t.Errorf("saved again: %+v", got)
	}
	for key, want := range map[dbrates.CurrencyDay]string{
		{Day: day(5), Currency: "USD"}: "", {Day: day(6), Currency: "USD"}: "1.1", {Day: day(8), Currency: "USD"}: "1.1",
		{Day: day(9), Currency: "USD"}: "1.2", {Day: day(16), Currency: "USD"}: "1.2", {Day: day(17), Currency: "USD"}: "",
		{Day: day(8), Currency: "JPY"}: "", {Day: day(1), Currency: "EUR"}: "1", {Day: day(9), Currency: "XAU"}: "",
	} {
		found, err := dbrates.PerEuro(t.Context(), d, []dbrates.CurrencyDay{key})
		rate, ok := found[key]
		if err != nil || ok != (want != "") || ok && rate.String() != want {
			t.Errorf("%s on %s: %s, %v; want %q", key.Currency, key.Day.Format(time.DateOnly), rate, err, want)
		}
	}
	if got := save(replace, list...); got != (dbrates.Saved{Changed: 1, Kept: 2}) {
		t.Errorf("replacing a rate saved %+v, want 1 changed and 2 kept", got)
	}
}
