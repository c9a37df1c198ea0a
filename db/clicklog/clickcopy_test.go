package clicklog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clicklog"
	"switchyard/db/columnar"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// newCopy begins a copy in a new database in ClickHouse, and fills it with all stored rows.
func newCopy(t *testing.T, d *db.DB) clicklog.Copy {
	t.Helper()
	return begun(t, clicklog.Copy{From: d, To: clickhousetest.New(t), Batch: 50})
}

func begun(t *testing.T, k clicklog.Copy) clicklog.Copy {
	t.Helper()
	for range 2 {
		if err := k.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Fill(t.Context(), func(time.Time, int64) {}); err != nil {
		t.Fatal(err)
	}
	return k
}

// happen makes a random change to clicks, conversions or spend.
func (x *exchange) happen() {
	x.Helper()
	switch x.rnd.IntN(11) {
	case 0:
		x.arrive(15)
	case 1, 2:
		x.sell(12)
	case 3:
		x.pay()
	case 4:
		x.publish(x.rnd.IntN(2) == 0)
	case 5:
		x.restate(x.rnd.IntN(6))
	case 6:
		x.rescore()
	case 7:
		x.clear()
	case 8:
		x.move()
	case 9:
		x.forget()
	case 10:
		x.leave()
	}
}

// forget erases a visitor.
func (x *exchange) forget() {
	x.Helper()
	if len(x.clicks) == 0 {
		return
	}
	c := x.clicks[x.rnd.IntN(len(x.clicks))]
	v := clicklog.Visitor{AccountID: x.account, ID: c.VisitorID, ClickID: c.ID}
	for after, done := models.FloorClickID(x.today.AddDate(0, 0, -4)), false; !done; {
		x.tx(func(c db.Conn) error {
			out, err := x.log().Erase(x.Context(), c, v, after, x.today.AddDate(0, 0, 1), 3)
			after, done = out.After, out.Done
			return err
		})
	}
}

// leave makes some visitors click through to an offer.
func (x *exchange) leave() {
	x.Helper()
	s := openSpool(x, x.TempDir())
	for range min(5, len(x.clicks)) {
		c := x.clicks[x.rnd.IntN(len(x.clicks))]
		put(x, s, spool.Record{Out: &models.ClickOut{
			ID: idAt(models.ClickTime(c.ID).Add(time.Second)), ClickID: c.ID, AccountID: x.account, Slot: 1, OfferID: x.campaigns[0],
		}})
	}
	drain(x, s, x.db, clicklog.IngestOptions{Copy: x.copied})
}

// sameFigures checks that the copy gives the same figures as the ledger.
func (x *exchange) sameFigures(k clicklog.Copy) {
	x.Helper()
	for back := -1; back < 5; back++ {
		list, quiet, err := k.Audit(x.Context(), x.account, x.today.AddDate(0, 0, -back))
		if err != nil || !quiet || len(list) > 0 {
			x.Fatalf("the day %d before: %v, quiet %t, %v", back, list, quiet, err)
		}
	}
}

// equal checks that the copy equals PostgreSQL: the figures by the audit, and the rows cell by cell.
func (x *exchange) equal(k clicklog.Copy) {
	x.Helper()
	x.sameFigures(k)
	sameRows(x.T, x.db, k.To)
}

// sameRows compares clicks and conversions cell by cell.
func sameRows(t *testing.T, d *db.DB, to columnar.Store) {
	t.Helper()
	for _, one := range []struct{ here, there string }{
		{
			`SELECT id::text || ' ' || campaign_id || ' ' || offer_id || ' ' || visitor_id || ' ' || host(coalesce(ip, '::')) || ' ' || user_agent || ' ' || lp_clicks
			|| ' ' || is_bot || ' ' || is_unique || ' ' || trim_scale(cost) || ' ' || coalesce(trim_scale(rate)::text, '-') || ' ' || external_id || ' ' || bot_score
			FROM clicks ORDER BY id`,
			`SELECT concat(id, ' ', campaign_id, ' ', offer_id, ' ', visitor_id, ' ', replaceOne(toString(ip), '::ffff:', ''), ' ', user_agent, ' ', lp_clicks,
				' ', is_bot, ' ', is_unique, ' ', cost, ' ', ifNull(toString(rate), '-'), ' ', external_id, ' ', bot_score) FROM clicks FINAL ORDER BY toString(id)`,
		},
		{
			`SELECT id::text || ' ' || click_id || ' ' || conversion_id || ' ' || goal || ' ' || status || ' ' || trim_scale(payout) || ' ' || currency || ' ' ||
			coalesce(trim_scale(rate)::text, '-') || ' ' || trim_scale(cost) || ' ' || offer_id || ' ' || (extract(epoch FROM recorded_at) * 1000)::bigint
			|| ' ' || (extract(epoch FROM updated_at) * 1000)::bigint FROM conversions ORDER BY id`,
			`SELECT concat(id, ' ', click_id, ' ', conversion_id, ' ', goal, ' ', status, ' ', payout, ' ', currency, ' ', ifNull(toString(rate), '-'), ' ', cost, ' ',
				offer_id, ' ', toUnixTimestamp64Milli(recorded_at), ' ', toUnixTimestamp64Milli(updated_at)) FROM conversions FINAL ORDER BY toString(id)`,
		},
	} {
		want, err := db.Select[string](t.Context(), d, "rows", one.here)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		err = to.Each(t.Context(), "rows", func(scan func(...any) error) error {
			var row string
			err := scan(&row)
			got = append(got, row)
			return err
		}, one.there)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("PostgreSQL (-) and ClickHouse (+), %v: %s", err, diff)
		}
	}
}

