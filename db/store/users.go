package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

const maxUsers = 100

// usersOf selects the campaigns and saved flows with a path that refers to the record $2. If $2 is a source, it selects the
// campaigns and smartlinks of this source. If $2 is a network, it selects the offers of this network.
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

// UsersOf lists at most 100 campaigns, saved flows, offers and smartlinks that use a record. Within each kind, active records
// come first.
func (s *Store) UsersOf(ctx context.Context, account, id uuid.UUID) ([]models.User, error) {
	return db.Select[models.User](ctx, s.c, "users of a record", usersOf, account, id.String(), maxUsers)
}
