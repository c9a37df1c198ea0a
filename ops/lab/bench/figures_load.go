package bench

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/ledger"
	"switchyard/models"
)

const (
	day        = 24 * time.Hour
	weekDays   = 7
	weekClicks = weekDays * 285_715 // 2,000,005: the default of Options.Clicks
	longClicks = 30_000             // number of exported clicks with long values: about as many as fit into a file
)

var (
	//go:embed figures/clicks.sql
	insertClicks string
	//go:embed figures/bare.sql
	insertBare string
	//go:embed figures/conversions.sql
	insertConversions string
	//go:embed figures/ledger.sql
	insertLedger string
)

const ident = `CREATE FUNCTION pg_temp.ident(kind text, n int) RETURNS uuid LANGUAGE sql IMMUTABLE
AS $$ SELECT md5(kind || n)::uuid $$`

// load inserts clicks and conversions by SQL, with the ledger deltas that the service would have written. The clicks with few
// values (insertBare) get no deltas.
func (w *week) load(ctx context.Context) error {
	w.logf("storing %d clicks", w.clicks)
	for n := -1; n < weekDays; n++ {
		if err := (click.Log{Conn: w.d}).EnsurePartition(ctx, w.start.AddDate(0, 0, n)); err != nil {
			return err
		}
	}
	days := make(chan time.Time, weekDays)
	for n := range weekDays {
		days <- w.start.AddDate(0, 0, n)
	}
	close(days)
	const hands = 2
	failed := make(chan error, hands)
	for range hands {
		go func() { failed <- w.storeDays(ctx, days) }()
	}
	for range hands {
		if err := <-failed; err != nil {
			return err
		}
	}
	w.logf("stored; adding up the ledger")
	for _, step := range []struct {
		query string
		args  []any
	}{
		{insertConversions, []any{w.account}},
		{insertLedger, []any{w.account}},
		{insertBare, []any{w.account, w.start.AddDate(0, 0, -1), models.MaxExportRows}},
		{"VACUUM ANALYZE clicks", nil},
		{"ANALYZE conversions", nil},
	} {
		if _, err := w.d.ExecContext(ctx, step.query, step.args...); err != nil {
			return fmt.Errorf("bench: load: %w", err)
		}
	}
	return w.compact(ctx)
}

func (w *week) storeDays(ctx context.Context, days <-chan time.Time) error {
	for at := range days {
		if err := storeDay(ctx, w.d, w.account, at, w.clicks/weekDays); err != nil {
			return err
		}
	}
	return nil
}

func storeDay(ctx context.Context, d *db.DB, account uuid.UUID, at time.Time, clicks int) error {
	err := db.Tx(ctx, d, func(c db.Conn) error {
		if _, err := c.ExecContext(ctx, `DROP FUNCTION IF EXISTS pg_temp.ident`); err != nil {
			return err
		}
		if _, err := c.ExecContext(ctx, ident); err != nil {
			return err
		}
		_, err := c.ExecContext(ctx, insertClicks, account, at, clicks)
		return err
	})
	if err != nil {
		return fmt.Errorf("bench: clicks: %w", err)
	}
	return nil
}

// StoreDay stores the given number of clicks of an account on the day that begins at the given moment, with the ledger rows
// that the ingester would have written. The account must not have other clicks.
func StoreDay(ctx context.Context, d *db.DB, account uuid.UUID, at time.Time, clicks int) error {
	if err := (click.Log{Conn: d}).EnsurePartition(ctx, at); err != nil {
		return err
	}
	if err := storeDay(ctx, d, account, at, clicks); err != nil {
		return err
	}
	if _, err := d.ExecContext(ctx, insertLedger, account); err != nil {
		return fmt.Errorf("bench: ledger: %w", err)
	}
	return nil
}

func (w *week) compact(ctx context.Context) error {
	const hours = 1000
	for n := hours; n == hours; {
		var err error
		if n, err = ledger.Compact(ctx, w.d, time.Now(), hours); err != nil {
			return err
		}
	}
	for _, table := range []string{"ledger", "ledger_rollups"} {
		if _, err := w.d.ExecContext(ctx, "VACUUM ANALYZE "+table); err != nil {
			return fmt.Errorf("bench: load: %w", err)
		}
	}
	tables := []string{"ledger"}
	for _, r := range ledger.Rollups {
		tables = append(tables, "ledger_rollups_"+r.Name)
	}
	for _, table := range tables {
		var rows, bytes int
		err := w.d.QueryRowContext(ctx, "SELECT count(*), pg_relation_size($1) FROM "+table, table).Scan(&rows, &bytes)
		if err != nil {
			return fmt.Errorf("bench: load: %w", err)
		}
		w.logf("%s: %d rows, %d MB", table, rows, bytes>>20)
	}
	return nil
}
