package delivery

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Events and deliveries are partitioned by weeks in UTC: events_w20261116 has the week that began on Monday 2026-11-16.
// PostgreSQL plans every query over all partitions, so days would be too many. A row whose week has no partition yet goes to the
// partition _rest.
const (
	week       = 7 * 24 * time.Hour
	events     = "events"
	deliveries = "webhook_deliveries"
	weekForm   = "20060102"
)

// lockWait limits how long housekeeping waits for a lock, because deliveries must wait as long as housekeeping waits. After 2
// seconds, housekeeping fails, and its next run tries again.
const lockWait = `SET LOCAL lock_timeout = '2s'`

func weekOf(t time.Time) time.Time {
	t = t.UTC().Truncate(24 * time.Hour)
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// EnsureWeeks creates the partitions of the current week and of the weeks ahead, and moves their rows out of the partitions
// _rest. Several processes may call it at the same time.
func EnsureWeeks(ctx context.Context, d *db.DB, now time.Time, ahead int) error {
	for i := range ahead + 1 {
		for _, log := range []string{events, deliveries} {
			if err := ensureWeek(ctx, d, log, weekOf(now).Add(time.Duration(i)*week)); err != nil {
				return err
			}
		}
	}
	return nil
}

func ensureWeek(ctx context.Context, d *db.DB, log string, from time.Time) error {
	name := log + "_w" + from.Format(weekForm)
	low, high := models.FloorClickID(from), models.FloorClickID(from.Add(week))
	return db.Tx(ctx, d, func(c db.Conn) error {
		if err := db.Run(ctx, c, "lock weeks", lockLog+`; `+lockWait); err != nil {
			return err
		}
		return db.Partition{Table: log, Name: name, Low: low, High: high, Prepare: fmt.Sprintf(`
			WITH moved AS (DELETE FROM %s_rest WHERE id >= '%s' AND id < '%s' RETURNING *)
			INSERT INTO %s SELECT * FROM moved`, log, low, high, name)}.Ensure(ctx, c)
	})
}

const lockLog = `SELECT pg_advisory_xact_lock(hashtext('switchyard webhook log'))`

// DeleteWeeks deletes the deliveries of whole weeks that ended before the given time, with their jobs, and the events to which no
// remaining delivery can belong. A week with an open delivery stays, together with all later weeks. DeleteWeeks also deletes old
// rows from the partitions _rest. It returns the number of dropped partitions.
func DeleteWeeks(ctx context.Context, d *db.DB, before time.Time) (int, error) {
	n, first, err := deleteDeliveries(ctx, d, weekOf(before))
	if err != nil {
		return n, err
	}
	// The event of a delivery is at most a week older.
	old, err := weeksBefore(ctx, d, events, first.Add(-week))
	if err != nil {
		return n, err
	}
	for _, from := range old {
		if err := deleteWeek(ctx, d, events, from); err != nil {
			return n, err
		}
		n++
	}
	return n, deleteRest(ctx, d, before)
}

const listWeeks = `
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = to_regclass($1) AND c.relname LIKE $1 || '\_w%' AND c.relname < $1 || '_w' || $2 ORDER BY 1`

// weeksBefore lists the first days of a log's weeks before limit.
func weeksBefore(ctx context.Context, d *db.DB, log string, limit time.Time) ([]time.Time, error) {
	names, err := db.Select[string](ctx, d, "list weeks", listWeeks, log, limit.Format(weekForm))
	if err != nil {
		return nil, err
	}
	weeks := make([]time.Time, len(names))
	for i, name := range names {
		if weeks[i], err = time.Parse(weekForm, name[len(log)+len("_w"):]); err != nil {
			return nil, err
		}
	}
	return weeks, nil
}

const deleteBatch = 5000

// deleteDeliveries deletes whole weeks of deliveries and their jobs. first is the first week that stays.
func deleteDeliveries(ctx context.Context, d *db.DB, limit time.Time) (n int, first time.Time, err error) {
	weeks, err := weeksBefore(ctx, d, deliveries, limit)
	if err != nil {
		return 0, limit, err
	}
	for _, from := range weeks {
		low, high := models.FloorClickID(from), models.FloorClickID(from.Add(week))
		// Jobs are deleted first: a job that is run again by hand must not find its delivery deleted.
		open, err := jobrow.DeleteRange(ctx, d, models.KindDeliverWebhook, low, high)
		if err != nil || open {
			return n, from, err
		}
		if err := deleteWeek(ctx, d, deliveries, from); err != nil {
			return n, from, err
		}
		n++
	}
	return n, limit, nil
}

func deleteWeek(ctx context.Context, d *db.DB, log string, from time.Time) error {
	return db.Tx(ctx, d, func(c db.Conn) error {
		return db.Run(ctx, c, "drop week", lockWait+`; DROP TABLE `+log+`_w`+from.Format(weekForm))
	})
}

var (
	deleteRestDeliveries = `DELETE FROM webhook_deliveries_rest WHERE id IN (SELECT r.id FROM webhook_deliveries_rest r
		WHERE r.created_at < $1 AND NOT ` + jobrow.IsOpen("r.id") + ` LIMIT $2)`

	deleteRestEvents = `DELETE FROM events_rest WHERE id IN (SELECT r.id FROM events_rest r
		WHERE r.created_at < $1 AND NOT EXISTS (SELECT FROM webhook_deliveries_rest d WHERE d.event_id = r.id) LIMIT $2)`
)

func deleteRest(ctx context.Context, d *db.DB, before time.Time) error {
	if _, err := db.InParts(ctx, d, "drop old deliveries", deleteRestDeliveries, deleteBatch, before); err != nil {
		return err
	}
	_, err := db.InParts(ctx, d, "drop old events", deleteRestEvents, deleteBatch, before.Add(-week))
	return err
}
