package jobrow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
)

// ErrFenced says that the row is no longer held under this fence: somebody else took it over, or it was deleted.
var ErrFenced = errors.New("jobrow: the lease was lost")

// Why a row could not be claimed.
const (
	Gone     = "gone"     // there is no such row (of this kind and account)
	Finished = "finished" // done or failed
	Held     = "held"     // a live lease holds it
	NotDue   = "not_due"
)

// RefusalError is the quiet reason why a row was not claimed.
type RefusalError struct {
	Reason     string
	Wait       time.Duration // NotDue: until it is due; Held: until the lease ends
	Generation int64         // of the row
}

// Error implements error.
func (r *RefusalError) Error() string { return "jobrow: row not claimed: " + r.Reason }

// Claim says which row is wanted and by whom.
type Claim struct {
	ID         uuid.UUID
	Kind       string
	Account    uuid.UUID // zero = do not check
	Lease      time.Duration
	Generation int64 // of the task that asks; -1 = no task
	ByHand     bool  // run it now, whatever its state, unless a live lease holds it
}

const columns = `id, account_id, kind, args, state, attempts, max_attempts, next_attempt_at, lease_until, fence,
	generation, coalesce(result, 'null') AS result, coalesce(error, 'null') AS error, created_at, finished_at`

// An attempt by hand does not use up one of the schedule, so max_attempts grows with it; a row that had finished gets
// exactly this one. A row whose holder died is claimed anew once its lease has ended.
//
// The claim's commit does not wait for the disk. When PostgreSQL itself crashes a moment later, the claim is forgotten
// and the row is due again; two holders may then have the same fence, but the first that ends the attempt moves the row
// on, and the other finds that it was. What ends an attempt is on disk after all that came before it.
const claimRow = `
WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE jobs SET
    state = 'running', fence = fence + 1, attempts = attempts + 1,
    lease_until = clock_timestamp() + make_interval(secs => $4),
    max_attempts = CASE
        WHEN state IN ('failed', 'done') THEN attempts + 1
        WHEN state = 'pending' AND $6 THEN max_attempts + 1
        ELSE max_attempts END
FROM quick
WHERE id = $1 AND kind = $2 AND ($3::uuid IS NULL OR account_id = $3) AND (
    (state = 'pending' AND ($6 OR next_attempt_at <= clock_timestamp()))
    OR (state = 'running' AND lease_until <= clock_timestamp())
    OR (state = 'failed' AND ($6 OR failed_generation = $5))
    OR (state = 'done' AND $6))
RETURNING ` + columns

const whyNot = `
SELECT state, generation, coalesce(extract(epoch FROM lease_until - clock_timestamp()), 0)::float8 AS lease,
    extract(epoch FROM next_attempt_at - clock_timestamp())::float8 AS due
FROM jobs WHERE id = $1 AND kind = $2 AND ($3::uuid IS NULL OR account_id = $3)`

// Take claims a row: its state becomes running, its fence and its attempts grow by one. When it cannot be had, the
// error is a *RefusalError. It is a transaction of its own.
func Take(ctx context.Context, c *db.DB, want Claim) (models.Job, error) {
	var j models.Job
	account := uuid.NullUUID{UUID: want.Account, Valid: want.Account != uuid.Nil}
	err := sqlx.GetContext(ctx, c, &j, claimRow, want.ID, want.Kind, account, want.Lease.Seconds(), want.Generation,
		want.ByHand)
	if err == nil {
		return j, nil
	}
	if !db.NoRows(err) {
		return j, fmt.Errorf("jobrow: claim: %w", err)
	}
	var row struct {
		State      string  `db:"state"`
		Generation int64   `db:"generation"`
		Lease      float64 `db:"lease"`
		Due        float64 `db:"due"`
	}
	err = sqlx.GetContext(ctx, c, &row, whyNot, want.ID, want.Kind, account)
	if db.NoRows(err) {
		return j, &RefusalError{Reason: Gone}
	}
	if err != nil {
		return j, fmt.Errorf("jobrow: claim: %w", err)
	}
	switch row.State {
	case models.JobRunning:
		return j, &RefusalError{Reason: Held, Wait: seconds(row.Lease), Generation: row.Generation}
	case models.JobPending:
		return j, &RefusalError{Reason: NotDue, Wait: seconds(row.Due), Generation: row.Generation}
	}
	return j, &RefusalError{Reason: Finished, Generation: row.Generation}
}

