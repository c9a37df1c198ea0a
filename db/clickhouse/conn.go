package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Conn is a database of a ClickHouse server: a columnar.Store.
type Conn struct {
	conn    driver.Conn
	backoff time.Duration // before the first repetition
}

const (
	dialTimeout  = 5 * time.Second
	readTimeout  = time.Minute // without a byte of an answer
	maxConns     = 8
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = 2 * time.Second
)

// Open opens the database of a URL: clickhouse://user:password@host:9000/name, or http and https with the port of the HTTP
// interface. The parameter read_timeout is how long a statement may take without a byte of an answer, default one minute. It
// does not connect yet.
func Open(url string) (*Conn, error) {
	o, err := clickhouse.ParseDSN(url)
	if err != nil {
		return nil, errors.New("clickhouse: the URL cannot be read") // it has a password
	}
	o.DialTimeout, o.ReadTimeout, o.MaxOpenConns = dialTimeout, cmp.Or(o.ReadTimeout, readTimeout), maxConns
	conn, err := clickhouse.Open(o)
	if err != nil {
		return nil, fmt.Errorf("clickhouse: open: %w", err)
	}
	return &Conn{conn, firstBackoff}, nil
}

// Close closes the connections.
func (c *Conn) Close() error { return c.conn.Close() }

// Exec runs a statement. what names it in errors.
func (c *Conn) Exec(ctx context.Context, what, query string, args ...any) error {
	if err := c.conn.Exec(ctx, query, args...); err != nil {
		return fmt.Errorf("clickhouse: %s: %w", what, err)
	}
	return nil
}

// Each runs a query and calls fn with each row. An error of fn ends it.
func (c *Conn) Each(ctx context.Context, what string, fn func(scan func(...any) error) error, query string, args ...any) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("clickhouse: %s: %w", what, err)
		}
	}()
	rows, err := c.conn.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// passing are the codes of errors that say nothing about the statement: the server is short of something, or stops.
var passing = []int32{
	159, // timeout exceeded
	202, // too many simultaneous queries
	209, // socket timeout
	210, // network error
	236, // aborted
	241, // memory limit
	242, // table is read-only
	252, // too many parts
	319, // unknown status of insert
	394, // query was cancelled
	999, // keeper exception
}

// Refused reports whether a server has answered that it will not take a statement, now or later.
func Refused(err error) bool {
	e, ok := errors.AsType[*clickhouse.Exception](err)
	return ok && !slices.Contains(passing, e.Code)
}

// untilAnswered runs a step again while the server is away or short of something. It reports whether the first try was the
// last one.
func (c *Conn) untilAnswered(ctx context.Context, step func(context.Context) error) (atOnce bool, err error) {
	wait := c.backoff
	for try := 1; ; try++ {
		if err = step(ctx); err == nil || Refused(err) || ctx.Err() != nil {
			return err == nil && try == 1, err
		}
		select {
		case <-ctx.Done():
			return false, err
		case <-time.After(wait):
		}
		wait = min(2*wait, lastBackoff)
	}
}
