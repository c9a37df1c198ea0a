package db_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/db"
	"switchyard/db/dbtest"
)

// bounced returns a pool without PgBouncer, and two pools of one PgBouncer: long has a long statement timeout, and short is
// read-only and has a short timeout. These two take turns with PgBouncer's only session.
func bounced(t *testing.T) (direct, long, short *db.DB) {
	t.Helper()
	direct, url := dbtest.NewURL(t)
	url = dbtest.Bouncer(t, url, 1)
	open := func(o db.Options) *db.DB {
		o.Pooler = true
		d, err := db.Open(t.Context(), url, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	return direct, open(db.Options{Name: "long", Statement: 50 * time.Second}),
		open(db.Options{Name: "short", Statement: 3 * time.Second, ReadOnly: true, Serial: true})
}

// TestPoolerSettings checks that each pool has its own settings, whichever pool used the session before.
func TestPoolerSettings(t *testing.T) {
	t.Parallel()
	_, long, short := bounced(t)
	read := func(c db.Conn) string {
		const q = `SELECT concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
			current_setting('jit'), current_setting('timezone'), current_setting('transaction_read_only'),
			current_setting('max_parallel_workers_per_gather'), $1::text)`
		got, err := db.Get[string](t.Context(), c, "settings", q, "x")
		if err != nil {
			t.Error(err)
		}
		return got
	}
	var all sync.WaitGroup
	for range 4 {
		for d, want := range map[*db.DB]string{long: "50s 5s off UTC off", short: "3s 5s off UTC on 0 x"} {
			all.Go(func() {
				for range 10 {
					if got := read(d); !strings.HasPrefix(got, want) {
						t.Errorf("outside: %s, want %s", got, want)
					}
					err := db.Tx(t.Context(), d, func(c db.Conn) error {
						if got := read(c); !strings.HasPrefix(got, want) {
							t.Errorf("in a transaction: %s, want %s", got, want)
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	if _, err := short.ExecContext(t.Context(), `CREATE TABLE refused (n int)`); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("CREATE TABLE in a pool for reading: %v, want an error about a read-only transaction", err)
	}
}

// TestPoolerStatements checks that a statement outside a transaction is committed or undone, that errors of the commit are
// returned, and that the session can be used afterwards, also for transactions.
func TestPoolerStatements(t *testing.T) {
	t.Parallel()
	direct, d, _ := bounced(t)
	ctx := t.Context()
	dbtest.Exec(t, d, `CREATE TABLE things (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)`)
	dbtest.Exec(t, d, `INSERT INTO things VALUES ($1)`, 1)
	dbtest.Exec(t, d, `INSERT INTO things SELECT generate_series(10, 5000)`)
	n, err := db.Get[int](ctx, d, "insert", `INSERT INTO things VALUES ($1) RETURNING n`, 2)
	if n != 2 || err != nil {
		t.Errorf("INSERT ... RETURNING returned %d, %v, want 2", n, err)
	}
	// In "exec", "row" and "rows", a deferred constraint fails at the commit. In "bad" and "late", the statement itself fails, in
	// "late" after it has returned many rows.
	for what, err := range map[string]error{
		"exec": db.Run(ctx, d, "exec", `INSERT INTO things VALUES ($1)`, 1),
		"row":  d.QueryRowContext(ctx, `INSERT INTO things VALUES ($1) RETURNING n`, 1).Scan(&n),
		"rows": func() error {
			_, err := db.Select[int](ctx, d, "rows", `INSERT INTO things VALUES ($1) RETURNING n`, 1)
			return err
		}(),
		"bad": db.Run(ctx, d, "bad", `INSERT INTO nothing VALUES ($1)`, 1),
		"late": func() error {
			_, err := db.Select[int](ctx, d, "late", `SELECT 1/(n-$1) FROM things ORDER BY n`, 4000)
			return err
		}(),
	} {
		if err == nil {
			t.Errorf("%s: the statement returned no error", what)
		}
	}
	brief, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	if _, err := d.ExecContext(brief, `SELECT pg_sleep($1)`, 60); err == nil {
		t.Error("a statement outlasted its context")
	}
	cancel()
	rows, err := d.QueryContext(ctx, `SELECT n FROM things WHERE n > $1`, 0) // closed before all rows are read
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.PrepareContext(ctx, `SELECT 1`); err == nil {
		t.Error("a statement was prepared outside a transaction")
	}
	err = db.Tx(ctx, d, func(c db.Conn) error {
		return db.CopyIn(ctx, c, "things", "n", func(yield func([]any) bool) { _ = yield([]any{7000}) && yield([]any{7001}) })
	})
	if err != nil {
		t.Error(err)
	}
	rollback := errors.New("roll back")
	if err := db.Tx(ctx, d, func(c db.Conn) error {
		if _, err := c.ExecContext(ctx, `DELETE FROM things`); err != nil {
			return err
		}
		return rollback
	}); !errors.Is(err, rollback) {
		t.Error(err)
	}
	var got []int
	if err := direct.SelectContext(ctx, &got, `SELECT n FROM things WHERE n < 10 OR n > 5000 ORDER BY n`); err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 2, 7000, 7001}; !slices.Equal(got, want) {
		t.Errorf("stored %v, want %v", got, want)
	}
	if err := db.Snapshot(ctx, d, func(c db.Conn) error {
		level, err := db.Get[string](ctx, c, "level", `SHOW transaction_isolation`)
		if level != "repeatable read" {
			t.Errorf("a snapshot has the isolation level %s, want repeatable read", level)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestPoolerNotConfigured checks the error of Open for a PgBouncer without Options.Pooler.
func TestPoolerNotConfigured(t *testing.T) {
	t.Parallel()
	_, url := dbtest.NewURL(t)
	d, err := db.Open(t.Context(), dbtest.Bouncer(t, url, 1), db.Options{})
	if err == nil {
		_ = d.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "DATABASE_DIRECT_URL") {
		t.Errorf("opening a PgBouncer: %v, want an error that names DATABASE_DIRECT_URL", err)
	}
}
