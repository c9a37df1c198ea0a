package workers

import (
	"bytes"
	"context"
	"log/slog"

	"switchyard/db"
	"switchyard/db/jobrow"
)

// requeueBatch is how many items one statement makes due.
const requeueBatch = 500

// RequeueAll calls requeue, which makes a batch of items due again, until no items are left. After the commit of a batch it
// dispatches the items. If a dispatch fails, the rest of the batch is left to the reconciler. The oldest items come first, so that
// an item that soon fails again is not requeued twice.
func (r *Runtime) RequeueAll(ctx context.Context, q jobrow.RequeueQuery,
	requeue func(context.Context, db.Conn, jobrow.RequeueQuery, int) ([]jobrow.RequeuedItem, error),
) (n int64, err error) {
	for {
		rows, err := requeue(ctx, r.DB(), q, requeueBatch)
		if err != nil {
			return n, err
		}
		n += int64(len(rows))
		// UPDATE ... RETURNING gives rows in no particular order.
		for _, d := range rows {
			if d.CreatedAt.After(q.From) || d.CreatedAt.Equal(q.From) && bytes.Compare(d.ID[:], q.Last[:]) > 0 {
				q.From, q.Last = d.CreatedAt, d.ID
			}
		}
		for _, d := range rows {
			if err := r.Client().DispatchRequeued(ctx, d.JobRef, d.Archived); err != nil {
				slog.WarnContext(ctx, "rows not enqueued, left to the reconciler", "error", err)
				break
			}
		}
		if len(rows) < requeueBatch {
			return n, nil
		}
	}
}
