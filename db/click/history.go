package click

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

// FirstDay returns the day of the first partition of clicks. ok is false if there is no partition.
func FirstDay(ctx context.Context, c db.Conn) (day time.Time, ok bool, err error) {
	name, err := db.Get[string](ctx, c, "oldest day", firstPartition)
	if err != nil {
		return day, false, err
	}
	day, parseErr := time.Parse(PartitionPrefix+PartitionDay, name)
	return day, parseErr == nil, nil
}

const firstPartition = `
SELECT coalesce(min(c.relname), '') FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'clicks'::regclass`

// OldestDay returns the first day for which the account's individual clicks are still stored. A day that is only in ClickHouse
// counts: it still has an empty partition. OldestDay returns today if there is no partition.
func OldestDay(ctx context.Context, c db.Conn, account uuid.UUID) (time.Time, error) {
	oldest, ok, err := FirstDay(ctx, c)
	if err != nil {
		return time.Time{}, err
	}
	if !ok {
		return time.Now().UTC().Truncate(Day), nil
	}
	kept, err := KeptFrom(ctx, c, account)
	if kept.After(oldest) {
		oldest = kept.UTC()
	}
	return oldest, err
}

// KeptFrom returns the start of the time for which the account's plan keeps clicks. It is zero if the account keeps all clicks.
func KeptFrom(ctx context.Context, c db.Conn, account uuid.UUID) (time.Time, error) {
	const q = `SELECT kept_from FROM click_history WHERE account_id = $1`
	at, _, err := db.First[time.Time](ctx, c, "history", q, account)
	return at, err
}
