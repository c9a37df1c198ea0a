// Package outbox writes the rows of work that must happen, in the transaction of its cause: jobs, and the events of
// an account with one delivery per subscribed webhook endpoint. The caller enqueues the returned ids after its
// commit; what it fails to enqueue, the reconciler finds.
package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
)

const insertJob = `
INSERT INTO jobs (id, account_id, kind, args, max_attempts, next_attempt_at, created_at)
VALUES ($1, $2, $3, $4, $5, $6, now())
ON CONFLICT (id) DO NOTHING`

// AddJob writes the row of a job. Writing the same id again does nothing.
func AddJob(ctx context.Context, c db.Conn, j models.Job) error {
	if j.NextAttemptAt.IsZero() {
		j.NextAttemptAt = time.Now()
	}
	if len(j.Args) == 0 {
		j.Args = []byte(`{}`)
	}
	_, err := c.ExecContext(ctx, insertJob, j.ID, j.AccountID, j.Kind, []byte(j.Args), j.MaxAttempts, j.NextAttemptAt)
	if err != nil {
		return fmt.Errorf("outbox: add job: %w", err)
	}
	return nil
}

// DeliveryAttempts is how often a delivery is tried before it is failed.
const DeliveryAttempts = 7

const insertEvent = `
INSERT INTO events (id, account_id, type, created_at, body) VALUES ($1, $2, $3, $4, $5)`

// One statement, so that an endpoint added or removed meanwhile is seen by both tables or by neither.
const insertDeliveries = `
WITH target AS (
    SELECT new_id() AS id, id AS endpoint_id, account_id
    FROM webhook_endpoints WHERE account_id = $1 AND active AND $2 = ANY (events)
), job AS (
    INSERT INTO jobs (id, account_id, kind, max_attempts, next_attempt_at)
    SELECT id, account_id, $4, $5, clock_timestamp() FROM target
)
INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id)
SELECT id, account_id, endpoint_id, $3 FROM target
RETURNING id`

// AddEvent stores an event and one pending delivery, with its job, for each active endpoint of the account that
// subscribes to its type. It returns the ids of the deliveries, which are the ids of their jobs.
func AddEvent(ctx context.Context, c db.Conn, e models.Event) ([]uuid.UUID, error) {
	if _, err := c.ExecContext(ctx, insertEvent, e.ID, e.AccountID, e.Type, e.CreatedAt, e.Body); err != nil {
		return nil, fmt.Errorf("outbox: add event: %w", err)
	}
	var ids []uuid.UUID
	err := sqlx.SelectContext(ctx, c, &ids, insertDeliveries, e.AccountID, e.Type, e.ID,
		models.KindDeliverWebhook, DeliveryAttempts)
	if err != nil {
		return nil, fmt.Errorf("outbox: add deliveries: %w", err)
	}
	return ids, nil
}
