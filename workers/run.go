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

// Run is one attempt of a row job. The handler returns the result of Commit, Retry or Fail.
//
// If the handler calls none of them, the runtime decides by the error that the handler returns. It calls Commit with the zero
// answer for nil, Fail for a *models.Error about a client's mistake, and Retry for any other error. But an attempt without its
// lease is dropped, and a stopping worker releases the row without counting the attempt.
type Run[A, R any] struct {
	Job     models.Job
	Args    A
	Attempt int // 1 is the first

	r          *Runtime
	policy     jobs.Policy
	failed     FailedFunc
	generation int64 // the task's; -1: no task
	ended      bool
	result     error // for the queue, after the end
}

// NextAttempt tells an effect whether and when another attempt follows.
type NextAttempt struct {
	Final bool          // the row has failed
	Wait  time.Duration // until the next attempt
}

// endTimeout bounds the transaction that ends an attempt. The attempt's own timeout may have run out.
const endTimeout = 10 * time.Second

// Commit ends the attempt with success. The effect, the answer and the row's state commit together. The effect may be nil. After
// jobrow.ErrFenced, another worker holds the row and the effect did not happen.
func (u *Run[A, R]) Commit(ctx context.Context, answer R, effect func(db.Conn) error) error {
	raw, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("workers: answer: %w", err)
	}
	return u.commitEnd(ctx, nil, effect, func(ctx context.Context, c db.Conn) error {
		if err := jobrow.Complete(ctx, c, u.Job.ID, u.Job.Fence, raw); err != nil {
			return err
		}
		return jobrow.LimitResults(ctx, c, u.Job, raw)
	})
}

// Retry ends the attempt with a failure. The row waits for its next attempt as the policy says, or fails after the last one. The
// effect commits with the row's state.
func (u *Run[A, R]) Retry(ctx context.Context, cause error, effect func(db.Conn, NextAttempt) error) error {
	return u.RetryAfter(ctx, 0, cause, effect)
}

// RetryAfter is Retry with a wait of at least the given duration.
func (u *Run[A, R]) RetryAfter(ctx context.Context, least time.Duration, cause error,
	effect func(db.Conn, NextAttempt) error,
) error {
	next := u.nextAttempt()
	if !next.Final {
		next.Wait = max(next.Wait, least)
	}
	return u.fail(ctx, cause, next, effect)
}

// Fail ends the attempt and fails the row. The effect commits with the row's state.
func (u *Run[A, R]) Fail(ctx context.Context, cause error, effect func(db.Conn, NextAttempt) error) error {
	return u.fail(ctx, cause, NextAttempt{Final: true}, effect)
}

// Step commits a part of the effect with new arguments, with which the next attempt begins. It does not end the attempt.
func (u *Run[A, R]) Step(ctx context.Context, part func(db.Conn) (A, error)) error {
	var next A
	var raw []byte
	err := db.Tx(ctx, u.r.o.DB, func(c db.Conn) error {
		var err error
		if next, err = part(c); err != nil {
			return err
		}
		if raw, err = json.Marshal(next); err != nil {
			return fmt.Errorf("workers: arguments: %w", err)
		}
		return jobrow.SaveArgs(ctx, c, u.Job.ID, u.Job.Fence, raw)
	})
	if err == nil {
		u.Args, u.Job.Args = next, raw
	}
	return err
}

func (u *Run[A, R]) nextAttempt() NextAttempt {
	left := u.policy.AttemptLimit(u.Job) - u.Job.Attempts
	if left <= 0 {
		return NextAttempt{Final: true}
	}
	return NextAttempt{Wait: u.policy.Delay(left)}
}

func (u *Run[A, R]) fail(ctx context.Context, cause error, next NextAttempt,
	effect func(db.Conn, NextAttempt) error,
) error {
	shown := cause // for operators
	if request := models.RequestOf(cause); request != "" {
		shown = fmt.Errorf("%w (provider request %s)", cause, request)
	}
	result := error(&retryLaterError{wait: next.Wait, cause: shown, failure: true})
	if next.Final {
		result = fmt.Errorf("%w: %w", shown, asynq.SkipRetry)
	}
	var inside func(db.Conn) error
	switch {
	case effect != nil:
		inside = func(c db.Conn) error { return effect(c, next) }
	case next.Final && u.failed != nil:
		inside = func(c db.Conn) error { return u.failed(context.WithoutCancel(ctx), c, u.Job, cause) }
	}
	return u.commitEnd(ctx, result, inside, func(ctx context.Context, c db.Conn) error {
		if next.Final {
			return jobrow.Fail(ctx, c, u.Job.ID, u.Job.Fence, jobrow.CauseOf(cause), u.generation)
		}
		return jobrow.Retry(ctx, c, u.Job.ID, u.Job.Fence, jobrow.CauseOf(cause), next.Wait)
	})
}

// commitEnd ends the attempt in one transaction. It sets the row's state first, which locks the row and checks the fence. It
// returns result, or an error if nothing was committed.
func (u *Run[A, R]) commitEnd(ctx context.Context, result error, effect func(db.Conn) error,
	setState func(context.Context, db.Conn) error,
) error {
	if u.ended {
		return errors.New("workers: the attempt has ended already")
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	err := db.Tx(limited, u.r.o.DB, func(c db.Conn) error {
		if err := setState(limited, c); err != nil {
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
	u.ended, u.result = true, result
	jobs.Notify(ctx, u.r.o.Redis, u.Job.ID.String())
	return result
}

// end ends an attempt that the handler left open. Its error tells the queue what to do with the task.
func (u *Run[A, R]) end(ctx context.Context, err error) error {
	if !u.ended {
		err = u.endFor(ctx, err)
	}
	if u.ended {
		if u.result != nil {
			slog.WarnContext(ctx, "job failed", "job", u.Job.Kind, "id", u.Job.ID, "attempt", u.Attempt,
				"final", errors.Is(u.result, asynq.SkipRetry), "error", u.result)
		}
		return u.result
	}
	if errors.Is(err, jobrow.ErrFenced) {
		slog.WarnContext(ctx, "lease lost, attempt dropped", "job", u.Job.Kind, "id", u.Job.ID)
		return nil // the worker that holds the row ends it
	}
	if l, ok := errors.AsType[*retryLaterError](err); ok {
		return l
	}
	// After the lease, the reconciler will find the row.
	slog.ErrorContext(ctx, "end of a job not stored", "job", u.Job.Kind, "id", u.Job.ID, "error", err)
	return &retryLaterError{wait: u.r.o.Lease, cause: err}
}

// endFor ends an attempt whose handler returned err without ending it.
func (u *Run[A, R]) endFor(ctx context.Context, err error) error {
	if err == nil {
		var none R
		err = u.Commit(ctx, none, nil)
	}
	if err == nil || errors.Is(err, jobrow.ErrFenced) {
		return err
	}
	if errors.Is(context.Cause(ctx), errStopping) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		if err := jobrow.Release(limited, u.r.o.DB, u.Job.ID, u.Job.Fence); err != nil {
			return err
		}
		return &retryLaterError{cause: errStopping}
	}
	if e, ok := models.AsError(err); ok && e.Kind != models.KindInternal && e.Kind < models.KindTooMany {
		return u.Fail(ctx, err, nil)
	}
	return u.Retry(ctx, err, nil)
}
