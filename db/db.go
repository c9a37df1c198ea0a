// Package db is the way to PostgreSQL: opening it, transactions, migrations, notifications and the few error codes
// of the server that mean something to a client. Its sub-packages hold all SQL and all Redis data of the service.
package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Conn is what a query runs on: the pool or a transaction. A store method takes it, so that the same method works
// in and out of a transaction.
type Conn = sqlx.ExtContext

// DB is the pool of connections to PostgreSQL.
type DB struct{ *sqlx.DB }

// Options of a pool.
type Options struct {
	MaxConns int    // default 20
	Name     string // application_name, so that an operator sees who holds a connection
}

// settings are those of every session that the URL does not set. Statements are not compiled (jit): for reports over
// millions of rows that takes several times as long as it saves.
var settings = map[string]string{"timezone": "UTC", "lock_timeout": "5s", "statement_timeout": "60s", "jit": "off"}

// Open connects to PostgreSQL and pings it once. Sessions run in UTC, give up a lock after 5 seconds and a
// statement after 60, so that no request waits for ever.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	d, err := OpenLazy(url, o)
	if err != nil {
		return nil, err
	}
	if err := d.PingContext(ctx); err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("db: open: %w; is PostgreSQL running, and DATABASE_URL right?", err)
	}
	return d, nil
}

// OpenLazy makes the pool without connecting, for a process that must start while PostgreSQL is down.
func OpenLazy(url string, o Options) (*DB, error) {
	cfg, err := pq.NewConfig(url)
	if err != nil {
		return nil, fmt.Errorf("db: DATABASE_URL: %w", err)
	}
	if o.Name != "" {
		cfg.ApplicationName = o.Name
	}
	if cfg.Runtime == nil {
		cfg.Runtime = map[string]string{}
	}
	for k, v := range settings {
		if _, set := cfg.Runtime[k]; !set {
			cfg.Runtime[k] = v
		}
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	connector, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("db: DATABASE_URL: %w", err)
	}
	pool := sql.OpenDB(connector)
	if o.MaxConns == 0 {
		o.MaxConns = 20
	}
	pool.SetMaxOpenConns(o.MaxConns)
	pool.SetMaxIdleConns(o.MaxConns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return &DB{sqlx.NewDb(pool, "postgres")}, nil
}

// Tx runs fn in a transaction and commits when fn returns nil. On a Conn that is a transaction already, fn runs
// under a savepoint: its failure undoes only what fn did, and the outer transaction can go on.
func Tx(ctx context.Context, c Conn, fn func(Conn) error) error {
	switch c := c.(type) {
	case *DB:
		return begin(ctx, c, fn)
	case *sqlx.Tx:
		return savepoint(ctx, c, fn)
	}
	return fmt.Errorf("db: cannot start a transaction on %T", c)
}

func begin(ctx context.Context, d *DB, fn func(Conn) error) error {
	tx, err := d.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("db: begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing, after an error there is nobody to tell
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("db: commit: %w", err)
	}
	return nil
}

// savepoint nests by name: PostgreSQL keeps savepoints of one name on a stack, so one name serves all depths.
func savepoint(ctx context.Context, tx *sqlx.Tx, fn func(Conn) error) error {
	if _, err := tx.ExecContext(ctx, `SAVEPOINT nested`); err != nil {
		return fmt.Errorf("db: savepoint: %w", err)
	}
	err := fn(tx)
	end := `RELEASE SAVEPOINT nested`
	if err != nil {
		end = `ROLLBACK TO SAVEPOINT nested; RELEASE SAVEPOINT nested`
	}
	if _, endErr := tx.ExecContext(context.WithoutCancel(ctx), end); endErr != nil {
		return errors.Join(err, fmt.Errorf("db: savepoint: %w", endErr))
	}
	return err
}

// UniqueViolation names the constraint that a write ran into, or "" when err is something else.
func UniqueViolation(err error) string {
	if e, ok := errors.AsType[*pq.Error](err); ok && e.Code == "23505" {
		return e.Constraint
	}
	return ""
}

// BadData tells whether PostgreSQL refused the values themselves (classes 22 and 23: a text that is not valid
// UTF-8, a number out of range, a broken constraint), so that trying again cannot help.
func BadData(err error) bool {
	e, ok := errors.AsType[*pq.Error](err)
	return ok && (e.Code.Class() == "22" || e.Code.Class() == "23" || e.Code == "54000")
}

// lockTimedOut tells whether a statement gave up a lock that others hold.
func lockTimedOut(err error) bool {
	e, ok := errors.AsType[*pq.Error](err)
	return ok && e.Code == "55P03"
}

// Unavailable tells whether err means that PostgreSQL cannot be reached or is going away, so that the same call
// may succeed later.
func Unavailable(err error) bool {
	if errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	e, ok := errors.AsType[*pq.Error](err)
	return ok && (e.Code.Class() == "57" || e.Code.Class() == "08" || e.Code.Class() == "53")
}

// NoRows tells whether err says that a query found nothing.
func NoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
