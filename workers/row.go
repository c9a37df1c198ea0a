package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
)

// crashAllowance is how many attempts beyond its schedule a row gets when workers die during them, before it is failed.
const crashAllowance = 3

// Run is one attempt of a row job. The handler ends it with Commit, Retry or Fail; one that returns without is ended
// by the runtime: no error is Commit with the zero answer, a *models.Error of a client's mistake is Fail, any other Retry.
type Run[A, R any] struct {
	Job     models.Job
	Args    A
	Attempt int // 1 is the first

	r       *Runtime
	policy  jobs.Policy
	task    int64 // generation of the task, -1 without one
	settled bool
	verdict error // for the queue
}

// Fate is what becomes of a row after a failed attempt.
type Fate struct {
	Final bool
	Wait  time.Duration // until the next attempt
}

// RowOption changes how the rows of a kind are handled.
type RowOption func(*rowConfig)

type rowConfig struct {
	policy jobs.Policy
	gate   Gate
}

// Gate admits a row before it is claimed. With a wait above zero there is no room now: the row is put off by it, to the
// next full second, without an attempt. Otherwise release is called after the attempt.
type Gate func(ctx context.Context, row uuid.UUID) (release func(), wait time.Duration, err error)

// WithGate sets the gate.
func WithGate(g Gate) RowOption { return func(c *rowConfig) { c.gate = g } }

// WithRetries replaces the waits between attempts, for tests and closed installs. Fewer waits mean fewer attempts; more
// than the policy has are not used. Empty changes nothing.
func WithRetries(waits []time.Duration) RowOption {
	return func(c *rowConfig) {
		if len(waits) > 0 {
			c.policy.Retries = waits
			c.policy.MaxAttempts = min(len(waits)+1, c.policy.MaxAttempts)
		}
	}
}

// HandleRow registers the handler of a row job. The handler has the row's lease, renewed while it works; its context
// ends with the policy's timeout, and when the lease is lost. What it does in our database, it does in the function it
// gives to Commit, Retry or Fail: only that commits under the fence.
func HandleRow[A, R any](r *Runtime, job jobs.Job[A, R], fn func(context.Context, *Run[A, R]) error, opts ...RowOption) {
	if !job.Policy().Row {
		panic("workers: " + job.Kind() + " has no rows: use Handle")
	}
	c := rowConfig{policy: job.Policy()}
	for _, o := range opts {
		o(&c)
	}
	r.policies[job.Kind()] = c.policy
	r.add(job.Kind(), func(ctx context.Context, t task) error {
		release, err := c.admit(ctx, r.o.DB, t.Row)
		if err != nil {
			return err
		}
		defer release()
		want := jobrow.Claim{ID: t.Row, Account: t.Account, Generation: generation(t.id)}
		err = attempt(ctx, r, job, c.policy, want, fn)
		if refusal, ok := errors.AsType[*jobrow.RefusalError](err); ok {
			// The task of the row's present generation waits for its hour; any other one is superfluous.
			if refusal.Reason == jobrow.NotDue && refusal.Generation == want.Generation {
				return &later{wait: refusal.Wait, cause: err}
			}
			return nil
		}
		return err
	})
}

// comesEarly is how far the clocks of a worker and of PostgreSQL may differ for a postponed row to be met at the first try.
const comesEarly = 100 * time.Millisecond

func (c rowConfig) admit(ctx context.Context, d *db.DB, row uuid.UUID) (func(), error) {
	if c.gate == nil {
		return func() {}, nil
	}
	release, wait, err := c.gate(ctx, row)
	if err != nil {
		return nil, &later{wait: time.Second, cause: err}
	}
	if wait > 0 {
		at := nextSecond(time.Now().Add(wait))
		// Due a little sooner than its task comes, so that it is not met too early.
		if err := jobrow.Postpone(ctx, d, row, time.Until(at)-comesEarly); err != nil {
			slog.WarnContext(ctx, "row not postponed", "error", err)
		}
		return nil, &later{at: at, cause: errors.New("workers: no room for it now")}
	}
	return release, nil
}

// generation reads the end of kind:row:generation.
func generation(taskID string) int64 {
	g, err := strconv.ParseInt(taskID[strings.LastIndexByte(taskID, ':')+1:], 10, 64)
	if err != nil {
		return -1
	}
	return g
}

// Now makes one attempt of a row from inside another handler, under the same lease and fence as from the queue. byHand
// runs it whatever its state, unless it is held. A row that cannot be had is a *jobrow.RefusalError. The error of
// the attempt itself is the handler's business: Now is nil when the attempt was made and its end committed.
func Now[A, R any](ctx context.Context, r *Runtime, job jobs.Job[A, R], account, id uuid.UUID, byHand bool,
	fn func(context.Context, *Run[A, R]) error,
) error {
	want := jobrow.Claim{ID: id, Account: account, Generation: -1, ByHand: byHand}
	p, ok := r.policies[job.Kind()]
	if !ok {
		p = job.Policy()
	}
	err := attempt(ctx, r, job, p, want, fn)
	if l, ok := errors.AsType[*later](err); ok && l.failure || errors.Is(err, asynq.SkipRetry) {
		return nil
	}
	return err
}

// attempt claims the row, runs the handler and gives what the queue shall do with the task.
func attempt[A, R any](ctx context.Context, r *Runtime, job jobs.Job[A, R], p jobs.Policy, want jobrow.Claim,
	fn func(context.Context, *Run[A, R]) error,
) error {
	want.Kind, want.Lease = job.Kind(), r.o.Lease
	row, err := jobrow.Take(ctx, r.o.DB, want)
	if err != nil {
		if _, refused := errors.AsType[*jobrow.RefusalError](err); !refused {
			slog.WarnContext(ctx, "row not claimed", "job", want.Kind, "error", err)
			return &later{wait: 2 * time.Second, cause: err}
		}
		return err
	}
	run := &Run[A, R]{Job: row, Attempt: row.Attempts, r: r, policy: p, task: want.Generation}
	work, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	held, drop := context.WithCancelCause(work)
	defer r.keep(held, drop, row)()
	err = guard(ctx, row.Kind, func() error {
		if run.Attempt > row.MaxAttempts+crashAllowance {
			return run.Fail(held, errors.New("workers: the worker died during each attempt"), nil)
		}
		if err := json.Unmarshal(row.Args, &run.Args); err != nil {
			return run.Fail(held, fmt.Errorf("workers: arguments: %w", err), nil)
		}
		return fn(held, run)
	})
	return run.end(ctx, err)
}

// keep renews the lease until the returned function is called. When the row is held by another, or the lease may have
// ended because PostgreSQL did not answer, the work is dropped.
func (r *Runtime) keep(ctx context.Context, drop context.CancelCauseFunc, row models.Job) func() {
	ctx, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(r.o.Lease / 3)
		defer tick.Stop()
		until := time.Now().Add(r.o.Lease)
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			asked := time.Now()
			limited, cancel := context.WithDeadline(ctx, until)
			err := jobrow.Renew(limited, r.o.DB, row.ID, row.Fence, r.o.Lease)
			cancel()
			switch {
			case err == nil:
				until = asked.Add(r.o.Lease)
			case errors.Is(err, jobrow.ErrFenced) || time.Now().After(until):
				drop(jobrow.ErrFenced)
				return
			}
		}
	})
	return func() {
		stop()
		done.Wait()
		drop(nil)
	}
}
