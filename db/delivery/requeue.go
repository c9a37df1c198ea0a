package delivery

import (
	"context"

	"switchyard/db"
	"switchyard/db/jobrow"
)

// A delivery has the status failed in two cases: its job has failed, or the delivery was discarded and its job is done.
// WithRequeued makes the jobs due again in both cases.
var requeueFailed = jobrow.WithRequeued(`
    SELECT d.id, d.created_at FROM webhook_deliveries d
    JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.account_id = d.account_id AND w.active
    WHERE d.account_id = $1 AND d.status = 'failed' AND (d.created_at, d.id) > ($2, $6) AND d.created_at < $3
        AND ($4::uuid IS NULL OR d.endpoint_id = $4)`, "$5") + `
UPDATE webhook_deliveries d SET status = 'pending' FROM requeued r WHERE d.id = r.id
RETURNING r.id, r.account_id, r.kind, r.generation, r.archived, d.created_at`

// RequeueFailed makes failed deliveries due now, the oldest first. The parameter limit is the maximum number of deliveries. Each
// delivery gets one attempt. The caller dispatches the jobs. Endpoints that are switched off are left out.
func RequeueFailed(ctx context.Context, c db.Conn, q jobrow.RequeueQuery, limit int) ([]jobrow.RequeuedItem, error) {
	return db.Select[jobrow.RequeuedItem](ctx, c, "requeue deliveries", requeueFailed, q.Account, q.From, q.To, db.OrNull(q.Owner), limit,
		q.Last)
}
