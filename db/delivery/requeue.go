package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Failed chooses an account's failed deliveries that were made in [From, To), of one endpoint or (zero) of all, and of
// those the ones after the delivery Last, which was made at From.
type Failed struct {
	Account  uuid.UUID
	Endpoint uuid.UUID
	From     time.Time
	To       time.Time
	Last     uuid.UUID
}

// A delivery that was dropped, because its endpoint was off, has a job that is done. Rows that somebody holds are
// passed over.
const requeueFailed = `
WITH chosen AS (
	SELECT d.id, coalesce(j.failed_generation, -1) AS failed FROM webhook_deliveries d JOIN jobs j ON j.id = d.id
	JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.account_id = d.account_id AND w.active
	WHERE d.account_id = $1 AND d.status = 'failed' AND (d.created_at, d.id) > ($2, $6) AND d.created_at < $3
		AND ($4::uuid IS NULL OR d.endpoint_id = $4) AND j.state IN ('failed', 'done')
	ORDER BY d.created_at, d.id LIMIT $5 FOR UPDATE OF j SKIP LOCKED
), renewed AS (
	UPDATE jobs SET state = 'pending', next_attempt_at = clock_timestamp(), generation = generation + 1,
		lease_until = NULL, finished_at = NULL, failed_generation = NULL, max_attempts = attempts + 1
	FROM chosen WHERE jobs.id = chosen.id
	RETURNING jobs.id, jobs.account_id, jobs.kind, jobs.generation, chosen.failed
)
UPDATE webhook_deliveries d SET status = 'pending' FROM renewed r WHERE d.id = r.id
RETURNING r.id, r.account_id, r.kind, r.generation, d.created_at AS at, r.failed`

// Requeue makes up to so many failed deliveries, the oldest first, due now for one attempt each, and gives their rows for
// dispatching, each with the time its delivery was made.
// Deliveries to endpoints that are switched off stay failed.
func Requeue(ctx context.Context, c db.Conn, f Failed, limit int) ([]jobrow.Due, error) {
	var rows []jobrow.Due
	endpoint := uuid.NullUUID{UUID: f.Endpoint, Valid: f.Endpoint != uuid.Nil}
	err := sqlx.SelectContext(ctx, c, &rows, requeueFailed, f.Account, f.From, f.To, endpoint, limit, f.Last)
	if err != nil {
		return nil, fmt.Errorf("delivery: requeue: %w", err)
	}
	return rows, nil
}

const rotateSecret = `
UPDATE webhook_endpoints SET old_secret = secret, old_secret_until = now() + make_interval(secs => $4), secret = $3,
	updated_at = now()
WHERE account_id = $1 AND id = $2 RETURNING old_secret_until`

// Rotate gives an endpoint a new sealed secret, and tells until when the one before signs too.
func Rotate(ctx context.Context, c db.Conn, account, endpoint uuid.UUID, sealed []byte) (time.Time, error) {
	var until time.Time
	err := sqlx.GetContext(ctx, c, &until, rotateSecret, account, endpoint, sealed, models.SecretOverlap.Seconds())
	if db.NoRows(err) {
		return until, models.NotFound("webhook")
	}
	if err != nil {
		return until, fmt.Errorf("delivery: rotate: %w", err)
	}
	return until, nil
}
