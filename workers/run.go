package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hibiken/asynq"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
)

// settleTimeout bounds the transaction that ends an attempt. It has its own, because the attempt's may be used up.
const settleTimeout = 10 * time.Second

// Commit ends the attempt with success: the effect, the answer and the row's state commit together, or nothing does.
// jobrow.ErrFenced means that another holds the row now; the effect did not happen.
func (u *Run[A, R]) Commit(ctx context.Context, answer R, effect func(db.Conn) error) error {
	raw, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("workers: answer: %w", err)
	}
	return u.settle(ctx, nil, effect, func(ctx context.Context, c db.Conn) error {
		return jobrow.Complete(ctx, c, u.Job.ID, u.Job.Fence, raw)
	})
}

// Retry ends the attempt as failed. The row waits for its next attempt as the policy says, or is failed after the
// last one; the effect is told which, and commits with it. Return what Retry returns.
func (u *Run[A, R]) Retry(ctx context.Context, cause error, effect func(db.Conn, Fate) error) error {
	return u.fail(ctx, cause, u.fate(), effect)
}

// Fail ends the attempt and the row: no other attempt can help. The effect commits with it. Return what Fail returns.
func (u *Run[A, R]) Fail(ctx context.Context, cause error, effect func(db.Conn, Fate) error) error {
	return u.fail(ctx, cause, Fate{Final: true}, effect)
}

// fate counts what is left from the end, because attempts by hand are added to the row's limit; the schedule in use
// may be shorter than the one the row was made with.
func (u *Run[A, R]) fate() Fate {
	full, _ := jobs.PolicyOf(u.Job.Kind)
	left := u.Job.MaxAttempts - u.Job.Attempts - (full.MaxAttempts - u.policy.MaxAttempts)
	if left <= 0 {
		return Fate{Final: true}
	}
	return Fate{Wait: u.policy.Delay(left)}
}

func (u *Run[A, R]) fail(ctx context.Context, cause error, f Fate, effect func(db.Conn, Fate) error) error {
	verdict := error(&later{wait: f.Wait, cause: cause, failure: true})
	if f.Final {
		verdict = fmt.Errorf("%w: %w", cause, asynq.SkipRetry)
	}
	var inside func(db.Conn) error
	if effect != nil {
		inside = func(c db.Conn) error { return effect(c, f) }
	}
	return u.settle(ctx, verdict, inside, func(ctx context.Context, c db.Conn) error {
		if f.Final {
			return jobrow.Fail(ctx, c, u.Job.ID, u.Job.Fence, jobrow.CauseOf(cause), u.task)
		}
		return jobrow.Retry(ctx, c, u.Job.ID, u.Job.Fence, jobrow.CauseOf(cause), f.Wait)
	})
}

// settle moves the row first: that locks it and proves the fence before the effect.
func (u *Run[A, R]) settle(ctx context.Context, verdict error, effect func(db.Conn) error,
	move func(context.Context, db.Conn) error,
) error {
	if u.settled {
		return errors.New("workers: the attempt has ended already")
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	err := db.Tx(limited, u.r.o.DB, func(c db.Conn) error {
		if err := move(limited, c); err != nil {
			return err
		}
		if effect != nil {
			return effect(c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	u.settled, u.verdict = true, verdict
	jobs.Notify(ctx, u.r.o.Redis, u.Job.ID.String())
	return verdict
}

// end settles what the handler left open and gives the verdict for the queue.
func (u *Run[A, R]) end(ctx context.Context, err error) error {
	if !u.settled {
		err = u.conclude(ctx, err)
	}
	if u.settled {
		if u.verdict != nil {
			slog.WarnContext(ctx, "job failed", "job", u.Job.Kind, "id", u.Job.ID, "attempt", u.Attempt,
				"final", errors.Is(u.verdict, asynq.SkipRetry), "error", u.verdict)
		}
		return u.verdict
	}
	if errors.Is(err, jobrow.ErrFenced) {
		slog.WarnContext(ctx, "lease lost, attempt dropped", "job", u.Job.Kind, "id", u.Job.ID)
		return nil // whoever took the row over ends it
	}
	if l, ok := errors.AsType[*later](err); ok {
		return l
	}
	// The end could not be committed: the lease runs out and the reconciler finds the row.
	slog.ErrorContext(ctx, "end of a job not stored", "job", u.Job.Kind, "id", u.Job.ID, "error", err)
	return &later{wait: u.r.o.Lease, cause: err}
}

// conclude ends an attempt whose handler did not. A stopping worker gives the row back untried.
func (u *Run[A, R]) conclude(ctx context.Context, err error) error {
	if err == nil {
		var none R
		err = u.Commit(ctx, none, nil)
		if err == nil || errors.Is(err, jobrow.ErrFenced) {
			return err
		}
	}
	if errors.Is(err, jobrow.ErrFenced) {
		return err
	}
	if errors.Is(context.Cause(ctx), errStopping) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
		defer cancel()
		if err := jobrow.Release(limited, u.r.o.DB, u.Job.ID, u.Job.Fence); err != nil {
			return err
		}
		return &later{cause: errStopping}
	}
	if e, ok := models.AsError(err); ok && e.Kind != models.KindInternal && e.Kind < models.KindTooMany {
		return u.Fail(ctx, err, nil)
	}
	return u.Retry(ctx, err, nil)
}
