package click

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

// A day is cold when its clicks have left PostgreSQL. Its partition stays. Code that changes a click of a cold day first thaws
// it: the click is inserted into PostgreSQL again. Thawed clicks leave PostgreSQL again when no click of the day has been thawed
// for a while.

// ColdAfter is the minimum age of a cold day. Younger days are not checked.
var ColdAfter = 7 * Day

const selectColdAmong = `SELECT day FROM click_cold WHERE day = ANY ($1::date[]) ORDER BY day`

func dayOf(id uuid.UUID) time.Time { return models.ClickTime(id).UTC().Truncate(Day) }

func dates(list []time.Time) any {
	return pq.Array(db.Map(list, func(t time.Time) string { return t.Format(time.DateOnly) }))
}

func (s Store) coldIDs(ctx context.Context, c db.Conn, ids []uuid.UUID) (cold []uuid.UUID, days []time.Time, err error) {
	old := map[time.Time]bool{}
	for _, id := range ids {
		if day := dayOf(id); time.Since(day) > ColdAfter {
			old[day] = true
		}
	}
	if len(old) == 0 || s.warm {
		return nil, nil, nil
	}
	days, err = db.Select[time.Time](ctx, c, "cold days", selectColdAmong, dates(slices.Collect(maps.Keys(old))))
	for _, id := range ids {
		if slices.ContainsFunc(days, dayOf(id).Equal) {
			cold = append(cold, id)
		}
	}
	return cold, days, err
}

const (
	fromCopyByID = ` FROM clicks FINAL WHERE (account_id = $1 OR $1 = ` + schema.NoID + `)
	AND toUnixTimestamp64Milli(at) IN (CAST($3, 'Array(Int64)')) AND id IN (CAST($2, 'Array(UUID)')) AND `
	removedNotes = `SELECT click_id FROM click_changes WHERE removed AND conversion_id IS NULL AND click_id = ANY ($1::uuid[])`
)

// idArray returns ids as a text that ClickHouse casts to an array.
func idArray(ids []uuid.UUID) string {
	return "['" + strings.Join(db.Map(ids, uuid.UUID.String), "','") + "']"
}

// readCold reads clicks from ClickHouse by their ids, in the order of the ids. Deletions may not have reached ClickHouse, so it
// leaves out clicks with a recorded deletion. It reads the recorded deletions first, because the record of a deletion is removed
// when the deletion has reached ClickHouse.
func (s Store) readCold(ctx context.Context, c db.Conn, cols Columns[StoredClick], account uuid.UUID, ids []uuid.UUID) ([]*StoredClick, error) {
	removed, err := db.Select[uuid.UUID](ctx, c, "deleted clicks", removedNotes, db.UUIDs(ids))
	if err != nil {
		return nil, err
	}
	list, err := s.copiedByID(ctx, cols, account, ids)
	return slices.DeleteFunc(list, func(k *StoredClick) bool { return slices.Contains(removed, k.ID) }), err
}

// copiedByID reads clicks from ClickHouse by their ids, in the order of the ids. The zero account means any account.
func (s Store) copiedByID(ctx context.Context, cols Columns[StoredClick], account uuid.UUID, ids []uuid.UUID) ([]*StoredClick, error) {
	times := db.Map(ids, func(id uuid.UUID) int64 { return models.ClickTime(id).UnixMilli() })
	window := schema.Window("at", time.UnixMilli(slices.Min(times)), time.UnixMilli(slices.Max(times)+1))
	return s.readCopy(ctx, "find clicks", cols, fromCopyByID+window, account, idArray(ids), times)
}

