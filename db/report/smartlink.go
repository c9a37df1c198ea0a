package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// The number of clicks comes from the hourly sums, and the last click from the end of an index.
const selectSmartlinkTotals = `
SELECT
	(SELECT coalesce(sum(h.clicks), 0) FROM smartlink_hours h WHERE h.account_id = $1 AND h.smartlink_id = l.id) AS clicks,
	(SELECT c.at FROM smartlink_clicks c WHERE c.smartlink_id = l.id AND NOT c.is_bot ORDER BY c.id DESC LIMIT 1)
		AS last_click_at
FROM unnest($2::uuid[]) WITH ORDINALITY AS l (id, place) ORDER BY place`

// CountSmartlinks sets the number of clicks of each smartlink and the time of the last click, without bots.
func (r Reader) CountSmartlinks(ctx context.Context, account uuid.UUID, list []models.Smartlink) error {
	ids := db.UUIDs(db.Map(list, func(l models.Smartlink) uuid.UUID { return l.ID }))
	totals, err := db.Select[struct {
		Clicks      int64      `db:"clicks"`
		LastClickAt *time.Time `db:"last_click_at"`
	}](ctx, r.Conn, "totals of smartlinks", selectSmartlinkTotals, account, ids)
	for i, t := range totals {
		list[i].Clicks, list[i].LastClickAt = t.Clicks, t.LastClickAt
	}
	return err
}

// SmartlinkFigure has the numbers of clicks with the same rule and the same destination.
type SmartlinkFigure struct {
	RuleID         uuid.UUID `db:"rule_id"` // zero: no rule matched
	DestinationURL string    `db:"destination_url"`
	Clicks         int64     `db:"clicks"` // without bots
	BotClicks      int64     `db:"bot_clicks"`
}

// Whole hours come from the hourly sums. The parts of hours at the ends of the window ($5 to $6 and $7 to $8) are counted.
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
func (r Reader) SmartlinkFigures(ctx context.Context, account, smartlink uuid.UUID, from, to time.Time) (
	[]SmartlinkFigure, error,
) {
	first, last := from.UTC().Truncate(time.Hour), to.UTC().Truncate(time.Hour)
	if first.Before(from) {
		first = first.Add(time.Hour)
	}
	if last.Before(first) { // within one hour
		first, last = to, to
	}
	id := models.FloorClickID
	return db.Select[SmartlinkFigure](ctx, r.Conn, "figures of a smartlink", selectSmartlinkFigures, account, smartlink,
		first, last, id(from), id(first), id(last), id(to))
}
