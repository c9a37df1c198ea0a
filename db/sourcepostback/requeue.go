package sourcepostback

import (
	"context"

	"switchyard/db"
	"switchyard/db/jobrow"
)

// A postback that a source refused for good, with the status 410, has a job in the state done, not failed. WithRequeued makes jobs of
// both states due again.
var requeueFailed = jobrow.WithRequeued(`
    SELECT p.id, p.created_at FROM source_postbacks p
    JOIN traffic_sources s ON s.id = p.source_id AND s.account_id = p.account_id AND s.is_active AND s.deactivated_at IS NULL
    WHERE p.account_id = $1 AND p.result = 'failed' AND (p.created_at, p.id) > ($2, $6) AND p.created_at < $3
        AND ($4::uuid IS NULL OR p.source_id = $4)`, "$5") + `
UPDATE source_postbacks p SET result = 'pending' FROM requeued r WHERE p.id = r.id
RETURNING r.id, r.account_id, r.kind, r.generation, r.archived, p.created_at`

// RequeueFailed makes failed postbacks due now, each for a single attempt. q selects the postbacks, and limit is their maximum
// number. The oldest come first. The caller dispatches the jobs. Postbacks to paused and deactivated sources stay failed.
func RequeueFailed(ctx context.Context, c db.Conn, q jobrow.RequeueQuery, limit int) ([]jobrow.RequeuedItem, error) {
	return db.Select[jobrow.RequeuedItem](ctx, c, "requeue postbacks", requeueFailed, q.Account, q.From, q.To, db.OrNull(q.Owner), limit,
		q.Last)
}
