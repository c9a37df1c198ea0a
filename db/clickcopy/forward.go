package clickcopy

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/conversion"
	"switchyard/models"
)

// changeNote is a recorded change of a click or a conversion, which must be copied.
type changeNote struct {
	N          int64         `db:"n"`
	Account    uuid.UUID     `db:"account_id"`
	Click      uuid.UUID     `db:"click_id"`
	Conversion uuid.NullUUID `db:"conversion_id"`
	Removed    bool          `db:"removed"`
}

const (
	selectNotes = `SELECT n, account_id, click_id, conversion_id, removed FROM click_changes ORDER BY n LIMIT $1`
	deleteDone  = `DELETE FROM click_changes WHERE n = ANY ($1::bigint[])`
)

// Forward copies recorded changes to ClickHouse until there are no more, and returns their number. While ClickHouse does not
// answer, Forward waits, until ctx ends at the latest. Several calls may run at the same time.
func (k Copy) Forward(ctx context.Context) (total int, err error) {
	for {
		n, err := k.forwardOnce(ctx)
		total += n
		if err != nil || n < k.batchSize() {
			return total, err
		}
	}
}

// DeleteAccounts deletes ClickHouse's rows of accounts that were deleted before the given time.
func (k Copy) DeleteAccounts(ctx context.Context, before time.Time) error {
	const due = `SELECT account FROM click_forgotten WHERE noted_at < $1 ORDER BY account LIMIT 1000`
	deleted, err := db.Select[uuid.UUID](ctx, k.From, "deleted accounts", due, before)
	if err != nil || len(deleted) == 0 {
		return err
	}
	for _, t := range []schema.Table{click.Table, click.ConversionTable} {
		if err := k.To.DeleteAccounts(ctx, t, deleted); err != nil {
			return err
		}
	}
	return db.Run(ctx, k.From, "deleted accounts", `DELETE FROM click_forgotten WHERE account = ANY ($1::uuid[])`, db.UUIDs(deleted))
}

// DeleteOldDays deletes from ClickHouse the clicks of all days before the first day that has a partition in PostgreSQL.
func (k Copy) DeleteOldDays(ctx context.Context) error {
	oldest, ok, err := click.FirstDay(ctx, k.From)
	if err != nil || !ok { // there is no partition
		return err
	}
	old, err := schema.Values[string](ctx, k.To, "old days", `SELECT DISTINCT toString(toYYYYMMDD(at)) FROM clicks WHERE `+
		schema.Window("at", time.Unix(0, 0), oldest))
	for _, day := range old {
		if err == nil {
			err = k.To.DropPartition(ctx, click.Table, day)
		}
	}
	return err
}

// forwardOnce copies one batch of recorded changes to ClickHouse and returns the size of the batch.
func (k Copy) forwardOnce(ctx context.Context) (int, error) {
	const anything = `SELECT EXISTS (SELECT FROM click_changes)`
	if waits, err := db.Get[bool](ctx, k.From, "noted changes", anything); err != nil || !waits {
		return 0, err
	}
	var b forwarded
	err := k.withVersion(ctx, func(c db.Conn, version uint64) (err error) {
		b, err = readRecorded(ctx, c, version, k.batchSize())
		return err
	})
	if err != nil || len(b.done) == 0 {
		return 0, err
	}
	if err := k.put(ctx, b.clicks, b.conversions); err != nil {
		return 0, err
	}
	err = db.Run(ctx, k.From, "delete copied changes", deleteDone, pq.Array(b.done))
	return len(b.done), err
}

func (k Copy) put(ctx context.Context, clicks, conversions [][]any) error {
	if len(clicks) > 0 {
		if err := k.To.Put(ctx, click.Table, slices.Values(clicks)); err != nil {
			return err
		}
	}
	if len(conversions) == 0 {
		return nil
	}
	return k.To.Put(ctx, click.ConversionTable, slices.Values(conversions))
}

const (
	// The first statement after the lock takes the snapshot. So a higher version always belongs to a later snapshot.
	lockVersions = `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; LOCK TABLE click_copy IN SHARE ROW EXCLUSIVE MODE`
	nextVersion  = `UPDATE click_copy SET version = version + 1 RETURNING version`
)

// withVersion runs fn in a snapshot, with a new version. Without a copy it does not run fn.
func (k Copy) withVersion(ctx context.Context, fn func(c db.Conn, version uint64) error) error {
	return db.Tx(ctx, k.From, func(c db.Conn) error {
		if err := db.Run(ctx, c, "lock versions", lockVersions); err != nil {
			return err
		}
		version, ok, err := db.First[int64](ctx, c, "version", nextVersion)
		if err != nil || !ok {
			return err
		}
		return fn(c, uint64(version)) //nolint:gosec // versions are positive
	})
}

