package click

import (
	"context"

	"switchyard/db"
	"switchyard/models"
)

var selectSmartlinkClicks = `SELECT ` + SmartlinkColumns.SQL() + ` FROM smartlink_clicks
WHERE account_id = $1 AND id >= $2 AND id < $3 AND ($6::uuid IS NULL OR smartlink_id = $6)
ORDER BY id DESC LIMIT $4 OFFSET $5`

// SmartlinkClicks reads a page of the log of smartlink clicks.
func (l Log) SmartlinkClicks(ctx context.Context, q LogQuery) ([]StoredSmartlinkClick, error) {
	return SmartlinkColumns.read(ctx, l.Conn, "list smartlink clicks", selectSmartlinkClicks, q.AccountID,
		models.FloorClickID(q.From), models.FloorClickID(q.To), q.Limit, q.Offset, db.OrNull(q.Smartlink))
}
