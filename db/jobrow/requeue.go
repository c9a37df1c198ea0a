package jobrow

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Requeued is a row that was made due again by hand.
type Requeued struct {
	models.JobRef

	Archived int64 `db:"archived"` // generation of the row's task in asynq's archive; -1: there is no such task
}

// RequeuedItem is a requeued row with the creation time of its item, such as a delivery.
type RequeuedItem struct {
	Requeued

	CreatedAt time.Time `db:"created_at"`
}

// RequeueQuery selects items of an account that were created in [From, To).
type RequeueQuery struct {
	Account uuid.UUID
	Owner   uuid.UUID // the endpoint or the traffic source of the items; zero: any
	From    time.Time // from the second batch on, the creation time of the last item of the previous batch
	To      time.Time
	Last    uuid.UUID // an item that was created at From is selected only if its id is greater
}

// requeueChosen makes the rows of the relation `chosen` (id, archived) due now, under a new generation. A finished row gets one
// more attempt.
const requeueChosen = `
UPDATE jobs SET state = 'pending', next_attempt_at = clock_timestamp(), generation = generation + 1, lease_until = NULL,
    finished_at = NULL, failed_generation = NULL,
    attempt_limit = CASE WHEN state IN ('failed', 'done') THEN attempts + 1 ELSE attempt_limit END
FROM chosen WHERE jobs.id = chosen.id
RETURNING jobs.id, jobs.account_id, jobs.kind, jobs.generation, chosen.archived`

const requeueRows = `
WITH chosen AS (
    SELECT id, coalesce(failed_generation, -1) AS archived FROM jobs
    WHERE (cardinality($1::uuid[]) = 0 OR id = ANY ($1)) AND (cardinality($2::text[]) = 0 OR kind = ANY ($2))
      AND (state = 'failed' OR (state IN ('pending', 'running') AND cardinality($1::uuid[]) > 0
           AND (lease_until IS NULL OR lease_until <= clock_timestamp())))
    FOR UPDATE
)` + requeueChosen

// Requeue makes rows due now for an operator. The caller dispatches them. With ids, it takes rows with these ids that have failed
// or wait, or whose lease has ended. Without ids, it takes all failed rows. If kinds are given, it takes only rows of these kinds.
func Requeue(ctx context.Context, c db.Conn, ids []uuid.UUID, kinds ...string) ([]Requeued, error) {
	return db.Select[Requeued](ctx, c, "requeue jobs", requeueRows, append([]uuid.UUID{}, ids...), append([]string{}, kinds...))
}

// WithRequeued returns a WITH clause that requeues finished jobs, the oldest first. The parameter `candidates` is a
// SELECT of their (id, created_at), and `limit` is SQL too. The relation `requeued` has the columns of Requeued. Locked rows are
// skipped.
func WithRequeued(candidates, limit string) string {
	return `WITH candidates AS (` + candidates + `), chosen AS (
    SELECT j.id, coalesce(j.failed_generation, -1) AS archived FROM candidates c JOIN jobs j ON j.id = c.id
    WHERE j.state IN ('failed', 'done') ORDER BY c.created_at, c.id LIMIT ` + limit + ` FOR UPDATE OF j SKIP LOCKED
), requeued AS (` + requeueChosen + `)`
}
