package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Replica watches how far a read replica is behind its primary. It compares positions in the write-ahead log, which any role may
// query. A replica that has replayed what the primary had written at some time has data that is at least as new as that time.
type Replica struct {
	limit            time.Duration
	primary, replica func(ctx context.Context) (position, error)
	now              func() time.Time

	measuring  sync.Mutex // held while both servers are queried
	measuredAt time.Time  // when both servers were last queried
	marks      []mark     // positions that the replica has possibly not replayed yet, oldest first

	mu      sync.Mutex
	freshAt time.Time // the replica's data is at least as new as this time; zero: unknown

	fresh     atomic.Bool // the last result of Fresh, for the log
	toReplica atomic.Int64
	toPrimary atomic.Int64
}

// position is a place in the write-ahead log.
type position uint64

type mark struct {
	at time.Time
	position
}

const (
	// measureEvery is the minimum time between two checks. There are no checks while nothing is read.
	measureEvery = 500 * time.Millisecond
	// measureTimeout is how long a server may take to answer.
	measureTimeout = 2 * time.Second
	maxMarks       = 64
)

// NewReplica watches a replica. The parameter limit is the maximum age of data that is read through Options.Replica. The caller
// owns both pools.
func NewReplica(primary, replica *DB, limit time.Duration) *Replica {
	positionOf := func(d *DB, query string) func(context.Context) (position, error) {
		return func(ctx context.Context) (position, error) {
			ctx, cancel := context.WithTimeout(ctx, measureTimeout)
			defer cancel()
			return Get[position](ctx, d, "position in the log", query)
		}
	}
	return &Replica{
		limit: limit, now: time.Now,
		primary: positionOf(primary, `SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint`),
		replica: positionOf(replica, `SELECT (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint`),
	}
}

// Fresh reports whether the replica's data is known to be at most as old as the limit. It queries both servers at most once
// every measureEvery, in one call at a time.
func (r *Replica) Fresh(ctx context.Context) bool {
	if r.measuring.TryLock() {
		if r.now().Sub(r.measuredAt) >= measureEvery {
			if err := r.measure(ctx); err != nil && ctx.Err() == nil {
				slog.DebugContext(ctx, "replica not compared", "error", err)
			}
			r.measuredAt = r.now()
		}
		r.measuring.Unlock()
	}
	behind, known := r.Behind()
	fresh := known && behind <= r.limit
	if r.fresh.Swap(fresh) != fresh {
		if fresh {
			slog.InfoContext(ctx, "reports are read from the replica", "behind", behind)
		} else {
			slog.WarnContext(ctx, "reports are read from the primary: the replica is away or too far behind", "behind", behind)
		}
	}
	return fresh
}

// Behind returns the greatest age that the data of the replica can have. known is false until the replica has replayed a known
// position.
func (r *Replica) Behind() (age time.Duration, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freshAt.IsZero() {
		return 0, false
	}
	return r.now().Sub(r.freshAt), true
}

// Uses returns how many transactions and single statements each server has run.
func (r *Replica) Uses() (toReplica, toPrimary int64) {
	return r.toReplica.Load(), r.toPrimary.Load()
}

func (r *Replica) measure(ctx context.Context) error {
	at := r.now()
	written, err := r.primary(ctx)
	if err != nil {
		return fmt.Errorf("db: primary: %w", err)
	}
	if len(r.marks) == maxMarks {
		r.marks = r.marks[1:]
	}
	r.marks = append(r.marks, mark{at, written})
	replayed, err := r.replica(ctx)
	if err != nil {
		return fmt.Errorf("db: replica: %w", err)
	}
	for len(r.marks) > 0 && r.marks[0].position <= replayed {
		r.mu.Lock()
		r.freshAt = r.marks[0].at
		r.mu.Unlock()
		r.marks = r.marks[1:]
	}
	return nil
}

// readers connects to the replica while it is fresh and can be reached, and otherwise to the primary. A pooled connection to the
// wrong server is closed.
type readers struct {
	driver.Connector // connector of the primary
	replica          driver.Connector
	watch            *Replica
}

// Connect implements driver.Connector.
func (r readers) Connect(ctx context.Context) (driver.Conn, error) {
	if r.watch.Fresh(ctx) {
		if c, err := connectSession(ctx, r.replica); err == nil {
			return newReader(c, r.watch, true), nil
		}
	}
	c, err := connectSession(ctx, r.Connector)
	if err != nil {
		return nil, err
	}
	return newReader(c, r.watch, false), nil
}

type reader struct {
	session
	watch   *Replica
	replica bool
}

// newReader returns a reader and counts its first use. ResetSession counts later uses.
func newReader(c session, watch *Replica, replica bool) *reader {
	r := &reader{c, watch, replica}
	r.count()
	return r
}

// ResetSession implements driver.SessionResetter.
func (c *reader) ResetSession(ctx context.Context) error {
	if c.watch.Fresh(ctx) != c.replica {
		return driver.ErrBadConn
	}
	c.count()
	return c.session.ResetSession(ctx)
}

// BeginTx implements driver.ConnBeginTx. Every transaction is read-only, because a replica refuses others.
func (c *reader) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	o.ReadOnly = true
	return c.session.BeginTx(ctx, o)
}

func (c *reader) count() {
	if c.replica {
		c.watch.toReplica.Add(1)
	} else {
		c.watch.toPrimary.Add(1)
	}
}
