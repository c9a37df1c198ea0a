// Package db opens PostgreSQL and contains what its sub-packages share: transactions, queries, migrations, notifications and
// error codes. All SQL of the service, and all code that uses Redis as a store, is in db and its sub-packages.
package db

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// Conn runs queries. It is the pool or a transaction.
type Conn = sqlx.ExtContext

// DB is the pool of connections to PostgreSQL.
type DB struct{ *sqlx.DB }

// Options of a pool.
type Options struct {
	MaxConns  int           // default 20
	Name      string        // application_name, for operators
	Statement time.Duration // maximum duration of a statement; default 60 seconds
	Serial    bool          // PostgreSQL uses one process for a statement, never several
	ReadOnly  bool          // statements that write are refused
	// Pooler is set if the URL leads to a pooler such as PgBouncer in transaction mode. Features that need a session do not work
	// then: Listen, the locks of db/advisory, migrations.
	Pooler bool
	// Replica is used instead of the URL's server while it is up to date. It needs ReadOnly.
	Replica    *Replica
	ReplicaURL string
}

// settings returns the session settings that the URL may override. jit is off, because compiling a statement costs several times
// more time than it saves, even for a report over millions of rows.
func (o Options) settings() map[string]string {
	all := map[string]string{"lock_timeout": "5000", "jit": "off"}
	all["statement_timeout"] = strconv.FormatInt(cmp.Or(o.Statement, time.Minute).Milliseconds(), 10)
	if o.Serial {
		all["max_parallel_workers_per_gather"] = "0"
	}
	if o.ReadOnly {
		all["default_transaction_read_only"] = "on"
	}
	return all
}

// Open connects to PostgreSQL and pings it once. Sessions run in UTC. They give up on a lock after 5 seconds and on a statement
// after the time in the options. The URL may set other values.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	d, err := OpenLazy(url, o)
	if err != nil {
		return nil, err
	}
	if err := d.Check(ctx); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// Check pings PostgreSQL. Its errors suggest what to change in the settings.
func (d *DB) Check(ctx context.Context) error {
	err := d.PingContext(ctx)
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "unsupported startup parameter"):
		return fmt.Errorf("db: open: %w; if DATABASE_URL leads to PgBouncer, let DATABASE_DIRECT_URL lead to PostgreSQL itself", err)
	case errors.Is(err, pq.ErrSSLNotSupported):
		return fmt.Errorf("db: open: %w; add sslmode=disable to the query of DATABASE_URL if the network to the server is safe", err)
	}
	return fmt.Errorf("db: open: %w; is PostgreSQL running, and DATABASE_URL right?", err)
}

// OpenLazy creates the pool without connecting, so that a process can start while PostgreSQL is down.
func OpenLazy(url string, o Options) (*DB, error) {
	connector, err := o.connector(url)
	if err != nil {
		return nil, fmt.Errorf("db: DATABASE_URL: %w", err)
	}
	if o.Replica != nil {
		replica, err := o.connector(o.ReplicaURL)
		if err != nil {
			return nil, fmt.Errorf("db: DATABASE_READ_URL: %w", err)
		}
		connector = readers{connector, replica, o.Replica}
	}
	pool := sql.OpenDB(connector)
	o.MaxConns = cmp.Or(o.MaxConns, 20)
	pool.SetMaxOpenConns(o.MaxConns)
	pool.SetMaxIdleConns(o.MaxConns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return &DB{sqlx.NewDb(pool, "postgres")}, nil
}

func (o Options) connector(url string) (driver.Connector, error) {
	cfg, err := pq.NewConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.ApplicationName = cmp.Or(o.Name, cfg.ApplicationName)
	cfg.ConnectTimeout = cmp.Or(cfg.ConnectTimeout, 5*time.Second)
	if cfg.Runtime == nil {
		cfg.Runtime = map[string]string{}
	}
	cfg.Runtime["timezone"] = cmp.Or(cfg.Runtime["timezone"], "UTC")
	settings := o.settings()
	for name, value := range settings {
		if inURL, set := cfg.Runtime[name]; set {
			settings[name] = inURL
		} else if !o.Pooler {
			cfg.Runtime[name] = value
		}
	}
	if !o.Pooler {
		return pq.NewConnectorConfig(cfg)
	}
	var each strings.Builder // statements that run at the start of each transaction
	for name, value := range settings {
		delete(cfg.Runtime, name) // PgBouncer refuses a connection that sends settings unknown to it
		fmt.Fprintf(&each, "SET LOCAL %s = %s; ", name, pq.QuoteLiteral(value))
	}
	connector, err := pq.NewConnectorConfig(cfg)
	return pooled{connector, each.String(), o.ReadOnly}, err
}

// Tx runs fn in a transaction, and commits if fn returns nil. If c is already a transaction, fn runs under a savepoint, and an
// error undoes only the changes of fn.
func Tx(ctx context.Context, c Conn, fn func(Conn) error) error {
	switch c := c.(type) {
	case *DB:
		return begin(ctx, c, nil, fn)
	case *sqlx.Tx:
		return savepoint(ctx, c, fn)
	}
	return fmt.Errorf("db: cannot start a transaction on %T", c)
}

// Snapshot runs fn in a read-only transaction. All its statements see the data as of the first one. If c is already a
// transaction, fn runs in it without these guarantees.
func Snapshot(ctx context.Context, c Conn, fn func(Conn) error) error {
	if d, ok := c.(*DB); ok {
		return begin(ctx, d, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, fn)
	}
	return fn(c)
}

func begin(ctx context.Context, d *DB, o *sql.TxOptions, fn func(Conn) error) error {
	tx, err := d.BeginTxx(ctx, o)
	if err != nil {
		return fmt.Errorf("db: begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a failure, the caller gets the first error
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("db: commit: %w", err)
	}
	return nil
}

// savepoint runs fn under a savepoint. One name serves all depths, because savepoints are a stack.
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

// UniqueViolation returns the name of the unique constraint that a write violated. It returns "" for any other error.
func UniqueViolation(err error) string {
	if e := pq.As(err, pqerror.UniqueViolation); e != nil {
		return e.Constraint
	}
	return ""
}

func hasClass(err error, classes ...pqerror.Class) bool {
	e := pq.As(err)
	return e != nil && slices.Contains(classes, e.Code.Class())
}

// BadData reports whether PostgreSQL refused the values themselves, so that a retry cannot help. Examples are invalid UTF-8 and
// violated constraints.
func BadData(err error) bool {
	return hasClass(err, pqerror.ClassDataException, pqerror.ClassIntegrityConstraintViolation) ||
		pq.As(err, pqerror.ProgramLimitExceeded) != nil
}

// Unavailable reports whether the same call may succeed later: PostgreSQL cannot be reached, is shutting down or lacks resources,
// or a time limit ended. A replica that cancels a statement, because the statement blocks its replay, returns the code of a
// serialization failure. This code has almost no other cause here.
func Unavailable(err error) bool {
	if errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return hasClass(err, pqerror.ClassOperatorIntervention, pqerror.ClassConnectionException, pqerror.ClassInsufficientResources) ||
		pq.As(err, pqerror.LockNotAvailable, pqerror.TRSerializationFailure) != nil
}
