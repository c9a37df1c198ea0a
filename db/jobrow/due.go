package jobrow

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Due is a row that waits for a worker.
type Due struct {
	models.JobRef

	At time.Time `db:"at"` // time at which the row became due
}

// A pending row counts as due one second after next_attempt_at. In this second its task can claim the row, so the reconciler need
// not look for the task.
const dueAt = `CASE state WHEN 'running' THEN lease_until ELSE next_attempt_at + interval '1 second' END`

const dueRows = `
SELECT id, account_id, kind, generation, ` + dueAt + ` AS at FROM jobs
WHERE state IN ('pending', 'running') AND next_attempt_at <= clock_timestamp() AND ` + dueAt + ` <= clock_timestamp()
  AND kind = ANY ($4) AND (` + dueAt + `, id) > ($1, $2)
ORDER BY at, id LIMIT $3`

// ListDue lists the due rows of the given kinds, without rows that a live lease holds. The row that has waited longest comes
// first. The parameter after is the last row of the previous page, or zero.
func ListDue(ctx context.Context, c db.Conn, kinds []string, after Due, limit int) ([]Due, error) {
	if after.At.IsZero() {
		after.At = time.Unix(0, 0)
	}
	return db.Select[Due](ctx, c, "due jobs", dueRows, after.At, after.ID, limit, kinds)
}

// SKIP LOCKED skips rows that are being claimed or ended.
const regenerateRows = `
WITH lost AS (
    SELECT j.id FROM jobs j JOIN unnest($1::uuid[], $2::bigint[]) AS l (id, generation) USING (id, generation)
    WHERE j.state = 'pending' OR (j.state = 'running' AND j.lease_until <= clock_timestamp())
    FOR UPDATE OF j SKIP LOCKED
)
UPDATE jobs SET generation = generation + 1 FROM lost WHERE jobs.id = lost.id
RETURNING jobs.id, jobs.account_id, jobs.kind, jobs.generation`

// Regenerate gives rows that have lost their task a new generation, under which they can be enqueued again. It leaves out rows
// that have changed since they were listed.
func Regenerate(ctx context.Context, c db.Conn, lost []models.JobRef) ([]models.JobRef, error) {
	return db.Select[models.JobRef](ctx, c, "regenerate jobs", regenerateRows,
		db.Map(lost, func(r models.JobRef) uuid.UUID { return r.ID }), db.Map(lost, func(r models.JobRef) int64 { return r.Generation }))
}
