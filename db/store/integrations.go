package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// countIntegrations counts active traffic sources and networks together, because they share an allowance.
const countIntegrations = `
SELECT (SELECT count(*) FROM traffic_sources WHERE account_id = $1 AND is_active AND deactivated_at IS NULL)
     + (SELECT count(*) FROM networks WHERE account_id = $1 AND is_active AND deactivated_at IS NULL)`

var allowedIntegrations = allowance{
	what: "integrations", count: countIntegrations, limit: func(p models.Plan) int { return p.Integrations },
}

// integrations has the methods that traffic sources and networks share.
type integrations[R any] struct{ records[R] }

// SetActive pauses a record or resumes it. Resuming also restores a deactivated record, and needs room in the plan's allowance of
// integrations.
func (k integrations[R]) SetActive(ctx context.Context, account, id uuid.UUID, on bool) error {
	if !on {
		return pausable[R](k).SetActive(ctx, account, id, on)
	}
	return k.s.LockedTx(ctx, account, func(s *Store) error {
		const q = ` t WHERE t.account_id = $1 AND t.id = $2`
		active, err := db.Get[bool](ctx, s.c, k.t.what, `SELECT is_active FROM `+k.t.name+q, account, id)
		if err != nil || active {
			return err
		}
		if err := s.allow(ctx, account, k.t.allowance); err != nil {
			return err
		}
		return k.t.restore(ctx, s, account, id)
	})
}
