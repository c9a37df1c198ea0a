package exchangerate_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	dbrates "switchyard/db/exchangerate"
	"switchyard/db/jobrow"
	"switchyard/db/spend"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
)

// TestChangeCurrency checks that the job waits for transactions in the former currency and continues where an attempt was cut
// off.
func TestChangeCurrency(t *testing.T) {
	t.Parallel()
	b := newEnv(t, "")
	today := time.Now().UTC().Truncate(24 * time.Hour)
	if err := db.Tx(t.Context(), b.db, func(c db.Conn) error {
		_, err := dbrates.Save(t.Context(), c, []models.Rate{
			{Day: time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), Currency: "USD", Rate: decimal.New(125, -2), Source: models.RatesOfFile},
			{Day: today, Currency: "USD", Rate: decimal.New(2, 0), Source: models.RatesOfFile},
		}, !replace)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	b.arrive(b.now, 10)
	const state = `SELECT concat_ws(' ', (SELECT trim_scale(sum(cost)) FROM ledger), (SELECT trim_scale(sum(cost * rate)) FROM clicks),
		(SELECT count(*) FROM account_rates WHERE restating), (SELECT count(*) FROM currency_changes), (SELECT currency FROM accounts))`
	// Ten clicks at 0.5 euros each, at a rate of 1.25.
	if got := dbtest.Get[string](b.T, b.db, state); got != "6.25 6.25 0 0 USD" {
		t.Fatalf("before the change: %s", got)
	}
	older, err := b.db.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer older.Rollback()
	dbtest.Exec(t, older, `SELECT currency FROM accounts`)
	row, err := jobs.ChangeCurrency.NewRow(b.account, jobs.ChangeCurrencyArgs{From: "USD", To: "EUR"})
	if err == nil {
		err = db.Tx(t.Context(), b.db, func(c db.Conn) error {
			if _, err := spend.BeginCurrency(t.Context(), click.Log{}, c, b.account, "EUR", row.ID); err != nil {
				return err
			}
			return jobrow.Insert(t.Context(), c, row)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	b.cut = 4 // the fourth batch is cut off, after one batch of spend and two of clicks
	b.mu.Unlock()
	b.client.DispatchFor(t.Context(), b.account, row.Kind, row.ID)
	await.Until(t, "the job runs", func() bool { return dbtest.Get[string](b.T, b.db, `SELECT state FROM jobs`) == "running" })
	if got := dbtest.Get[string](b.T, b.db, `SELECT args->>'found' IS NULL FROM jobs`); got != "true" {
		t.Error("the job did not wait for the older transaction")
	}
	// The older transaction still changes a click in the former currency: it adds one dollar.
	dbtest.Exec(t, older, `INSERT INTO ledger SELECT (jsonb_populate_record(l, '{"cost": 1}')).* FROM ledger l LIMIT 1`)
	dbtest.Exec(t, older, `UPDATE clicks SET currency = 'USD', rate = 1, cost = cost * 1.25 + 1
		WHERE id = (SELECT min(id::text)::uuid FROM clicks)`)
	if err := older.Commit(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the job has ended", func() bool { return dbtest.Get[string](b.T, b.db, `SELECT state FROM jobs`) == "done" })
	// The 5 euros of the ten clicks, and the dollar of the older transaction.
	if got := dbtest.Get[string](b.T, b.db, state); got != "5.8 5.8 0 0 EUR" {
		t.Errorf("after the change: %s", got)
	}
	if got := dbtest.Get[string](b.T, b.db, `SELECT attempts::text FROM jobs`); got != "2" {
		t.Errorf("%s attempts, want 2, because the first one is cut off", got)
	}
}
