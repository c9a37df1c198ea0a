package click

import (
	"context"
	"errors"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/models"
)

// Partitioned lists the tables with one partition for each UTC day, such as clicks_p20261121.
var Partitioned = []string{"clicks", "smartlink_clicks"}

// The name of a partition of clicks is PartitionPrefix followed by the day in the format PartitionDay.
const (
	PartitionPrefix = "clicks_p"
	PartitionDay    = "20060102"
)

// Day is the time that a partition covers.
const Day = 24 * time.Hour

// Clicks older than oldestClick, or more than NewestClick in the future, come from a broken clock and are refused.
const (
	oldestClick = 400 * Day
	NewestClick = 2 * Day
)

// PartitionName returns the name of the partition of a table for a day.
func PartitionName(table string, day time.Time) string {
	return table + "_p" + day.Format(PartitionDay)
}

const lockPartitions = `SELECT pg_advisory_xact_lock(hashtext('switchyard clicks partitions'))`

// EnsurePartition creates the partitions of all Partitioned tables for the day of a time. Several processes may call it at the same
// time.
func (l Log) EnsurePartition(ctx context.Context, at time.Time) error {
	from := at.UTC().Truncate(Day)
	return db.Tx(ctx, l.Conn, func(c db.Conn) error {
		if err := db.Run(ctx, c, "lock partitions", lockPartitions); err != nil {
			return err
		}
		for _, table := range Partitioned {
			low, high := models.FloorClickID(from), models.FloorClickID(from.Add(Day))
			p := db.Partition{Table: table, Name: PartitionName(table, from), Low: low, High: high}
			if err := p.Ensure(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// ErrRefused marks a record that this package refuses. Callers handle it like data that PostgreSQL refuses.
var ErrRefused = errors.New("click: refused")

// Days is the set of days whose partitions are known to exist.
type Days map[int64]struct{}

// Ensure creates the partitions for clicks at the given times.
func (known Days) Ensure(ctx context.Context, l Log, moments []time.Time) error {
	for _, at := range moments {
		key := at.Unix() / int64(Day/time.Second)
		if _, ok := known[key]; ok {
			continue
		}
		if age := time.Since(at); age > oldestClick || age < -NewestClick {
			return fmt.Errorf("%w: the time %s is too old or too far in the future for a click", ErrRefused, at.Format(time.RFC3339))
		}
		if err := l.EnsurePartition(ctx, at); err != nil {
			return err
		}
		known[key] = struct{}{}
	}
	return nil
}
