package clicklog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"switchyard/db"
	"switchyard/models"
)

// partitioned are the tables with one partition for each UTC day: clicks_p20261121.
var partitioned = []string{"clicks", "smartlink_clicks"}

// The name of a partition of clicks is partitionPrefix followed by the day in the format partitionDay.
const (
	partitionPrefix = "clicks_p"
	partitionDay    = "20060102"
)

const day = 24 * time.Hour

// Clicks older than oldestClick, or newer than newestClick from now, come from a broken clock. They are refused.
const (
	oldestClick = 400 * day
	newestClick = 2 * day
)

func partitionName(table string, day time.Time) string {
	return table + "_p" + day.Format(partitionDay)
}

const lockPartitions = `SELECT pg_advisory_xact_lock(hashtext('switchyard clicks partitions'))`

// EnsurePartition creates the partitions for the day of at. Several processes may call it at once.
func (l Log) EnsurePartition(ctx context.Context, at time.Time) error {
	from := at.UTC().Truncate(day)
	return db.Tx(ctx, l.Conn, func(c db.Conn) error {
		if _, err := db.Exec(ctx, c, "lock partitions", lockPartitions); err != nil {
			return err
		}
		for _, table := range partitioned {
			low, high := models.FloorClickID(from), models.FloorClickID(from.Add(day))
			p := db.Partition{Table: table, Name: partitionName(table, from), Low: low, High: high}
			if err := p.Ensure(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

const listPartitions = `
SELECT c.relname AS name, i.inhdetachpending AS pending
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = $1::regclass AND c.relname < $2 ORDER BY c.relname`

// DropBefore deletes the clicks of whole days before the day of t, with their hops and postbacks. It also deletes the clicks of
// smartlinks of these days. It returns the number of deleted days of clicks. Conversions, the ledger and the sums of smartlinks
// stay. It does not block readers, because a partition is first detached concurrently.
func (l Log) DropBefore(ctx context.Context, t time.Time) (int, error) {
	cut, days := t.UTC().Truncate(day), 0
	for i, table := range partitioned {
		n, err := dropPartitions(ctx, l.Conn, table, cut)
		if i == 0 {
			days = n
		}
		if err != nil {
			return days, err
		}
	}
	for _, q := range []string{`DELETE FROM click_cold WHERE day < $1::date`, `DELETE FROM click_thaws WHERE day < $1::date`} {
		if _, err := db.Exec(ctx, l.Conn, "drop cold days", q, cut.Format(time.DateOnly)); err != nil {
			return days, err
		}
	}
	_, err := db.Exec(ctx, l.Conn, "drop hops", `DELETE FROM click_hops WHERE id < $1`, models.FloorClickID(cut))
	for n := postbacksAtOnce; err == nil && n == postbacksAtOnce; {
		n, err = l.forgetOnce(ctx, selectPostbacksBefore, models.FloorClickID(cut), postbacksAtOnce)
	}
	return days, err
}

func dropPartitions(ctx context.Context, d db.Conn, table string, before time.Time) (int, error) {
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
		if p.Pending { // an earlier call was interrupted
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

const (
	daysAhead = 3
	// visitorGrace is the time for which an expired fingerprint is kept for clicks that still wait in a spool.
	visitorGrace = 3 * day
)

// Tidy creates the partitions of the next days. It deletes expired fingerprints, and days of clicks that are older than the
// longest history of any plan. It may be missed, repeated or run in parallel.
func (l Log) Tidy(ctx context.Context) error {
	now := l.now()
	for n := range daysAhead {
		if err := l.EnsurePartition(ctx, now.AddDate(0, 0, n)); err != nil {
			return err
		}
	}
	const expired = `DELETE FROM click_visitors WHERE expires_at < $1`
	visitors, err := db.Exec(ctx, l.Conn, "sweep visitors", expired, now.Add(-visitorGrace))
	if err != nil {
		return err
	}
	cut, err := db.Get[time.Time](ctx, l.Conn, "changes of currencies", firstChanging, now.AddDate(0, 0, -models.LongestHistory()), now.Add(-longestChange))
	if err != nil {
		return err
	}
	days, err := l.DropBefore(ctx, cut)
	if err == nil {
		slog.InfoContext(ctx, "clicks tidied", "days", days, "visitors", visitors)
	}
	return err
}

// longestChange is the longest time for which clicks are kept because a change of currency has not restated them yet.
const longestChange = 3 * day

const firstChanging = `SELECT least($1::timestamptz, (SELECT min(kept_from) FROM currency_changes WHERE since > $2))`

// errRefused marks a record that this package refuses as PostgreSQL refuses bad data.
var errRefused = errors.New("clicklog: refused")

// days is the set of days whose partitions are known to exist.
type days map[int64]struct{}

// ensure creates the partitions for clicks of the given moments. It refuses moments that only a broken clock can have.
func (known days) ensure(ctx context.Context, l Log, moments []time.Time) error {
	for _, at := range moments {
		key := at.Unix() / int64(day/time.Second)
		if _, ok := known[key]; ok {
			continue
		}
		if age := time.Since(at); age > oldestClick || age < -newestClick {
			return fmt.Errorf("%w: a click of %s", errRefused, at.Format(time.RFC3339))
		}
		if err := l.EnsurePartition(ctx, at); err != nil {
			return err
		}
		known[key] = struct{}{}
	}
	return nil
}
