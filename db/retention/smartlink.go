package retention

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// The deleted clicks are subtracted from the rows of smartlink_hours, so that clicks stored at the same time still count.
const clearSmartlinkClicks = `
WITH deleted AS (
	DELETE FROM smartlink_clicks WHERE id = ANY (ARRAY(
		SELECT id FROM smartlink_clicks WHERE account_id = $1 AND smartlink_id = $2 AND id > $3 AND id < $4
		ORDER BY id LIMIT $5 FOR UPDATE
	))
	RETURNING id, at, rule_id, destination_url, is_bot
), sums AS (
	SELECT date_trunc('hour', at, 'UTC') AS hour, rule_id, destination_url,
		count(*) FILTER (WHERE NOT is_bot) AS clicks, count(*) FILTER (WHERE is_bot) AS bot_clicks
	FROM deleted GROUP BY 1, 2, 3
), lessened AS (
	UPDATE smartlink_hours h SET clicks = h.clicks - s.clicks, bot_clicks = h.bot_clicks - s.bot_clicks
	FROM sums s
	WHERE h.account_id = $1 AND h.smartlink_id = $2 AND h.hour = s.hour AND h.rule_id = s.rule_id
		AND h.destination_url = s.destination_url
)
SELECT count(*) FILTER (WHERE NOT is_bot) AS clicks, count(*) FILTER (WHERE is_bot) AS bot_clicks, coalesce((SELECT id FROM deleted ORDER BY id DESC LIMIT 1), $3) AS last FROM deleted`

const deleteEmptyHours = `
DELETE FROM smartlink_hours WHERE account_id = $1 AND smartlink_id = $2 AND clicks = 0 AND bot_clicks = 0`

// ClearSmartlink deletes at most `limit` clicks of a smartlink in the transaction of c. Repeat the call until the result is Done.
// Clicks that still wait in a spool are stored afterwards.
func ClearSmartlink(ctx context.Context, c db.Conn, q ClearQuery, limit int) (Cleared, error) {
	if len(q.Of) != 1 {
		return Cleared{}, errors.New("retention: a call clears the clicks of exactly one smartlink")
	}
	deleted, err := db.Get[struct {
		Clicks    int64     `db:"clicks"`
		BotClicks int64     `db:"bot_clicks"`
		Last      uuid.UUID `db:"last"`
	}](ctx, c, "clear a smartlink", clearSmartlinkClicks, q.AccountID, q.Of[0], q.first(), models.FloorClickID(q.To),
		limit)
	done := deleted.Clicks+deleted.BotClicks < int64(limit)
	if err == nil && done {
		err = db.Run(ctx, c, "clear a smartlink", deleteEmptyHours, q.AccountID, q.Of[0])
	}
	if err != nil {
		return Cleared{}, err
	}
	return Cleared{Clicks: deleted.Clicks, BotClicks: deleted.BotClicks, After: deleted.Last, Done: done}, nil
}