func (x *exchange) forward(k clicklog.Copy) {
	x.Helper()
	if _, err := k.Forward(x.Context()); err != nil {
		x.Fatal(err)
	}
	if w, err := clicklog.ReadWaiting(x.Context(), x.db); err != nil || w.Changes != 0 || w.Age != 0 {
		x.Fatalf("what waits: %+v, %v", w, err)
	}
}

// TestCopyOfMoney checks that all changes of clicks and conversions in four currencies are noted and reach ClickHouse.
func TestCopyOfMoney(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	for seed := range longtest.Size(uint64(1), 10) {
		x := newExchange(t, 100+seed)
		for range 3 {
			x.publish(false)
		}
		x.arrive(60)
		x.sell(10)
		x.watch("the facts")
		k := newCopy(t, x.db)
		x.equal(k)
		for n := range 25 {
			for range 2 {
				x.happen()
				x.watch("a step")
			}
			x.forward(k)
			if sameRows(x.T, x.db, k.To); n%5 == 4 {
				x.sameFigures(k)
			}
		}
	}
}

// TestCopyOfCurrencies checks that a change of an account's currency reaches the copy.
func TestCopyOfCurrencies(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 110)
	for back := range 16 {
		for i, currency := range []string{"USD", "GBP", "JPY"} {
			r, err := models.NewRate(x.dayText(back), currency, fmt.Sprintf("%d.%04d", 1+100*(i/2), x.rnd.IntN(9999)+1), models.RatesOfFile)
			if err != nil {
				t.Fatal(err)
			}
			x.tx(func(c db.Conn) error {
				_, err := exchangerate.Save(t.Context(), c, []models.Rate{r}, false)
				return err
			})
		}
	}
	x.arrive(60)
	x.sell(20)
	x.pay()
	k := newCopy(t, x.db)
	for _, to := range []string{"EUR", "USD"} {
		if err := x.begin(to); err != nil {
			t.Fatal(err)
		}
		x.finish(-1, func() {})
		x.forward(k)
		x.equal(k)
	}
}

// TestCopyIsCutOff interrupts copying and forwarding at random points, while several of them run at once.
func TestCopyIsCutOff(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 200)
	x.publish(false)
	x.arrive(60)
	k := clicklog.Copy{From: x.db, To: clickhousetest.New(t), Batch: 7}
	if err := k.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < 25; {
		x.happen()
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(x.rnd.IntN(60))*time.Millisecond, cancel) // interrupt at a random point
		var others sync.WaitGroup
		for range 2 {
			others.Go(func() { _, _ = k.Forward(ctx) })
		}
		if err := k.Fill(ctx, func(time.Time, int64) {}); err != nil {
			cut++
		}
		if _, err := k.Forward(ctx); err != nil {
			cut++
		}
		others.Wait()
		timer.Stop()
		cancel()
	}
	if err := k.Fill(t.Context(), func(time.Time, int64) {}); err != nil {
		t.Fatal(err)
	}
	x.forward(k)
	x.equal(k)
	if s, err := clicklog.ReadCopy(t.Context(), x.db); err != nil || !s.On || !s.Done || !s.Has(time.Unix(0, 0)) {
		t.Errorf("%+v, %v", s, err)
	}
}

// Numbers of kills in TestCopyOutlivesItsServer.
const (
	someKills = 60
	manyKills = 1000 // in make chaos
)

