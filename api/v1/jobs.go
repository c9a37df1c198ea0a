package v1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/envelope"
	"switchyard/api/openapi"
	"switchyard/api/route"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// slowJob is a job whose result an API call answers with.
type slowJob[A, R, T any] struct {
	job    jobs.Job[A, R]
	answer func(R) T
}

// slowAnswers turns a finished job's result into the answer its call documents, by kind.
var slowAnswers = map[string]func(json.RawMessage) (any, error){}

// slow ties a job to its documented answer. It is for package variables: GET /jobs/{id} finds the answer by the kind.
func slow[A, R, T any](job jobs.Job[A, R], answer func(R) T) slowJob[A, R, T] {
	slowAnswers[job.Kind()] = func(raw json.RawMessage) (any, error) {
		var r R
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &r); err != nil {
				return nil, fmt.Errorf("v1: result of %s: %w", job.Kind(), err)
			}
		}
		return answer(r), nil
	}
	return slowJob[A, R, T]{job, answer}
}

// run submits an ephemeral job, waits and gives its documented answer; one that takes too long, or was asked for with
// Prefer: respond-async, is answered with 202. A repeated Idempotency-Key meets the same job.
func (s slowJob[A, R, T]) run(c *route.Call, d Deps, args A) (T, error) {
	var options []jobs.Option
	if c.AttemptID != uuid.Nil {
		options = append(options, jobs.WithID(c.AttemptID))
	}
	ticket, err := jobs.Submit(c.Context(), d.Jobs, s.job, c.Account.ID, args, options...)
	if err != nil {
		return zero[T](), err
	}
	return s.await(c, ticket)
}

// start writes the row of a job, and with it what write writes under the id of the row, dispatches it and waits like
// run. A repeated call meets the job of the first.
func (s slowJob[A, R, T]) start(c *route.Call, d Deps, args A, write func(*store.Store, uuid.UUID) error) (T, error) {
	row, err := s.job.NewRow(c.Account.ID, args)
	if err != nil {
		return zero[T](), err
	}
	if c.AttemptID != uuid.Nil {
		row.ID = c.AttemptID
	}
	err = c.Store.Tx(c.Context(), func(tx *store.Store) error {
		if err := jobrow.Insert(c.Context(), tx.Conn(), row); err != nil || write == nil {
			return err
		}
		return write(tx, row.ID)
	})
	if err != nil {
		return zero[T](), err
	}
	d.Jobs.DispatchFor(context.WithoutCancel(c.Context()), c.Account.ID, row.Kind, row.ID)
	return s.runRow(c, d, row.ID)
}

// runRow waits for a job whose row was written and dispatched before.
func (s slowJob[A, R, T]) runRow(c *route.Call, d Deps, id uuid.UUID) (T, error) {
	look := func(ctx context.Context) (models.JobStatus, error) {
		return jobrow.Status(ctx, c.Store.Conn(), c.Account.ID, id)
	}
	return s.await(c, jobs.RowTicket(d.Jobs, s.job, id.String(), look))
}

func (s slowJob[A, R, T]) await(c *route.Call, t jobs.Ticket[R]) (T, error) {
	later := &route.LaterError{Job: route.JobState{ID: t.ID, Kind: t.Kind, Status: models.JobPending, URL: jobURL(t.ID)}}
	if prefersAsync(c) {
		c.Header().Set("Preference-Applied", "respond-async")
		return zero[T](), later
	}
	r, err := jobs.AwaitTimeout(c.Context(), t, jobs.AnswerWithin)
	switch {
	case errors.Is(err, jobs.ErrPending), err != nil && c.Context().Err() != nil:
		// The caller may have gone away: a repetition is then told of the job that goes on.
		return zero[T](), later
	case err != nil:
		return zero[T](), err
	}
	return s.answer(r), nil
}

func prefersAsync(c *route.Call) bool {
	for _, header := range c.Request.Header.Values("Prefer") {
		for part := range strings.SplitSeq(header, ",") {
			if strings.EqualFold(strings.TrimSpace(part), "respond-async") {
				return true
			}
		}
	}
	return false
}

func jobURL(id string) string { return openapi.Prefix + "/jobs/" + id }

// JobAnswer is a job: its state, and once it has finished the answer or the error of the call that started it.
type JobAnswer struct {
	route.JobState
	Result any             `json:"result" doc:"the documented answer of the call; null until status is done"`
	Error  *envelope.Error `json:"error" doc:"why it failed; null otherwise"`
}

// jobRoutes are the rows of /jobs.
func jobRoutes(d Deps) []route.Route {
	return []route.Route{{
		Method: "GET", Path: "/jobs/{id}", Group: "Jobs", Summary: "state and answer of a call that went on as a job",
		BadID: "invalid_id", Codes: idCodes,
		Handle: route.Do(func(c *route.Call) (JobAnswer, error) { return findJob(c, d) }),
	}}
}

// findJob looks among the rows, then among the jobs that live in the queue only.
func findJob(c *route.Call, d Deps) (JobAnswer, error) {
	id, err := c.ID("id")
	if err != nil {
		return JobAnswer{}, err
	}
	status, err := jobrow.Status(c.Context(), c.Store.Conn(), c.Account.ID, id)
	if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound && d.Jobs != nil {
		status, err = d.Jobs.State(c.Context(), c.Account.ID, id.String())
	}
	if err != nil {
		return JobAnswer{}, err
	}
	out := JobAnswer{JobState: route.JobState{
		ID: status.ID, Kind: status.Kind, Status: status.Status, URL: jobURL(status.ID),
	}}
	if status.Error != nil {
		out.Error = &envelope.Error{Message: status.Error.Message, Code: status.Error.Code}
		return out, nil
	}
	if status.Status == models.JobDone {
		out.Result, err = shownResult(status)
	}
	return out, err
}

// shownResult gives the documented answer; a job that no call waits for has none to show.
func shownResult(s models.JobStatus) (any, error) {
	show, ok := slowAnswers[s.Kind]
	if !ok {
		return nil, nil //nolint:nilnil // null is the answer
	}
	return show(s.Result)
}
