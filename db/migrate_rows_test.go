package db_test

import (
	"testing"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/migrations"
)

// TestFiguresOfEarlierDays checks that migration 0175 fills source_figures with the spend of earlier days that were read from a
// platform, except days that already have figures.
func TestFiguresOfEarlierDays(t *testing.T) {
	t.Parallel()
	d := dbtest.NewEmpty(t)
	p, err := db.MigrationsOf(d, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), 174); err != nil {
		t.Fatal(err)
	}
	const account, source = `'00000000-0000-0000-0000-00000000000a'`, `'00000000-0000-0000-0000-00000000000b'`
	dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES (`+account+`, 'a', 'pro', `+account+`)`)
	dbtest.Exec(t, d, `INSERT INTO traffic_sources (id, account_id, name) VALUES (`+source+`, `+account+`, 's')`)
	dbtest.Exec(t, d, `INSERT INTO spend (account_id, day, source_id, campaign_id, amount, currency, clicks, alone)
		SELECT `+account+`, date '2026-01-01' + n, `+source+`, gen_random_uuid(), n, 'EUR', n, true FROM generate_series(0, 499) n, generate_series(1, 2)`)
	dbtest.Exec(t, d, `INSERT INTO source_spend_days (source_id, day, account_id, clicks)
		SELECT `+source+`, date '2026-01-01' + n, `+account+`, 1 FROM generate_series(0, 449) n`)
	dbtest.Exec(t, d, `INSERT INTO source_figures (source_id, day, campaign_id, account_id, amount, currency)
		VALUES (`+source+`, '2026-01-08', gen_random_uuid(), `+account+`, 1000, 'EUR')`)
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]int{
		`true`:                                 2*449 + 1, // one campaign on 2026-01-08, and two on each of the 449 other days
		`day = '2026-01-08'`:                   1,
		`day > date '2026-01-01' + 449`:        0,
		`amount = clicks AND currency = 'EUR'`: 2 * 449,
	} {
		var n int
		err := d.GetContext(t.Context(), &n, `SELECT count(*) FROM source_figures WHERE `+where)
		if err != nil || n != want {
			t.Errorf("%s: %d, want %d, %v", where, n, want, err)
		}
	}
}
