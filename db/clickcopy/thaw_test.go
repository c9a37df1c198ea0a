package clickcopy_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/clickcopy"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/ledger"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// TestColdClicks makes random changes to clicks that are only in ClickHouse. After thawing, the figures equal a recount of all
// rows.
func TestColdClicks(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	seeds, steps := uint64(1), 20
	if longtest.On() {
		seeds, steps = 30, 30
	}
	for seed := range seeds {
		x := clicktest.NewMoneyEnv(t, 600+seed)
		for range 3 {
			x.Publish(clicktest.KeepRates)
		}
		x.Arrive(60)
		x.Sell(10)
		x.Watch("the facts")
		k := x.ColdCopy()
		freeze := func() { x.Freeze(k, x.Today.AddDate(0, 0, 1-x.Rnd.IntN(3))) }
		x.Between = func() { // thawed clicks leave PostgreSQL again between the transactions of an operation
			if x.Rnd.IntN(3) == 0 {
				freeze()
			}
		}
		for n := range steps {
			if n%3 == 0 {
				freeze()
			}
			x.MakeRandomChange()
			x.Watch("a step")
			x.Forward(k)
			x.CheckCopyFigures(k)
		}
		x.Freeze(k, x.Today.AddDate(0, 0, 2))
		if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM clicks`); n != 0 {
			t.Fatalf("%d clicks did not leave PostgreSQL", n)
		}
		back := 0
		if err := k.Return(t.Context(), func(time.Time) { back++ }); err != nil || back < 3 {
			t.Fatalf("%d days were thawed, want at least 3: %v", back, err)
		}
		x.Copied = nil
		x.Check("the return")
		clicktest.SameRows(t, x.DB, k.To)
		if s, err := click.ReadCopy(t.Context(), x.DB); err != nil || s != (click.CopyState{}) {
			t.Errorf("after the return the copy has the state %+v, want the zero state: %v", s, err)
		}
	}
}

// TestColdClickIsFound checks that a cold click is found by a late hop, by a postback, and by a second record of the click. A
// deleted click is not found, even while ClickHouse still has it.
func TestColdClickIsFound(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 700)
	k := x.ColdCopy()
	x.Arrive(12)
	x.Freeze(k, x.Today.AddDate(0, 0, 2))
	s := clicktest.OpenSpool(t, t.TempDir())
	hopped, sold := x.Clicks[0], x.Clicks[1]
	for _, c := range x.Clicks {
		clicktest.Put(t, s, spool.Record{Click: c})
	}
	clicktest.Put(t, s, spool.Record{Out: &models.ClickOut{
		ID: models.NewClickID(), ClickID: hopped.ID, AccountID: x.Account, Slot: 2, OfferID: uuid.New(),
	}})
	clicktest.Put(t, s, spool.Record{Postback: &models.Postback{
		ID: models.NewClickID(), AccountID: x.Account, ClickID: sold.ID, Source: models.FromPostback, Params: map[string]string{},
	}})
	clicktest.Drain(t, s, x.DB, ingest.Options{Copy: x.Copied})
	if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM clicks`); n != 0 {
		t.Errorf("%d clicks were stored again, want none", n)
	}
	if err := conversion.ApplyColdHops(t.Context(), x.ClickLog(), 100); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM clicks WHERE id = $1 AND lp_clicks = 1 AND lp_slot = 2`, hopped.ID); n != 1 {
		t.Error("the hop was not applied")
	}
	dbtest.Exec(t, x.DB, `UPDATE postbacks SET match_at = now()`)
	if m, err := conversion.MatchPostbacks(t.Context(), x.ClickLog(), []time.Duration{time.Hour}, 100); err != nil || len(m.Jobs) != 1 {
		t.Errorf("the look-up of a postback's cold click gives %+v, want one job: %v", m, err)
	}
	x.Forward(k)
	x.CheckCopyFigures(k)
	q := retention.ClearQuery{AccountID: x.Account, Of: x.Campaigns, From: x.Today.AddDate(0, 0, -5), To: x.Today.AddDate(0, 0, 2)}
	x.Tx(func(c db.Conn) error {
		out, err := retention.Clear(t.Context(), x.ClickLog(), c, q, 1000)
		if out.Clicks+out.BotClicks != 12 {
			t.Errorf("%d clicks were deleted, want 12", out.Clicks+out.BotClicks)
		}
		return err
	})
	x.Tx(func(c db.Conn) error { // the deletion has not reached ClickHouse yet
		const write = true
		out, _, err := conversion.Correct(t.Context(), x.ClickLog(), c, x.Account, []conversion.Input{{ClickID: sold.ID}}, write)
		if err == nil && out[0].Refusal == nil {
			t.Error("a deleted click was found")
		}
		return err
	})
	x.Forward(k)
	x.CheckCopyFigures(k)
}

// TestPostbacksOfColdClicks checks that the log of postbacks shows the campaigns of cold clicks. It also checks the filter by
// campaign, but not for a postback whose click does not exist, nor for a refused postback that arrived after its click had left
// PostgreSQL.
func TestPostbacksOfColdClicks(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 750)
	k := x.ColdCopy()
	x.Arrive(4)
	s := clicktest.OpenSpool(t, t.TempDir())
	postback := func(click uuid.UUID, refused string) uuid.UUID {
		p := &models.Postback{
			ID: models.NewClickID(), AccountID: x.Account, ClickID: click, Source: models.FromPostback, Params: map[string]string{}, Refused: refused,
		}
		clicktest.Put(t, s, spool.Record{Postback: p})
		return p.ID
	}
	early, refused := postback(x.Clicks[0].ID, ""), postback(x.Clicks[1].ID, "no secret")
	clicktest.Drain(t, s, x.DB, ingest.Options{Copy: x.Copied})
	x.Freeze(k, x.Today.AddDate(0, 0, 2))
	late, lateRefused := postback(x.Clicks[2].ID, ""), postback(x.Clicks[3].ID, "no secret")
	lost := postback(models.NewClickID(), "")
	clicktest.Drain(t, s, x.DB, ingest.Options{Copy: x.Copied})
	dbtest.Exec(t, x.DB, `UPDATE postbacks SET match_at = now() WHERE id = $1`, late)
	if m, err := conversion.MatchPostbacks(t.Context(), x.ClickLog(), []time.Duration{time.Hour}, 100); err != nil || len(m.Jobs) != 1 {
		t.Fatalf("the look-up of the late postback gives %+v, want one job: %v", m, err)
	}
	for id, click := range map[uuid.UUID]*models.Click{early: x.Clicks[0], late: x.Clicks[2]} {
		x.Tx(func(c db.Conn) error {
			return conversion.DecidePostback(t.Context(), c, id, conversion.PostbackDecision{
				Outcome: conversion.PostbackIgnored, AccountID: x.Account, ClickID: click.ID, Params: map[string]string{},
			})
		})
	}
	x.Freeze(k, x.Today.AddDate(0, 0, 2))
	want := map[uuid.UUID]uuid.UUID{
		early: x.Clicks[0].CampaignID, refused: x.Clicks[1].CampaignID, late: x.Clicks[2].CampaignID, lateRefused: x.Clicks[3].CampaignID, lost: uuid.Nil,
	}
	q := conversion.PostbackQuery{LogQuery: click.LogQuery{AccountID: x.Account, From: x.Today.AddDate(0, 0, -5), To: x.Today.AddDate(0, 0, 2), Limit: 50}}
	list, err := conversion.ListPostbacks(t.Context(), x.ClickLog(), q)
	if err != nil || len(list) != len(want) {
		t.Fatalf("the log has %d postbacks, want %d: %v", len(list), len(want), err)
	}
	for _, p := range list {
		single, err := conversion.ReadPostback(t.Context(), x.ClickLog(), x.Account, p.ID)
		if p.CampaignID != want[p.ID] || single.CampaignID != want[p.ID] || err != nil {
			t.Errorf("the postback %s has the campaign %s in the list and %s alone, want %s: %v", p.ID, p.CampaignID, single.CampaignID, want[p.ID], err)
		}
	}
	for _, q.Campaign = range x.Campaigns {
		list, err := conversion.ListPostbacks(t.Context(), x.ClickLog(), q)
		found := map[uuid.UUID]bool{}
		for _, p := range list {
			found[p.ID] = true
		}
		for _, id := range []uuid.UUID{early, refused, late} {
			if found[id] != (want[id] == q.Campaign) || err != nil {
				t.Errorf("the log filtered by campaign %s has the postback %s: %t, want %t: %v", q.Campaign, id, found[id], !found[id], err)
			}
		}
	}
}

type interrupted struct {
	schema.Store
	happens func()
}

// Each implements schema.Reader.
func (s *interrupted) Each(ctx context.Context, what string, fn func(func(...any) error) error, query string, args ...any) error {
	if happens := s.happens; happens != nil {
		s.happens = nil
		happens()
	}
	return s.Store.Each(ctx, what, fn, query, args...)
}

// TestDaysStayForACurrency checks that no day leaves PostgreSQL once a change of the currency or the end of the copy has begun.
func TestDaysStayForACurrency(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 950)
	for back := range 16 {
		x.SaveRate(x.DayText(back), "USD", "1.25", clicktest.KeepRates)
	}
	k := x.ColdCopy()
	s := clicktest.OpenSpool(t, t.TempDir())
	for range 20 {
		c := clicktest.Click(x.Account, x.Campaigns[0], 1)
		c.ID, c.Currency = clicktest.IDAt(x.Today.Add(-time.Duration(x.Rnd.IntN(48))*time.Hour)), "USD"
		clicktest.Put(t, s, spool.Record{Click: c})
	}
	clicktest.Drain(t, s, x.DB, ingest.Options{})
	x.Forward(k)
	end := `UPDATE click_copy SET state = 'ending'`
	for what, happens := range map[string]func() error{
		"a change of the currency": func() error { return x.BeginChange("EUR") },
		"the end of the copy":      func() error { _, err := x.DB.ExecContext(t.Context(), end); return err },
	} {
		interrupted := &interrupted{Store: k.To, happens: func() {
			if err := happens(); err != nil {
				t.Error(err)
			}
		}}
		if err := (clickcopy.Copy{From: x.DB, To: interrupted}).Freeze(t.Context(), x.Today.AddDate(0, 0, 2), -time.Hour); err != nil {
			t.Fatal(err)
		}
		if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM clicks`); n != 20 || interrupted.happens != nil {
			t.Errorf("after %s has begun, PostgreSQL has %d clicks, want all 20", what, n)
		}
		if what == "a change of the currency" {
			x.RunChange(clicktest.AllSteps, func() {})
		}
		dbtest.Exec(t, x.DB, `UPDATE click_copy SET state = 'on'`)
		x.Forward(k)
	}
	x.Freeze(k, x.Today.AddDate(0, 0, 2))
}