// TestCopyOutlivesItsServer kills ClickHouse while clicks are forwarded and days are copied.
func TestCopyOutlivesItsServer(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	kills := someKills
	if longtest.On() {
		kills = manyKills
	}
	x, e := newExchange(t, 300), clickhousetest.Start(t)
	k := begun(t, clicklog.Copy{From: x.db, To: clickhousetest.NewOn(t, e.URL()), Batch: 20})
	x.publish(false)
	x.arrive(60)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e.Kills() < kills && t.Context().Err() == nil {
			<-time.After(time.Duration(rand.IntN(100)) * time.Millisecond) // kill at a random point
			e.Kill()
		}
	}()
	for e.Kills() < kills {
		x.happen()
		x.forward(k)
		e.Answered()
	}
	<-done
	x.forward(k)
	await.Until(t, "ClickHouse answers", func() bool { return k.Ensure(t.Context()) == nil })
	x.equal(k)
}

// TestAuditFindsWhatDiffers removes, adds or changes rows, one kind of damage at a time. The audit must find and repair it.
func TestAuditFindsWhatDiffers(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	b := newBooks(t, 5, 30)
	k := newCopy(t, b.db)
	day := models.ClickTime(b.clicks[0].ID).UTC().Truncate(24 * time.Hour)
	audit := func(account uuid.UUID) []clicklog.Difference {
		t.Helper()
		list, quiet, err := k.Audit(t.Context(), account, day)
		if err != nil || !quiet {
			t.Fatal(quiet, err)
		}
		return list
	}
	one := ` FROM clicks FINAL WHERE toDate(at) = '` + day.Format(time.DateOnly) + `' LIMIT 1`
	for _, damage := range []string{
		`INSERT INTO clicks SELECT * REPLACE (1 AS removed)` + one,
		`INSERT INTO clicks SELECT * REPLACE (NOT is_bot AS is_bot)` + one,
		`INSERT INTO clicks SELECT * REPLACE (generateUUIDv4() AS id)` + one,
		`INSERT INTO clicks SELECT * REPLACE (generateUUIDv4() AS id, toDateTime64('` + day.Format(time.DateOnly) + ` 23:59:59.741', 3, 'UTC') AS at)` + one,
		`ALTER TABLE clicks DROP PARTITION ` + day.Format("20060102"),
	} {
		if err := k.To.Exec(t.Context(), "damage", damage); err != nil {
			t.Fatal(err)
		}
		if list := audit(b.account); len(list) == 0 || !strings.Contains(list[0].String(), "ClickHouse") {
			t.Errorf("%s: %v", damage, list)
		}
		if err := k.Repair(t.Context(), b.account, day); err != nil {
			t.Fatal(err)
		}
		if list := audit(b.account); len(list) != 0 {
			t.Errorf("repaired after %s: %v", damage, list)
		}
	}
	if list := audit(uuid.New()); len(list) != 0 {
		t.Errorf("the audit of another account finds %v", list)
	}
	if _, err := b.db.ExecContext(t.Context(), `UPDATE clicks SET lp_clicks = 0 WHERE id = $1`, b.clicks[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, quiet, err := k.Audit(t.Context(), b.account, day); err != nil || quiet {
		t.Errorf("a change waits: quiet %t, %v", quiet, err)
	}
}

// TestCopyOfDeletedAccount checks that the rows of a deleted account are deleted in ClickHouse.
func TestCopyOfDeletedAccount(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 500)
	k := newCopy(t, x.db)
	x.arrive(30)
	x.sell(10)
	x.forward(k)
	gone := x.account
	x.account = account(t, x.db)
	x.clicks = nil
	x.arrive(20)
	x.sell(10)
	x.forward(k)
	if err := store.New(x.db, nil).DeleteAccount(t.Context(), gone, func(string, int64) {}); err != nil {
		t.Fatal(err)
	}
	x.forward(k)
	for _, before := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
		if err := k.Forget(t.Context(), before); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (n uint64) {
		err := k.To.Each(t.Context(), "left", func(scan func(...any) error) error { return scan(&n) }, `
			SELECT (SELECT count() FROM clicks WHERE account_id = $1) + (SELECT count() FROM conversions WHERE account_id = $1)`, gone)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	await.Until(t, "the rows are gone", func() bool { return left() == 0 })
	x.equal(k)
	if n := number[int](t, x.db, `SELECT count(*) FROM click_forgotten`); n != 0 {
		t.Errorf("%d deleted accounts still have rows to delete", n)
	}
}

// TestCopyIsBegunAgain checks that a copy is made again over its rows if changes were not noted for a while.
func TestCopyIsBegunAgain(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := newExchange(t, 400)
	x.arrive(30)
	x.sell(10)
	k := newCopy(t, x.db)
	x.equal(k)
	x.pay()
	x.forward(k)
	if err := k.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := clicklog.ReadCopy(t.Context(), x.db); err != nil || s.On || s.Has(time.Now()) {
		t.Errorf("%+v, %v", s, err)
	}
	x.clear()
	x.sell(20)
	x.arrive(10)
	if n := number[int](t, x.db, `SELECT count(*) FROM click_changes`); n != 0 {
		t.Errorf("%d changes were noted", n)
	}
	x.equal(begun(t, k))
}

// TestCopyHasEveryColumn compares each column of two clicks: one has a value everywhere, the other is empty.
func TestCopyHasEveryColumn(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	d := dbtest.New(t)
	m, acc := newCopy(t, d), account(t, d)
	full := realistic(acc, []uuid.UUID{uuid.New()})
	full.BotSignals, full.Cost = 1<<63|5, decimal.RequireFromString("12345.0123456789")
	bare := click(acc, uuid.New(), 3)
	bare.ID, full.ID = idAt(time.Now().Add(-time.Minute)), idAt(time.Now().Add(-time.Minute))
	bare.IP = netip.MustParseAddr("2001:db8::7")
	s := openSpool(t, t.TempDir())
	put(t, s, spool.Record{Click: full}, spool.Record{Click: bare})
	drain(t, s, d, clicklog.IngestOptions{})
	if n, err := m.Forward(t.Context()); err != nil || n != 2 {
		t.Fatalf("%d changes, %v", n, err)
	}
	columns := number[string](t, d, `SELECT string_agg(attname, ',' ORDER BY attname) FROM pg_attribute
		WHERE attrelid = 'clicks'::regclass AND attnum > 0 AND NOT attisdropped`)
	var names, here, there []string
	for name := range strings.SplitSeq(columns, ",") {
		switch name {
		case "at", "rate", "cost", "unique_cost", "conversion_cost", "revenue_share": // written in different formats
			continue
		}
		names = append(names, name)
		here = append(here, "f."+name+"::text")
		if name == "bot_signals" || name == "address_key" { // PostgreSQL has no unsigned numbers
			name = "reinterpretAsInt64(" + name + ")"
		}
		there = append(there, "toString("+name+")")
	}
	for _, id := range []uuid.UUID{full.ID, bare.ID} {
		want := number[string](t, d, `SELECT concat_ws('|', `+strings.Join(nonNull(here), ", ")+`) FROM clicks f WHERE id = $1`, id)
		var got string
		err := m.To.Each(t.Context(), "a click", func(scan func(...any) error) error { return scan(&got) },
			`SELECT concat_ws('|', `+strings.Join(there, ", ")+`) FROM clicks FINAL WHERE id = $1`, id)
		if err != nil {
			t.Fatal(err)
		}
		a, b := strings.Split(want, "|"), strings.Split(got, "|")
		if len(a) != len(names) || len(b) != len(names) {
			t.Fatalf("%d and %d values of %d columns", len(a), len(b), len(names))
		}
		for i, name := range names {
			if alike(a[i]) != alike(b[i]) {
				t.Errorf("%s is %q, and %q in ClickHouse", name, a[i], b[i])
			}
		}
	}
	var costs []decimal.Decimal
	err := m.To.Each(t.Context(), "costs", func(scan func(...any) error) error {
		var cost decimal.Decimal
		err := scan(&cost)
		costs = append(costs, cost)
		return err
	}, `SELECT cost FROM clicks FINAL WHERE at >= now() - 120 AND rate = 1 ORDER BY cost DESC`)
	if err != nil || len(costs) != 2 || !costs[0].Equal(full.Cost) {
		t.Errorf("costs: %v, %v", costs, err)
	}
}

// nonNull returns an expression that is never NULL for each column, so that no value is left out.
func nonNull(list []string) []string {
	return db.Map(list, func(expr string) string { return fmt.Sprintf("coalesce(%s, '')", expr) })
}

// alike converts a value of either engine to a common form.
func alike(v string) string {
	switch {
	case v == "::":
		return ""
	case strings.HasPrefix(v, "{") || strings.HasPrefix(v, "["):
		cells := strings.Split(strings.Trim(v, "{}[]"), ",")
		return strings.Join(db.Map(cells, func(c string) string { return strings.Trim(c, `'"`) }), ",")
	}
	if a, err := netip.ParsePrefix(v); err == nil {
		return a.Addr().Unmap().String()
	}
	if a, err := netip.ParseAddr(v); err == nil {
		return a.Unmap().String()
	}
	return v
}
