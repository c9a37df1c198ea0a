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
// the campaign to hand over to.
const usersOf = `
WITH named (path) AS (VALUES
	(jsonb_build_array(jsonb_build_object('destinations', jsonb_build_array(jsonb_build_object('id', $2::text))))),
	(jsonb_build_array(jsonb_build_object('rules', jsonb_build_array(jsonb_build_object('rule_id', $2::text))))),
	(jsonb_build_array(jsonb_build_object('campaign_id', $2::text))))
SELECT 'campaign' AS kind, id, name, status FROM campaigns c
WHERE account_id = $1 AND deleted_at IS NULL AND EXISTS (SELECT FROM named WHERE c.streams @> path)
UNION ALL
SELECT 'flow', id, name, CASE WHEN is_active THEN 'active' ELSE 'paused' END FROM flows f
WHERE account_id = $1 AND EXISTS (SELECT FROM named WHERE f.paths @> path)
ORDER BY 1, 4, 3, 2 LIMIT $3`

// UsersOf lists the campaigns and saved flows that name an offer, a landing page, a saved rule or a campaign: first
// active campaigns, at most 100.
func (s *Store) UsersOf(ctx context.Context, account, id uuid.UUID) ([]models.User, error) {
	return db.Select[models.User](ctx, s.c, "users of a record", usersOf, account, id.String(), maxUsers)
}
