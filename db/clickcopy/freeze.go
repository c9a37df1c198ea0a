package clickcopy

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
)

const (
	// A change of an account's currency inserts clicks into PostgreSQL again, so the clicks of no day are
	// moved out during such a change. A transaction that begins such a change, or that ends the copy, waits until the day that is
	// being moved out is done.
	lockBegins = `SET LOCAL lock_timeout = '2s'; LOCK TABLE currency_changes IN SHARE MODE`
	mayFreeze  = `SELECT state = 'on' AND NOT EXISTS (SELECT FROM currency_changes) FROM click_copy FOR SHARE`

	selectFreezable = `
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
LEFT JOIN click_cold k ON k.day = to_date(substr(c.relname, length($1) + 1), 'YYYYMMDD')
WHERE i.inhparent = 'clicks'::regclass AND NOT i.inhdetachpending AND c.relname < $2 AND (k.day IS NULL
	OR pg_relation_size(c.oid) > 0 AND coalesce(k.thawed_at, k.left_at) < now() - make_interval(secs => $3))
ORDER BY 1`

	moveMark = `UPDATE click_copy SET cold_before = greatest(cold_before, $1::date)`
	addCold  = `INSERT INTO click_cold (day) VALUES ($1) ON CONFLICT (day) DO UPDATE SET left_at = now(), thawed_at = NULL`
)

// Freeze moves the clicks of whole days before the given time out of PostgreSQL, if the copy is complete and the audit of the day
// finds no difference. Clicks that were copied back (thawed) or stored late leave again after thawedFor. A day stays until a later
// call if changes of its clicks wait to be copied, or if a lock is not free.
func (k Copy) Freeze(ctx context.Context, before time.Time, thawedFor time.Duration) error {
	s, err := click.ReadCopy(ctx, k.From)
	if err != nil || !s.On || !s.Done {
		return err
	}
	if may, _, err := db.First[bool](ctx, k.From, "state of the copy", mayFreeze); err != nil || !may {
		return err
	}
	names, err := db.Select[string](ctx, k.From, "days that may leave", selectFreezable, click.PartitionPrefix,
		click.PartitionName("clicks", before.UTC()), thawedFor.Seconds())
	for _, name := range names {
		if err == nil {
			err = k.freezeDay(ctx, name)
		}
	}
	return err
}

// freezeDay moves the clicks of a partition out of PostgreSQL, if the audit of the day finds no difference.
func (k Copy) freezeDay(ctx context.Context, name string) error {
	day, err := time.Parse(click.PartitionPrefix+click.PartitionDay, name)
	if err != nil {
		return nil //nolint:nilerr // the partition is not of this program, whose partitions have the day in their names
	}
	differ := 0
	const repair = false
	_, busy, err := k.AuditDay(ctx, day, repair, func(d Difference) {
		if differ++; differ == 1 {
			slog.ErrorContext(ctx, "a day stays in PostgreSQL, as its copy differs: run `switchyard clicks audit --repair`",
				"day", day.Format(time.DateOnly), "difference", d.String())
		}
	})
	if differ > 0 && k.Differs != nil {
		k.Differs(day)
	}
	if err != nil || differ > 0 || busy > 0 {
		return err
	}
	// Readers look at the mark cold_before first, so it moves before any click leaves.
	if err := db.Run(ctx, k.From, "move the mark", moveMark, day.Add(click.Day).Format(time.DateOnly)); err != nil {
		return err
	}
	left := false
	err = db.Tx(ctx, k.From, func(c db.Conn) error {
		left, err = emptyPartition(ctx, c, name, day)
		return err
	})
	if db.Unavailable(err) {
		slog.WarnContext(ctx, "a day stays in PostgreSQL for now", "day", day.Format(time.DateOnly), "error", err)
		return ctx.Err()
	}
	if left {
		slog.InfoContext(ctx, "the clicks of a day are only in ClickHouse now", "day", day.Format(time.DateOnly))
	}
	return err
}

// emptyPartition deletes the clicks of a day from PostgreSQL. They stay if a change of them waits to be copied, or if a change of
// an account's currency or the end of the copy has begun.
func emptyPartition(ctx context.Context, c db.Conn, name string, day time.Time) (left bool, err error) {
	if err := click.LockColdDays(ctx, c, []time.Time{day}); err != nil {
		return false, err
	}
	if err := db.Run(ctx, c, "lock changes of currencies", lockBegins); err != nil {
		return false, err
	}
	if may, _, err := db.First[bool](ctx, c, "state of the copy", mayFreeze); err != nil || !may {
		return false, err
	}
	if err := db.Run(ctx, c, "lock a day", `LOCK TABLE `+name+` IN ACCESS EXCLUSIVE MODE`); err != nil {
		return false, err
	}
	const waits = `SELECT EXISTS (SELECT FROM click_changes WHERE click_id >= $1 AND click_id < $2)`
	busy, err := db.Get[bool](ctx, c, "changes of a day", waits, models.FloorClickID(day), models.FloorClickID(day.Add(click.Day)))
	if err != nil || busy {
		return false, err
	}
	if err := db.Run(ctx, c, "empty a day", `TRUNCATE `+name); err != nil {
		return false, err
	}
	if err := db.Run(ctx, c, "cold day", addCold, day.Format(time.DateOnly)); err != nil {
		return false, err
	}
	err = db.Run(ctx, c, "cold day", `DELETE FROM click_thaws WHERE day = $1::date`, day.Format(time.DateOnly))
	return err == nil, err
}

// Return thaws all clicks that are only in ClickHouse, and ends the copy. After each day it calls the function report. If it is
// interrupted, the next call continues.
func (k Copy) Return(ctx context.Context, report func(day time.Time)) error {
	if err := db.Run(ctx, k.From, "end the copy", `UPDATE click_copy SET state = 'ending' WHERE state = 'on'`); err != nil {
		return err
	}
	days, err := db.Select[time.Time](ctx, k.From, "cold days", `SELECT day FROM click_cold ORDER BY day DESC`)
	if err != nil {
		return err
	}
	from := click.Log{Copy: click.NewCopyReader(k.To)}.Store()
	for _, day := range days {
		err := db.Tx(ctx, k.From, func(c db.Conn) error {
			if err := from.ThawDay(ctx, c, uuid.Nil, day); err != nil {
				return err
			}
			return db.Run(ctx, c, "delete cold day", `DELETE FROM click_cold WHERE day = $1::date`, day.Format(time.DateOnly))
		})
		if err != nil {
			return err
		}
		report(day)
	}
	const clearMark = `UPDATE click_copy SET cold_before = NULL WHERE NOT EXISTS (SELECT FROM click_cold)`
	if err := db.Run(ctx, k.From, "clear the mark", clearMark); err != nil {
		return err
	}
	return k.End(ctx)
}
