package clickcopy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/clickcopy"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// TestCopyOfMoney checks that all changes of clicks and conversions in four currencies are recorded and reach ClickHouse.
func TestCopyOfMoney(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	for seed := range longtest.Size(uint64(1), 10) {
		x := clicktest.NewMoneyEnv(t, 100+seed)
		for range 3 {
			x.Publish(clicktest.KeepRates)
		}
		x.Arrive(60)
		x.Sell(10)
		x.Watch("the facts")
		k := clicktest.NewCopy(t, x.DB)
		x.CheckCopy(k)
		for n := range 25 {
			for range 2 {
				x.MakeRandomChange()
				x.Watch("a step")
			}
			x.Forward(k)
			if clicktest.SameRows(x.T, x.DB, k.To); n%5 == 4 {
				x.CheckCopyFigures(k)
			}
		}
	}
}

// TestCopyOfCurrencies checks that a change of an account's currency reaches the copy.
func TestCopyOfCurrencies(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 110)
	for back := range 16 {
		for i, currency := range []string{"USD", "GBP", "JPY"} {
			x.SaveRate(x.DayText(back), currency, fmt.Sprintf("%d.%04d", 1+100*(i/2), x.Rnd.IntN(9999)+1), clicktest.KeepRates)
		}
	}
	x.Arrive(60)
	x.Sell(20)
	x.Pay()
	k := clicktest.NewCopy(t, x.DB)
	for _, to := range []string{"EUR", "USD"} {
		if err := x.BeginChange(to); err != nil {
			t.Fatal(err)
		}
		x.RunChange(clicktest.AllSteps, func() {})
		x.Forward(k)
		x.CheckCopy(k)
	}
}

// TestCopyIsCutOff interrupts calls of Fill and Forward at random points, while several of these calls run at the same time.
func TestCopyIsCutOff(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 200)
	x.Publish(clicktest.KeepRates)
	x.Arrive(60)
	k := clickcopy.Copy{From: x.DB, To: clickhousetest.New(t), Batch: 7} // small, so that there are many points at which to interrupt
	if err := k.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < 25; {
		x.MakeRandomChange()
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(x.Rnd.IntN(60))*time.Millisecond, cancel)
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
	x.Forward(k)
	x.CheckCopy(k)
	if s, err := click.ReadCopy(t.Context(), x.DB); err != nil || !s.On || !s.Done || !s.Has(time.Unix(0, 0)) {
		t.Errorf("the finished copy has the state %+v, want on, done and with every day: %v", s, err)
	}
}

const (
	someKills = 60
	manyKills = 1000 // used by make chaos
)

// TestCopyOutlivesItsServer kills ClickHouse while changes are forwarded to it.
func TestCopyOutlivesItsServer(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	kills := someKills
	if longtest.On() {
		kills = manyKills
	}
	x, e := clicktest.NewMoneyEnv(t, 300), clickhousetest.Start(t)
	k := clicktest.BeginAndFill(t, clickcopy.Copy{From: x.DB, To: clickhousetest.NewOn(t, e.URL()), Batch: 20})
	x.Publish(clicktest.KeepRates)
	x.Arrive(60)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e.Kills() < kills && t.Context().Err() == nil {
			<-time.After(time.Duration(rand.IntN(100)) * time.Millisecond) // at a random point
			e.Kill()
		}
	}()
	for e.Kills() < kills {
		x.MakeRandomChange()
		x.Forward(k)
		e.RecordAnswer()
	}
	<-done
	x.Forward(k)
	await.Until(t, "ClickHouse answers", func() bool { return k.Ensure(t.Context()) == nil })
	x.CheckCopy(k)
}

// TestAuditFindsWhatDiffers checks that the audit finds removed, added and changed rows, and that a repair mends them.
func TestAuditFindsWhatDiffers(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	b := clicktest.NewEnv(t, 5, 30)
	k := clicktest.NewCopy(t, b.DB)
	day := models.ClickTime(b.Clicks[0].ID).UTC().Truncate(24 * time.Hour)
	audit := func(account uuid.UUID) []clickcopy.Difference {
		t.Helper()
		list, stable, err := k.Audit(t.Context(), account, day)
		if err != nil || !stable {
			t.Fatalf("the audit is stable: %t, want true: %v", stable, err)
		}
		return list
	}
	oneClick := ` FROM clicks FINAL WHERE toDate(at) = '` + day.Format(time.DateOnly) + `' LIMIT 1`
	for _, damage := range []string{
		`INSERT INTO clicks SELECT * REPLACE (1 AS removed)` + oneClick,
		`INSERT INTO clicks SELECT * REPLACE (NOT is_bot AS is_bot)` + oneClick,
		`INSERT INTO clicks SELECT * REPLACE (generateUUIDv4() AS id)` + oneClick,
		`INSERT INTO clicks SELECT * REPLACE (generateUUIDv4() AS id, toDateTime64('` + day.Format(time.DateOnly) + ` 23:59:59.741', 3, 'UTC') AS at)` + oneClick,
		`ALTER TABLE clicks DROP PARTITION ` + day.Format("20060102"),
	} {
		if err := k.To.Exec(t.Context(), "damage", damage); err != nil {
			t.Fatal(err)
		}
		if list := audit(b.Account); len(list) == 0 || !strings.Contains(list[0].String(), "ClickHouse") {
			t.Errorf("after %s, the audit finds %v, want a difference that names ClickHouse", damage, list)
		}
		if err := k.Repair(t.Context(), b.Account, day); err != nil {
			t.Fatal(err)
		}
		if list := audit(b.Account); len(list) != 0 {
			t.Errorf("after the repair of %s, the audit finds %v, want nothing", damage, list)
		}
	}
	if list := audit(uuid.New()); len(list) != 0 {
		t.Errorf("the audit of another account finds %v, want nothing", list)
	}
	dbtest.Exec(t, b.DB, `UPDATE clicks SET lp_clicks = 0 WHERE id = $1`, b.Clicks[0].ID)
	if _, stable, err := k.Audit(t.Context(), b.Account, day); err != nil || stable {
		t.Errorf("while a change waits, the audit returns stable %t, want false: %v", stable, err)
	}
}

