// Package jobstest helps to test code that submits jobs. A Recorder answers jobs without a Redis server. The function Redis starts
// a private server, and Run runs a worker.
package jobstest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/models"
)

// Recorder is a queue in memory without workers. A job finishes only if the test has set an answer for its kind.
type Recorder struct {
	mu      sync.Mutex
	tasks   []jobs.Task
	status  map[string]models.JobStatus
	answers map[string]func(jobs.Payload) jobs.Outcome
	err     error
}

// New returns a recorder and a client that enqueues into it.
func New() (*Recorder, *jobs.Client) {
	r := &Recorder{status: map[string]models.JobStatus{}, answers: map[string]func(jobs.Payload) jobs.Outcome{}}
	return r, jobs.NewClient(r)
}

// Answer makes jobs of a kind finish at once with the result of fn. An error that is not a *models.Error becomes internal_error.
func Answer[A, R any](r *Recorder, job jobs.Job[A, R], fn func(account uuid.UUID, args A) (R, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[job.Kind()] = func(p jobs.Payload) jobs.Outcome {
		var args A
		if err := json.Unmarshal(p.Args, &args); err != nil {
			return failed(err)
		}
		result, err := fn(p.Account, args)
		if err != nil {
			return failed(err)
		}
		raw, err := json.Marshal(result)
		if err != nil {
			return failed(err)
		}
		return jobs.Outcome{Result: raw}
	}
}

func failed(err error) jobs.Outcome {
	e, ok := models.AsError(err)
	if !ok {
		e = models.Errorf(models.KindInternal, "internal_error", "the job did not succeed")
	}
	return jobs.Outcome{Error: e}
}

// Break makes Enqueue and Lost fail with err, as if Redis were unavailable. Break(nil) ends this.
func (r *Recorder) Break(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// Tasks lists the enqueued tasks of a kind, or of all kinds if kind is "".
func (r *Recorder) Tasks(kind string) []jobs.Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.tasks), func(t jobs.Task) bool { return kind != "" && t.Payload.Kind != kind })
}

// Rows lists the ids of the dispatched rows of a kind.
func (r *Recorder) Rows(kind string) []uuid.UUID {
	var ids []uuid.UUID
	for _, t := range r.Tasks(kind) {
		ids = append(ids, t.Payload.Row)
	}
	return ids
}

// Enqueue implements jobs.Backend.
func (r *Recorder) Enqueue(_ context.Context, t jobs.Task) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return fmt.Errorf("jobstest: %w", r.err)
	}
	if _, exists := r.status[t.ID]; exists {
		return jobs.ErrExists
	}
	s := models.JobStatus{ID: t.ID, Kind: t.Payload.Kind, Status: models.JobPending}
	if answer, ok := r.answers[t.Payload.Kind]; ok {
		out := answer(t.Payload)
		s.Status, s.Result, s.Error = models.JobDone, out.Result, out.Error
		if out.Error != nil {
			s.Status = models.JobFailed
		}
	}
	r.tasks = append(r.tasks, t)
	r.status[t.ID] = s
	return nil
}

// Find implements jobs.Backend.
func (r *Recorder) Find(_ context.Context, id string) (models.JobStatus, uuid.UUID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.status[id]
	if !ok {
		return s, uuid.Nil, models.NotFound("job")
	}
	i := slices.IndexFunc(r.tasks, func(t jobs.Task) bool { return t.ID == id })
	return s, r.tasks[i].Payload.Account, nil
}

// DeleteFinished implements jobs.Backend.
func (r *Recorder) DeleteFinished(_ context.Context, _, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.status[id]; ok && s.Finished() {
		delete(r.status, id)
		r.tasks = slices.DeleteFunc(r.tasks, func(t jobs.Task) bool { return t.ID == id })
	}
	return nil
}

// Watch implements jobs.Backend. Its channel is nil, so callers must poll.
func (r *Recorder) Watch(string) (<-chan struct{}, func()) { return nil, func() {} }

// Lost implements jobs.Backend.
func (r *Recorder) Lost(_ context.Context, _ string, ids []string) ([]bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lost := make([]bool, len(ids))
	for i, id := range ids {
		s, ok := r.status[id]
		lost[i] = !ok || s.Finished()
	}
	return lost, r.err
}
