package click

import (
	"context"
	"time"

	"switchyard/db"
)

// CopiedAtOnce is the usual number of rows in a block that is sent to ClickHouse or inserted into PostgreSQL again.
const CopiedAtOnce = 20_000

// CopyState is the progress of the copy of clicks in ClickHouse.
type CopyState struct {
	// Begun means that there is a copy, or that this database was restored from the backup of a database that had a copy.
	Begun bool `db:"begun"`
	// On means that triggers record changes for the copy. If it is false, the copy may lack changes.
	On bool `db:"noted"`
	// Since is a day (UTC). From this day on, the copy has every click, except for changes that wait to be copied.
	Since time.Time `db:"since"`
	// ColdBefore is a day (UTC). From this day on, PostgreSQL has all clicks. Clicks of earlier days may be only in the copy. Zero:
	// no day is cold.
	ColdBefore time.Time `db:"cold_before"`
	// Done means that all days were copied. Since is then zero.
	Done bool `db:"done"`
}

// Has reports whether the copy has every click from a moment on, except for changes that wait to be copied.
func (s CopyState) Has(from time.Time) bool { return s.On && !from.Before(s.Since) }

// Cold reports whether a click at a moment may be only in the copy.
func (s CopyState) Cold(at time.Time) bool { return at.Before(s.ColdBefore) }

// noted is false after a database was restored from a backup, because it then has the row of click_copy but not the triggers.
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

// ChangeTriggers are the triggers that record changes for the copy, one for each table and kind of statement.
var ChangeTriggers = []struct{ Name, Table, Event, Rows, Function string }{
	{"note_clicks_insert", "clicks", "INSERT", "NEW", "note_clicks"},
	{"note_clicks_update", "clicks", "UPDATE", "NEW", "note_clicks"},
	{"note_clicks_delete", "clicks", "DELETE", "OLD", "note_clicks"},
	{"note_conversions_insert", "conversions", "INSERT", "NEW", "note_conversions"},
	{"note_conversions_update", "conversions", "UPDATE", "NEW", "note_conversions"},
	{"note_conversions_delete", "conversions", "DELETE", "OLD", "note_conversions"},
}
