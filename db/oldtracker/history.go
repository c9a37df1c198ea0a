package oldtracker

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// Click is an imported click of the old tracker.
type Click struct {
	OldID   string    `db:"old_id"` // the click's id at the old tracker
	ClickID uuid.UUID `db:"click_id"`
}

const (
	insertClicks = `
INSERT INTO old_clicks (account_id, old_id, click_id) SELECT $1, * FROM unnest($2::text[], $3::uuid[])
ON CONFLICT DO NOTHING`

	noteClicks = `UPDATE accounts SET has_old_clicks = true WHERE id = $1 AND NOT has_old_clicks`

	selectClicks = `SELECT old_id, click_id FROM old_clicks WHERE account_id = $1 AND old_id = ANY ($2)`
)

// AddClicks stores which id each imported click has here. Existing entries do not change.
func AddClicks(ctx context.Context, c db.Conn, account uuid.UUID, list []Click) error {
	ids := db.Map(list, func(k Click) string { return k.OldID })
	err := db.Run(ctx, c, "add old clicks", insertClicks, account, pq.StringArray(ids), db.UUIDsOf(list, func(k Click) uuid.UUID { return k.ClickID }))
	if err == nil {
		err = db.Run(ctx, c, "mark account with old clicks", noteClicks, account)
	}
	return err
}

// FindClicks returns for each id at the old tracker the id of the click here. Unknown ids are left out.
func FindClicks(ctx context.Context, c db.Conn, account uuid.UUID, oldIDs []string) (map[string]uuid.UUID, error) {
	if len(oldIDs) == 0 {
		return nil, nil
	}
	return db.Pairs[string, uuid.UUID](ctx, c, "find old clicks", selectClicks, account, pq.StringArray(oldIDs))
}

const (
	movedAccounts = `SELECT id FROM accounts WHERE id = ANY ($1::uuid[]) AND has_old_clicks`

	countClicks = `
SELECT account_id, count(*) FROM old_clicks WHERE account_id = ANY ($1::uuid[]) AND click_id >= $2 AND click_id < $3 GROUP BY account_id`
)

// CountClicks counts the imported clicks of accounts in [from, to). Accounts without such clicks are left out. It reads
// old_clicks only for accounts that have imported clicks.
func CountClicks(ctx context.Context, c db.Conn, accounts []uuid.UUID, from, to time.Time) (map[uuid.UUID]int64, error) {
	moved, err := db.Select[uuid.UUID](ctx, c, "accounts with old clicks", movedAccounts, db.UUIDs(accounts))
	if err != nil || len(moved) == 0 {
		return nil, err
	}
	return db.Pairs[uuid.UUID, int64](ctx, c, "count old clicks", countClicks, db.UUIDs(moved), models.FloorClickID(from), models.FloorClickID(to))
}

const countDaily = `
SELECT width_bucket(click_id, $2::uuid[]) AS day, count(*) FROM old_clicks
WHERE account_id = $1 AND click_id >= ($2::uuid[])[1] GROUP BY 1`

// CountDaily counts an account's imported clicks in each period. starts are the beginnings of the periods, in order. The last
// period has no end. The key of the first period is 1.
func CountDaily(ctx context.Context, c db.Conn, account uuid.UUID, starts []time.Time) (map[int]int64, error) {
	return db.Pairs[int, int64](ctx, c, "count old clicks by day", countDaily, account, db.UUIDs(db.Map(starts, models.FloorClickID)))
}

// Conversion is an imported conversion of the old tracker.
type Conversion struct {
	OldID        string    `db:"old_id"`
	ClickID      uuid.UUID `db:"click_id"`
	Goal         string    `db:"goal"`
	ConversionID string    `db:"conversion_id"`
}

const (
	insertConversions = `
INSERT INTO old_conversions (account_id, old_id, click_id, goal, conversion_id)
SELECT $1, * FROM unnest($2::text[], $3::uuid[], $4::text[], $5::text[])
ON CONFLICT DO NOTHING`

	selectConversions = `
SELECT old_id, click_id, goal, conversion_id FROM old_conversions WHERE account_id = $1 AND click_id = ANY ($2::uuid[])`
)

// AddConversions stores which key (click, goal and id) each imported conversion has here.
func AddConversions(ctx context.Context, c db.Conn, account uuid.UUID, list []Conversion) error {
	text := func(of func(Conversion) string) pq.StringArray { return db.Map(list, of) }
	return db.Run(ctx, c, "add old conversions", insertConversions, account, text(func(v Conversion) string { return v.OldID }),
		db.UUIDsOf(list, func(v Conversion) uuid.UUID { return v.ClickID }), text(func(v Conversion) string { return v.Goal }),
		text(func(v Conversion) string { return v.ConversionID }))
}

// ConversionsOf returns the imported conversions of clicks.
func ConversionsOf(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID) ([]Conversion, error) {
	if len(clicks) == 0 {
		return nil, nil
	}
	return db.Select[Conversion](ctx, c, "find old conversions", selectConversions, account, db.UUIDs(clicks))
}

// DeleteOf deletes the ids that clicks and their conversions have at the old tracker.
func DeleteOf(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	for _, table := range historyTables {
		if err := db.Run(ctx, c, "delete old ids", `DELETE FROM `+table+` WHERE click_id = ANY ($1::uuid[])`, db.UUIDs(clicks)); err != nil {
			return err
		}
	}
	return nil
}

var historyTables = []string{"old_clicks", "old_conversions"}

// DeleteBefore deletes the old tracker's ids of clicks whose ids here are lower than the given one.
func DeleteBefore(ctx context.Context, c db.Conn, first uuid.UUID) error {
	const atOnce = 2000
	for _, table := range historyTables {
		q := `DELETE FROM ` + table + ` WHERE ctid = ANY (ARRAY(SELECT ctid FROM ` + table + ` WHERE click_id < $1 LIMIT $2))`
		if _, err := db.InParts(ctx, c, "delete old ids", q, atOnce, first); err != nil {
			return err
		}
	}
	return nil
}
