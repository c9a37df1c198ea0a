// Package slow serves calls whose work is a job. It submits the job, waits for it and makes the documented answer. If the job
// takes too long, the answer is 202 with the job. GET /jobs/{id} then makes the documented answer, once the job has ended.
package slow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/openapi"
	"switchyard/api/route"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// Job is a job with arguments A and result R. T is the documented answer of its call.
type Job[A, R, T any] struct {
	job    jobs.Job[A, R]
	answer func(R) T
}

// New makes a Job. answer turns a result into the documented answer.
func New[A, R, T any](job jobs.Job[A, R], answer func(R) T) Job[A, R, T] {
	return Job[A, R, T]{job, answer}
}

// PublicResult returns the documented answer for a result.
func (j Job[A, R, T]) PublicResult(r R) T { return j.answer(r) }

// Answer returns the value for a field of route.Route: Slow if the route waits for the job, or Starts if it does not wait.
func (j Job[A, R, T]) Answer() *route.Slow {
	return &route.Slow{Kind: j.job.Kind(), Answer: *new(T), Render: func(raw json.RawMessage) (any, error) {
		var r R
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &r); err != nil {
				return nil, fmt.Errorf("slow: result of %s: %w", j.job.Kind(), err)
			}
		}
		return j.answer(r), nil
	}}
}

// Run submits a job that has no row in the database, waits for it and returns its documented answer. A job that takes too long is
// answered with 202, and so is every call with Prefer: respond-async. A repeated Idempotency-Key gets the same job.
func (j Job[A, R, T]) Run(c *route.Call, client *jobs.Client, args A) (answer T, err error) {
	var options []jobs.Option
	if c.AttemptID != uuid.Nil {
		options = append(options, jobs.WithID(c.AttemptID))
	}
	handle, err := jobs.Submit(c.Context(), client, j.job, c.Account.ID, args, options...)
	if err != nil {
		return answer, err
	}
	if c.Route.Share == route.Calls {
		c.ReleasePlace()
	}
	answer, err = j.await(c, handle)
	if _, goesOn := errors.AsType[*route.LaterError](err); goesOn {
		go j.release(context.WithoutCancel(c.Context()), handle, c.DetachPlace())
	}
	return answer, err
}

// release gives back the call's place in the route's share when the job has ended, or when the job's time limit has passed.
func (j Job[A, R, T]) release(ctx context.Context, h jobs.Handle[R], place func()) {
	defer place()
	_, _ = jobs.AwaitTimeout(ctx, h, j.job.Policy().Timeout+jobs.AnswerWithin) // the place is released in any case
}

// Start calls Begin and then waits like Run.
func (j Job[A, R, T]) Start(c *route.Call, client *jobs.Client, args A, write func(*store.Store, uuid.UUID) error) (
	answer T, err error,
) {
	id, err := j.Begin(c, client, args, write)
	if err != nil {
		return answer, err
	}
	return j.Await(c, client, id)
}

// Begin inserts the row of a job and dispatches the job. The function write, which may be nil, runs in the transaction of the insert
// and gets the row's id. A repeated Idempotency-Key gets the job of the first call. The error is plan_limit if the account
// has as many open jobs as its plan allows.
func (j Job[A, R, T]) Begin(c *route.Call, client *jobs.Client, args A, write func(*store.Store, uuid.UUID) error) (
	uuid.UUID, error,
) {
	var id uuid.UUID
	err := c.Store.Tx(c.Context(), func(tx *store.Store) (err error) {
		if id, err = j.submit(c, tx, args); err != nil || write == nil {
			return err
		}
		return write(tx, id)
	})
	return j.dispatch(c, client, id, err)
}

