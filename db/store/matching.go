package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

const countMatching = `
SELECT (SELECT coalesce(sum(match_bytes), 0) FROM rules WHERE account_id = $1 AND deleted_at IS NULL AND id <> $2)
	+ (SELECT coalesce(sum(match_bytes), 0) FROM campaigns WHERE account_id = $1 AND deleted_at IS NULL AND id <> $2)
	+ (SELECT coalesce(sum(match_bytes), 0) FROM smartlinks WHERE account_id = $1 AND deleted_at IS NULL AND id <> $2)
	+ (SELECT coalesce(sum(match_bytes), 0) FROM bot_entries WHERE account_id = $1 AND id <> $2)`

// allowMatching returns the error plan_limit if the conditions of a record would bring the account above the plan's size limit.
// id is zero for a new record.
func (s *Store) allowMatching(ctx context.Context, account, id uuid.UUID, bytes int) error {
	if bytes == 0 {
		return nil
	}
	plan, err := s.lockedPlan(ctx, account)
	if err != nil {
		return err
	}
	others, err := db.Get[int](ctx, s.c, "account", countMatching, account, id)
	if err == nil && others+bytes > plan.MatchingBytes {
		err = models.PlanLimit("the plan %q allows conditions of %d bytes in memory: the account's other conditions need %d, these conditions need %d",
			plan.Name, plan.MatchingBytes, others, bytes)
	}
	return err
}
