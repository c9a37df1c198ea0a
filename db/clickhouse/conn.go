package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Conn is a database of a ClickHouse server. It implements schema.Store.
type Conn struct {
	conn    driver.Conn
	cluster string        // empty: one server
	backoff time.Duration // wait before a statement is repeated for the first time
}

const (
	dialTimeout  = 5 * time.Second
	readTimeout  = time.Minute // longest wait for a byte of an answer
	maxConns     = 8
	firstBackoff = 50 * time.Millisecond // wait before the first repetition
	lastBackoff  = 2 * time.Second       // longest wait
	replicaDelay = 2                     // seconds
)

// Open opens the database of a URL: clickhouse://user:password@host:9000/name, or http and https with the port of the HTTP
// interface. The URL's parameter read_timeout limits the wait for a byte of an answer. The default is one minute. cluster is the
// name of a cluster on which the tables are replicated, or empty for one server. Open does not connect yet.
func Open(url, cluster string) (*Conn, error) {
	o, err := clickhouse.ParseDSN(url)
	if err != nil {
		return nil, errors.New("clickhouse: the URL cannot be read") // the text of err would show the password of the URL
	}
	o.DialTimeout, o.ReadTimeout, o.MaxOpenConns = dialTimeout, cmp.Or(o.ReadTimeout, readTimeout), maxConns
	conn, err := clickhouse.Open(o)
	if err != nil {
		return nil, fmt.Errorf("clickhouse: open: %w", err)
	}
	return &Conn{conn, cluster, firstBackoff}, nil
}

// Close closes the connections.
func (c *Conn) Close() error { return c.conn.Close() }

// Ping checks whether the server answers.
func (c *Conn) Ping(ctx context.Context) error {
	if err := c.conn.Ping(ctx); err != nil {
		return fmt.Errorf("clickhouse: ping: %w", err)
	}
	return nil
}

// Exec runs a statement. Errors contain the given name of the statement.
func (c *Conn) Exec(ctx context.Context, what, query string, args ...any) error {
	if err := c.conn.Exec(c.settings(ctx, nil), query, args...); err != nil {
		return fmt.Errorf("clickhouse: %s: %w", what, err)
	}
	return nil
}

// A query may contain long lists of values. All rows of a key are in one partition, so FINAL need not merge partitions.
var reading = clickhouse.Settings{"max_query_size": 64 << 20, "do_not_merge_across_partitions_select_final": 1}

// Each runs a query and calls fn with each row.
func (c *Conn) Each(ctx context.Context, what string, fn func(scan func(...any) error) error, query string, args ...any) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("clickhouse: %s: %w", what, err)
		}
	}()
	rows, err := c.conn.Query(c.settings(ctx, reading), query, args...)
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

// settings adds a cluster's settings to a statement's settings. A write is answered once most replicas of the shard have stored
// it. With two replicas both must answer, so writes wait while one is unavailable. A query about one account goes only to the
// account's shard, and never to a replica that is more than replicaDelay seconds behind.
func (c *Conn) settings(ctx context.Context, ofStatement clickhouse.Settings) context.Context {
	all := clickhouse.Settings{}
	if c.cluster != "" {
		all = clickhouse.Settings{
			"distributed_foreground_insert": 1, "insert_quorum": "auto", "load_balancing": "in_order", "optimize_skip_unused_shards": 1,
			"max_replica_delay_for_distributed_queries": replicaDelay, "fallback_to_stale_replicas_for_distributed_queries": 0,
		}
	}
	maps.Copy(all, ofStatement)
	if len(all) == 0 {
		return ctx
	}
	return clickhouse.Context(ctx, clickhouse.WithSettings(all))
}

// passing maps the codes of temporary errors to their names. The same statement may succeed later.
var passing = map[int32]string{
	159: "TIMEOUT_EXCEEDED",
	202: "TOO_MANY_SIMULTANEOUS_QUERIES",
	209: "SOCKET_TIMEOUT",
	210: "NETWORK_ERROR",
	225: "NO_ZOOKEEPER",
	236: "ABORTED",
	241: "MEMORY_LIMIT_EXCEEDED",
	242: "TABLE_IS_READ_ONLY",
	252: "TOO_MANY_PARTS",
	254: "NO_ACTIVE_REPLICAS",
	279: "ALL_CONNECTION_TRIES_FAILED",
	285: "TOO_FEW_LIVE_REPLICAS",
	286: "UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE",
	289: "REPLICA_IS_NOT_IN_QUORUM",
	319: "UNKNOWN_STATUS_OF_INSERT",
	369: "ALL_REPLICAS_ARE_STALE",
	394: "QUERY_WAS_CANCELLED",
	415: "ALL_REPLICAS_LOST",
	999: "KEEPER_EXCEPTION",
}

// Refused reports whether a server has answered that it will never accept a statement.
func Refused(err error) bool {
	e, ok := errors.AsType[*clickhouse.Exception](err)
	return ok && passing[e.Code] == ""
}

// untilAnswered repeats a step until it succeeds, the server refuses it, or ctx ends.
func (c *Conn) untilAnswered(ctx context.Context, step func(context.Context) error) error {
	wait := c.backoff
	for {
		err := step(ctx)
		if err == nil || Refused(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
		wait = min(2*wait, lastBackoff)
	}
}
