package clicktest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/report"
	"switchyard/db/spend"
	"switchyard/models"
)

// FromLedger and FromRows are the values of the parameter `rows` of Figures.
const (
	FromLedger = false
	FromRows   = true
)

// Figures returns the figures since a moment, of the rows or of the ledger, by day, campaign and source.
func (x *MoneyEnv) Figures(from time.Time, rows bool) []string {
	x.Helper()
	list, err := report.Reader{Conn: x.DB}.Performance(x.Context(), report.Query{
		AccountID: x.Account, From: from, To: x.Today.AddDate(0, 0, 1), Dimensions: []string{"date", "campaign_id", "source_id"}, FromRows: rows,
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

// CheckSame checks that two lists of figures are equal.
func (x *MoneyEnv) CheckSame(what string, want, got []string) {
	x.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		x.Fatalf("%s: %s", what, diff)
	}
}

// BeginChange starts the change of the account's currency.
func (x *MoneyEnv) BeginChange(to string) error {
	return db.Tx(x.Context(), x.DB, func(c db.Conn) error {
		_, err := spend.BeginCurrency(x.Context(), click.Log{}, c, x.Account, to, uuid.New())
		return err
	})
}

// AllSteps makes RunChange and Restate run until the end.
const AllSteps = -1

// RunChange runs transactions of the job that changes the currency: at most as many as steps says, or all for AllSteps. After
// every transaction it calls the callback. It reports whether the change has ended.
func (x *MoneyEnv) RunChange(steps int, each func()) bool {
	x.Helper()
	k, open, err := exchangerate.FindChange(x.Context(), x.DB, x.Account)
	if err != nil || !open {
		x.Fatal("no change is open", err)
	}
	step := func(fn func(db.Conn) error) bool {
		if steps == 0 {
			return false
		}
		steps--
		x.Tx(fn)
		each()
		return true
	}
	log := click.Log{Conn: x.DB}
	if !step(func(c db.Conn) error { return spend.RecordKeysToRestate(x.Context(), c, k) }) {
		return false
	}
	keys, err := exchangerate.KeysToRestate(x.Context(), x.DB, x.Account)
	if err != nil {
		x.Fatal(err)
	}
	for _, key := range keys {
		r := spend.Restatement{Key: key, Kept: k.Kept}
		for done := false; !done; {
			if !step(func(c db.Conn) (err error) { done, err = spend.Restate(x.Context(), log, c, &r, 7); return err }) {
				return false
			}
		}
	}
	archive := func(c db.Conn) error { return spend.RestateArchive(x.Context(), c, x.Account) }
	if !step(archive) {
		return false
	}
	return step(archive) && // repeating the step changes nothing
		step(func(c db.Conn) error {
			return spend.RestateOrphaned(x.Context(), c, k, x.Today.AddDate(0, 0, -30), x.Today.AddDate(0, 0, 1))
		}) && step(func(c db.Conn) error { return exchangerate.EndChange(x.Context(), c, k) })
}

// Archive deletes clicks before a day, so that their figures are only in the ledger.
func (x *MoneyEnv) Archive(kept time.Time) {
	x.Helper()
	for _, q := range []string{
		`INSERT INTO click_history (account_id, kept_from, deleted_to, announced_at) VALUES ($1, $2, $2, now()) ON CONFLICT DO NOTHING`,
		`DELETE FROM clicks WHERE account_id = $1 AND at < $2`,
	} {
		dbtest.Exec(x, x.DB, q, x.Account, kept)
	}
	x.Clicks = slices.DeleteFunc(x.Clicks, func(c *models.Click) bool { return models.ClickTime(c.ID).Before(kept) })
}

// Logged returns the rates in the logs of clicks and conversions, by id, currency and, for conversions, day.
func (x *MoneyEnv) Logged() map[string]string {
	x.Helper()
	out, log := map[string]string{}, click.Log{Conn: x.DB}
	q := click.LogQuery{AccountID: x.Account, From: x.Today.AddDate(0, 0, -10), To: x.Today.AddDate(0, 0, 1), Limit: 1000}
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

// CheckRates checks that every fact has the rate of its day from its currency to the account's currency, and that no rows of
// the change remain.
func (x *MoneyEnv) CheckRates(currency string) {
	x.Helper()
	const wrong = `SELECT count(*) FROM (
		SELECT (at AT TIME ZONE 'UTC')::date AS day, currency, rate FROM clicks
		UNION ALL SELECT (recorded_at AT TIME ZONE 'UTC')::date, currency, rate FROM conversions
		UNION ALL SELECT day, currency, rate FROM spend
	) f LEFT JOIN account_rates r USING (day, currency)
	WHERE f.rate IS DISTINCT FROM CASE currency WHEN $1 THEN 1 ELSE coalesce(r.rate, 0) END`
	if n := dbtest.Get[int](x, x.DB, wrong, currency); n != 0 {
		x.Errorf("%d facts do not have the rate of their day to %s", n, currency)
	}
	const left = `SELECT (SELECT count(*) FROM currency_changes) + (SELECT count(*) FROM account_rates WHERE restating OR rate IS NULL OR currency = $1)`
	if n := dbtest.Get[int](x, x.DB, left, currency); n != 0 {
		x.Errorf("%d rows of the change to %s remain", n, currency)
	}
	if got := dbtest.Get[string](x, x.DB, `SELECT currency FROM accounts`); got != currency {
		x.Errorf("the account still has the currency %s", got)
	}
}

// Within returns the figures from a day on.
func Within(list []string, from time.Time) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s[1:11] < from.Format(time.DateOnly) })
}

// CheckClose checks that amounts differ by at most a millionth.
func (x *MoneyEnv) CheckClose(what string, want, got []string) {
	x.Helper()
	if len(want) != len(got) {
		x.Fatalf("%s: %d groups, want %d", what, len(got), len(want))
	}
	for i := range want {
		a, b := strings.Fields(want[i]), strings.Fields(got[i])
		for j := range a {
			if a[j] == b[j] {
				continue
			}
			p, err := decimal.NewFromString(a[j])
			q, otherErr := decimal.NewFromString(b[j])
			if err != nil || otherErr != nil || p.Sub(q).Abs().GreaterThan(decimal.New(1, -6)) {
				x.Fatalf("%s: %s, want %s", what, got[i], want[i])
			}
		}
	}
}
