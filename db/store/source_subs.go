package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// SubUse is a record that refers to a sub-parameter of a source's clicks.
type SubUse struct {
	Sub    int       `db:"sub" json:"-"`
	Kind   string    `db:"kind" json:"kind" enum:"campaign,rule,copilot_rule,bot_entry,block_list,offer,lander"`
	ID     uuid.UUID `db:"id" json:"id"`
	Name   string    `db:"name" json:"name" doc:"name of the record; for a bot_entry, its note or, if the note is empty, its first value; for a block_list, up to 3 of its values"`
	Status string    `db:"status" json:"status" enum:"active,paused,archived"`
}

const maxSubUses = 200

// subUses selects the records that refer to a sub-parameter of the clicks of the source $2. Records that cannot apply to
// campaigns of the source are left out.
var subUses = fmt.Sprintf(`
WITH own AS MATERIALIZED (
	SELECT id, name, status, streams FROM campaigns WHERE account_id = $1 AND source_id = $2 AND deleted_at IS NULL
), t AS (
	SELECT 'campaign' AS kind, id, name, status, streams::text AS text FROM own
	UNION ALL
	SELECT 'rule', id, name, 'active', conditions::text FROM rules
	WHERE account_id = $1 AND deleted_at IS NULL
		AND id::text IN (SELECT r ->> 'rule_id' FROM own, jsonb_path_query(streams, '$[*].rules[*]') r)
	UNION ALL
	SELECT 'copilot_rule', id, name, CASE WHEN is_active THEN 'active' ELSE 'paused' END, '"' || attribute || '"' FROM copilot_rules
	WHERE account_id = $1 AND attribute <> '' AND (source_ids = '[]' OR source_ids ? $2::text)
		AND (campaign_ids = '[]' OR EXISTS (SELECT FROM own WHERE campaign_ids ? own.id::text))
	UNION ALL
	SELECT 'bot_entry', id, coalesce(nullif(note, ''), left(value ->> 0, 100)), 'active', '"' || attribute || '"' FROM bot_entries
	WHERE account_id = $1 AND (campaign_id IS NULL OR campaign_id IN (SELECT id FROM own))
	UNION ALL
	SELECT 'block_list', id, first.names, 'active', '"' || dimension || '"' FROM block_lists b
	CROSS JOIN LATERAL (SELECT string_agg(left(value, 30), ', ') AS names FROM (
		SELECT value FROM blocked_values v WHERE v.account_id = $1 AND v.list_id = b.id AND v.removed_at IS NULL ORDER BY v.created_at DESC, v.id LIMIT 3
	) latest) first
	WHERE account_id = $1 AND scope_id IN (SELECT $1 UNION ALL SELECT $2 UNION ALL SELECT id FROM own) AND first.names IS NOT NULL
	UNION ALL
	SELECT 'offer', id, name, CASE WHEN is_active THEN 'active' ELSE 'paused' END, url FROM offers
	WHERE account_id = $1 AND deactivated_at IS NULL AND EXISTS (SELECT FROM own WHERE streams::text LIKE '%%' || offers.id || '%%')
	UNION ALL
	SELECT 'lander', id, name, CASE WHEN is_active THEN 'active' ELSE 'paused' END, url FROM landers
	WHERE account_id = $1 AND deactivated_at IS NULL AND EXISTS (SELECT FROM own WHERE streams::text LIKE '%%' || landers.id || '%%')
)
SELECT n AS sub, kind, id, name, status FROM t, generate_series(1, %d) n
WHERE position('"sub' || n || '"' IN text) > 0 OR position('{sub' || n || '}' IN text) > 0
ORDER BY 1, 2, 4, 3 LIMIT $3`, models.Subs)

// SubUses lists the records that refer to sub-parameters of a source's clicks: at most 200 combinations of a record and a
// sub-parameter.
func (s *Store) SubUses(ctx context.Context, account, source uuid.UUID) ([]SubUse, error) {
	return db.Select[SubUse](ctx, s.c, "uses of sub-parameters", subUses, account, source, maxSubUses)
}
