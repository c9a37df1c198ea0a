package clicklog_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clicklog"
	"switchyard/db/columnar"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// coldCopy begins a copy, so that days can leave PostgreSQL.
func (x *exchange) coldCopy() clicklog.Copy {
	x.Helper()
	k := clicklog.Copy{From: x.db, To: clickhousetest.New(x.T), Batch: 50}
	x.copied = clicklog.NewCopyReader(k.To)
	return begun(x.T, k)
}

// freeze moves the days before a moment out of PostgreSQL, including thawed days.
func (x *exchange) freeze(k clicklog.Copy, before time.Time) {
	x.Helper()
	x.forward(k)
	if err := k.Freeze(x.Context(), before, -time.Hour); err != nil {
		x.Fatal(err)
	}
	if n := number[int](x, x.db, `SELECT count(*) FROM clicks WHERE at < $1`, before.UTC().Truncate(24*time.Hour)); n != 0 {
		x.Fatalf("%d clicks did not leave", n)
	}
}

// TestColdClicks makes random changes to clicks that are only in ClickHouse. In the end they must have the same figures as if no
// click were cold. It compares them with a recount of all rows after thawing.
func TestColdClicks(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	seeds, steps := uint64(1), 20
	if longtest.On() {
		seeds, steps = 30, 30
	}
	for seed := range seeds {
		x := newExchange(t, 600+seed)
		for range 3 {
			x.publish(false)
		}
		x.arrive(60)
		x.sell(10)
		x.watch("the facts")
		k := x.coldCopy()
		leave := func() { x.freeze(k, x.today.AddDate(0, 0, 1-x.rnd.IntN(3))) }
		x.between = func() { // thawed clicks leave again between the transactions of an operation
			if x.rnd.IntN(3) == 0 {
				leave()
			}
		}
		for n := range steps {
			if n%3 == 0 {
				leave()
			}
			x.happen()
			x.watch("a step")
			x.forward(k)
			x.sameFigures(k)
		}
		x.freeze(k, x.today.AddDate(0, 0, 2))
		if n := number[int](t, x.db, `SELECT count(*) FROM clicks`); n != 0 {
			t.Fatalf("%d clicks did not leave", n)
		}
		back := 0
		if err := k.Return(t.Context(), func(time.Time) { back++ }); err != nil || back < 3 {
			t.Fatalf("%d days were thawed, %v", back, err)
		}
		x.copied = nil
		x.check("the return")
		sameRows(t, x.db, k.To)
		if s, err := clicklog.ReadCopy(t.Context(), x.db); err != nil || s != (clicklog.CopyState{}) {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

// TestColdClickIsFound checks that a cold click is found by a late hop, by a postback, and by a second record of the click. A
// deleted click is not found, even while ClickHouse still has it.
func TestColdClickIsFound(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 700)
	k := x.coldCopy()
	x.arrive(12)
	x.freeze(k, x.today.AddDate(0, 0, 2))
	s := openSpool(t, t.TempDir())
	hopped, sold := x.clicks[0], x.clicks[1]
	for _, c := range x.clicks {
		put(t, s, spool.Record{Click: c})
	}
	put(t, s, spool.Record{Out: &models.ClickOut{
		ID: models.NewClickID(), ClickID: hopped.ID, AccountID: x.account, Slot: 2, OfferID: uuid.New(),
	}})
	put(t, s, spool.Record{Postback: &models.Postback{
		ID: models.NewClickID(), AccountID: x.account, ClickID: sold.ID, Source: models.FromPostback, Params: map[string]string{},
	}})
	drain(t, s, x.db, clicklog.IngestOptions{Copy: x.copied})
	if n := number[int](t, x.db, `SELECT count(*) FROM clicks`); n != 0 {
		t.Errorf("%d clicks were stored again", n)
	}
	if err := x.log().ApplyColdHops(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if n := number[int](t, x.db, `SELECT count(*) FROM clicks WHERE id = $1 AND lp_clicks = 1 AND lp_slot = 2`, hopped.ID); n != 1 {
		t.Error("the hop was not applied")
	}
	if _, err := x.db.ExecContext(t.Context(), `UPDATE postbacks SET match_at = now()`); err != nil {
		t.Fatal(err)
	}
	if m, err := x.log().MatchPostbacks(t.Context(), []time.Duration{time.Hour}, 100); err != nil || len(m.Jobs) != 1 {
		t.Errorf("matched %+v, %v", m, err)
	}
	x.forward(k)
	x.sameFigures(k)
	q := clicklog.ClearQuery{AccountID: x.account, Of: x.campaigns, From: x.today.AddDate(0, 0, -5), To: x.today.AddDate(0, 0, 2)}
	x.tx(func(c db.Conn) error {
		out, err := x.log().Clear(t.Context(), c, q, 1000)
		if out.Clicks+out.BotClicks != 12 {
			t.Errorf("%d clicks were deleted", out.Clicks+out.BotClicks)
		}
		return err
	})
	x.tx(func(c db.Conn) error { // before the deletion reaches ClickHouse
		out, _, err := x.log().CorrectConversions(t.Context(), c, x.account, []clicklog.ConversionInput{{ClickID: sold.ID}}, true)
		if err == nil && out[0].Refusal == nil {
			t.Error("a deleted click was found")
		}
		return err
	})
	x.forward(k)
	x.sameFigures(k)
}

// TestPostbacksOfColdClicks checks that the log of postbacks shows the campaign of a click that is only in ClickHouse, and can be
// filtered by it.
func TestPostbacksOfColdClicks(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 750)
	k := x.coldCopy()
	x.arrive(4)
	s := openSpool(t, t.TempDir())
	postback := func(click uuid.UUID, refused string) uuid.UUID {
		p := &models.Postback{
			ID: models.NewClickID(), AccountID: x.account, ClickID: click, Source: models.FromPostback, Params: map[string]string{}, Refused: refused,
		}
		put(t, s, spool.Record{Postback: p})
		return p.ID
	}
	early, refused := postback(x.clicks[0].ID, ""), postback(x.clicks[1].ID, "no secret")
	drain(t, s, x.db, clicklog.IngestOptions{Copy: x.copied})
	x.freeze(k, x.today.AddDate(0, 0, 2))
	late, lateRefused := postback(x.clicks[2].ID, ""), postback(x.clicks[3].ID, "no secret")
	lost := postback(models.NewClickID(), "")
	drain(t, s, x.db, clicklog.IngestOptions{Copy: x.copied})
	if _, err := x.db.ExecContext(t.Context(), `UPDATE postbacks SET match_at = now() WHERE id = $1`, late); err != nil {
		t.Fatal(err)
	}
	if m, err := x.log().MatchPostbacks(t.Context(), []time.Duration{time.Hour}, 100); err != nil || len(m.Jobs) != 1 {
		t.Fatalf("matched %+v, %v", m, err)
	}
	for id, click := range map[uuid.UUID]*models.Click{early: x.clicks[0], late: x.clicks[2]} {
		x.tx(func(c db.Conn) error {
			return clicklog.DecidePostback(t.Context(), c, id, clicklog.PostbackDecision{
				Outcome: clicklog.PostbackIgnored, AccountID: x.account, ClickID: click.ID, Params: map[string]string{},
			})
		})
	}
	x.freeze(k, x.today.AddDate(0, 0, 2))
	want := map[uuid.UUID]uuid.UUID{
		early: x.clicks[0].CampaignID, refused: x.clicks[1].CampaignID, late: x.clicks[2].CampaignID, lateRefused: x.clicks[3].CampaignID, lost: uuid.Nil,
	}
	q := clicklog.PostbackQuery{LogQuery: clicklog.LogQuery{AccountID: x.account, From: x.today.AddDate(0, 0, -5), To: x.today.AddDate(0, 0, 2), Limit: 50}}
	list, err := x.log().Postbacks(t.Context(), q)
	if err != nil || len(list) != len(want) {
		t.Fatal(len(list), err)
	}
	for _, p := range list {
		one, err := x.log().Postback(t.Context(), x.account, p.ID)
		if p.CampaignID != want[p.ID] || one.CampaignID != want[p.ID] || err != nil {
			t.Errorf("the campaign of %s is %s, and %s, not %s: %v", p.ID, p.CampaignID, one.CampaignID, want[p.ID], err)
		}
	}
	for _, q.Campaign = range x.campaigns {
		list, err := x.log().Postbacks(t.Context(), q)
		found := map[uuid.UUID]bool{}
		for _, p := range list {
			found[p.ID] = true
		}
		for _, id := range []uuid.UUID{early, refused, late} {
			if found[id] != (want[id] == q.Campaign) || err != nil {
				t.Errorf("by campaign %s: %s is %t, %v", q.Campaign, id, found[id], err)
			}
		}
	}
}

// interrupted is a store that calls a function at the first query.
type interrupted struct {
	columnar.Store
	happens func()
}

// Each implements columnar.Reader.
func (s *interrupted) Each(ctx context.Context, what string, fn func(func(...any) error) error, query string, args ...any) error {
	if happens := s.happens; happens != nil {
		s.happens = nil
		happens()
	}
	return s.Store.Each(ctx, what, fn, query, args...)
}

// TestDaysStayForACurrency checks that a day does not leave PostgreSQL once a change of currency that needs its clicks has begun,
// or once the copy is being ended.
func TestDaysStayForACurrency(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 950)
	for back := range 16 {
		r, err := models.NewRate(x.dayText(back), "USD", "1.25", models.RatesOfFile)
		if err != nil {
			t.Fatal(err)
		}
		x.tx(func(c db.Conn) error {
			_, err := exchangerate.Save(t.Context(), c, []models.Rate{r}, false)
			return err
		})
	}
	k := x.coldCopy()
	s := openSpool(t, t.TempDir())
	for range 20 {
		c := click(x.account, x.campaigns[0], 1)
		c.ID, c.Currency = idAt(x.today.Add(-time.Duration(x.rnd.IntN(48))*time.Hour)), "USD"
		put(t, s, spool.Record{Click: c})
	}
	drain(t, s, x.db, clicklog.IngestOptions{})
	x.forward(k)
	end := `UPDATE click_copy SET state = 'ending'`
	for what, happens := range map[string]func() error{
		"a change of the currency": func() error { return x.begin("EUR") },
		"the end of the copy":      func() error { _, err := x.db.ExecContext(t.Context(), end); return err },
	} {
		there := &interrupted{Store: k.To, happens: func() {
			if err := happens(); err != nil {
				t.Error(err)
			}
		}}
		if err := (clicklog.Copy{From: x.db, To: there}).Freeze(t.Context(), x.today.AddDate(0, 0, 2), -time.Hour); err != nil {
			t.Fatal(err)
		}
		if n := number[int](t, x.db, `SELECT count(*) FROM clicks`); n != 20 || there.happens != nil {
			t.Errorf("%s has begun, and %d clicks of 20 are left", what, n)
		}
		if what == "a change of the currency" {
			x.finish(-1, func() {})
		}
		if _, err := x.db.ExecContext(t.Context(), `UPDATE click_copy SET state = 'on'`); err != nil {
			t.Fatal(err)
		}
		x.forward(k)
	}
	x.freeze(k, x.today.AddDate(0, 0, 2))
}

// TestColdHistory checks that clicks that are older than the account's plan keeps them are also deleted in ClickHouse, and that
// dropped days are deleted there as well.
func TestColdHistory(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 800)
	k := x.coldCopy()
	x.arrive(40)
	x.freeze(k, x.today.AddDate(0, 0, 2))
	const keep = `INSERT INTO click_history (account_id, kept_from, deleted_to, announced_at) VALUES ($1, $2, '2020-01-01', now() - interval '2 hours')`
	if _, err := x.db.ExecContext(t.Context(), keep, x.account, x.today.AddDate(0, 0, -1)); err != nil {
		t.Fatal(err)
	}
	if err := x.log().ForgetHistory(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.forward(k)
	left := func() (days []string) {
		t.Helper()
		err := k.To.Each(t.Context(), "days", func(scan func(...any) error) error {
			var day string
			err := scan(&day)
			days = append(days, day)
			return err
		}, `SELECT DISTINCT toString(toDate(at)) AS day FROM clicks FINAL ORDER BY day`)
		if err != nil {
			t.Fatal(err)
		}
		return days
	}
	if days := left(); len(days) == 0 || days[0] != x.dayText(1) {
		t.Errorf("after the history was deleted, these days are left: %v", days)
	}
	if _, err := x.log().DropBefore(t.Context(), x.today); err != nil {
		t.Fatal(err)
	}
	if err := k.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, day := range left() {
		if day < x.dayText(0) {
			t.Errorf("%s was dropped, but is still in ClickHouse", day)
		}
	}
	if n := number[int](t, x.db, `SELECT count(*) FROM click_cold WHERE day < $1`, x.dayText(0)); n != 0 {
		t.Errorf("%d dropped days are still marked as cold", n)
	}
}

// TestDifferentDayStays checks that a day whose copy differs stays in PostgreSQL, and so does a day with a waiting change.
func TestDifferentDayStays(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 900)
	k := x.coldCopy()
	x.arrive(30)
	x.forward(k)
	day := x.dayText(1)
	if err := k.To.Exec(t.Context(), "damage", `ALTER TABLE clicks DROP PARTITION `+x.today.AddDate(0, 0, -1).Format("20060102")); err != nil {
		t.Fatal(err)
	}
	told := ""
	k.Differs = func(day time.Time) { told += day.Format(time.DateOnly) }
	freeze := func() int {
		t.Helper()
		if err := k.Freeze(t.Context(), x.today.AddDate(0, 0, 2), -time.Hour); err != nil {
			t.Fatal(err)
		}
		return number[int](t, x.db, `SELECT count(*) FROM clicks WHERE (at AT TIME ZONE 'UTC')::date = $1::date`, day)
	}
	if freeze() == 0 || told != day {
		t.Errorf("a day whose copy differs left PostgreSQL, or the difference was not reported: %q", told)
	}
	if err := k.Repair(t.Context(), x.account, x.today.AddDate(0, 0, -1)); err != nil {
		t.Fatal(err)
	}
	reader, err := x.db.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.ExecContext(t.Context(), `SELECT count(*) FROM clicks`); err != nil {
		t.Fatal(err)
	}
	if freeze() == 0 {
		t.Error("a day left PostgreSQL while a transaction was reading it")
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if freeze() != 0 {
		t.Error("the day did not leave")
	}
	if _, err := ledger.Compact(t.Context(), x.db, time.Now().Add(time.Hour), 1000); err != nil {
		t.Fatal(err)
	}
	x.sameFigures(k)
}
