package clicklog

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

var selectSmartlinkClicks = `SELECT ` + smartlinkColumns.sql() + ` FROM smartlink_clicks
WHERE account_id = $1 AND id >= $2 AND id < $3 AND ($6::uuid IS NULL OR smartlink_id = $6)
ORDER BY id DESC LIMIT $4 OFFSET $5`

// SmartlinkClicks reads a page of the log of smartlinks; the zero id is every smartlink of the account. q.Converted
// is ignored.
func SmartlinkClicks(ctx context.Context, c db.Conn, q LogQuery, smartlink uuid.UUID) ([]StoredSmartlinkClick, error) {
	return smartlinkColumns.read(ctx, c, "list smartlink clicks", selectSmartlinkClicks, q.AccountID,
		models.FloorClickID(q.From), models.FloorClickID(q.To), q.Limit, q.Offset, db.OrNull(smartlink))
}

// SmartlinkTotal is what came in by a smartlink since its beginning, without bots.
type SmartlinkTotal struct {
	ID          uuid.UUID  `db:"id"`
	Clicks      int64      `db:"clicks"`
	LastClickAt *time.Time `db:"last_click_at"` // nil: none yet, or older than the history
}

// Clicks come from their hourly sums, and the last of them from the end of an index.
const selectSmartlinkTotals = `
SELECT l.id,
	(SELECT coalesce(sum(h.clicks), 0) FROM smartlink_hours h WHERE h.account_id = $1 AND h.smartlink_id = l.id) AS clicks,
	(SELECT c.at FROM smartlink_clicks c WHERE c.smartlink_id = l.id AND NOT c.is_bot ORDER BY c.id DESC LIMIT 1)
		AS last_click_at
FROM unnest($2::uuid[]) AS l (id)`

// SmartlinkTotals counts the clicks of some smartlinks, which have to be the account's.
func SmartlinkTotals(ctx context.Context, c db.Conn, account uuid.UUID, ids []uuid.UUID) (
	map[uuid.UUID]SmartlinkTotal, error,
) {
	rows, err := db.Select[SmartlinkTotal](ctx, c, "totals of smartlinks", selectSmartlinkTotals, account, db.UUIDs(ids))
	totals := make(map[uuid.UUID]SmartlinkTotal, len(rows))
	for _, r := range rows {
		totals[r.ID] = r
	}
	return totals, err
}

// SmartlinkFigure is how many clicks a rule sent to an address.
type SmartlinkFigure struct {
	RuleID         uuid.UUID `db:"rule_id"` // zero: no rule matched
	DestinationURL string    `db:"destination_url"`
	Clicks         int64     `db:"clicks"` // without bots
	BotClicks      int64     `db:"bot_clicks"`
}

// Whole hours come from the sums; the parts of an hour at the ends of the window ($5 to $6 and $7 to $8) are counted.
const selectSmartlinkFigures = `
SELECT rule_id, destination_url, sum(clicks) AS clicks, sum(bot_clicks) AS bot_clicks FROM (
	SELECT rule_id, destination_url, clicks, bot_clicks FROM smartlink_hours
	WHERE account_id = $1 AND smartlink_id = $2 AND hour >= $3 AND hour < $4
	UNION ALL
	SELECT rule_id, destination_url, count(*) FILTER (WHERE NOT is_bot), count(*) FILTER (WHERE is_bot)
	FROM smartlink_clicks
	WHERE account_id = $1 AND smartlink_id = $2 AND (id >= $5 AND id < $6 OR id >= $7 AND id < $8)
	GROUP BY rule_id, destination_url
) f
GROUP BY rule_id, destination_url
HAVING sum(clicks) > 0 OR sum(bot_clicks) > 0
ORDER BY 3 DESC, 4 DESC, 2, 1`

// SmartlinkFigures counts the clicks of a smartlink in [from, to) by rule and destination, most clicks first.
func SmartlinkFigures(ctx context.Context, c db.Conn, account, smartlink uuid.UUID, from, to time.Time) (
	[]SmartlinkFigure, error,
) {
	first, last := from.UTC().Truncate(time.Hour), to.UTC().Truncate(time.Hour)
	if first.Before(from) {
		first = first.Add(time.Hour)
	}
	if last.Before(first) { // within one hour
		first, last = to, to
	}
	return db.Select[SmartlinkFigure](ctx, c, "figures of a smartlink", selectSmartlinkFigures, account, smartlink, first, last,
		models.FloorClickID(from), models.FloorClickID(first), models.FloorClickID(last), models.FloorClickID(to))
}

// What was deleted is subtracted from the sums, so that clicks stored meanwhile still count.
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
SELECT count(*) AS clicks, coalesce((SELECT id FROM gone ORDER BY id DESC LIMIT 1), $3) AS last FROM gone`

const dropEmptyHours = `
DELETE FROM smartlink_hours WHERE account_id = $1 AND smartlink_id = $2 AND clicks = 0 AND bot_clicks = 0`

// ClearSmartlink deletes at most limit clicks of a smartlink in the transaction of c. Repeat it until it is Done. A click
// that is still on its way to PostgreSQL is stored afterwards.
func ClearSmartlink(ctx context.Context, c db.Conn, q ClearQuery, limit int) (Cleared, error) {
	if len(q.Of) != 1 {
		return Cleared{}, errors.New("clicklog: clear of one smartlink only")
	}
	gone, err := db.Get[struct {
		Clicks int64     `db:"clicks"`
		Last   uuid.UUID `db:"last"`
	}](ctx, c, "clear a smartlink", clearSmartlinkClicks, q.AccountID, q.Of[0], q.first(), models.FloorClickID(q.To), limit)
	done := gone.Clicks < int64(limit)
	if err == nil && done {
		_, err = db.Exec(ctx, c, "clear a smartlink", dropEmptyHours, q.AccountID, q.Of[0])
	}
	if err != nil {
		return Cleared{}, err
	}
	return Cleared{Clicks: gone.Clicks, After: gone.Last, Done: done}, nil
}