// readCopy reads clicks from ClickHouse, in the order of their ids. The parameter from is the SQL after the columns.
func (s Store) readCopy(ctx context.Context, what string, cols Columns[StoredClick], from string, args ...any) ([]*StoredClick, error) {
	if s.copied == nil {
		return nil, &CopyAwayError{errors.New("click: there are cold clicks, and CLICKS_URL is not set")}
	}
	list, err := readCopied(ctx, s.copied, cols, what, `SELECT `+cols.SQL()+from, args...)
	slices.SortFunc(list, func(a, b *StoredClick) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return list, err
}

// Thaw inserts the cold clicks among ids into PostgreSQL again. thawed reports whether any id lies on a cold day. The zero
// account means any account.
func (s Store) Thaw(ctx context.Context, c db.Conn, account uuid.UUID, ids []uuid.UUID) (thawed bool, err error) {
	ids, days, err := s.coldIDs(ctx, c, ids)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	return true, db.Tx(ctx, c, func(c db.Conn) error {
		if err := LockColdDays(ctx, c, days); err != nil {
			return err
		}
		list, err := s.readCold(ctx, c, AllColumns, account, ids)
		if err != nil {
			return err
		}
		return reinsert(ctx, c, list)
	})
}

const lockDays = `
SELECT pg_advisory_xact_lock(hashtextextended('switchyard cold ' || day, 0)) FROM (SELECT day FROM unnest($1::text[]) AS d (day) ORDER BY day) s`

// LockColdDays locks days until the transaction ends. While a day is locked, its clicks do not leave PostgreSQL, and no other
// transaction thaws its clicks.
func LockColdDays(ctx context.Context, c db.Conn, days []time.Time) error {
	return db.Run(ctx, c, "lock cold days", lockDays, dates(days))
}

const (
	thawsOn    = `SET LOCAL switchyard.thaws = 'on'`
	thawsOff   = `SET LOCAL switchyard.thaws = 'off'`
	recordThaw = `UPDATE click_cold SET thawed_at = now() WHERE day = ANY ($1::date[]) AND (thawed_at IS NULL OR thawed_at < now() - interval '1 hour')`
)

// reinsert inserts clicks of locked days into PostgreSQL. It skips clicks that are already there.
func reinsert(ctx context.Context, c db.Conn, list []*StoredClick) error {
	days := map[time.Time]bool{}
	for part := range slices.Chunk(list, CopiedAtOnce) {
		present, err := Store{}.warmIDs(ctx, c, IDs(part))
		if err != nil {
			return err
		}
		absent := db.Without(part, func(k *StoredClick) bool {
			days[dayOf(k.ID)] = true
			_, found := slices.BinarySearchFunc(present, k.ID, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
			return found
		})
		if len(absent) == 0 {
			continue
		}
		if err := db.Run(ctx, c, "thaw", thawsOn); err != nil {
			return err
		}
		if err := AllColumns.Insert(ctx, c, "clicks", absent); err != nil {
			return err
		}
		if err := db.Run(ctx, c, "thaw", thawsOff); err != nil {
			return err
		}
	}
	return db.Run(ctx, c, "thaw", recordThaw, dates(slices.Collect(maps.Keys(days))))
}

const selectFrozen = `
SELECT day FROM click_cold k WHERE day >= $2::date AND day < $3::date
	AND NOT EXISTS (SELECT FROM click_thaws t WHERE t.account_id = $1 AND t.day = k.day) ORDER BY day`

// latestDay limits a range without an end: the greatest id has a time in the year 10889, and dates here have four-digit years.
var latestDay = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// frozen returns the cold days in [low, high), without the days that are already thawed for the account.
func (s Store) frozen(ctx context.Context, c db.Conn, account, low, high uuid.UUID) ([]time.Time, error) {
	from, to := dayOf(low), models.ClickTime(high).UTC()
	if time.Since(from) <= ColdAfter || s.warm {
		return nil, nil
	}
	if to.After(latestDay) {
		to = latestDay
	}
	if next := to.Truncate(Day); next.Before(to) {
		to = next.Add(Day)
	}
	return db.Select[time.Time](ctx, c, "cold days", selectFrozen, account, from.Format(time.DateOnly), to.Format(time.DateOnly))
}

// ThawRange thaws all clicks of an account on each cold day that has a part in [low, high), day by day.
func (s Store) ThawRange(ctx context.Context, c db.Conn, account, low, high uuid.UUID) error {
	days, err := s.frozen(ctx, c, account, low, high)
	for _, at := range days {
		if err == nil {
			err = s.ThawDay(ctx, c, account, at)
		}
	}
	return err
}

const (
	removedOfDay = `SELECT click_id FROM click_changes WHERE removed AND conversion_id IS NULL AND click_id >= $1 AND click_id < $2`
	copiedOfDay  = ` FROM clicks FINAL WHERE (account_id = $1 OR $1 = ` + schema.NoID + `) AND `
	markThawed   = `INSERT INTO click_thaws (account_id, day) VALUES ($1, $2) ON CONFLICT DO NOTHING`
)

// ThawDay thaws all clicks of an account on a cold day. The zero account means all accounts.
func (s Store) ThawDay(ctx context.Context, c db.Conn, account uuid.UUID, at time.Time) error {
	return db.Tx(ctx, c, func(c db.Conn) error {
		if err := LockColdDays(ctx, c, []time.Time{at}); err != nil {
			return err
		}
		low, high := models.FloorClickID(at), models.FloorClickID(at.Add(Day))
		removed, err := db.Select[uuid.UUID](ctx, c, "deleted clicks", removedOfDay, low, high)
		if err != nil {
			return err
		}
		isRemoved := map[uuid.UUID]bool{}
		for _, id := range removed {
			isRemoved[id] = true
		}
		for from := at; from.Before(at.Add(Day)); from = from.Add(thawedAtOnce) {
			list, err := s.readCopy(ctx, "clicks of a day", AllColumns, copiedOfDay+schema.Window("at", from, from.Add(thawedAtOnce)), account)
			if err != nil {
				return err
			}
			list = slices.DeleteFunc(list, func(k *StoredClick) bool { return isRemoved[k.ID] })
			if err := reinsert(ctx, c, list); err != nil {
				return err
			}
		}
		if account == uuid.Nil {
			return nil
		}
		return db.Run(ctx, c, "thaw", markThawed, account, at.Format(time.DateOnly))
	})
}

// thawedAtOnce is the part of a day that one query reads from ClickHouse.
const thawedAtOnce = 30 * time.Minute

// Thaw thaws the clicks of an account on cold days in [from, to). Each day has its own transaction.
func (l Log) Thaw(ctx context.Context, account uuid.UUID, from, to time.Time) error {
	return l.Store().ThawRange(ctx, l.Conn, account, models.FloorClickID(from), models.FloorClickID(to))
}
