package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
)

// CappedPath is an active path with a daily cap, in an active campaign.
type CappedPath struct {
	ID           uuid.UUID `db:"id"`
	Name         string    `db:"name"`
	CampaignID   uuid.UUID `db:"campaign_id"`
	CampaignName string    `db:"campaign_name"`
	DailyCap     int       `db:"daily_cap"`
}

const selectCappedPaths = `
SELECT (p.path->>'id')::uuid AS id, p.path->>'name' AS name, c.id AS campaign_id, c.name AS campaign_name,
	(p.path->>'daily_cap')::bigint AS daily_cap
FROM campaigns c CROSS JOIN LATERAL jsonb_array_elements(c.streams) AS p (path)
WHERE c.account_id = $1 AND c.deleted_at IS NULL AND c.status = 'active' AND c.streams @? '$[*] ? (@.daily_cap > 0)'
	AND (p.path->>'daily_cap')::bigint > 0 AND (p.path->>'is_active')::boolean
ORDER BY c.name, c.id, p.path->>'name' LIMIT $2`

// CappedPaths lists at most 500 active paths with a daily cap, in the account's active campaigns.
func (k Campaigns) CappedPaths(ctx context.Context, account uuid.UUID) ([]CappedPath, error) {
	return db.Select[CappedPath](ctx, k.s.c, "paths with a cap", selectCappedPaths, account, MaxAlerts)
}
