package delivery

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
)

// Failed selects failed deliveries of an account that were created in [From, To).
type Failed struct {
	Account  uuid.UUID
	Endpoint uuid.UUID // the zero UUID does not restrict
	From     time.Time // for a further batch: when the last delivery of the batch before was created
	To       time.Time
	Last     uuid.UUID // among deliveries created at From, only those with greater ids are selected
}

// A delivery that was dropped because its endpoint was off has a job that is done.
var requeueFailed = jobrow.WithRequeued(`
    SELECT d.id, d.created_at FROM webhook_deliveries d
    JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.account_id = d.account_id AND w.active
    WHERE d.account_id = $1 AND d.status = 'failed' AND (d.created_at, d.id) > ($2, $6) AND d.created_at < $3
        AND ($4::uuid IS NULL OR d.endpoint_id = $4)`, "$5") + `
UPDATE webhook_deliveries d SET status = 'pending' FROM requeued r WHERE d.id = r.id
RETURNING r.id, r.account_id, r.kind, r.generation, r.archived, d.created_at`

// Requeued is a delivery that is due again.
type Requeued struct {
	jobrow.Requeued

	CreatedAt time.Time `db:"created_at"`
}

// Requeue makes at most limit failed deliveries due now for a single attempt, the oldest first. The caller dispatches them.
// Deliveries to endpoints that are switched off stay failed.
func Requeue(ctx context.Context, c db.Conn, f Failed, limit int) ([]Requeued, error) {
	return db.Select[Requeued](ctx, c, "requeue deliveries", requeueFailed, f.Account, f.From, f.To, db.OrNull(f.Endpoint), limit,
		f.Last)
}
