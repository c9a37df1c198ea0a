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

// pingTimeout is the time that Health waits for ClickHouse.
const pingTimeout = 2 * time.Second

// Ping checks whether the copy answers. After the copy did not answer, it returns an error without a query for the time
// pingPause.
func (k *CopyReader) Ping(ctx context.Context) error {
	if time.Now().UnixNano() < k.away.Load() {
		return errNotAnswered
	}
	timed, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	var one uint8
	err := k.Each(timed, "is it there", func(scan func(...any) error) error { return scan(&one) }, `SELECT 1`)
	if timed.Err() != nil && ctx.Err() == nil {
		k.away.Store(time.Now().Add(pingPause).UnixNano())
	}
	return err
}

var errNotAnswered = errors.New("click: the copy has not answered some seconds ago")

// CopyReader queries the copy of clicks and conversions in ClickHouse. It is nil in an install without a copy.
type CopyReader struct {
	from     schema.Reader
	away     atomic.Int64 // time until which the copy is not Current, Unix nanoseconds
	answered [2]atomic.Int64

	mu      sync.Mutex
	late    bool
	checked time.Time // when late was determined
}

// The stores that answer reports.
const (
	FromPostgres = iota
	FromCopy
)

// CountAnswer counts a report for the store that answered it.
func (k *CopyReader) CountAnswer(by int) {
	if k != nil {
		k.answered[by].Add(1)
	}
}

// Reports returns the number of reports that a store answered.
func (k *CopyReader) Reports(by int) float64 { return float64(k.answered[by].Load()) }

// NewCopyReader returns the copy reader of a process.
func NewCopyReader(from schema.Reader) *CopyReader { return &CopyReader{from: from} }

// pingPause is the time after a failed query in which callers that can use PostgreSQL instead do not query the copy.
const pingPause = 5 * time.Second

// Snapshot runs fn in a read-only transaction that sees the state at its first statement. While it runs, no day's clicks leave
// PostgreSQL, so State agrees with what fn reads.
func (k *CopyReader) Snapshot(ctx context.Context, c db.Conn, fn func(db.Conn) error) error {
	return db.Snapshot(ctx, c, func(c db.Conn) error {
		if k != nil {
			if _, err := db.Exec(ctx, c, "hold clicks", `LOCK TABLE clicks IN ACCESS SHARE MODE`); err != nil {
				return err
			}
		}
		return fn(c)
	})
}

// State reads how far the copy has come. Without a copy it returns the zero state.
func (k *CopyReader) State(ctx context.Context, c db.Conn) (CopyState, error) {
	if k == nil {
		return CopyState{}, nil
	}
	return ReadCopy(ctx, c)
}

const (
	// LateAfter is the time that a change waits at most before the copy counts as behind.
	LateAfter  = 30 * time.Second
	lateFor    = 2 * time.Second
	selectLate = `SELECT coalesce((SELECT noted_at FROM click_changes ORDER BY n LIMIT 1) < clock_timestamp() - make_interval(secs => $1), false)`
)

// Current reports whether the copy answers and no change has been waiting to be copied for long. If it returns false, callers
// that can use PostgreSQL do so.
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

// Each runs a query and calls fn for each row. It stops at an error of fn and returns it. It returns an error of the copy as a
// CopyAwayError.
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
func (e *CopyAwayError) Error() string { return "click: the copy is away: " + e.Err.Error() }

// Unwrap returns the cause, and the error for the client, which asks it to try again.
func (e *CopyAwayError) Unwrap() []error { return []error{e.Err, errUnavailable} }

var errUnavailable = models.Errorf(models.KindUnavailable, "unavailable", "old clicks cannot be read at the moment, try again")
