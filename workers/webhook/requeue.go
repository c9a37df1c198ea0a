package webhook

import (
	"bytes"
	"context"
	"log/slog"

	"switchyard/db/delivery"
	"switchyard/jobs"
	"switchyard/workers"
)

// requeueBatch is how many failed deliveries one statement makes due again.
const requeueBatch = 500

// redeliverFailed makes failed deliveries due again, batch by batch, and dispatches each batch after its commit. If a dispatch
// fails, the rest of the batch is left to the reconciler. It walks by the creation time of deliveries, so that a delivery that
// fails again during the walk is not requeued twice.
func (s *sender) redeliverFailed(ctx context.Context, a jobs.RedeliverFailedArgs) (jobs.RedeliverFailedAnswer, error) {
	out := jobs.RedeliverFailedAnswer{From: a.From, To: a.To}
	f := delivery.Failed{Account: workers.Account(ctx), Endpoint: a.Webhook, From: a.From, To: a.To}
	for {
		rows, err := delivery.Requeue(ctx, s.db, f, requeueBatch)
		if err != nil {
			return out, err
		}
		out.Requeued += int64(len(rows))
		// The next batch starts after the latest delivery of this one. UPDATE ... RETURNING gives the rows in no particular order.
		for _, d := range rows {
			if d.CreatedAt.After(f.From) || d.CreatedAt.Equal(f.From) && bytes.Compare(d.ID[:], f.Last[:]) > 0 {
				f.From, f.Last = d.CreatedAt, d.ID
			}
		}
		for _, d := range rows {
			if err := s.runtime.Client().DispatchRequeued(ctx, d.JobRef, d.Archived); err != nil {
				slog.WarnContext(ctx, "deliveries not enqueued, left to the reconciler", "error", err)
				break
			}
		}
		if len(rows) < requeueBatch {
			return out, nil
		}
	}
}
