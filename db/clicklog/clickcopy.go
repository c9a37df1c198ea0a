package clicklog

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/db/columnar"
	"switchyard/models"
)

// Copy maintains the copy of clicks and conversions in ClickHouse. The database notes changed rows, and Forward copies them to
// ClickHouse, so the copy is some seconds behind. Begin turns the copy on, and Fill copies older rows. All decisions are made
// from PostgreSQL. The rows in ClickHouse are only read.
//
// Rows have a version. Versions are issued under a lock, and the rows of a version are read in one snapshot after it was issued.
// So a higher version is always a later state. This holds for any process that copies the rows, however often it copies them, and
// wherever it is killed.
type Copy struct {
	From db.Conn // the pool
	To   columnar.Store
	// Batch is the number of changes that are copied at once, default 20,000.
	Batch int
	// Differs is called for a day that does not leave PostgreSQL because its copy differs. If it is nil, such a day is only
	// logged.
	Differs func(day time.Time)
}

// defaultBatch is the number of rows that go to ClickHouse as one block.
const defaultBatch = 20_000

func (k Copy) batch() int {
	if k.Batch == 0 {
		return defaultBatch
	}
	return k.Batch
}

// Ensure creates the tables in ClickHouse and adds new columns.
func (k Copy) Ensure(ctx context.Context) error {
	return k.To.Ensure(ctx, columnarClicks, columnarConversions)
}

// CopyState is the progress of the copy.
type CopyState struct {
	// Begun means that there is a copy, or that there was a copy when the backup of this database was made.
	Begun bool `db:"begun"`
	// On means that changes are noted. If it is false, ignore the other fields.
	On bool `db:"noted"`
	// Since is the first day (UTC) from which on the copy has every click, except for changes that wait. The copy may have
	// some clicks of earlier days.
	Since time.Time `db:"since"`
	// ColdBefore is the first day (UTC) from which on PostgreSQL has all clicks. Clicks of earlier days may be in the copy
	// only. Zero: no day is cold.
	ColdBefore time.Time `db:"cold_before"`
	// Done means that all days were copied. Since is then zero.
	Done bool `db:"done"`
}

// Has reports whether the copy has every click from a moment on, apart from changes that wait.
func (s CopyState) Has(from time.Time) bool { return s.On && !from.Before(s.Since) }

// Cold reports whether a click of a moment may be only in the copy.
func (s CopyState) Cold(at time.Time) bool { return at.Before(s.ColdBefore) }

// A database that was restored from a backup has the row but not the triggers. So its changes were not noted.
const selectCopy = `
SELECT (SELECT count(*) FROM pg_trigger WHERE tgname = ANY ($1) AND tgrelid IN ('clicks'::regclass, 'conversions'::regclass)) = $2 AS noted,
	CASE WHEN state <> 'copying' THEN '0001-01-01'::timestamptz ELSE coalesce(copied_from::timestamp AT TIME ZONE 'UTC', '9999-01-01') END AS since,
	coalesce(cold_before::timestamp AT TIME ZONE 'UTC', '0001-01-01'::timestamptz) AS cold_before, state <> 'copying' AS done, true AS begun
FROM click_copy`

// ReadCopy returns the progress of the copy. Without a copy it returns the zero state.
func ReadCopy(ctx context.Context, c db.Conn) (CopyState, error) {
	var names []string
	for _, t := range noteTriggers {
		names = append(names, t.name)
	}
	s, _, err := db.First[CopyState](ctx, c, "state of the copy", selectCopy, names, len(names))
	return s, err
}

// noteTriggers note changes, one trigger for each kind of statement. They also fire for changes in partitions, because the
// statements name the table clicks.
var noteTriggers = []struct{ name, table, event, rows, function string }{
	{"note_clicks_insert", "clicks", "INSERT", "NEW", "note_clicks"},
	{"note_clicks_update", "clicks", "UPDATE", "NEW", "note_clicks"},
	{"note_clicks_delete", "clicks", "DELETE", "OLD", "note_clicks"},
	{"note_conversions_insert", "conversions", "INSERT", "NEW", "note_conversions"},
	{"note_conversions_update", "conversions", "UPDATE", "NEW", "note_conversions"},
	{"note_conversions_delete", "conversions", "DELETE", "OLD", "note_conversions"},
}

const (
	beginCopy = `
INSERT INTO click_copy AS k (state, base, version) VALUES ('copying', $1, $1)
ON CONFLICT (one) DO UPDATE SET state = 'copying', base = greatest(k.version + 1, $1), version = greatest(k.version + 1, $1), copied_from = NULL,
	began_at = now()`
	highestVersion = `SELECT greatest((SELECT max(version) FROM clicks), (SELECT max(version) FROM conversions))`
)

// Begin creates the tables in ClickHouse and makes the database note changes from now on. Fill brings the earlier rows. Begin
// does nothing if changes are noted already. If there is an older copy that is no longer up to date, the copy is made again
// over its rows.
func (k Copy) Begin(ctx context.Context) error {
	if err := k.Ensure(ctx); err != nil {
		return err
	}
	if s, err := ReadCopy(ctx, k.From); err != nil || s.On {
		if err == nil {
			_, err = db.Exec(ctx, k.From, "stay in ClickHouse", `UPDATE click_copy SET state = 'on' WHERE state = 'ending'`)
		}
		return err
	}
	var highest uint64
	err := k.To.Each(ctx, "highest version", func(scan func(...any) error) error { return scan(&highest) }, highestVersion)
	if err != nil {
		return err
	}
	return db.Tx(ctx, k.From, func(c db.Conn) error {
		if err := createNotes(ctx, c); err != nil {
			return err
		}
		_, err := db.Exec(ctx, c, "begin a copy", beginCopy, highest+1)
		return err
	})
}

// createNotes creates the triggers, or replaces them.
func createNotes(ctx context.Context, c db.Conn) error {
	for _, t := range noteTriggers {
		q := fmt.Sprintf(`CREATE OR REPLACE TRIGGER %s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %s()`,
			t.name, t.event, t.table, t.rows, t.function)
		if _, err := db.Exec(ctx, c, "note changes", q); err != nil {
			return err
		}
	}
	return nil
}

// End stops the noting of changes and deletes the progress of the copy. It fails while clicks are cold.
func (k Copy) End(ctx context.Context) error {
	return db.Tx(ctx, k.From, func(c db.Conn) error {
		if _, err := db.Exec(ctx, c, "lock versions", `LOCK TABLE click_copy IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		s, err := ReadCopy(ctx, c)
		if err != nil {
			return err
		}
		if !s.ColdBefore.IsZero() {
			return errCold
		}
		for _, t := range noteTriggers {
			if _, err := db.Exec(ctx, c, "note no changes", `DROP TRIGGER IF EXISTS `+t.name+` ON `+t.table); err != nil {
				return err
			}
		}
		_, err = db.Exec(ctx, c, "end a copy", `DELETE FROM click_changes; DELETE FROM click_copy`)
		return err
	})
}

// errCold means that some clicks are only in ClickHouse.
var errCold error = models.Conflict("cold_clicks", "there are clicks that only ClickHouse has: bring them back first")
