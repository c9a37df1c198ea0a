package jobrow

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// ErrFenced means that the row is no longer held under the fence of the caller.
var ErrFenced = errors.New("jobrow: the lease was lost")

// Why a row is not claimed.
const (
	Gone     = "gone"     // there is no row of this kind and account with the id
	Finished = "finished" // done or failed
	Held     = "held"     // a live lease holds it
	NotDue   = "not_due"
	Crowded  = "crowded" // the account already runs as many jobs of this kind as it may
)

// RefusalError says why a row was not claimed. It is not a fault: a task may be in the queue twice.
type RefusalError struct {
	Reason     string
	Wait       time.Duration // NotDue: time until the row is due; Held: time until the lease ends
	Generation int64         // generation of the row; 0 with the reasons Gone and Crowded
}

// Error implements error.
func (r *RefusalError) Error() string { return "jobrow: row not claimed: " + r.Reason }

// ClaimRequest describes the row to claim, the task, and the worker's settings.
type ClaimRequest struct {
	ID          uuid.UUID
	Kind        string
	Account     uuid.UUID // zero: any account
	Lease       time.Duration
	MaxAttempts int   // from the policy of the kind; required for a manual claim
	Generation  int64 // generation of the task that requests the claim; -1: there is no task
	Manual      bool  // claim the row in any state, unless it is held
	PerAccount  int   // maximum number of running jobs of the kind for the row's account; 0: any number
}

const columns = `id, account_id, kind, args, state, attempts, coalesce(attempt_limit, 0) AS attempt_limit, next_attempt_at,
	lease_until, fence, generation, coalesce(result, 'null') AS result, coalesce(error, 'null') AS error, created_at,
	finished_at`

// A claim gives a finished row one attempt. A manual claim gives a waiting row one attempt more, so that it does not use up an
// attempt of the schedule. A running row can be claimed once its lease has ended.
//
// The commit of a claim does not wait for the disk. If PostgreSQL crashes a moment later, the claim is lost, and two workers may
// hold the same fence. The first worker that ends its attempt changes the row's state, so the other one commits nothing. The
// commit that ends an attempt waits for the disk.
const claimRow = `
WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE jobs SET
    state = 'running', fence = fence + 1, attempts = attempts + 1,
    lease_until = clock_timestamp() + make_interval(secs => $4),
    attempt_limit = CASE
        WHEN state IN ('failed', 'done') THEN attempts + 1
        WHEN state = 'pending' AND $6 THEN coalesce(attempt_limit, $7) + 1
        ELSE attempt_limit END
FROM quick
WHERE id = $1 AND kind = $2 AND ($3::uuid IS NULL OR account_id = $3) AND (
    (state = 'pending' AND ($6 OR next_attempt_at <= clock_timestamp()))
    OR (state = 'running' AND lease_until <= clock_timestamp())
    OR (state = 'failed' AND ($6 OR failed_generation = $5))
    OR (state = 'done' AND $6))
RETURNING ` + columns

const findRefused = `
SELECT state, generation, coalesce(extract(epoch FROM lease_until - clock_timestamp()), 0)::float8 AS lease,
    extract(epoch FROM next_attempt_at - clock_timestamp())::float8 AS due
FROM jobs WHERE id = $1 AND kind = $2 AND ($3::uuid IS NULL OR account_id = $3)`

const (
	lockKind = `
SELECT pg_advisory_xact_lock(hashtextextended('job ' || kind || account_id, 0)) FROM jobs WHERE id = $1 AND account_id IS NOT NULL`

	countRunning = `
SELECT count(*) FROM jobs j JOIN jobs mine ON mine.account_id = j.account_id AND mine.kind = j.kind
WHERE mine.id = $1 AND j.id <> $1 AND j.lease_until > clock_timestamp() AND j.state = 'running' AND j.` + submitted
)

// claimCounted does the same as Claim for a kind with a limit of running jobs per account. Claims of the kind for the same account
// run one after another.
func claimCounted(ctx context.Context, d *db.DB, want ClaimRequest) (j models.Job, err error) {
	err = db.Tx(ctx, d, func(c db.Conn) error {
		if err := db.Run(ctx, c, "lock kind", lockKind, want.ID); err != nil {
			return err
		}
		n, err := db.Get[int](ctx, c, "running jobs", countRunning, want.ID)
		if err != nil {
			return err
		}
		if n >= want.PerAccount {
			return &RefusalError{Reason: Crowded}
		}
		j, err = claim(ctx, c, want)
		return err
	})
	return j, err
}

// Claim claims a row. The row becomes running, and its fence and its attempts grow by one. If that is not possible, the error is
// a *RefusalError. d is the pool, because Claim must commit before the work begins.
func Claim(ctx context.Context, d *db.DB, want ClaimRequest) (models.Job, error) {
	if want.PerAccount > 0 {
		return claimCounted(ctx, d, want)
	}
	return claim(ctx, d, want)
}

func claim(ctx context.Context, d db.Conn, want ClaimRequest) (models.Job, error) {
	account := db.OrNull(want.Account)
	j, claimed, err := db.First[models.Job](ctx, d, "claim job", claimRow, want.ID, want.Kind, account, want.Lease.Seconds(),
		want.Generation, want.Manual, want.MaxAttempts)
	if claimed || err != nil {
		return j, err
	}
	row, found, err := db.First[struct {
		State      string  `db:"state"`
		Generation int64   `db:"generation"`
		Lease      float64 `db:"lease"`
		Due        float64 `db:"due"`
	}](ctx, d, "claim job", findRefused, want.ID, want.Kind, account)
	if err != nil {
		return j, err
	}
	if !found {
		return j, &RefusalError{Reason: Gone}
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

const postponeRow = `
UPDATE jobs SET next_attempt_at = clock_timestamp() + make_interval(secs => $2)
WHERE id = $1 AND state = 'pending' AND next_attempt_at <= clock_timestamp()`

// Postpone delays a due row without using an attempt, for a worker that has no room for it.
func Postpone(ctx context.Context, c db.Conn, id uuid.UUID, wait time.Duration) error {
	return db.Run(ctx, c, "postpone job", postponeRow, id, wait.Seconds())
}
