package clicktest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickcopy"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
)

// NewCopy begins a copy in a new database in ClickHouse, and fills it with all stored rows.
func NewCopy(t *testing.T, d *db.DB) clickcopy.Copy {
	t.Helper()
	return BeginAndFill(t, clickcopy.Copy{From: d, To: clickhousetest.New(t), Batch: 50})
}

// BeginAndFill begins a copy twice, because a second Begin must change nothing, and fills it.
func BeginAndFill(t *testing.T, k clickcopy.Copy) clickcopy.Copy {
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

// MakeRandomChange makes a random change to clicks, conversions, spend or exchange rates.
func (x *MoneyEnv) MakeRandomChange() {
	x.Helper()
	switch x.Rnd.IntN(11) {
	case 0:
		x.Arrive(15)
	case 1, 2:
		x.Sell(12)
	case 3:
		x.Pay()
	case 4:
		x.Publish(x.Rnd.IntN(2) == 0)
	case 5:
		x.Restate(x.Rnd.IntN(6))
	case 6:
		x.Rescore()
	case 7:
		x.Clear()
	case 8:
		x.Move()
	case 9:
		x.eraseVisitor()
	case 10:
		x.clickOut()
	}
}

func (x *MoneyEnv) eraseVisitor() {
	x.Helper()
	if len(x.Clicks) == 0 {
		return
	}
	c := x.Clicks[x.Rnd.IntN(len(x.Clicks))]
	v := click.Visitor{AccountID: x.Account, ID: c.VisitorID, ClickID: c.ID}
	for after, done := models.FloorClickID(x.Today.AddDate(0, 0, -4)), false; !done; {
		x.Tx(func(c db.Conn) error {
			out, err := retention.Erase(x.Context(), x.ClickLog(), c, v, after, x.Today.AddDate(0, 0, 1), 3)
			after, done = out.After, out.Done
			return err
		})
	}
}

func (x *MoneyEnv) clickOut() {
	x.Helper()
	s := OpenSpool(x, x.TempDir())
	for range min(5, len(x.Clicks)) {
		c := x.Clicks[x.Rnd.IntN(len(x.Clicks))]
		Put(x, s, spool.Record{Out: &models.ClickOut{
			ID: IDAt(models.ClickTime(c.ID).Add(time.Second)), ClickID: c.ID, AccountID: x.Account, Slot: 1, OfferID: x.Campaigns[0],
		}})
	}
	Drain(x, s, x.DB, ingest.Options{Copy: x.Copied})
}

// CheckCopyFigures checks that the copy returns the same figures as the ledger.
func (x *MoneyEnv) CheckCopyFigures(k clickcopy.Copy) {
	x.Helper()
	for back := -1; back < 5; back++ {
		list, stable, err := k.Audit(x.Context(), x.Account, x.Today.AddDate(0, 0, -back))
		if err != nil || !stable || len(list) > 0 {
			x.Fatalf("the day %d days ago has the differences %v and is stable: %t; want no difference and true: %v", back, list, stable, err)
		}
	}
}

// CheckCopy compares the figures and the most important columns of the copy with PostgreSQL.
func (x *MoneyEnv) CheckCopy(k clickcopy.Copy) {
	x.Helper()
	x.CheckCopyFigures(k)
	SameRows(x.T, x.DB, k.To)
}

// SameRows compares the most important columns of all clicks and conversions in PostgreSQL and ClickHouse.
func SameRows(t *testing.T, d *db.DB, to schema.Store) {
	t.Helper()
	for _, queries := range []struct{ postgres, clickHouse string }{
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
		want := dbtest.Select[string](t, d, queries.postgres)
		got, err := schema.Values[string](t.Context(), to, "rows", queries.clickHouse)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("PostgreSQL (-) and ClickHouse (+), %v: %s", err, diff)
		}
	}
}

// Forward copies all recorded changes to ClickHouse.
func (x *MoneyEnv) Forward(k clickcopy.Copy) {
	x.Helper()
	if _, err := k.Forward(x.Context()); err != nil {
		x.Fatal(err)
	}
	if w, err := clickcopy.ReadWaiting(x.Context(), x.DB); err != nil || w.Changes != 0 || w.Age != 0 {
		x.Fatalf("changes still wait: %+v, %v", w, err)
	}
}

// ColdCopy begins and fills a copy. From now on x reads from the copy the clicks that are no longer in PostgreSQL.
func (x *MoneyEnv) ColdCopy() clickcopy.Copy {
	x.Helper()
	k := clickcopy.Copy{From: x.DB, To: clickhousetest.New(x.T), Batch: 50}
	x.Copied = click.NewCopyReader(k.To)
	return BeginAndFill(x.T, k)
}

// Freeze moves days out of PostgreSQL: all days before the given time, including thawed days.
func (x *MoneyEnv) Freeze(k clickcopy.Copy, before time.Time) {
	x.Helper()
	x.Forward(k)
	if err := k.Freeze(x.Context(), before, -time.Hour); err != nil {
		x.Fatal(err)
	}
	if n := dbtest.Get[int](x, x.DB, `SELECT count(*) FROM clicks WHERE at < $1`, before.UTC().Truncate(24*time.Hour)); n != 0 {
		x.Fatalf("%d clicks are still in PostgreSQL after the freeze, want none", n)
	}
}
