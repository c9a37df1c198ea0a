package clicklog_test

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clickhouse"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
)

// newMirror gives a test a database of its own in ClickHouse, with the tables.
func newMirror(t *testing.T, d *db.DB) clicklog.Mirror {
	t.Helper()
	address := os.Getenv("TEST_CLICKS_URL")
	if address == "" {
		t.Skip("TEST_CLICKS_URL names no ClickHouse server: run the tests by make test")
	}
	name := "mirror_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	admin, err := clickhouse.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.Exec(t.Context(), "test", `CREATE DATABASE `+name); err != nil {
		t.Fatal(err)
	}
	if err := admin.Close(); err != nil {
		t.Error(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	conn, err := clickhouse.Open(u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	m := clicklog.Mirror{From: d, To: conn}
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
		for range 12 {
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
