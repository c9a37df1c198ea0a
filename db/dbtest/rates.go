package dbtest

import (
	"testing"

	"switchyard/db"
)

const fillRates = `
INSERT INTO currency_rates (base, currency, day, rate, source)
SELECT 'EUR', 'USD', day, $1, 'file' FROM generate_series('2026-09-01'::date, current_date + 2, interval '1 day') AS s (day)
ON CONFLICT DO NOTHING`

// SetRates sets the value of one euro in dollars for each day from 2026-09-01 to the day after tomorrow. Existing rates stay.
func SetRates(tb testing.TB, d *db.DB, dollars string) {
	tb.Helper()
	if _, err := d.ExecContext(tb.Context(), fillRates, dollars); err != nil {
		tb.Fatalf("dbtest: rates: %v", err)
	}
}
