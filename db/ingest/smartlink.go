package ingest

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
)

// Rows are locked in a fixed order, so that two ingesters never deadlock.
const addSmartlinkHours = `
INSERT INTO smartlink_hours AS h (smartlink_id, hour, rule_id, destination_url, account_id, clicks, bot_clicks)
SELECT smartlink_id, date_trunc('hour', at, 'UTC'), rule_id, destination_url, account_id,
	count(*) FILTER (WHERE NOT is_bot), count(*) FILTER (WHERE is_bot)
FROM smartlink_clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4
ON CONFLICT (smartlink_id, hour, rule_id, md5(destination_url)) DO UPDATE
SET clicks = h.clicks + EXCLUDED.clicks, bot_clicks = h.bot_clicks + EXCLUDED.bot_clicks`

const selectKnownSmartlinkClicks = `SELECT id FROM smartlink_clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3`

// storeSmartlinkClicks stores new clicks, and adds them to the sums by hour.
func storeSmartlinkClicks(ctx context.Context, c db.Conn, list []*click.StoredSmartlinkClick) error {
	list, err := onlyUnknown(list, func(ids []uuid.UUID) ([]uuid.UUID, error) {
		return db.Select[uuid.UUID](ctx, c, "known smartlink clicks", selectKnownSmartlinkClicks, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	})
	if err != nil || len(list) == 0 {
		return err
	}
	if err := click.SmartlinkColumns.Insert(ctx, c, "smartlink_clicks", list); err != nil {
		return err
	}
	ids := db.SortedIDs(db.ByKey(list, (*click.StoredSmartlinkClick).ClickID))
	return db.Run(ctx, c, "sums of smartlinks", addSmartlinkHours, db.UUIDs(ids), ids[0], ids[len(ids)-1])
}
