package clicklog

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"switchyard/db"
	"switchyard/db/columnar"
	"switchyard/models"
)

// CopyReader queries the copy of clicks and conversions in ClickHouse. It is nil in an install without a copy.
type CopyReader struct {
	from     columnar.Reader
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

// Answered counts a report for the store that answered it.
func (k *CopyReader) Answered(by int) {
	if k != nil {
		k.answered[by].Add(1)
	}
}

// Reports returns the number of reports that a store answered.
func (k *CopyReader) Reports(by int) float64 { return float64(k.answered[by].Load()) }

// NewCopyReader returns the copy reader of a process.
func NewCopyReader(from columnar.Reader) *CopyReader { return &CopyReader{from: from} }

// leftAlone is the time after a failed query in which callers that can use PostgreSQL instead do not query the copy.
const leftAlone = 5 * time.Second

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
	lateAfter  = 30 * time.Second
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
	late, err := db.Get[bool](ctx, c, "waiting changes", selectLate, lateAfter.Seconds())
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
	k.away.Store(time.Now().Add(leftAlone).UnixNano())
	slog.WarnContext(ctx, "clickhouse does not answer", "what", what, "error", err)
	return &CopyAwayError{err}
}

// CopyAwayError means that the copy in ClickHouse did not answer. Data that is also in PostgreSQL can be read there.
type CopyAwayError struct{ Err error }

// Error implements error.
func (e *CopyAwayError) Error() string { return "clicklog: the copy is away: " + e.Err.Error() }

// Unwrap returns the cause, and the error for the client, which asks it to try again.
func (e *CopyAwayError) Unwrap() []error { return []error{e.Err, errUnavailable} }

var errUnavailable = models.Errorf(models.KindUnavailable, "unavailable", "old clicks cannot be read at the moment, try again")

// latestMoment is the latest time that ClickHouse can store.
var latestMoment = time.Date(2299, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// ColumnarWindow returns the condition of ClickHouse for a time in [from, to), cut to milliseconds. Times are not passed as
// arguments, because those are in seconds: ClickHouse reads "before 24:00:00" of such an argument as "until 23:59:59" and
// misses the rest of that second.
func ColumnarWindow(at string, from, to time.Time) string {
	moment := func(t time.Time) string {
		return fmt.Sprintf("fromUnixTimestamp64Milli(toInt64(%d), 'UTC')", min(max(t.UnixMilli(), 0), latestMoment))
	}
	return at + " >= " + moment(from) + " AND " + at + " < " + moment(to)
}

// ColumnarNoID is the zero id, which means no id, as a ClickHouse expression.
const ColumnarNoID = "toUUID('00000000-0000-0000-0000-000000000000')"

// columnarMapped is the prefix of an IPv4 address in ClickHouse's text form.
const columnarMapped = "::ffff:"

// ColumnarHost returns a ClickHouse expression for an address as text, in the form of PostgreSQL's host(). The text is empty if
// there is no address.
func ColumnarHost(expr string) string {
	return fmt.Sprintf("multiIf(%[1]s = toIPv6('::'), '', %[2]s, substring(toString(%[1]s), %[3]d), toString(%[1]s))",
		expr, ColumnarIsV4(expr), len(columnarMapped)+1)
}

// ColumnarIsV4 returns the ClickHouse condition that an address is an IPv4 address.
func ColumnarIsV4(expr string) string {
	return expr + " BETWEEN toIPv6('" + columnarMapped + "0.0.0.0') AND toIPv6('" + columnarMapped + "255.255.255.255')"
}
