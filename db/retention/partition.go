package retention

import (
	"context"
	"log/slog"
	"time"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/oldtracker"
	"switchyard/models"
)

const listPartitions = `
SELECT c.relname AS name, i.inhdetachpending AS pending
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = $1::regclass AND c.relname < $2 ORDER BY c.relname`

// DeleteBefore deletes the clicks of whole days before the day of t, with their click-outs and postbacks, and the clicks of
// smartlinks. It returns for how many days it deleted clicks. Conversions, the ledger and the sums of smartlinks stay. It does
// not block readers, because it detaches partitions concurrently.
func DeleteBefore(ctx context.Context, c db.Conn, t time.Time) (int, error) {
	cut, days := t.UTC().Truncate(click.Day), 0
	if err := conversion.StoreConvertedBefore(ctx, c, cut); err != nil {
		return days, err
	}
	for i, table := range click.Partitioned {
		n, err := dropPartitions(ctx, c, table, cut)
		if i == 0 { // the table clicks
			days = n
		}
		if err != nil {
			return days, err
		}
	}
	for _, q := range []string{`DELETE FROM click_cold WHERE day < $1::date`, `DELETE FROM click_thaws WHERE day < $1::date`} {
		if err := db.Run(ctx, c, "drop cold days", q, cut.Format(time.DateOnly)); err != nil {
			return days, err
		}
	}
	err := db.Run(ctx, c, "drop hops", `DELETE FROM click_hops WHERE id < $1`, models.FloorClickID(cut))
	for n := postbacksAtOnce; err == nil && n == postbacksAtOnce; {
		n, err = deletePostbacksOnce(ctx, c, selectPostbacksBefore, models.FloorClickID(cut), postbacksAtOnce)
	}
	if err == nil {
		err = conversion.DeleteReferencesBefore(ctx, c, models.FloorClickID(cut))
	}
	if err == nil {
		err = oldtracker.DeleteBefore(ctx, c, models.FloorClickID(cut))
	}
	return days, err
}

// dropPartitions drops the partitions before the given day, and returns their number.
func dropPartitions(ctx context.Context, d db.Conn, table string, before time.Time) (int, error) {
	what := "drop partition of " + table
	parts, err := db.Select[struct {
		Name    string `db:"name"`
		Pending bool   `db:"pending"`
	}](ctx, d, what, listPartitions, table, click.PartitionName(table, before))
	if err != nil {
		return 0, err
	}
	for i, p := range parts {
		how := "CONCURRENTLY"
		if p.Pending { // an earlier call was interrupted
			how = "FINALIZE"
		}
		err := db.Run(ctx, d, what, `ALTER TABLE `+table+` DETACH PARTITION `+p.Name+` `+how)
		if err == nil {
			err = db.Run(ctx, d, what, `DROP TABLE `+p.Name)
		}
		if err != nil {
			return i, err
		}
	}
	return len(parts), nil
}

const (
	daysAhead = 3
	// visitorGrace is how long an expired fingerprint is kept for clicks that still wait in a spool.
	visitorGrace = 3 * click.Day
)

// MaintainPartitions creates the partitions of today and the next days, and deletes expired fingerprints and the days beyond the
// longest history of all plans. A run may be missed or repeated, and runs may overlap.
func MaintainPartitions(ctx context.Context, l click.Log) error {
	now := l.Time()
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
	days, err := DeleteBefore(ctx, l.Conn, cut)
	if err == nil {
		slog.InfoContext(ctx, "clicks tidied", "days", days, "visitors", visitors)
	}
	return err
}

// longestChange is how long a change of an account's currency keeps clicks from being deleted.
const longestChange = 3 * click.Day

// firstChanging returns the earlier of two times: $1, and the earliest time from which clicks are kept for a change of currency
// that began after $2.
const firstChanging = `SELECT least($1::timestamptz, (SELECT min(kept_from) FROM currency_changes WHERE since > $2))`
