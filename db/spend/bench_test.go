package spend_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/ingest"
	"switchyard/db/spend"
	"switchyard/db/spool"
)

// BenchmarkChangeCurrency changes the currency of a large account. It measures how many clicks per second are converted to the
// new currency (restated).
func BenchmarkChangeCurrency(b *testing.B) {
	const clicks, batch = 100_000, 1000
	d := dbtest.New(b)
	acc, campaigns := clicktest.Account(b, d), []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New(), uuid.New()}
	s, err := spool.Open(b.TempDir(), spool.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var writers sync.WaitGroup
	for range 50 {
		writers.Go(func() {
			for range clicks / 50 {
				if err := s.Append(b.Context(), spool.Record{Click: clicktest.Realistic(acc, campaigns)}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	writers.Wait()
	clicktest.Drain(b, s, d, ingest.Options{})
	dbtest.Exec(b, d, `INSERT INTO currency_rates (base, currency, day, rate, source)
		VALUES ('EUR', 'USD', current_date - 1, 1.25, 'file')`)
	log, currencies := click.Log{Conn: d}, []string{"EUR", "USD"}
	inTx := func(do func(c db.Conn) error) {
		if err := db.Tx(b.Context(), d, do); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for b.Loop() {
		inTx(func(c db.Conn) error {
			_, err := spend.BeginCurrency(b.Context(), log, c, acc, currencies[n%2], uuid.New())
			return err
		})
		change, _, err := exchangerate.FindChange(b.Context(), d, acc)
		if err != nil {
			b.Fatal(err)
		}
		inTx(func(c db.Conn) error { return spend.RecordKeysToRestate(b.Context(), c, change) })
		keys, err := exchangerate.KeysToRestate(b.Context(), d, acc)
		if err != nil {
			b.Fatal(err)
		}
		for _, key := range keys {
			r := spend.Restatement{Key: key, Kept: change.Kept}
			for done := false; !done; {
				inTx(func(c db.Conn) (err error) {
					done, err = spend.Restate(b.Context(), log, c, &r, batch)
					return err
				})
			}
		}
		inTx(func(c db.Conn) error { return exchangerate.EndChange(b.Context(), c, change) })
		n++
	}
	// After an even number of changes the account is in dollars again, so the rate of its clicks is 1. After an odd number it is in
	// euros: 1/1.25 = 0.8.
	if wrong := dbtest.Get[int](b, d, `SELECT count(*) FROM clicks WHERE rate <> CASE WHEN $1 % 2 = 0 THEN 1 ELSE 0.8 END`, n); wrong > 0 {
		b.Errorf("%d clicks have the wrong rate", wrong)
	}
	b.ReportMetric(float64(n*clicks)/b.Elapsed().Seconds(), "clicks/s")
}
