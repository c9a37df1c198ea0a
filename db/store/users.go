package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// maxUsers is how many users of a record are named.
const maxUsers = 100

// usersOf finds the flows that name a record ($2, as a text): among the destinations of a path, as a saved rule, or as
// the campaign to hand over to. It finds the campaigns and smartlinks of a source, and the offers of a network, too.
const usersOf = `
WITH named (path) AS (VALUES
	(jsonb_build_array(jsonb_build_object('destinations', jsonb_build_array(jsonb_build_object('id', $2::text))))),
	(jsonb_build_array(jsonb_build_object('rules', jsonb_build_array(jsonb_build_object('rule_id', $2::text))))),
	(jsonb_build_array(jsonb_build_object('campaign_id', $2::text))))
SELECT 'campaign' AS kind, id, name, status FROM campaigns c
WHERE account_id = $1 AND deleted_at IS NULL
	AND (source_id = $2::uuid OR EXISTS (SELECT FROM named WHERE c.streams @> path))
UNION ALL
SELECT 'flow', id, name, CASE WHEN is_active THEN 'active' ELSE 'paused' END FROM flows f
WHERE account_id = $1 AND EXISTS (SELECT FROM named WHERE f.paths @> path)
UNION ALL
SELECT 'offer', id, name, CASE WHEN is_active THEN 'active' ELSE 'paused' END FROM offers
WHERE account_id = $1 AND network_id = $2::uuid AND deactivated_at IS NULL
UNION ALL
SELECT 'smartlink', id, coalesce(nullif(name, ''), slug), CASE WHEN is_active THEN 'active' ELSE 'paused' END FROM smartlinks
WHERE account_id = $1 AND source_id = $2::uuid AND deleted_at IS NULL
ORDER BY 1, 4, 3, 2 LIMIT $3`

// UsersOf lists what names an offer, a landing page, a saved rule, a campaign, a traffic source or a network: campaigns,
// saved flows, offers and smartlinks, of each kind the active ones first, at most 100.
func (s *Store) UsersOf(ctx context.Context, account, id uuid.UUID) ([]models.User, error) {
	return db.Select[models.User](ctx, s.c, "users of a record", usersOf, account, id.String(), maxUsers)
}
