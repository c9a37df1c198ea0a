package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
)

// crashAllowance is how many attempts beyond its limit a row gets if workers die.
const crashAllowance = 3

// crowdedWait is the longest wait of a row whose account has too many running jobs of the row's kind.
const crowdedWait = 4 * time.Second

var errWorkerDied = errors.New("workers: the worker died during each attempt")

// RowOption changes how the rows of a kind are handled.
type RowOption func(*rowConfig)

type rowConfig struct {
	policy jobs.Policy
	gate   Gate
	failed FailedFunc
}

// Gate admits a row before it is claimed, or returns how long it must wait. The wait is rounded up to the next full second and costs
// no attempt. release is called after the attempt.
type Gate func(ctx context.Context, row uuid.UUID) (release func(), wait time.Duration, err error)

// WithGate sets the gate; the default admits every row.
func WithGate(g Gate) RowOption { return func(c *rowConfig) { c.gate = g } }

// FailedFunc records the final failure of a row, in the transaction of the failure. It is not called after Retry or Fail with an
// effect, because the effect records the failure.
type FailedFunc func(ctx context.Context, c db.Conn, row models.Job, cause error) error

// WithFailed sets the function that records the failure of a row; by default none.
func WithFailed(fn FailedFunc) RowOption { return func(c *rowConfig) { c.failed = fn } }

// WithRetries replaces the waits between attempts. Fewer waits mean fewer attempts. More waits do not mean more attempts. An empty
// list changes nothing.
func WithRetries(waits []time.Duration) RowOption {
	return func(c *rowConfig) {
		if len(waits) > 0 {
			c.policy.Retries = waits
			c.policy.MaxAttempts = min(len(waits)+1, c.policy.MaxAttempts)
		}
	}
}

// RegisterRow registers the handler of a row job. The handler's context ends after the policy's timeout, and when the lease is
// lost. The handler must change our database only in the functions passed to Step, Commit, Retry or Fail, because only these
// commit under the fence.
func RegisterRow[A, R any](r *Runtime, job jobs.Job[A, R], fn func(context.Context, *Run[A, R]) error,
	opts ...RowOption,
) {
	if !job.Policy().Row {
		panic("workers: " + job.Kind() + " has no rows: use Register")
	}
	c := rowConfig{policy: job.Policy()}
	for _, o := range opts {
		o(&c)
	}
	r.policies[job.Kind()] = c.policy
	r.failed[job.Kind()] = c.failed
	r.add(job.Kind(), func(ctx context.Context, t task) error {
		release, err := c.admit(ctx, r, t.Row)
		if err != nil {
			return err
		}
		defer release()
		_, generation, _ := jobs.ParseTaskID(t.id)
		want := jobrow.ClaimRequest{ID: t.Row, Account: t.Account, Generation: generation}
		err = attempt(ctx, r, job, c.policy, want, fn)
		if refusal, ok := errors.AsType[*jobrow.RefusalError](err); ok {
			// The newest task has the row's generation and waits until the row is due. Older tasks end here.
			switch {
			case refusal.Reason == jobrow.Crowded:
				return r.postpone(ctx, t.Row, rand.N(crowdedWait), err) //nolint:gosec // spreads the attempts
			case refusal.Reason == jobrow.NotDue && refusal.Generation == generation:
				return &retryLaterError{wait: refusal.Wait, cause: err}
			}
			return nil
		}
		return err
	})
}

func (c rowConfig) admit(ctx context.Context, r *Runtime, row uuid.UUID) (func(), error) {
	if c.gate == nil {
		return func() {}, nil
	}
	release, wait, err := c.gate(ctx, row)
	if err != nil {
		return nil, &retryLaterError{wait: time.Second, cause: err}
	}
	if wait > 0 {
		return nil, r.postpone(ctx, row, wait, errors.New("workers: the gate does not admit the row now"))
	}
	return release, nil
}

// RunNow makes one attempt of a row from within another handler. It claims the row with a lease and a fence, as a worker does. If
// manual is true, the row may be in any state, but no worker may hold its lease. If the row cannot be claimed, RunNow returns a
// *jobrow.RefusalError. If the outcome of the attempt was committed, RunNow returns nil even if the attempt failed; fn has to keep
// its error.
func RunNow[A, R any](ctx context.Context, r *Runtime, job jobs.Job[A, R], account, id uuid.UUID, manual bool,
	fn func(context.Context, *Run[A, R]) error,
) error {
	want := jobrow.ClaimRequest{ID: id, Account: account, Generation: -1, Manual: manual}
	p, ok := r.policies[job.Kind()]
	if !ok {
		p = job.Policy()
	}
	err := attempt(ctx, r, job, p, want, fn)
	if l, ok := errors.AsType[*retryLaterError](err); ok && l.failure || errors.Is(err, asynq.SkipRetry) {
		return nil
	}
	return err
}

// attempt claims the row and runs the handler. Its error tells the queue what to do with the task.
func attempt[A, R any](ctx context.Context, r *Runtime, job jobs.Job[A, R], p jobs.Policy, want jobrow.ClaimRequest,
	fn func(context.Context, *Run[A, R]) error,
) error {
	want.Kind, want.Lease, want.MaxAttempts, want.PerAccount = job.Kind(), r.o.Lease, p.MaxAttempts, p.PerAccount
	row, err := jobrow.Claim(ctx, r.o.DB, want)
	if err != nil {
		if _, refused := errors.AsType[*jobrow.RefusalError](err); !refused {
			slog.WarnContext(ctx, "row not claimed", "job", want.Kind, "error", err)
			return &retryLaterError{wait: 2 * time.Second, cause: err}
		}
		return err
	}
	run := &Run[A, R]{Job: row, Attempt: row.Attempts, r: r, policy: p, generation: want.Generation, failed: r.failed[row.Kind]}
	limited, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	held, abandon := context.WithCancelCause(limited)
	defer r.renewLease(held, abandon, row)()
	err = guard(ctx, row.Kind, func() error {
		if run.Attempt > p.AttemptLimit(row)+crashAllowance {
			return run.Fail(held, errWorkerDied, nil)
		}
		if err := json.Unmarshal(row.Args, &run.Args); err != nil {
			return run.Fail(held, fmt.Errorf("workers: arguments: %w", err), nil)
		}
		return fn(held, run)
	})
	return run.end(ctx, err)
}

// renewLease renews the lease until the returned function is called. It abandons the attempt if another worker holds the row, or
// if the lease may have expired because PostgreSQL did not answer.
func (r *Runtime) renewLease(ctx context.Context, abandon context.CancelCauseFunc, row models.Job) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		MaintainLease(ctx, r.o.Lease, func(ctx context.Context) (held bool, err error) {
			err = jobrow.Renew(ctx, r.o.DB, row.ID, row.Fence, r.o.Lease)
			if errors.Is(err, jobrow.ErrFenced) {
				return false, nil
			}
			return true, err
		}, func() { abandon(jobrow.ErrFenced) })
	})
	return func() {
		cancel()
		done.Wait()
		abandon(nil)
	}
}
