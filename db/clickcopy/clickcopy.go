package clickcopy

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

// Copy copies clicks and conversions from PostgreSQL to ClickHouse.
//
// Rows have a version. It is issued under a lock, before the rows are read in one snapshot. A higher version is therefore always
// a later state, even if several processes copy the rows.
type Copy struct {
	From db.Conn // the pool
	To   schema.Store
	// Batch is the maximum number of changes or rows that one step copies. The default is 20,000.
	Batch int
	// Differs is called for a day that stays in PostgreSQL because its copy differs. It may be nil.
	Differs func(day time.Time)
}

func (k Copy) batchSize() int {
	if k.Batch == 0 {
		return click.CopiedAtOnce
	}
	return k.Batch
}

// Ensure creates the tables in ClickHouse and adds new columns.
func (k Copy) Ensure(ctx context.Context) error {
	return k.To.Ensure(ctx, click.Table, click.ConversionTable)
}

const (
	beginCopy = `
INSERT INTO click_copy AS k (state, base, version) VALUES ('copying', $1, $1)
ON CONFLICT (one) DO UPDATE SET state = 'copying', base = greatest(k.version + 1, $1), version = greatest(k.version + 1, $1), copied_from = NULL,
	began_at = now()`
	highestVersion = `SELECT greatest((SELECT max(version) FROM clicks), (SELECT max(version) FROM conversions))`
)

// Begin creates the tables in ClickHouse, and the triggers that record changes in PostgreSQL. If changes are already recorded, it
// creates no triggers and cancels an interrupted Return. An older copy in ClickHouse is replaced, because the new versions are higher.
func (k Copy) Begin(ctx context.Context) error {
	if err := k.Ensure(ctx); err != nil {
		return err
	}
	if s, err := click.ReadCopy(ctx, k.From); err != nil || s.On {
		if err == nil {
			err = db.Run(ctx, k.From, "cancel the return from ClickHouse", `UPDATE click_copy SET state = 'on' WHERE state = 'ending'`)
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
		return db.Run(ctx, c, "begin a copy", beginCopy, highest+1)
	})
}

// createNotes creates the triggers that record changes of clicks and conversions.
func createNotes(ctx context.Context, c db.Conn) error {
	for _, t := range click.ChangeTriggers {
		q := fmt.Sprintf(`CREATE OR REPLACE TRIGGER %s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %s()`,
			t.Name, t.Event, t.Table, t.Rows, t.Function)
		if err := db.Run(ctx, c, "create triggers", q); err != nil {
			return err
		}
	}
	return nil
}

// End makes the database stop recording changes, and deletes the progress of the copy. It fails while some clicks are only in ClickHouse.
func (k Copy) End(ctx context.Context) error {
	return db.Tx(ctx, k.From, func(c db.Conn) error {
		if err := db.Run(ctx, c, "lock versions", `LOCK TABLE click_copy IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		s, err := click.ReadCopy(ctx, c)
		if err != nil {
			return err
		}
		if !s.ColdBefore.IsZero() {
			return errCold
		}
		for _, t := range click.ChangeTriggers {
			if err := db.Run(ctx, c, "drop triggers", `DROP TRIGGER IF EXISTS `+t.Name+` ON `+t.Table); err != nil {
				return err
			}
		}
		return db.Run(ctx, c, "end a copy", `DELETE FROM click_changes; DELETE FROM click_copy`)
	})
}

// errCold means that some clicks are only in ClickHouse.
var errCold error = models.Conflict("cold_clicks", "there are clicks that only ClickHouse has: bring them back first")
