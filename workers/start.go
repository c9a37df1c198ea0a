package workers

import (
	"context"

	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// StartDue starts jobs for what is due, batch by batch, until a batch has fewer than limit. take takes a batch in the transaction of
// the store, and gives the row of a job for each. The rows are inserted in that transaction and dispatched after it. One whose
// worker dies in between is found by the reconciler.
func StartDue(ctx context.Context, s *store.Store, client *jobs.Client, limit int, take func(*store.Store) ([]models.Job, error)) error {
	for {
		var rows []models.Job
		err := s.Tx(ctx, func(s *store.Store) (err error) {
			if rows, err = take(s); err != nil {
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
