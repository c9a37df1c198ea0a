package clicklog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/models"
)

// partitioned are the tables of which one UTC day is one partition: clicks_p20261121.
var partitioned = []string{"clicks", "smartlink_clicks"}

// partitionPrefix is what the partitions of clicks are called before the day.
const partitionPrefix = "clicks_p"

const day = 24 * time.Hour

// Clicks outside of this range around now come from a broken clock and are refused.
const (
	oldestClick = 400 * day
	newestClick = 2 * day
)

func partitionName(table string, day time.Time) string { return table + "_p" + day.Format("20060102") }

const lockPartitions = `SELECT pg_advisory_xact_lock(hashtext('switchyard clicks partitions'))`

const partitionAttached = `
SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = $1::regclass AND inhrelid = to_regclass($2))`

// EnsurePartition makes the partitions for the day of at. Several processes may call it at once. A partition is made
// first and attached then: making it in place would wait for every reader and hold up all that come after.
func EnsurePartition(ctx context.Context, d db.Conn, at time.Time) error {
	from := at.UTC().Truncate(day)
	return db.Tx(ctx, d, func(c db.Conn) error {
		if _, err := db.Exec(ctx, c, "lock partitions", lockPartitions); err != nil {
			return err
		}
		for _, table := range partitioned {
			if err := ensurePartition(ctx, c, table, from); err != nil {
				return err
			}
		}
		return nil
	})
}

func ensurePartition(ctx context.Context, c db.Conn, table string, from time.Time) error {
	name, what := partitionName(table, from), "make partition of "+table
	if there, err := db.Get[bool](ctx, c, what, partitionAttached, table, name); err != nil || there {
		return err
	}
	const create = `CREATE TABLE IF NOT EXISTS %s (LIKE %s INCLUDING ALL)`
	if _, err := db.Exec(ctx, c, what, fmt.Sprintf(create, name, table)); err != nil {
		return err
	}
	const attach = `ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')`
	low, high := models.FloorClickID(from), models.FloorClickID(from.Add(day))
	_, err := db.Exec(ctx, c, what, fmt.Sprintf(attach, table, name, low, high))
	return err
}

const listPartitions = `
SELECT c.relname AS name, i.inhdetachpending AS pending
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = $1::regclass AND c.relname < $2 ORDER BY c.relname`

// DropBefore deletes the clicks of whole days that ended before t, with their hops and those of smartlinks, and returns
// how many days of clicks went. Conversions, the ledger and the sums of smartlinks stay. Readers are not held up: a
// partition is detached beside them first.
func DropBefore(ctx context.Context, d *db.DB, t time.Time) (int, error) {
	cut, days := t.UTC().Truncate(day), 0
	for i, table := range partitioned {
		n, err := dropPartitions(ctx, d, table, cut)
		if i == 0 {
			days = n
		}
		if err != nil {
			return days, err
		}
	}
	_, err := db.Exec(ctx, d, "drop hops", `DELETE FROM click_hops WHERE id < $1`, models.FloorClickID(cut))
	return days, err
}

func dropPartitions(ctx context.Context, d *db.DB, table string, before time.Time) (int, error) {
	what := "drop partition of " + table
	parts, err := db.Select[struct {
		Name    string `db:"name"`
		Pending bool   `db:"pending"`
	}](ctx, d, what, listPartitions, table, partitionName(table, before))
	if err != nil {
		return 0, err
	}
	for i, p := range parts {
		how := "CONCURRENTLY"
		if p.Pending { // an earlier call was cut short
			how = "FINALIZE"
		}
		_, err := db.Exec(ctx, d, what, `ALTER TABLE `+table+` DETACH PARTITION `+p.Name+` `+how)
		if err == nil {
			_, err = db.Exec(ctx, d, what, `DROP TABLE `+p.Name)
		}
		if err != nil {
			return i, err
		}
	}
	return len(parts), nil
}

// SweepVisitors deletes the fingerprints that expired before t, and returns how many. Call it with a time some days ago:
// a click that arrives late still has to find who was counted.
func SweepVisitors(ctx context.Context, d db.Conn, t time.Time) (int64, error) {
	return db.Exec(ctx, d, "sweep visitors", `DELETE FROM click_visitors WHERE expires_at < $1`, t)
}

// errRefused marks a record that this package refuses as PostgreSQL refuses bad data.
var errRefused = errors.New("clicklog: refused")

// days remembers which partitions are known to be there.
type days map[int64]struct{}

// ensure makes the partitions that clicks of some moments need.
func (known days) ensure(ctx context.Context, d db.Conn, moments []time.Time) error {
	for _, at := range moments {
		key := at.Unix() / int64(day/time.Second)
		if _, ok := known[key]; ok {
			continue
		}
		if age := time.Since(at); age > oldestClick || age < -newestClick {
			return fmt.Errorf("%w: a click of %s", errRefused, at.Format(time.RFC3339))
		}
		if err := EnsurePartition(ctx, d, at); err != nil {
			return err
		}
		known[key] = struct{}{}
	}
	return nil
}
