package click

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

const pingTimeout = 2 * time.Second

// Ping checks whether the copy answers. Within pingPause after a failed query it returns an error at once.
func (k *CopyReader) Ping(ctx context.Context) error {
	if time.Now().UnixNano() < k.away.Load() {
		return errNotAnswered
	}
	timed, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	var answer uint8
	err := k.Each(timed, "ping", func(scan func(...any) error) error { return scan(&answer) }, `SELECT 1`)
	if timed.Err() != nil && ctx.Err() == nil {
		k.away.Store(time.Now().Add(pingPause).UnixNano())
	}
	return err
}

var errNotAnswered = errors.New("click: the copy did not answer a query some seconds ago")

// CopyReader queries the copy of clicks and conversions in ClickHouse. In an install without a copy, it is nil.
type CopyReader struct {
	from     schema.Reader
	away     atomic.Int64    // until this time, in Unix nanoseconds, the copy counts as not Current
	answered [2]atomic.Int64 // number of answered reports by store: FromPostgres or FromCopy

	mu      sync.Mutex
	late    bool      // a change has waited for longer than LateAfter
	checked time.Time // when late was determined
}

// FromPostgres and FromCopy are the stores from which reports are answered.
const (
	FromPostgres = iota
	FromCopy
)

// CountAnswer counts a report that was answered from a store.
func (k *CopyReader) CountAnswer(store int) {
	if k != nil {
		k.answered[store].Add(1)
	}
}

// Reports returns the number of reports that were answered from a store.
func (k *CopyReader) Reports(store int) float64 { return float64(k.answered[store].Load()) }

// NewCopyReader returns a CopyReader of a ClickHouse reader.
func NewCopyReader(from schema.Reader) *CopyReader { return &CopyReader{from: from} }

// pingPause is the pause after a failed query. During the pause, callers that can use PostgreSQL instead do not query the copy.
const pingPause = 5 * time.Second

// Snapshot runs fn in a read-only transaction at one state of the database. Until it ends, no day moves out of PostgreSQL, so
// State agrees with the data that fn reads.
func (k *CopyReader) Snapshot(ctx context.Context, c db.Conn, fn func(db.Conn) error) error {
	return db.Snapshot(ctx, c, func(c db.Conn) error {
		if k != nil {
			if err := db.Run(ctx, c, "lock clicks", `LOCK TABLE clicks IN ACCESS SHARE MODE`); err != nil {
				return err
			}
		}
		return fn(c)
	})
}

// State returns the progress of the copy. Without a copy it returns the zero state.
func (k *CopyReader) State(ctx context.Context, c db.Conn) (CopyState, error) {
	if k == nil {
		return CopyState{}, nil
	}
	return ReadCopy(ctx, c)
}

const (
	// LateAfter is the longest time that a change may wait before the copy counts as behind.
	LateAfter = 30 * time.Second
	// lateFor is how long Current uses the result of its query again.
	lateFor    = 2 * time.Second
	selectLate = `SELECT coalesce((SELECT noted_at FROM click_changes ORDER BY n LIMIT 1) < clock_timestamp() - make_interval(secs => $1), false)`
)

// Current reports whether the copy answers and no change has waited for longer than LateAfter. Otherwise, callers use PostgreSQL
// if they can.
func (k *CopyReader) Current(ctx context.Context, c db.Conn) (bool, error) {
	if k == nil || time.Now().UnixNano() < k.away.Load() {
		return false, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.checked) < lateFor {
		return !k.late, nil
	}
	late, err := db.Get[bool](ctx, c, "waiting changes", selectLate, LateAfter.Seconds())
	if err == nil {
		k.late, k.checked = late, time.Now()
	}
	return !late, err
}

// Each runs a query and calls fn for each row. It returns an error of fn or of ctx unchanged. After any other error, the copy
// counts as not answering for pingPause, and Each returns a *CopyAwayError.
func (k *CopyReader) Each(ctx context.Context, what string, fn func(scan func(...any) error) error, query string, args ...any) error {
	var own error
	err := k.from.Each(ctx, what, func(scan func(...any) error) error {
		own = fn(scan)
		return own
	}, query, args...)
	switch {
	case err == nil:
		return nil
	case own != nil:
		return own
	case ctx.Err() != nil:
		return ctx.Err()
	}
	k.away.Store(time.Now().Add(pingPause).UnixNano())
	slog.WarnContext(ctx, "clickhouse does not answer", "what", what, "error", err)
	return &CopyAwayError{err}
}

// CopyAwayError means that the copy in ClickHouse did not answer. Data that is also in PostgreSQL can be read there.
type CopyAwayError struct{ Err error }

// Error implements error.
func (e *CopyAwayError) Error() string { return "click: the copy does not answer: " + e.Err.Error() }

// Unwrap returns the cause, and the error that tells the client to try again.
func (e *CopyAwayError) Unwrap() []error { return []error{e.Err, errUnavailable} }

var errUnavailable = models.Errorf(models.KindUnavailable, "unavailable", "old clicks cannot be read at the moment, try again")
