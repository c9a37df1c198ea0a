package click

import (
	"context"
	"time"

	"switchyard/db"
)

// CopiedAtOnce is the number of rows that go to ClickHouse as one block.
const CopiedAtOnce = 20_000

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
	for _, t := range ChangeTriggers {
		names = append(names, t.Name)
	}
	s, _, err := db.First[CopyState](ctx, c, "state of the copy", selectCopy, names, len(names))
	return s, err
}

// ChangeTriggers note changes, one trigger for each kind of statement. They also fire for changes in partitions, because the
// statements name the table clicks.
var ChangeTriggers = []struct{ Name, Table, Event, Rows, Function string }{
	{"note_clicks_insert", "clicks", "INSERT", "NEW", "note_clicks"},
	{"note_clicks_update", "clicks", "UPDATE", "NEW", "note_clicks"},
	{"note_clicks_delete", "clicks", "DELETE", "OLD", "note_clicks"},
	{"note_conversions_insert", "conversions", "INSERT", "NEW", "note_conversions"},
	{"note_conversions_update", "conversions", "UPDATE", "NEW", "note_conversions"},
	{"note_conversions_delete", "conversions", "DELETE", "OLD", "note_conversions"},
}
