package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/models"
)

// Traffic sources and networks share one allowance, counted here and nowhere else: those that are active.
const countIntegrations = `
SELECT (SELECT count(*) FROM traffic_sources WHERE account_id = $1 AND is_active AND deactivated_at IS NULL)
     + (SELECT count(*) FROM networks WHERE account_id = $1 AND is_active AND deactivated_at IS NULL)`

// allowIntegration refuses one more active source or network beyond the plan's allowance.
func (s *Store) allowIntegration(ctx context.Context, account uuid.UUID) error {
	return s.allow(ctx, account, "integrations", countIntegrations, func(p models.Plan) int { return p.Integrations })
}

// setIntegrationActive pauses or resumes a source or a network. Resuming one that is paused can meet the allowance;
// one that is active already stays so.
func (s *Store) setIntegrationActive(ctx context.Context, table, what string, account, id uuid.UUID, on bool) error {
	if !on {
		return s.setActive(ctx, table, what, account, id, false)
	}
	return s.Tx(ctx, func(s *Store) error {
		if err := s.lockNames(ctx, account); err != nil {
			return err
		}
		q := `SELECT is_active FROM ` + table + ` WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
		active, err := get[bool](ctx, s, what, q, account, id)
		if err != nil || active {
			return err
		}
		if err := s.allowIntegration(ctx, account); err != nil {
			return err
		}
		return s.setActive(ctx, table, what, account, id, true)
	})
}
