package clicklog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
)

// The clicks of one UTC day are one partition: clicks_p20261121.
const partitionPrefix = "clicks_p"

const day = 24 * time.Hour

// Clicks outside of this range around now come from a broken clock and are refused.
const (
	oldestClick = 400 * day
	newestClick = 2 * day
)

func partitionName(day time.Time) string { return partitionPrefix + day.Format("20060102") }

const lockPartitions = `SELECT pg_advisory_xact_lock(hashtext('switchyard clicks partitions'))`

const partitionAttached = `
SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'clicks'::regclass AND inhrelid = to_regclass($1))`

// EnsurePartition makes the partition for the day of at. Several processes may call it at once. It is attached
// after it was made, because making it in place would wait for every reader and hold up all that come after.
func EnsurePartition(ctx context.Context, d db.Conn, at time.Time) error {
	from := at.UTC().Truncate(day)
	name := partitionName(from)
	err := db.Tx(ctx, d, func(c db.Conn) error {
		if _, err := c.ExecContext(ctx, lockPartitions); err != nil {
			return err
		}
		var there bool
		if err := sqlx.GetContext(ctx, c, &there, partitionAttached, name); err != nil || there {
			return err
		}
		if _, err := c.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+name+` (LIKE clicks INCLUDING ALL)`); err != nil {
			return err
		}
		const attach = `ALTER TABLE clicks ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')`
		_, err := c.ExecContext(ctx, fmt.Sprintf(attach, name, models.FloorClickID(from),
			models.FloorClickID(from.Add(day))))
		return err
	})
	if err != nil {
		return fmt.Errorf("clicklog: partition %s: %w", name, err)
	}
	return nil
}

const listPartitions = `
SELECT c.relname AS name, i.inhdetachpending AS pending
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'clicks'::regclass AND c.relname < $1 ORDER BY c.relname`

// DropBefore deletes the clicks of whole days that ended before t, with their hops, and returns how many days went.
// Conversions and the ledger stay. Readers are not held up: a partition is detached beside them first.
func DropBefore(ctx context.Context, d *db.DB, t time.Time) (int, error) {
	var parts []struct {
		Name    string `db:"name"`
		Pending bool   `db:"pending"`
	}
	cut := t.UTC().Truncate(day)
	if err := d.SelectContext(ctx, &parts, listPartitions, partitionName(cut)); err != nil {
		return 0, fmt.Errorf("clicklog: drop clicks: %w", err)
	}
	for i, p := range parts {
		how := "CONCURRENTLY"
		if p.Pending { // an earlier call was cut short
			how = "FINALIZE"
		}
		_, err := d.ExecContext(ctx, `ALTER TABLE clicks DETACH PARTITION `+p.Name+` `+how)
		if err == nil {
			_, err = d.ExecContext(ctx, `DROP TABLE `+p.Name)
		}
		if err != nil {
			return i, fmt.Errorf("clicklog: drop clicks: %w", err)
		}
	}
	_, err := d.ExecContext(ctx, `DELETE FROM click_hops WHERE id < $1`, models.FloorClickID(cut))
	if err != nil {
		return len(parts), fmt.Errorf("clicklog: drop hops: %w", err)
	}
	return len(parts), nil
}

// SweepVisitors forgets fingerprints whose time has run out before t. Call it with a time some days ago, so that a
// click that arrives late still finds who was counted. It returns how many went.
func SweepVisitors(ctx context.Context, d db.Conn, t time.Time) (int64, error) {
	res, err := d.ExecContext(ctx, `DELETE FROM click_visitors WHERE expires_at < $1`, t)
	if err != nil {
		return 0, fmt.Errorf("clicklog: sweep visitors: %w", err)
	}
	return res.RowsAffected()
}

// errRefused marks a record that this package refuses as PostgreSQL refuses bad data.
var errRefused = errors.New("clicklog: refused")

// days remembers which partitions are known to be there.
type days map[int64]struct{}

// ensure makes the partitions that the clicks need.
func (known days) ensure(ctx context.Context, d db.Conn, clicks []*StoredClick) error {
	for _, c := range clicks {
		key := c.At.Unix() / int64(day/time.Second)
		if _, ok := known[key]; ok {
			continue
		}
		if age := time.Since(c.At); age > oldestClick || age < -newestClick {
			return fmt.Errorf("%w: a click of %s", errRefused, c.At.Format(time.RFC3339))
		}
		if err := EnsurePartition(ctx, d, c.At); err != nil {
			return err
		}
		known[key] = struct{}{}
	}
	return nil
}
