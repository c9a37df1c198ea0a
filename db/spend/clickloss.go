package spend

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// LossDay compares the clicks that a traffic source counted on a day (UTC) with the clicks that arrived.
type LossDay struct {
	SourceID uuid.UUID `db:"source_id"`
	Day      time.Time `db:"day"`
	models.ClickLoss
}

const selectLoss = `
SELECT t.source_id, t.day, t.source_clicks, coalesce(k.redirects, 0) AS redirects, coalesce(k.lp_views, 0) AS lp_views,
	coalesce(k.lp_clicks, 0) AS lp_clicks
FROM (
	SELECT source_id, day, sum(clicks)::bigint AS source_clicks FROM spend
	WHERE account_id = $1 AND ($2::uuid[] IS NULL OR source_id = ANY ($2::uuid[])) AND day >= $3::date AND day <= $4::date GROUP BY 1, 2 HAVING count(clicks) > 0
) t LEFT JOIN (
	SELECT source_id, date_trunc('day', hour, 'UTC')::date AS day, sum(clicks + bot_clicks)::bigint AS redirects,
		sum(lp_views)::bigint AS lp_views, sum(lp_clicks)::bigint AS lp_clicks
	FROM ledger WHERE account_id = $1 AND ($2::uuid[] IS NULL OR source_id = ANY ($2::uuid[])) AND hour >= $3::timestamptz AND hour < $4::timestamptz + interval '1 day'
	GROUP BY 1, 2
) k ON k.source_id = t.source_id AND k.day = t.day
ORDER BY t.source_id, t.day`

// ClickLoss returns the days, from first to last inclusive, for which sources have reported the number of clicks that they
// counted. Nil sources means all sources.
func ClickLoss(ctx context.Context, c db.Conn, account uuid.UUID, sources []uuid.UUID, first, last time.Time) ([]LossDay, error) {
	ids := sql.NullString{String: db.UUIDs(sources), Valid: sources != nil}
	day := func(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
	return db.Select[LossDay](ctx, c, "click loss", selectLoss, account, ids, day(first), day(last))
}