// TestCopyOfDeletedAccount checks that the rows of a deleted account are deleted in ClickHouse.
func TestCopyOfDeletedAccount(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 500)
	k := clicktest.NewCopy(t, x.DB)
	x.Arrive(30)
	x.Sell(10)
	x.Forward(k)
	deleted := x.Account
	x.Account = clicktest.Account(t, x.DB)
	x.Clicks = nil
	x.Arrive(20)
	x.Sell(10)
	x.Forward(k)
	if err := store.New(x.DB, nil).DeleteAccount(t.Context(), deleted, func(string, int64) {}); err != nil {
		t.Fatal(err)
	}
	x.Forward(k)
	for _, before := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
		if err := k.DeleteAccounts(t.Context(), before); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (n uint64) {
		err := k.To.Each(t.Context(), "left", func(scan func(...any) error) error { return scan(&n) }, `
			SELECT (SELECT count() FROM clicks WHERE account_id = $1) + (SELECT count() FROM conversions WHERE account_id = $1)`, deleted)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	await.Until(t, "the rows of the account are deleted", func() bool { return left() == 0 })
	x.CheckCopy(k)
	if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM click_forgotten`); n != 0 {
		t.Errorf("%d deleted accounts still have rows in ClickHouse to delete, want none", n)
	}
}

// TestCopyIsBegunAgain checks that a new copy replaces the rows of the old copy if changes were not recorded for a while.
func TestCopyIsBegunAgain(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	x := clicktest.NewMoneyEnv(t, 400)
	x.Arrive(30)
	x.Sell(10)
	k := clicktest.NewCopy(t, x.DB)
	x.CheckCopy(k)
	x.Pay()
	x.Forward(k)
	if err := k.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := click.ReadCopy(t.Context(), x.DB); err != nil || s.On || s.Has(time.Now()) {
		t.Errorf("without its triggers, the copy has the state %+v, want one that is not on: %v", s, err)
	}
	x.Clear()
	x.Sell(20)
	x.Arrive(10)
	if n := dbtest.Get[int](t, x.DB, `SELECT count(*) FROM click_changes`); n != 0 {
		t.Errorf("without the triggers, %d changes were recorded, want none", n)
	}
	x.CheckCopy(clicktest.BeginAndFill(t, k))
}

// TestCopyHasEveryColumn compares two clicks in both databases column by column, except for columns that the databases write in
// different formats.
func TestCopyHasEveryColumn(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	d := dbtest.New(t)
	m, acc := clicktest.NewCopy(t, d), clicktest.Account(t, d)
	full := clicktest.Realistic(acc, []uuid.UUID{uuid.New()})
	full.BotSignals, full.Cost = 1<<63|5, decimal.RequireFromString("12345.0123456789")
	bare := clicktest.Click(acc, uuid.New(), 3)
	bare.ID, full.ID = clicktest.IDAt(time.Now().Add(-time.Minute)), clicktest.IDAt(time.Now().Add(-time.Minute))
	bare.IP = netip.MustParseAddr("2001:db8::7")
	s := clicktest.OpenSpool(t, t.TempDir())
	clicktest.Put(t, s, spool.Record{Click: full}, spool.Record{Click: bare})
	clicktest.Drain(t, s, d, ingest.Options{})
	if n, err := m.Forward(t.Context()); err != nil || n != 2 {
		t.Fatalf("%d changes were forwarded, want 2: %v", n, err)
	}
	columns := dbtest.Get[string](t, d, `SELECT string_agg(attname, ',' ORDER BY attname) FROM pg_attribute
		WHERE attrelid = 'clicks'::regclass AND attnum > 0 AND NOT attisdropped`)
	var names, postgresExprs, copyExprs []string
	for name := range strings.SplitSeq(columns, ",") {
		switch name {
		case "at", "rate", "cost", "unique_cost", "conversion_cost", "revenue_share": // written in different formats
			continue
		}
		names = append(names, name)
		postgresExprs = append(postgresExprs, "f."+name+"::text")
		if name == "bot_signals" || name == "address_key" { // PostgreSQL has no unsigned numbers
			name = "reinterpretAsInt64(" + name + ")"
		}
		copyExprs = append(copyExprs, "toString("+name+")")
	}
	for _, id := range []uuid.UUID{full.ID, bare.ID} {
		want := dbtest.Get[string](t, d, `SELECT concat_ws('|', `+strings.Join(nonNull(postgresExprs), ", ")+`) FROM clicks f WHERE id = $1`, id)
		var got string
		err := m.To.Each(t.Context(), "a click", func(scan func(...any) error) error { return scan(&got) },
			`SELECT concat_ws('|', `+strings.Join(copyExprs, ", ")+`) FROM clicks FINAL WHERE id = $1`, id)
		if err != nil {
			t.Fatal(err)
		}
		a, b := strings.Split(want, "|"), strings.Split(got, "|")
		if len(a) != len(names) || len(b) != len(names) {
			t.Fatalf("PostgreSQL has %d values and ClickHouse has %d, want one for each of the %d columns", len(a), len(b), len(names))
		}
		for i, name := range names {
			if alike(a[i]) != alike(b[i]) {
				t.Errorf("%s is %q in PostgreSQL, but %q in ClickHouse", name, a[i], b[i])
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
		t.Errorf("the copied costs are %v, want two, the highest unchanged: %v", costs, err)
	}
}

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
