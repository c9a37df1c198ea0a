package clicklog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/db/report"
	"switchyard/models"
)

// figures returns the figures of every report by day, campaign and source since a moment.
func (x *exchange) figures(from time.Time, rows bool) []string {
	x.Helper()
	list, err := report.Reader{Conn: x.db}.Performance(x.Context(), report.Query{
		AccountID: x.account, From: from, To: x.today.AddDate(0, 0, 1), Dimensions: []string{"date", "campaign_id", "source_id"}, FromRows: rows,
	})
	if err != nil {
		x.Fatal(err)
	}
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = fmt.Sprint(r.Dims, r.Clicks, r.Approved, r.Pending, " ", r.Cost, " ", r.Revenue, " ", r.PendingRevenue)
	}
	slices.Sort(out)
	return out
}

func (x *exchange) same(what string, want, got []string) {
	x.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		x.Fatalf("%s: %s", what, diff)
	}
}

// begin starts a change of the currency.
func (x *exchange) begin(to string) error {
	return db.Tx(x.Context(), x.db, func(c db.Conn) error {
		_, err := clicklog.Log{}.BeginCurrency(x.Context(), c, x.account, to, uuid.New())
		return err
	})
}

// finish runs the transactions of the job: at most steps transactions, or all if steps is negative. It calls each after every
// transaction. It reports whether the change has ended.
func (x *exchange) finish(steps int, each func()) bool {
	x.Helper()
	k, open, err := exchangerate.FindChange(x.Context(), x.db, x.account)
	if err != nil || !open {
		x.Fatal("no change is open", err)
	}
	step := func(fn func(db.Conn) error) bool {
		if steps == 0 {
			return false
		}
		steps--
		x.tx(fn)
		each()
		return true
	}
	log := clicklog.Log{Conn: x.db}
	if !step(func(c db.Conn) error { return log.FindCurrencies(x.Context(), c, k) }) {
		return false
	}
	keys, err := exchangerate.RestatingOf(x.Context(), x.db, x.account)
	if err != nil {
		x.Fatal(err)
	}
	for _, key := range keys {
		r := clicklog.Restatement{Key: key, Kept: k.Kept}
		for done := false; !done; {
			if !step(func(c db.Conn) (err error) { done, err = log.Restate(x.Context(), c, &r, 7); return err }) {
				return false
			}
		}
	}
	archive := func(c db.Conn) error { return log.RestateArchive(x.Context(), c, x.account) }
	if !step(archive) {
		return false
	}
	return step(archive) && // again
		step(func(c db.Conn) error {
			return log.RestateOrphaned(x.Context(), c, k, x.today.AddDate(0, 0, -30), x.today.AddDate(0, 0, 1))
		}) && step(func(c db.Conn) error { return exchangerate.EndChange(x.Context(), c, k) })
}

// TestChangeOfCurrency changes the currency of accounts with facts in four currencies. Some facts are only in the ledger. After
// every transaction of the change, interrupted or not, reports must be the same as after its end. Facts that arrive during the
// change must be right, and changing back must restore the old figures.
func TestChangeOfCurrency(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		x := newExchange(t, seed)
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
		x.arrive(80)
		for range 3 {
			x.sell(15)
			x.pay()
		}
		x.agree("the facts")
		kept, all := x.today.AddDate(0, 0, -1), x.today.AddDate(0, 0, -10)
		x.archive(kept)
		if _, err := ledger.Compact(t.Context(), x.db, time.Now().Add(time.Hour), 1000); err != nil {
			t.Fatal(err)
		}
		before := x.figures(all, false)

		if err := x.begin("EUR"); err != nil {
			t.Fatal(err)
		}
		if e, ok := models.AsError(x.begin("GBP")); !ok || e.Code != "busy" {
			t.Errorf("a second change: %v", e)
		}
		want := x.figures(all, false)
		if cmp.Equal(before, want) {
			t.Error("the change of currency did not change any figure")
		}
		unchanged := func() { x.same("after a transaction", want, x.figures(all, false)) }
		x.same("from rows", x.figures(kept, true), x.figures(kept, false))
		logged := x.logged()
		for range 3 {
			x.finish(2+x.rnd.IntN(30), unchanged)
			if _, open, err := exchangerate.FindChange(t.Context(), x.db, x.account); err != nil || !open {
				break
			}
			x.arrive(5)
			x.archive(kept) // delete clicks that waited in a spool
			x.sell(6)
			x.pay()
			x.restate(0) // calls only exchangerate.Settle
			want = x.figures(all, false)
		}
		if _, open, _ := exchangerate.FindChange(t.Context(), x.db, x.account); open {
			x.finish(-1, unchanged)
		}
		x.same("at the end", want, x.figures(all, false))
		for fact, rate := range x.logged() {
			if before, ok := logged[fact]; ok && before != rate {
				t.Errorf("%s was logged with the rate %s, and has %s", fact, before, rate)
			}
		}
		x.same("ledger and rows", x.figures(kept, true), x.figures(kept, false))
		x.rated("EUR")

		if err := x.begin("USD"); err != nil {
			t.Fatal(err)
		}
		x.finish(-1, func() {})
		x.rated("USD")
		if err := x.begin("EUR"); err != nil {
			t.Fatal(err)
		}
		x.finish(-1, func() {})
		x.close("there and back", want, x.figures(all, false))
		x.same("kept, there and back", within(want, kept), within(x.figures(all, false), kept))
	}
}