func seconds(s float64) time.Duration {
	return max(time.Duration(s*float64(time.Second)), 0)
}

const renewLease = `
UPDATE jobs SET lease_until = clock_timestamp() + make_interval(secs => $3)
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Renew moves the end of the lease; ErrFenced when the row is not held under this fence any more.
func Renew(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, lease time.Duration) error {
	return fenced(ctx, c, renewLease, id, fence, lease.Seconds())
}

const completeRow = `
UPDATE jobs SET state = 'done', result = $3, error = NULL, lease_until = NULL, finished_at = clock_timestamp(),
    failed_generation = NULL
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Complete marks the row done with its result; ErrFenced when it is not held under this fence any more. Call it first
// in the transaction of the effect: it locks the row.
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

// Retry gives the row back for another attempt after a wait; ErrFenced as in Complete.
func Retry(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, cause Cause, wait time.Duration) error {
	return fenced(ctx, c, retryRow, id, fence, cause.json(), wait.Seconds())
}

// A repetition by hand that fails does not undo that the job was done.
const failRow = `
UPDATE jobs SET state = CASE WHEN result IS NULL THEN 'failed' ELSE 'done' END, error = $3, lease_until = NULL,
    finished_at = clock_timestamp(), failed_generation = CASE WHEN $4 >= 0 THEN $4 ELSE failed_generation END
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Fail marks the row failed for good; generation is that of the task that is archived for it, -1 for none. A row that
// had been done before stays done. ErrFenced as in Complete.
func Fail(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, cause Cause, generation int64) error {
	return fenced(ctx, c, failRow, id, fence, cause.json(), generation)
}

const releaseRow = `
UPDATE jobs SET state = 'pending', lease_until = NULL, next_attempt_at = clock_timestamp(),
    attempts = greatest(attempts - 1, 0)
WHERE id = $1 AND fence = $2 AND state = 'running'`

// Release gives the row back untried, because the worker stops: it is due at once and the attempt does not count.
func Release(ctx context.Context, c db.Conn, id uuid.UUID, fence int64) error {
	return fenced(ctx, c, releaseRow, id, fence)
}

const postponeRow = `
UPDATE jobs SET next_attempt_at = clock_timestamp() + make_interval(secs => $2)
WHERE id = $1 AND state = 'pending' AND next_attempt_at <= clock_timestamp()`

// Postpone moves a due row that nobody holds to later, without an attempt: there was no room for it. A row in another
// state stays as it is.
func Postpone(ctx context.Context, c db.Conn, id uuid.UUID, wait time.Duration) error {
	if _, err := c.ExecContext(ctx, postponeRow, id, wait.Seconds()); err != nil {
		return fmt.Errorf("jobrow: postpone: %w", err)
	}
	return nil
}

func fenced(ctx context.Context, c db.Conn, query string, args ...any) error {
	res, err := c.ExecContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("jobrow: write: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("jobrow: write: %w", err)
	}
	if n == 0 {
		return ErrFenced
	}
	return nil
}

// Cause is the error of an attempt as the row keeps it: what a client may see, and the detail for operators.
type Cause struct {
	models.Error
	Detail string `json:"detail,omitempty"`
}

const maxDetail = 1000

// CauseOf takes an error apart. One that is not for clients becomes internal_error, with its text as the detail.
func CauseOf(err error) Cause {
	if e, ok := models.AsError(err); ok {
		return Cause{Error: *e}
	}
	detail := err.Error()
	if len(detail) > maxDetail {
		detail = detail[:maxDetail]
	}
	return Cause{
		Error:  models.Error{Kind: models.KindInternal, Code: "internal_error", Message: "the job did not succeed"},
		Detail: detail,
	}
}

// json leaves out what PostgreSQL refuses in a text.
func (c Cause) json() []byte {
	raw, err := json.Marshal(cleaned(c))
	if err != nil {
		panic(err) // strings and a number
	}
	return raw
}
