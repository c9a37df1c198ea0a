package clicklog

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Rows are locked in one order, so that two ingesters never deadlock.
const addSmartlinkHours = `
INSERT INTO smartlink_hours AS h (smartlink_id, hour, rule_id, destination_url, account_id, clicks, bot_clicks)
SELECT smartlink_id, date_trunc('hour', at, 'UTC'), rule_id, destination_url, account_id,
	count(*) FILTER (WHERE NOT is_bot), count(*) FILTER (WHERE is_bot)
FROM smartlink_clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4
ON CONFLICT (smartlink_id, hour, rule_id, md5(destination_url)) DO UPDATE
SET clicks = h.clicks + EXCLUDED.clicks, bot_clicks = h.bot_clicks + EXCLUDED.bot_clicks`

const selectKnownSmartlinkClicks = `SELECT id FROM smartlink_clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3`

// storeSmartlinkClicks writes the clicks that are not stored yet, and their sums.
func storeSmartlinkClicks(ctx context.Context, c db.Conn, list []*StoredSmartlinkClick) error {
	list, err := unknown(list, func(ids []uuid.UUID) ([]uuid.UUID, error) {
		return db.Select[uuid.UUID](ctx, c, "known smartlink clicks", selectKnownSmartlinkClicks, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	})
	if err != nil || len(list) == 0 {
		return err
	}
	if err := smartlinkColumns.insert(ctx, c, "smartlink_clicks", list); err != nil {
		return err
	}
	ids := db.SortedIDs(db.ByKey(list, (*StoredSmartlinkClick).ClickID))
	_, err = db.Exec(ctx, c, "sums of smartlinks", addSmartlinkHours, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	return err
}

var selectSmartlinkClicks = `SELECT ` + smartlinkColumns.sql() + ` FROM smartlink_clicks
WHERE account_id = $1 AND id >= $2 AND id < $3 AND ($6::uuid IS NULL OR smartlink_id = $6)
ORDER BY id DESC LIMIT $4 OFFSET $5`

// SmartlinkClicks reads a page of the log of smartlinks.
func (l Log) SmartlinkClicks(ctx context.Context, q LogQuery) ([]StoredSmartlinkClick, error) {
	return smartlinkColumns.read(ctx, l.Conn, "list smartlink clicks", selectSmartlinkClicks, q.AccountID,
		models.FloorClickID(q.From), models.FloorClickID(q.To), q.Limit, q.Offset, db.OrNull(q.Smartlink))
}

// Deleted clicks are subtracted from the sums, so that clicks that are stored at the same time still count.
const clearSmartlinkClicks = `
WITH gone AS (
	DELETE FROM smartlink_clicks WHERE id = ANY (ARRAY(
		SELECT id FROM smartlink_clicks WHERE account_id = $1 AND smartlink_id = $2 AND id > $3 AND id < $4
		ORDER BY id LIMIT $5 FOR UPDATE
	))
	RETURNING id, at, rule_id, destination_url, is_bot
), sums AS (
	SELECT date_trunc('hour', at, 'UTC') AS hour, rule_id, destination_url,
		count(*) FILTER (WHERE NOT is_bot) AS clicks, count(*) FILTER (WHERE is_bot) AS bot_clicks
	FROM gone GROUP BY 1, 2, 3
), lessened AS (
	UPDATE smartlink_hours h SET clicks = h.clicks - s.clicks, bot_clicks = h.bot_clicks - s.bot_clicks
	FROM sums s
	WHERE h.account_id = $1 AND h.smartlink_id = $2 AND h.hour = s.hour AND h.rule_id = s.rule_id
		AND h.destination_url = s.destination_url
)
SELECT count(*) FILTER (WHERE NOT is_bot) AS clicks, count(*) FILTER (WHERE is_bot) AS bot_clicks, coalesce((SELECT id FROM gone ORDER BY id DESC LIMIT 1), $3) AS last FROM gone`

const dropEmptyHours = `
DELETE FROM smartlink_hours WHERE account_id = $1 AND smartlink_id = $2 AND clicks = 0 AND bot_clicks = 0`

// ClearSmartlink deletes at most limit clicks of a smartlink in the transaction of c. Repeat it until it is Done. A
// click that is still on its way to PostgreSQL is stored afterwards.
func (Log) ClearSmartlink(ctx context.Context, c db.Conn, q ClearQuery, limit int) (Cleared, error) {
	if len(q.Of) != 1 {
		return Cleared{}, errors.New("clicklog: clear of one smartlink only")
	}
	gone, err := db.Get[struct {
		Clicks    int64     `db:"clicks"`
		BotClicks int64     `db:"bot_clicks"`
		Last      uuid.UUID `db:"last"`
	}](ctx, c, "clear a smartlink", clearSmartlinkClicks, q.AccountID, q.Of[0], q.first(), models.FloorClickID(q.To),
		limit)
	done := gone.Clicks+gone.BotClicks < int64(limit)
	if err == nil && done {
		_, err = db.Exec(ctx, c, "clear a smartlink", dropEmptyHours, q.AccountID, q.Of[0])
	}
	if err != nil {
		return Cleared{}, err
	}
	return Cleared{Clicks: gone.Clicks, BotClicks: gone.BotClicks, After: gone.Last, Done: done}, nil
}
