package clicklog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/ledger"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
)

// newMirror gives a test a database of its own in ClickHouse, with the tables.
func newMirror(t *testing.T, d *db.DB) clicklog.Mirror {
	t.Helper()
	return ensured(t, clicklog.Mirror{From: d, To: clickhousetest.New(t)})
}

func ensured(t *testing.T, m clicklog.Mirror) clicklog.Mirror {
	t.Helper()
	for range 2 {
		if err := m.Ensure(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestMirrorOfMoney: whatever happens to clicks and conversions in four currencies, a day that is copied again has the figures
// of PostgreSQL, in its rows and in its ledger.
func TestMirrorOfMoney(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		x := newExchange(t, 100+seed)
		m, number := newMirror(t, x.db), uint64(0)
		for range 3 {
			x.publish(false)
		}
		x.arrive(60)
		for range 6 {
			for range 3 {
				x.happen()
			}
			for back := range 5 {
				number++
				day := x.today.AddDate(0, 0, -back)
				if _, err := m.Day(t.Context(), x.account, day, number); err != nil {
					t.Fatal(err)
				}
				list, err := m.Audit(t.Context(), x.account, day)
				if err != nil || len(list) > 0 {
					t.Fatalf("seed %d: %v, %v", seed, list, err)
				}
			}
		}
		for back := range 5 { // nothing has changed
			number++
			out, err := m.Day(t.Context(), x.account, x.today.AddDate(0, 0, -back), number)
			if err != nil || out.Deltas != 0 {
				t.Errorf("a day that has not changed: %+v, %v", out, err)
			}
		}
	}
}

// happen lets something happen to the books.
func (x *exchange) happen() {
	x.Helper()
	switch x.rnd.IntN(8) {
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
	}
}

// TestMirrorIsResumed cuts copies off at any point, while clicks change, and copies the days again.
func TestMirrorIsResumed(t *testing.T) {
	t.Parallel()
	x := newExchange(t, 200)
	m, number := newMirror(t, x.db), uint64(0)
	givenUp := map[int][]uint64{}
	x.publish(false)
	x.arrive(60)
	cut := 0
	for round := 0; cut < 25; round++ {
		if round%5 == 0 {
			x.happen()
		}
		number++
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(x.rnd.IntN(60))*time.Millisecond, cancel) // where it is cut is left to chance
		back := x.rnd.IntN(3)
		if _, err := m.Day(ctx, x.account, x.today.AddDate(0, 0, -back), number, givenUp[back]...); err != nil {
			cut++
			givenUp[back] = append(givenUp[back], number)
		} else {
			givenUp[back] = nil
		}
		timer.Stop()
		cancel()
	}
	for back := range 5 {
		number++
		day := x.today.AddDate(0, 0, -back)
		if _, err := m.Day(t.Context(), x.account, day, number, givenUp[back]...); err != nil {
			t.Fatal(err)
		}
		if list, err := m.Audit(t.Context(), x.account, day); err != nil || len(list) > 0 {
			t.Errorf("%v, %v", list, err)
		}
	}
}

// TestMirrorOutlivesItsServer kills the server while days are copied.
func TestMirrorOutlivesItsServer(t *testing.T) {
	t.Parallel()
	const kills = 10
	x, e := newExchange(t, 300), clickhousetest.Start(t)
	m, number := ensured(t, clicklog.Mirror{From: x.db, To: clickhousetest.NewOn(t, e.URL())}), uint64(0)
	x.publish(false)
	x.arrive(60)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e.Kills() < kills && t.Context().Err() == nil {
			<-time.After(time.Duration(rand.IntN(150)) * time.Millisecond) // where the kill hits is left to chance
			e.Kill()
		}
	}()
	givenUp := map[int][]uint64{}
	day := func(back int) bool {
		number++
		_, err := m.Day(t.Context(), x.account, x.today.AddDate(0, 0, -back), number, givenUp[back]...)
		if err != nil {
			givenUp[back] = append(givenUp[back], number)
			return false
		}
		givenUp[back] = nil
		e.Answered()
		return true
	}
	for e.Kills() < kills {
		x.happen()
		for back := range 5 {
			day(back)
		}
	}
	<-done
	for back := range 5 {
		await.Until(t, "a day is copied", func() bool { return day(back) })
		if list, err := m.Audit(t.Context(), x.account, x.today.AddDate(0, 0, -back)); err != nil || len(list) > 0 {
			t.Errorf("%v, %v", list, err)
		}
	}
}

