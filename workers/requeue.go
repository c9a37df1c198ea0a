package workers

import (
	"bytes"
	"context"
	"log/slog"

	"switchyard/db"
	"switchyard/db/jobrow"
)

// requeueBatch is how many items one statement makes due again.
const requeueBatch = 500

// RequeueAll makes items due again, batch by batch, and dispatches each batch after its commit. requeue makes one batch
// due. If a dispatch fails, the rest of the batch is left to the reconciler. RequeueAll goes through the items in the
// order of their creation, so that an item that fails again in the meantime is not requeued twice. It returns the
// number of requeued items.
func (r *Runtime) RequeueAll(ctx context.Context, q jobrow.RequeueQuery,
	requeue func(context.Context, db.Conn, jobrow.RequeueQuery, int) ([]jobrow.RequeuedItem, error),
) (n int64, err error) {
	for {
		rows, err := requeue(ctx, r.DB(), q, requeueBatch)
		if err != nil {
			return n, err
		}
		n += int64(len(rows))
		// The next batch starts after the latest item of this one. UPDATE ... RETURNING gives the rows in no particular order.
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