// forwarded has the ClickHouse rows of a batch of changes, and the numbers of these changes.
type forwarded struct {
	clicks, conversions [][]any
	done                []int64
}

// readRecorded reads at most limit recorded changes in the snapshot of c.
func readRecorded(ctx context.Context, c db.Conn, version uint64, limit int) (b forwarded, err error) {
	notes, err := db.Select[changeNote](ctx, c, "noted changes", selectNotes, limit)
	if err != nil || len(notes) == 0 {
		return b, err
	}
	clicks, sales := map[uuid.UUID]changeNote{}, map[uuid.UUID]changeNote{}
	for _, n := range notes {
		b.done = append(b.done, n.N)
		if n.Conversion.Valid {
			sales[n.Conversion.UUID] = n.after(sales[n.Conversion.UUID])
			n.Removed = false // the click itself was not removed
		}
		clicks[n.Click] = n.after(clicks[n.Click])
	}
	if b.clicks, err = changedClickRows(ctx, c, clicks, version); err != nil {
		return b, err
	}
	b.conversions, err = changedConversionRows(ctx, c, sales, version)
	return b, err
}

// after merges two notes about the same row. The row counts as removed if either note says so. If PostgreSQL has such a row, it was
// inserted again and is copied.
func (n changeNote) after(before changeNote) changeNote {
	n.Removed = n.Removed || before.Removed
	return n
}

// changedClickRows returns the ClickHouse rows for changed clicks. A click that is not in PostgreSQL gets a row only if a note
// says that it was removed: without such a note, the click may be only in ClickHouse.
func changedClickRows(ctx context.Context, c db.Conn, noted map[uuid.UUID]changeNote, version uint64) ([][]any, error) {
	ids := db.SortedIDs(noted)
	list, err := click.WarmStore().Read(ctx, c, click.AllColumns, click.Set{IDs: ids})
	if err != nil {
		return nil, err
	}
	sold, err := conversion.Sums(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	rows := make([][]any, 0, len(noted))
	for _, k := range list {
		rows = append(rows, click.Row(k, sold[k.ID], version))
		delete(noted, k.ID)
	}
	for id, n := range noted {
		if n.Removed {
			rows = append(rows, click.RemovedRow(n.Account, id, version))
		}
	}
	return rows, nil
}

var selectRecordedConversions = `SELECT ` + click.ConversionColumns + ` FROM conversions WHERE id = ANY ($1::uuid[])`

// changedConversionRows returns the ClickHouse rows for changed conversions.
func changedConversionRows(ctx context.Context, c db.Conn, noted map[uuid.UUID]changeNote, version uint64) ([][]any, error) {
	if len(noted) == 0 {
		return nil, nil
	}
	list, err := db.Select[models.Conversion](ctx, c, "noted conversions", selectRecordedConversions, db.UUIDs(db.SortedIDs(noted)))
	if err != nil {
		return nil, err
	}
	rows := make([][]any, 0, len(noted))
	for i := range list {
		rows = append(rows, click.ConversionRow(&list[i], version))
		delete(noted, list[i].ID)
	}
	for id, n := range noted {
		if n.Removed {
			rows = append(rows, click.RemovedConversion(n.Account, n.Click, id, version))
		}
	}
	return rows, nil
}

// Waiting describes the recorded changes that are not in ClickHouse yet.
type Waiting struct {
	Changes int64         `db:"changes"` // at most waitingCounted
	Age     time.Duration `db:"-"`       // age of the oldest change
	Seconds float64       `db:"seconds"`
}

const waitingCounted = 1_000_000

const selectWaitingChanges = `
SELECT (SELECT count(*) FROM (SELECT FROM click_changes LIMIT $1) w) AS changes,
	coalesce((SELECT extract(epoch FROM clock_timestamp() - noted_at) FROM click_changes ORDER BY n LIMIT 1), 0)::float8 AS seconds`

// ReadWaiting returns the number and the age of the waiting changes.
func ReadWaiting(ctx context.Context, c db.Conn) (Waiting, error) {
	w, err := db.Get[Waiting](ctx, c, "waiting changes", selectWaitingChanges, waitingCounted)
	w.Age = max(0, time.Duration(w.Seconds*float64(time.Second)))
	return w, err
}
