package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/jobs"
	"switchyard/models"
)

// Register registers the handler of an ephemeral job. A *models.Error of the handler is the job's answer. Any other error is
// retried as the policy says. After the last attempt the task is archived and the answer is internal_error. The handler's context
// ends after the policy's timeout. In the handler, Account(ctx) returns the job's account.
func Register[A, R any](r *Runtime, job jobs.Job[A, R], fn func(context.Context, A) (R, error)) {
	if job.Policy().Row {
		panic("workers: " + job.Kind() + " has rows: use RegisterRow")
	}
	r.add(job.Kind(), func(ctx context.Context, t task) error {
		var args A
		if err := json.Unmarshal(t.Args, &args); err != nil {
			return r.finish(ctx, t, jobs.Outcome{}, fmt.Errorf("workers: arguments: %w", err))
		}
		p := job.Policy()
		if t.attempt > p.MaxAttempts {
			return r.finish(ctx, t, jobs.Outcome{}, errors.New("workers: the worker was killed during the last attempt"))
		}
		limited, cancel := context.WithTimeout(ctx, p.Timeout)
		defer cancel()
		var answer R
		err := guard(ctx, t.Kind, func() (err error) {
			answer, err = fn(limited, args)
			return err
		})
		if err == nil {
			raw, err := json.Marshal(answer)
			return r.finish(ctx, t, jobs.Outcome{Result: raw}, err)
		}
		if e, ok := models.AsError(err); ok {
			return r.finish(ctx, t, jobs.Outcome{Error: e}, nil)
		}
		if errors.Is(context.Cause(ctx), errStopping) {
			return &retryLaterError{cause: errStopping}
		}
		if t.attempt < p.MaxAttempts {
			slog.WarnContext(ctx, "job failed, will be retried", "job", t.Kind, "attempt", t.attempt, "error", err)
			return &retryLaterError{wait: p.Delay(p.MaxAttempts - t.attempt), cause: err, failure: true}
		}
		return r.finish(ctx, t, jobs.Outcome{}, err)
	})
}

// RegisterForAccount registers the handler of a job that needs only its account.
func RegisterForAccount(r *Runtime, job jobs.Job[jobs.None, jobs.None], fn func(ctx context.Context, account uuid.UUID) error) {
	Register(r, job, func(ctx context.Context, _ jobs.None) (jobs.None, error) { return jobs.None{}, fn(ctx, Account(ctx)) })
}

// RegisterTick registers the handler of a job that the clock starts.
func RegisterTick(r *Runtime, job jobs.Job[jobs.Tick, jobs.None], fn func(context.Context) error) {
	Register(r, job, func(ctx context.Context, _ jobs.Tick) (jobs.None, error) { return jobs.None{}, fn(ctx) })
}

// finish stores the outcome and notifies the callers that wait for it. If err is not nil, the outcome is internal_error and the
// task is archived.
func (r *Runtime) finish(ctx context.Context, t task, out jobs.Outcome, err error) error {
	if err != nil {
		slog.ErrorContext(ctx, "job failed", "job", t.Kind, "id", t.id, "attempt", t.attempt, "error", err)
		out = jobs.Outcome{Error: models.Errorf(models.KindInternal, "internal_error", "the job did not succeed")}
		err = fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	}
	raw, _ := json.Marshal(out) // no error: an outcome has only raw JSON and strings
	if writeErr := t.result(raw); writeErr != nil {
		slog.WarnContext(ctx, "answer of a job not stored", "job", t.Kind, "id", t.id, "error", writeErr)
	}
	jobs.Notify(ctx, r.o.Redis, t.id)
	return err
}