// BeginPrepared is Begin with the arguments that prepare returns. The function prepare runs before the insert, in the same
// transaction. If it returns no arguments, no job is inserted, and the id is zero.
func (j Job[A, R, T]) BeginPrepared(c *route.Call, client *jobs.Client, prepare func(*store.Store) (*A, error)) (
	uuid.UUID, error,
) {
	var id uuid.UUID
	err := c.Store.Tx(c.Context(), func(tx *store.Store) error {
		args, err := prepare(tx)
		if err == nil && args != nil {
			id, err = j.submit(c, tx, *args)
		}
		return err
	})
	return j.dispatch(c, client, id, err)
}

func (j Job[A, R, T]) submit(c *route.Call, tx *store.Store, args A) (uuid.UUID, error) {
	row, err := j.job.NewRow(c.Account.ID, args)
	if err != nil {
		return uuid.Nil, err
	}
	if c.AttemptID != uuid.Nil {
		row.ID = c.AttemptID
	}
	return row.ID, tx.Jobs().Submit(c.Context(), row)
}

// dispatch dispatches a job whose row was inserted. It does nothing if the transaction failed or there is no job.
func (j Job[A, R, T]) dispatch(c *route.Call, client *jobs.Client, id uuid.UUID, err error) (uuid.UUID, error) {
	if err != nil || id == uuid.Nil {
		return uuid.Nil, err
	}
	client.DispatchFor(context.WithoutCancel(c.Context()), c.Account.ID, j.job.Kind(), id)
	return id, nil
}

// Join is Start for a job that changes nothing. If the account already has an open job with the same arguments, Join waits for that
// job.
func (j Job[A, R, T]) Join(c *route.Call, client *jobs.Client, args A) (answer T, err error) {
	row, err := j.job.NewRow(c.Account.ID, args)
	if err != nil {
		return answer, err
	}
	id, err := jobrow.FindOpen(c.Context(), c.Store.Conn(), row)
	if err != nil {
		return answer, err
	}
	if id != uuid.Nil {
		return j.Await(c, client, id)
	}
	return j.Start(c, client, args, nil)
}

// Await waits like Run, for a job whose row was inserted and dispatched before. While the call waits, it has no place in the route's
// share, because the worker limits how many jobs run at the same time.
func (j Job[A, R, T]) Await(c *route.Call, client *jobs.Client, id uuid.UUID) (T, error) {
	c.ReleasePlace()
	read := func(ctx context.Context) (models.JobStatus, error) {
		return jobrow.Status(ctx, c.Store.Conn(), c.Account.ID, id)
	}
	return j.await(c, jobs.RowHandle(client, j.job, id.String(), read))
}

func (j Job[A, R, T]) await(c *route.Call, h jobs.Handle[R]) (answer T, err error) {
	later := &route.LaterError{Job: State(h.ID, h.Kind, models.JobPending)}
	if prefersAsync(c) {
		c.Header().Set("Preference-Applied", "respond-async")
		return answer, later
	}
	r, err := jobs.AwaitTimeout(c.Context(), h, jobs.AnswerWithin)
	switch {
	case errors.Is(err, jobs.ErrPending), err != nil && c.Context().Err() != nil:
		// The answer is made even if the caller has disconnected: it is stored for a repeated call with the same Idempotency-Key.
		return answer, later
	case errors.Is(err, jobrow.ErrResultRemoved): // GET /jobs/{id} shows this error
		later.Job.Status = models.JobDone
		return answer, later
	case err != nil:
		return answer, err
	}
	return j.answer(r), nil
}

// prefersAsync reports whether the call has Prefer: respond-async, alone or among other preferences.
func prefersAsync(c *route.Call) bool {
	preferences := strings.Split(strings.Join(c.Request.Header.Values("Prefer"), ","), ",")
	return slices.ContainsFunc(preferences, func(p string) bool { return strings.EqualFold(strings.TrimSpace(p), "respond-async") })
}

// State returns the state of a job, with the path at which it can be read again.
func State(id, kind, status string) route.JobState {
	return route.JobState{ID: id, Kind: kind, Status: status, URL: openapi.Prefix + "/jobs/" + id}
}