// archive deletes clicks before a day, so that their figures are only in the ledger.
func (x *exchange) archive(kept time.Time) {
	x.Helper()
	for _, q := range []string{
		`INSERT INTO click_history (account_id, kept_from, deleted_to, announced_at) VALUES ($1, $2, $2, now()) ON CONFLICT DO NOTHING`,
		`DELETE FROM clicks WHERE account_id = $1 AND at < $2`,
	} {
		if _, err := x.db.ExecContext(x.Context(), q, x.account, kept); err != nil {
			x.Fatal(err)
		}
	}
	x.clicks = slices.DeleteFunc(x.clicks, func(c *models.Click) bool { return models.ClickTime(c.ID).Before(kept) })
}

// logged returns the rates in the logs of clicks and conversions, by fact, day and currency.
func (x *exchange) logged() map[string]string {
	x.Helper()
	out, log := map[string]string{}, clicklog.Log{Conn: x.db}
	q := clicklog.LogQuery{AccountID: x.account, From: x.today.AddDate(0, 0, -10), To: x.today.AddDate(0, 0, 1), Limit: 1000}
	clicks, err := log.Clicks(x.Context(), q)
	if err != nil {
		x.Fatal(err)
	}
	for _, c := range clicks {
		out[fmt.Sprint(c.ID, c.Currency)] = c.Rate.Decimal.String()
	}
	conversions, err := log.Conversions(x.Context(), q)
	if err != nil || len(conversions) == 0 || len(clicks) == 0 {
		x.Fatal(err)
	}
	for _, v := range conversions {
		out[fmt.Sprint(v.ID, v.RecordedAt.UTC().Format(time.DateOnly), v.Currency)] = v.Rate.Decimal.String()
	}
	return out
}

// rated checks that every fact has the rate of its day to the account's currency, and that the change has ended completely.
func (x *exchange) rated(own string) {
	x.Helper()
	const wrong = `SELECT count(*) FROM (
		SELECT (at AT TIME ZONE 'UTC')::date AS day, currency, rate FROM clicks
		UNION ALL SELECT (recorded_at AT TIME ZONE 'UTC')::date, currency, rate FROM conversions
		UNION ALL SELECT day, currency, rate FROM spend
	) f LEFT JOIN account_rates r USING (day, currency)
	WHERE f.rate IS DISTINCT FROM CASE currency WHEN $1 THEN 1 ELSE coalesce(r.rate, 0) END`
	if n := number[int](x, x.db, wrong, own); n != 0 {
		x.Errorf("%d facts do not have the rate of their day to %s", n, own)
	}
	const left = `SELECT (SELECT count(*) FROM currency_changes) + (SELECT count(*) FROM account_rates WHERE restating OR rate IS NULL OR currency = $1)`
	if n := number[int](x, x.db, left, own); n != 0 {
		x.Errorf("%d rows are left of the change to %s", n, own)
	}
	if got := number[string](x, x.db, `SELECT currency FROM accounts`); got != own {
		x.Errorf("the account is in %s", got)
	}
}

// within returns the figures from a day on.
func within(list []string, from time.Time) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s[1:11] < from.Format(time.DateOnly) })
}

// close checks that amounts are equal to within a millionth.
func (x *exchange) close(what string, want, got []string) {
	x.Helper()
	if len(want) != len(got) {
		x.Fatalf("%s: %d groups, want %d", what, len(got), len(want))
	}
	for i := range want {
		a, b := strings.Fields(want[i]), strings.Fields(got[i])
		for j := range a {
			p, err := decimal.NewFromString(a[j])
			q, other := decimal.NewFromString(b[j])
			if same := a[j] == b[j]; !same && (err != nil || other != nil || p.Sub(q).Abs().GreaterThan(decimal.New(1, -6))) {
				x.Fatalf("%s: %s, want %s", what, got[i], want[i])
			}
		}
	}
}

// TestChangeOfCurrencyRefused checks that nothing is changed if the rate of a day is missing, and that the error names the
// missing rate.
func TestChangeOfCurrencyRefused(t *testing.T) {
	t.Parallel()
	x := newExchange(t, 9)
	dbtest.SetRates(t, x.db, "1.25")
	x.arrive(20)
	x.sell(10)
	before := x.figures(x.today.AddDate(0, 0, -10), false)
	for _, one := range [][2]string{{"GBP", "GBP"}, {"EUR", ""}} {
		to, missing := one[0], one[1]
		if _, err := x.db.ExecContext(t.Context(), `DELETE FROM account_rates WHERE rate IS NULL`); err != nil {
			t.Fatal(err)
		}
		e, refused := models.AsError(x.begin(to))
		if refused != (missing != "") || refused && (e.Code != "rate_missing" || !strings.Contains(e.Message, "no rate of "+missing+" on 20")) {
			t.Errorf("to %s: %v", to, e)
		}
		if refused {
			x.same("refused", before, x.figures(x.today.AddDate(0, 0, -10), false))
			if got := number[string](t, x.db, `SELECT currency FROM accounts`); got != "USD" {
				t.Errorf("the account is in %s", got)
			}
			continue
		}
		x.finish(-1, func() {})
	}
}

// TestOlderThanNow checks that open transactions are waited for, and later transactions are not.
func TestOlderThanNow(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	log := clicklog.Log{Conn: d}
	first, err := d.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Rollback()
	if _, err := first.ExecContext(t.Context(), `SELECT 1`); err != nil {
		t.Fatal(err)
	}
	older, err := log.OlderThanNow(t.Context(), nil)
	if err != nil || len(older) != 1 {
		t.Fatal(older, err)
	}
	later, err := d.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer later.Rollback()
	if still, err := log.OlderThanNow(t.Context(), older); err != nil || len(still) != 1 {
		t.Error(still, err)
	}
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	if still, err := log.OlderThanNow(t.Context(), older); err != nil || len(still) != 0 {
		t.Error(still, err)
	}
}
