package workers

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// SubmitEach submits a job for each account. It stops at the first job that the queue does not accept.
func SubmitEach(ctx context.Context, c *jobs.Client, job jobs.Job[jobs.None, jobs.None], accounts []uuid.UUID) error {
	for _, account := range accounts {
		if _, err := jobs.Submit(ctx, c, job, account, jobs.None{}); err != nil {
			return fmt.Errorf("workers: %s: %w", job.Kind(), err)
		}
	}
	return nil
}

// StartDue starts jobs for everything due, until a batch is smaller than limit. claim claims a batch in its store's transaction
// and returns a job row for each item. The rows are inserted in the same transaction and dispatched after it. If the worker dies
// in between, the reconciler finds them.
func StartDue(ctx context.Context, s *store.Store, client *jobs.Client, limit int, claim func(*store.Store) ([]models.Job, error)) error {
	for {
		var rows []models.Job
		err := s.Tx(ctx, func(s *store.Store) (err error) {
			if rows, err = claim(s); err != nil {
				return err
			}
			for _, row := range rows {
				if err := jobrow.Insert(ctx, s.Conn(), row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			client.DispatchFor(ctx, row.AccountID.UUID, row.Kind, row.ID)
		}
		if len(rows) < limit {
			return nil
		}
	}
}
