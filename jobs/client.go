package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// Task is an entry of a queue: an ephemeral job, or a reference to the row of a row job.
type Task struct {
	ID      string
	Payload Payload
	Policy  Policy
	At      time.Time // when the task is due; zero: now
}

// ErrExists means that the queue already has a task with this id.
var ErrExists = errors.New("jobs: the task exists already")

// Backend stores tasks: in Redis in the service, in memory in jobstest.
type Backend interface {
	// Enqueue adds a task. It returns ErrExists if the queue already has a task with the same id.
	Enqueue(ctx context.Context, t Task) error
	// Find finds a task in any queue, and the account to which the task belongs. It returns a KindNotFound error if there is no
	// such task.
	Find(ctx context.Context, id string) (models.JobStatus, uuid.UUID, error)
	// DeleteFinished deletes a task if it has finished, so that its id is free again.
	DeleteFinished(ctx context.Context, queue, id string) error
	// Watch returns a channel that receives a value when the job with this id has finished, and a function that ends the watch.
	// The signal can be lost, so the caller must also poll.
	Watch(id string) (<-chan struct{}, func())
	// Lost returns one value for each id: true if no task with this id waits for a worker.
	Lost(ctx context.Context, queue string, ids []string) ([]bool, error)
}

// Client submits jobs and waits for their answers. It is safe for concurrent use.
type Client struct{ backend Backend }

// NewClient returns a client of a backend.
func NewClient(b Backend) *Client { return &Client{backend: b} }

// Option changes one submission.
type Option func(*Task)

// WithID sets the id of the job. If there is already a job with this id, Submit returns the handle of that job.
func WithID(id uuid.UUID) Option { return func(t *Task) { t.ID = id.String() } }

// WithTick makes the id of the job from its kind and the time of a tick. So one tick enqueues only one job of a kind, until the
// retention ends.
func WithTick(at time.Time, retention time.Duration) Option {
	return func(t *Task) {
		t.ID = t.Payload.Kind + "@" + at.UTC().Format(time.RFC3339)
		t.Policy.Retention = retention
	}
}

// Submit enqueues an ephemeral job for an account. The zero account means the service itself. If Redis is unavailable, the error
// is models.KindUnavailable. A row job cannot be submitted.
func Submit[A, R any](ctx context.Context, c *Client, j Job[A, R], account uuid.UUID, args A, opts ...Option,
) (Handle[R], error) {
	if j.policy.Row {
		return Handle[R]{}, fmt.Errorf("jobs: jobs of the kind %s need a row: write the row and dispatch it", j.kind)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return Handle[R]{}, fmt.Errorf("jobs: arguments of %s: %w", j.kind, err)
	}
	t := Task{
		ID: uuid.Must(uuid.NewV7()).String(), Payload: Payload{Kind: j.kind, Account: account, Args: raw}, Policy: j.policy,
	}
	for _, o := range opts {
		o(&t)
	}
	if err := c.backend.Enqueue(ctx, t); err != nil && !errors.Is(err, ErrExists) {
		slog.WarnContext(ctx, "job not enqueued", "job", j.kind, "error", err)
		return Handle[R]{}, models.Errorf(models.KindUnavailable, "unavailable", "the job queue is not available, try again")
	}
	return Handle[R]{ID: t.ID, Kind: j.kind, client: c, status: func(ctx context.Context) (models.JobStatus, error) {
		return c.State(ctx, account, t.ID)
	}}, nil
}

// Dispatch enqueues new rows. Call it after the commit that wrote the rows. It takes at most two seconds. A failure is only
// logged, because the reconciler finds the rows.
func (c *Client) Dispatch(ctx context.Context, rows ...models.JobRef) {
	if err := c.DispatchRows(ctx, rows...); err != nil {
		slog.WarnContext(ctx, "rows not enqueued, left to the reconciler", "job", rows[0].Kind, "rows", len(rows), "error", err)
	}
}

// DispatchFor does the same as Dispatch for rows of one kind and account. The tasks contain the account: operators can see it,
// and a worker refuses a row of another account.
func (c *Client) DispatchFor(ctx context.Context, account uuid.UUID, kind string, ids ...uuid.UUID) {
	c.Dispatch(ctx, models.NewRefs(kind, account, ids)...)
}

// DispatchRows does the same as Dispatch, but returns the failure. Both stop at the first failure.
func (c *Client) DispatchRows(ctx context.Context, rows ...models.JobRef) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	for _, r := range rows {
		p, err := rowPolicy(r.Kind)
		if err != nil {
			return err
		}
		t := Task{ID: TaskID(r), Payload: Payload{Kind: r.Kind, Account: r.Account, Row: r.ID}, Policy: p}
		if err := c.backend.Enqueue(ctx, t); err != nil && !errors.Is(err, ErrExists) {
			return err
		}
	}
	return nil
}

// DispatchRequeued enqueues a row that was requeued under a new generation. archived is the generation of the failed task, which
// is deleted, or -1 if there is no such task.
func (c *Client) DispatchRequeued(ctx context.Context, r models.JobRef, archived int64) error {
	if err := c.DispatchRows(ctx, r); err != nil || archived < 0 {
		return err
	}
	p, err := rowPolicy(r.Kind)
	if err != nil {
		return err
	}
	r.Generation = archived
	return c.backend.DeleteFinished(ctx, p.Queue, TaskID(r))
}

// LostRows returns the rows whose present generation has no waiting task in the queue. It blocks Redis for all clients while it
// runs, so pass hundreds of rows in one call, not thousands.
func (c *Client) LostRows(ctx context.Context, rows ...models.JobRef) ([]models.JobRef, error) {
	queued := map[string][]models.JobRef{}
	for _, r := range rows {
		p, err := rowPolicy(r.Kind)
		if err != nil {
			return nil, err
		}
		queued[p.Queue] = append(queued[p.Queue], r)
	}
	var lost []models.JobRef
	for queue, rows := range queued {
		ids := make([]string, len(rows))
		for i, r := range rows {
			ids[i] = TaskID(r)
		}
		isLost, err := c.backend.Lost(ctx, queue, ids)
		if err != nil {
			return nil, err
		}
		for i, r := range rows {
			if isLost[i] {
				lost = append(lost, r)
			}
		}
	}
	return lost, nil
}

func rowPolicy(kind string) (Policy, error) {
	p, ok := PolicyOf(kind)
	if !ok || !p.Row {
		return p, fmt.Errorf("jobs: %q is not a kind with rows", kind)
	}
	return p, nil
}

// State returns the status of an ephemeral job of an account. For a row job, use jobrow.Status.
func (c *Client) State(ctx context.Context, account uuid.UUID, id string) (models.JobStatus, error) {
	s, owner, err := c.backend.Find(ctx, id)
	if err != nil {
		return models.JobStatus{}, err
	}
	if owner != account {
		return models.JobStatus{}, models.NotFound("job")
	}
	return s, nil
}
