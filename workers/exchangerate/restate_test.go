package exchangerate_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/dbtest"
	dbrates "switchyard/db/exchangerate"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
)

// arrive stores n clicks of 0.5 euros each, an hour before now.
func (b *env) arrive(now time.Time, n int) {
	b.Helper()
	s, err := spool.Open(b.TempDir(), spool.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for range n {
		c := models.Click{AccountID: b.account, CampaignID: uuid.New(), Currency: "EUR", Cost: decimal.New(5, -1)}
		c.ID = models.NewClickID()
		floor := models.FloorClickID(now.Add(-time.Hour))
		copy(c.ID[:6], floor[:6])
		if err := s.Append(b.Context(), spool.Record{Click: &c}); err != nil {
			b.Fatal(err)
		}
	}
	if err := ingest.NewIngester(s, b.db, ingest.Options{}).Drain(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// TestRestate: amounts that came before their rate are converted when the rate arrives, even if a job is cut off, and again when
// the operator replaces the rate.
func TestRestate(t *testing.T) {
	t.Parallel()
	b := newEnv(t, "")
	b.days = []string{"2026-03-05 USD=1.1"}
	now := b.now
	b.arrive(now, 10)
	const (
		state = `SELECT concat_ws(' ', (SELECT trim_scale(sum(cost)) FROM ledger), (SELECT trim_scale(sum(cost * rate)) FROM clicks),
			(SELECT count(*) FROM clicks WHERE rate IS NULL), (SELECT count(*) FROM account_rates WHERE restating OR rate IS NULL))`
		part = `SELECT (sum(cost) > 0)::text FROM ledger`
	)
	updateRates := func(after time.Duration) {
		t.Helper()
		now = now.Add(after)
		b.mu.Lock()
		b.now = now
		b.mu.Unlock()
		b.run(jobs.UpdateRates, now)
	}
	updateRates(time.Minute)
	if got := dbtest.Get[string](b.T, b.db, state); got != "0 10 1" {
		t.Errorf("without a rate: %s", got)
	}
	if got := b.fetchAt(now.Format(time.DateTime), nil); len(got) != 1 { // amounts without a rate cause a request
		t.Errorf("the bank was asked for %v, want one document", got)
	}
	b.mu.Lock()
	b.cut = 4 // the fourth batch is cut off, after spend and two batches of clicks
	b.mu.Unlock()
	updateRates(time.Minute)
	await.Until(t, "a part is converted", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.cut == 0 && dbtest.Get[string](b.T, b.db, part) == "true"
	})
	if got := dbtest.Get[string](b.T, b.db, state); got != "3.3 3.3 4 1" {
		t.Errorf("after the job was cut off: %s, want 3.3 3.3 4 1", got)
	}
	updateRates(6 * time.Minute)
	await.Until(t, "all is converted", func() bool { return dbtest.Get[string](b.T, b.db, state) == "5.5 5.5 0 0" })
	updateRates(time.Minute)
	list := []models.Rate{{Day: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), Currency: "USD", Rate: decimal.New(3, 0), Source: models.RatesOfFile}}
	save := func(replace bool) {
		t.Helper()
		if err := db.Tx(t.Context(), b.db, func(c db.Conn) error {
			_, err := dbrates.Save(t.Context(), c, list, replace)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	list[0].Day = list[0].Day.AddDate(0, 0, 2) // the day of the clicks, which were converted by the rate of the day before
	save(false)
	updateRates(6 * time.Minute)
	if got := dbtest.Get[string](b.T, b.db, state); got != "5.5 5.5 0 0" {
		t.Errorf("after a rate of the clicks' own day arrived: %s, want no change", got)
	}
	list[0].Rate = decimal.New(2, 0)
	save(true)
	updateRates(6 * time.Minute)
	await.Until(t, "all is converted with the operator's rate", func() bool { return dbtest.Get[string](b.T, b.db, state) == "10 10 0 0" })
}