// TestColdHistory checks that clicks older than the account's history, and days whose partition was dropped, are deleted from
// ClickHouse.
func TestColdHistory(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 800)
	k := x.ColdCopy()
	x.Arrive(40)
	x.Freeze(k, x.Today.AddDate(0, 0, 2))
	const keep = `INSERT INTO click_history (account_id, kept_from, deleted_to, announced_at) VALUES ($1, $2, '2020-01-01', now() - interval '2 hours')`
	dbtest.Exec(t, x.DB, keep, x.Account, x.Today.AddDate(0, 0, -1))
	if err := retention.DeleteExpired(t.Context(), x.ClickLog()); err != nil {
		t.Fatal(err)
	}
	x.Forward(k)
	left := func() []string {
		t.Helper()
		days, err := schema.Values[string](t.Context(), k.To, "days", `SELECT DISTINCT toString(toDate(at)) AS day FROM clicks FINAL ORDER BY day`)
		if err != nil {
			t.Fatal(err)
		}
		return days
	}
	if days := left(); len(days) == 0 || days[0] != x.DayText(1) {
		t.Errorf("after the history was deleted, these days are left: %v", days)
	}
	if _, err := retention.DeleteBefore(t.Context(), x.ClickLog().Conn, x.Today); err != nil {
		t.Fatal(err)
	}
	if err := k.DeleteOldDays(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, day := range left() {
		if day < x.DayText(0) {
			t.Errorf("%s was dropped, but is still in ClickHouse", day)
		}
	}
	if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM click_cold WHERE day < $1`, x.DayText(0)); n != 0 {
		t.Errorf("%d dropped days are still marked as cold", n)
	}
}

// TestDifferentDayStays checks that a day stays in PostgreSQL if its copy differs or a transaction is reading it.
func TestDifferentDayStays(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 900)
	k := x.ColdCopy()
	x.Arrive(30)
	x.Forward(k)
	day := x.DayText(1)
	if err := k.To.Exec(t.Context(), "damage", `ALTER TABLE clicks DROP PARTITION `+x.Today.AddDate(0, 0, -1).Format("20060102")); err != nil {
		t.Fatal(err)
	}
	reported := ""
	k.Differs = func(day time.Time) { reported += day.Format(time.DateOnly) }
	freeze := func() int {
		t.Helper()
		if err := k.Freeze(t.Context(), x.Today.AddDate(0, 0, 2), -time.Hour); err != nil {
			t.Fatal(err)
		}
		return dbtest.Get[int](t, x.DB, `SELECT count(*) FROM clicks WHERE (at AT TIME ZONE 'UTC')::date = $1::date`, day)
	}
	if freeze() == 0 || reported != day {
		t.Errorf("a day whose copy differs left PostgreSQL, or the difference was not reported: %q", reported)
	}
	if err := k.Repair(t.Context(), x.Account, x.Today.AddDate(0, 0, -1)); err != nil {
		t.Fatal(err)
	}
	reader, err := x.DB.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, reader, `SELECT count(*) FROM clicks`)
	if freeze() == 0 {
		t.Error("a day left PostgreSQL while a transaction was reading it")
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if freeze() != 0 {
		t.Error("a repaired day that no transaction reads is still in PostgreSQL after Freeze")
	}
	if _, err := ledger.Compact(t.Context(), x.DB, time.Now().Add(time.Hour), 1000); err != nil {
		t.Fatal(err)
	}
	x.CheckCopyFigures(k)
}
