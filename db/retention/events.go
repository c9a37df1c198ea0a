package retention

import (
	"context"
	"time"

	"switchyard/db"
	"switchyard/models"
)

// adRetention is the time during which a click can be found by the click id of an ad platform. The page tag remembers a click for
// as long.
const adRetention = 90 * 24 * time.Hour

func deleteExpiredAds(ctx context.Context, c db.Conn, now time.Time) error {
	_, err := db.InParts(ctx, c, "delete old ads", `DELETE FROM ad_clicks WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM ad_clicks WHERE click_id < $1 LIMIT $2))`, deletedAtOnce, models.FloorClickID(now.Add(-adRetention)))
	return err
}

// deleteEvents deletes, in the transaction of c, the events of clicks and the ad click ids by which later events would find these
// clicks. The argument clicks has the ids of the clicks, as the text of an array.
func deleteEvents(ctx context.Context, c db.Conn, clicks string) error {
	const q = `DELETE FROM site_events WHERE click_id = ANY ($1::uuid[]) AND click_id <> '00000000-0000-0000-0000-000000000000'`
	if err := db.Run(ctx, c, "delete site events", q, clicks); err != nil {
		return err
	}
	return db.Run(ctx, c, "delete ads", `DELETE FROM ad_clicks WHERE click_id = ANY ($1::uuid[])`, clicks)
}

// deleteEventsOf deletes at most $3 events that were received before $1, from accounts on the plan $2. Deleted accounts have no
// events.
const deleteEventsOf = `
DELETE FROM site_events WHERE id = ANY (ARRAY(SELECT e.id FROM accounts a CROSS JOIN LATERAL (
	SELECT id FROM site_events WHERE account_id = a.id AND received_at < $1 ORDER BY received_at LIMIT $3
) e WHERE a.plan = $2 LIMIT $3))`

// deleteExpiredEvents deletes the events that are older than the PostbackDays of the account's plan.
func deleteExpiredEvents(ctx context.Context, c db.Conn, now time.Time) (total int64, err error) {
	for _, p := range models.Plans {
		n, err := db.InParts(ctx, c, "delete old site events", deleteEventsOf, postbacksAtOnce, now.AddDate(0, 0, -p.PostbackDays),
			p.Name)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
