package clickcopy

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/conversion"
	"switchyard/models"
)

const (
	selectBase  = `SELECT base, copied_from FROM click_copy WHERE state = 'copying'`
	oldestFacts = `
SELECT coalesce((SELECT id FROM clicks ORDER BY id LIMIT 1), $1) AS click, coalesce((SELECT click_id FROM conversions ORDER BY click_id LIMIT 1), $1) AS sold`
	recordCopied = `UPDATE click_copy SET copied_from = $1 WHERE state = 'copying' AND base = $2`
	recordOn     = `UPDATE click_copy SET state = 'on', copied_from = NULL WHERE state = 'copying' AND base = $1`
)

// Fill copies the clicks and conversions that were stored before Begin, day by day, the newest day first. It may be interrupted
// at any point, and the next call continues from there. After each day it calls the function report.
func (k Copy) Fill(ctx context.Context, report func(day time.Time, clicks int64)) error {
	state, copying, err := db.First[struct {
		Base       int64      `db:"base"`
		CopiedFrom *time.Time `db:"copied_from"`
	}](ctx, k.From, "state of the copy", selectBase)
	if err != nil || !copying {
		return err
	}
	first, err := oldestDayOf(ctx, k.From)
	if err != nil {
		return err
	}
	next := time.Now().UTC().Truncate(click.Day).Add(click.NewestClick)
	if state.CopiedFrom != nil {
		next = state.CopiedFrom.AddDate(0, 0, -1)
	}
	for ; !next.Before(first); next = next.AddDate(0, 0, -1) {
		part := copiedPart{from: next, to: next.AddDate(0, 0, 1), version: uint64(state.Base)} //nolint:gosec // versions are positive
		if part.cold, err = k.cold(ctx, next); err != nil {
			return err
		}
		clicks, err := k.copyPart(ctx, part)
		if err == nil {
			err = db.Run(ctx, k.From, "record copied day", recordCopied, next.Format(time.DateOnly), state.Base)
		}
		if err != nil {
			return err
		}
		report(next, clicks)
	}
	return db.Run(ctx, k.From, "complete the copy", recordOn, state.Base)
}

// oldestDayOf returns the day of the oldest click that is stored or that a stored conversion names.
func oldestDayOf(ctx context.Context, c db.Conn) (time.Time, error) {
	ids, err := db.Get[struct {
		Click uuid.UUID `db:"click"`
		Sold  uuid.UUID `db:"sold"`
	}](ctx, c, "oldest clicks", oldestFacts, models.FloorClickID(time.Now()))
	oldest := models.ClickTime(ids.Click)
	if sold := models.ClickTime(ids.Sold); sold.Before(oldest) {
		oldest = sold
	}
	return oldest.UTC().Truncate(click.Day), err
}

// cold reports whether ClickHouse may have clicks of a day that PostgreSQL does not have.
func (k Copy) cold(ctx context.Context, day time.Time) (bool, error) {
	return db.Get[bool](ctx, k.From, "cold days", `SELECT EXISTS (SELECT FROM click_cold WHERE day = $1::date)`, day.Format(time.DateOnly))
}

// copiedPart selects the clicks of [from, to) and their conversions, which are copied under one version.
type copiedPart struct {
	account  uuid.UUID // zero: all accounts
	from, to time.Time
	version  uint64
	cold     bool // ClickHouse may have clicks that PostgreSQL does not have
}

// copyPart makes ClickHouse's rows of a part equal to PostgreSQL's current rows, and returns the number of clicks. For a cold
// part, it keeps the rows that only ClickHouse has. Changes during the copy are recorded, and copied later as a higher version.
// Calling it again changes nothing.
func (k Copy) copyPart(ctx context.Context, p copiedPart) (n int64, err error) {
	low, high := models.FloorClickID(p.from), models.FloorClickID(p.to)
	for more := true; more; {
		var rows [][]any
		err := db.Snapshot(ctx, k.From, func(c db.Conn) error {
			rows, low, err = p.clicks(ctx, c, low, high, k.batchSize())
			return err
		})
		if err == nil {
			err = k.put(ctx, rows, nil)
		}
		if err != nil {
			return n, err
		}
		n, more = n+int64(len(rows)), len(rows) == k.batchSize()
	}
	if err := k.copyConversions(ctx, p, high); err != nil || p.cold {
		return n, err
	}
	return n, k.removeOthers(ctx, p)
}

var (
	selectPart            = `SELECT ` + click.AllColumns.SQL() + ` FROM clicks WHERE ($1::uuid IS NULL OR account_id = $1) AND id >= $2 AND id < $3 ORDER BY id LIMIT $4`
	selectPartConversions = `SELECT ` + click.ConversionColumns + ` FROM conversions
WHERE ($1::uuid IS NULL OR account_id = $1) AND (click_id, id) > ($2, $3) AND click_id < $4 ORDER BY click_id, id LIMIT $5`
)

// clicks returns the rows of the clicks from the id `low` on, at most `limit` of them, and the id at which the next call continues.
func (p copiedPart) clicks(ctx context.Context, c db.Conn, low, high uuid.UUID, limit int) ([][]any, uuid.UUID, error) {
	list, err := click.AllColumns.ReadPointers(ctx, c, "clicks to copy", selectPart, db.OrNull(p.account), low, high, limit)
	if err != nil || len(list) == 0 {
		return nil, low, err
	}
	ids := click.IDs(list)
	sold, err := conversion.Sums(ctx, c, ids)
	return db.Map(list, func(k *click.StoredClick) []any { return click.Row(k, sold[k.ID], p.version) }), click.NextID(ids[len(ids)-1]), err
}

func (k Copy) copyConversions(ctx context.Context, p copiedPart, high uuid.UUID) error {
	clickID, id := models.FloorClickID(p.from), uuid.Nil
	for {
		list, err := db.Select[models.Conversion](ctx, k.From, "conversions to copy", selectPartConversions, db.OrNull(p.account), clickID, id, high, k.batchSize())
		if err != nil || len(list) == 0 {
			return err
		}
		rows := make([][]any, len(list))
		for i := range list {
			rows[i] = click.ConversionRow(&list[i], p.version)
		}
		if err := k.put(ctx, nil, rows); err != nil || len(list) < k.batchSize() {
			return err
		}
		clickID, id = list[len(list)-1].ClickID, list[len(list)-1].ID
	}
}

// A row with an older version than its part was not in PostgreSQL when the part was copied. These
// statements remove it with a new row of the same key.
const (
	removeOtherClicks = `
INSERT INTO clicks (account_id, at, id, version, removed) SELECT account_id, at, id, $2, 1 FROM clicks FINAL
WHERE version < $2 AND (account_id = $1 OR $1 = toUUID('` + db.ZeroID + `')) AND `
	removeOtherConversions = `
INSERT INTO conversions (account_id, click_at, click_id, id, version, removed) SELECT account_id, click_at, click_id, id, $2, 1 FROM conversions FINAL
WHERE version < $2 AND (account_id = $1 OR $1 = toUUID('` + db.ZeroID + `')) AND `
)

// removeOthers removes rows of a copied part that PostgreSQL does not have.
func (k Copy) removeOthers(ctx context.Context, p copiedPart) error {
	for _, q := range []string{
		removeOtherClicks + schema.Window("at", p.from, p.to), removeOtherConversions + schema.Window("click_at", p.from, p.to),
	} {
		if err := k.To.Exec(ctx, "remove other rows", q, p.account, p.version); err != nil {
			return err
		}
	}
	return nil
}
