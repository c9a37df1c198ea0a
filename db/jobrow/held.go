package jobrow

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

// The functions of this file write a row that the caller holds, and return ErrFenced if it is no longer held under the fence. A
// transaction that writes the job's effect first calls one of these functions, which locks the row and checks the fence.

const renewLease = `
UPDATE jobs SET lease_until = clock_timestamp() + make_interval(secs => $3)
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Renew extends the lease, which then ends the given duration from now.
func Renew(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, lease time.Duration) error {
	return fenced(ctx, c, renewLease, id, fence, lease.Seconds())
}

const saveArgs = `UPDATE jobs SET args = $3 WHERE id = $1 AND fence = $2 AND state = 'running'`

// SaveArgs replaces the arguments of the row, in the transaction that commits a part of the effect. The next attempt continues
// from them.
func SaveArgs(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, args json.RawMessage) error {
	return fenced(ctx, c, saveArgs, id, fence, []byte(args))
}

const completeRow = `
UPDATE jobs SET state = 'done', result = $3, error = NULL, lease_until = NULL, finished_at = clock_timestamp(),
    failed_generation = NULL
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Complete marks the row as done and stores its result. An empty result is stored as null.
func Complete(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, result json.RawMessage) error {
	if len(result) == 0 {
		result = json.RawMessage(`null`)
	}
	return fenced(ctx, c, completeRow, id, fence, []byte(result))
}

const retryRow = `
UPDATE jobs SET state = 'pending', error = $3, lease_until = NULL,
    next_attempt_at = clock_timestamp() + make_interval(secs => $4)
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Retry returns the row to the state pending. The next attempt is due after wait.
func Retry(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, cause Cause, wait time.Duration) error {
	return fenced(ctx, c, retryRow, id, fence, cause.json(), wait.Seconds())
}

const failRow = `
UPDATE jobs SET state = CASE WHEN result IS NULL THEN 'failed' ELSE 'done' END, error = $3, lease_until = NULL,
    finished_at = clock_timestamp(), failed_generation = CASE WHEN $4 >= 0 THEN $4 ELSE failed_generation END
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Fail marks the row as failed. generation is the generation of the task that is archived for the row, or -1 if no task is. A row
// that was done stays done if a manual attempt fails.
func Fail(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, cause Cause, generation int64) error {
	return fenced(ctx, c, failRow, id, fence, cause.json(), generation)
}

const releaseRow = `
UPDATE jobs SET state = 'pending', lease_until = NULL, next_attempt_at = clock_timestamp(),
    attempts = greatest(attempts - 1, 0)
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Release returns the row to the state pending, because the worker stops. The attempt does not count.
func Release(ctx context.Context, c db.Conn, id uuid.UUID, fence int64) error {
	return fenced(ctx, c, releaseRow, id, fence)
}

func fenced(ctx context.Context, c db.Conn, query string, args ...any) error {
	n, err := db.Exec(ctx, c, "write job", query, args...)
	if err == nil && n == 0 {
		err = ErrFenced
	}
	return err
}
