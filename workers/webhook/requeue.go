package webhook

import (
	"bytes"
	"context"
	"log/slog"

	"switchyard/db/delivery"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/workers"
)

// againAtOnce is how many failed deliveries one transaction makes due again.
const againAtOnce = 500

// redeliverFailed makes failed deliveries due again, part by part, and puts each part into the queue once it is
// committed; what cannot be enqueued, the reconciler finds. It walks by the time of the deliveries, so that one that
// fails again meanwhile is not taken twice.
func (s *sender) redeliverFailed(ctx context.Context, a jobs.RedeliverFailedArgs) (jobs.RedeliverFailedAnswer, error) {
	out := jobs.RedeliverFailedAnswer{From: a.From, To: a.To}
	f := delivery.Failed{Account: workers.Account(ctx), Endpoint: a.Webhook, From: a.From, To: a.To}
	for {
		rows, err := delivery.Requeue(ctx, s.db, f, againAtOnce)
		if err != nil {
			return out, err
		}
		out.Requeued += int64(len(rows))
		for _, d := range rows {
			if d.At.After(f.From) || d.At.Equal(f.From) && bytes.Compare(d.ID[:], f.Last[:]) > 0 {
				f.From, f.Last = d.At, d.ID
			}
		}
		for _, d := range rows {
			if err := s.enqueueAgain(ctx, d); err != nil {
				slog.WarnContext(ctx, "delivery not enqueued, the reconciler will", "error", err)
				break
			}
		}
		if len(rows) < againAtOnce {
			return out, nil
		}
	}
}

// enqueueAgain puts a row into the queue under its new generation and takes the archived task out.
func (s *sender) enqueueAgain(ctx context.Context, d jobrow.Due) error {
	row, client := workers.RowOf(d), s.runtime.Client()
	if err := client.DispatchRows(ctx, row); err != nil {
		return err
	}
	if row.Generation = d.Failed; row.Generation < 0 {
		return nil
	}
	return client.ForgetRow(ctx, row)
}