// TestAuditFindsWhatDiffers takes away or adds one thing at a time.
func TestAuditFindsWhatDiffers(t *testing.T) {
	t.Parallel()
	b := newBooks(t, 5, 30)
	m := newMirror(t, b.db)
	day := models.ClickTime(b.clicks[0].ID).UTC().Truncate(24 * time.Hour)
	number := uint64(0)
	mirror := func() {
		number++
		if _, err := m.Day(t.Context(), b.account, day, number); err != nil {
			t.Fatal(err)
		}
	}
	mirror()
	for _, damage := range []string{
		`INSERT INTO clicks SELECT * REPLACE (1 AS removed) FROM clicks FINAL LIMIT 1`,
		`INSERT INTO clicks SELECT * REPLACE (NOT is_bot AS is_bot) FROM clicks FINAL LIMIT 1`,
		`INSERT INTO ledger SELECT * REPLACE (999 AS batch) FROM ledger LIMIT 1`,
		`ALTER TABLE ledger DROP PARTITION ` + day.Format("200601"),
	} {
		if err := m.To.Exec(t.Context(), "damage", damage); err != nil {
			t.Fatal(err)
		}
		if list, err := m.Audit(t.Context(), b.account, day); err != nil || len(list) == 0 {
			t.Errorf("%s: %v, %v", damage, list, err)
		}
		mirror()
		if list, err := m.Audit(t.Context(), b.account, day); err != nil || len(list) != 0 {
			t.Errorf("copied again after %s: %v, %v", damage, list, err)
		}
	}
	if list, err := m.Audit(t.Context(), uuid.New(), day); err != nil || len(list) != 0 {
		t.Errorf("of another account: %v, %v", list, err)
	}
}

// TestProjectionsAreTaken asks what each copy of the ledger is for. The engine refuses a question that it would read the ledger
// itself for.
func TestProjectionsAreTaken(t *testing.T) {
	t.Parallel()
	b := newBooks(t, 6, 30)
	m := newMirror(t, b.db)
	day := models.ClickTime(b.clicks[0].ID).UTC().Truncate(24 * time.Hour)
	if _, err := m.Day(t.Context(), b.account, day, 1); err != nil {
		t.Fatal(err)
	}
	want := number[int64](t, b.db, `SELECT coalesce(sum(clicks), 0)::bigint FROM ledger WHERE hour >= $1 AND hour < $2`, day, day.AddDate(0, 0, 1))
	for _, r := range ledger.Rollups {
		at := "hour"
		if r.Step > time.Hour {
			at = "toDate(hour)"
		}
		ask := func(keys ...string) (clicks int64, err error) {
			err = m.To.Each(t.Context(), r.Name, func(scan func(...any) error) error {
				var n int64
				err := scan(&n)
				clicks += n
				return err
			}, `SELECT sum(clicks) FROM ledger WHERE account_id = $1 AND `+at+` >= $2 AND `+at+` < $3 GROUP BY `+strings.Join(keys, ", ")+`
				SETTINGS force_optimize_projection = 1`, b.account, day, day.AddDate(0, 0, 1))
			return clicks, err
		}
		if n, err := ask(append([]string{at}, r.Keys...)...); err != nil || n != want {
			t.Errorf("%s: %d clicks of %d, %v", r.Name, n, want, err)
		}
		if n, err := ask(r.Keys[len(r.Keys)-1]); err != nil || n != want {
			t.Errorf("%s by one dimension: %d clicks of %d, %v", r.Name, n, want, err)
		}
		if _, err := ask("browser", "lander_id"); err == nil {
			t.Errorf("%s: what no copy has was answered from one", r.Name)
		}
	}
}

// TestMirrorHasEveryColumn compares each column of a click that has a value everywhere, and of one that has none.
func TestMirrorHasEveryColumn(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m, acc := newMirror(t, d), account(t, d)
	full := realistic(acc, []uuid.UUID{uuid.New()})
	full.BotSignals, full.Cost = 1<<63|5, decimal.RequireFromString("12345.0123456789")
	bare := click(acc, uuid.New(), 3)
	bare.ID, full.ID = idAt(time.Now().Add(-time.Minute)), idAt(time.Now().Add(-time.Minute))
	bare.IP = netip.MustParseAddr("2001:db8::7")
	s := openSpool(t, t.TempDir())
	put(t, s, spool.Record{Click: full}, spool.Record{Click: bare})
	drain(t, s, d, clicklog.IngestOptions{})
	for back := range 2 { // whichever side of midnight
		if _, err := m.Day(t.Context(), acc, time.Now().AddDate(0, 0, -back), uint64(back)+1); err != nil {
			t.Fatal(err)
		}
	}
	columns := number[string](t, d, `SELECT string_agg(attname, ',' ORDER BY attname) FROM pg_attribute
		WHERE attrelid = 'clicks'::regclass AND attnum > 0 AND NOT attisdropped`)
	var names, here, there []string
	for name := range strings.SplitSeq(columns, ",") {
		switch name {
		case "at", "rate", "cost", "unique_cost", "conversion_cost", "revenue_share": // written in other ways
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

// nonNull gives values a text each, so that none is left out.
func nonNull(list []string) []string {
	return db.Map(list, func(expr string) string { return fmt.Sprintf("coalesce(%s, '')", expr) })
}

// alike writes a value of either engine in one way.
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
