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

// Task is one entry of a queue.
type Task struct {
	ID      string
	Payload Payload
	Policy  Policy
	At      time.Time // when it is due; zero = now
}

// ErrExists says that the queue holds a task with this id already.
var ErrExists = errors.New("jobs: the task exists already")

// Backend is what carries tasks: Redis in the service, memory in jobstest.
type Backend interface {
	// Enqueue adds a task; ErrExists when its id is taken.
	Enqueue(ctx context.Context, t Task) error
	// Look finds a task of any queue with the account it belongs to; a KindNotFound error when there is none.
	Look(ctx context.Context, id string) (models.JobStatus, uuid.UUID, error)
	// Forget deletes a finished task, so that its id is free again; others stay.
	Forget(ctx context.Context, queue, id string) error
	// Watch gives a channel that receives when the job with this id has finished, and a function that ends the watch.
	// A signal may be missed: the caller looks now and then.
	Watch(id string) (<-chan struct{}, func())
	// Lost tells whether no task with this id will run: neither waiting nor being worked on.
	Lost(ctx context.Context, queue, id string) (bool, error)
}

// Client submits jobs and waits for their answers. It is safe for concurrent use.
type Client struct{ backend Backend }

// NewClient makes a client on a backend; Connect makes the one on Redis.
func NewClient(b Backend) *Client { return &Client{backend: b} }

// Option changes one submission.
type Option func(*Task)

// WithID gives an ephemeral job its id. Submitting the same id again meets the first job while its answer is kept.
func WithID(id uuid.UUID) Option { return func(t *Task) { t.ID = id.String() } }

// WithTick makes the job the one of a moment of the clock: submitting it again does nothing as long as keep says.
func WithTick(at time.Time, keep time.Duration) Option {
	return func(t *Task) {
		t.ID = t.Payload.Kind + "@" + at.UTC().Format(time.RFC3339)
		t.Policy.Keep = keep
	}
}

// Submit enqueues an ephemeral job for an account; the zero account is the service itself. A job with the same id or
// unique key that waits or runs is met, not repeated. When Redis is away the error is models.KindUnavailable.
func Submit[A, R any](ctx context.Context, c *Client, j Job[A, R], account uuid.UUID, args A, opts ...Option,
) (Ticket[R], error) {
	if j.policy.Row {
		return Ticket[R]{}, fmt.Errorf("jobs: %s has rows: write one and dispatch it", j.kind)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return Ticket[R]{}, fmt.Errorf("jobs: arguments of %s: %w", j.kind, err)
	}
	t := Task{Payload: Payload{Kind: j.kind, Account: account, Args: raw}, Policy: j.policy}
	if j.unique != nil {
		t.ID = uuid.NewSHA1(account, []byte(j.kind+"\x00"+j.unique(args))).String()
	} else {
		t.ID = uuid.Must(uuid.NewV7()).String()
	}
	for _, o := range opts {
		o(&t)
	}
	if err := c.submit(ctx, t, j.unique != nil); err != nil {
		slog.WarnContext(ctx, "job not enqueued", "job", j.kind, "error", err)
		return Ticket[R]{}, models.Errorf(models.KindUnavailable, "unavailable", "the job queue is not available, try again")
	}
	return Ticket[R]{ID: t.ID, Kind: j.kind, client: c, look: func(ctx context.Context) (models.JobStatus, error) {
		return c.State(ctx, account, t.ID)
	}}, nil
}

// submit takes an id that exists as success. A unique job that has finished makes room for the new one.
func (c *Client) submit(ctx context.Context, t Task, again bool) error {
	err := c.backend.Enqueue(ctx, t)
	if !errors.Is(err, ErrExists) {
		return err
	}
	if !again {
		return nil
	}
	if err := c.backend.Forget(ctx, t.Policy.Queue, t.ID); err != nil {
		return err
	}
	if err := c.backend.Enqueue(ctx, t); !errors.Is(err, ErrExists) {
		return err
	}
	return nil
}

// Dispatch tells the workers about new rows of a kind, after the commit that wrote them. What cannot be enqueued is
// logged only: the reconciler finds it. It does not wait longer than two seconds for Redis.
func (c *Client) Dispatch(ctx context.Context, kind string, ids ...uuid.UUID) {
	c.DispatchFor(ctx, uuid.Nil, kind, ids...)
}

// DispatchFor is Dispatch with the account of the rows, which operators then see with the tasks; a claim under
// another account is refused.
func (c *Client) DispatchFor(ctx context.Context, account uuid.UUID, kind string, ids ...uuid.UUID) {
	rows := make([]Row, len(ids))
	for i, id := range ids {
		rows[i] = Row{Kind: kind, ID: id, Account: account}
	}
	if err := c.DispatchRows(ctx, rows...); err != nil {
		slog.WarnContext(ctx, "rows not enqueued, the reconciler will", "job", kind, "rows", len(ids), "error", err)
	}
}

// DispatchRows enqueues rows, each with its generation. A task that exists already is fine. It ends at the first
// failure.
func (c *Client) DispatchRows(ctx context.Context, rows ...Row) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	for _, r := range rows {
		p, ok := PolicyOf(r.Kind)
		if !ok || !p.Row {
			return fmt.Errorf("jobs: %q is not a kind with rows", r.Kind)
		}
		t := Task{ID: r.TaskID(), Payload: Payload{Kind: r.Kind, Account: r.Account, Row: r.ID}, Policy: p}
		if err := c.backend.Enqueue(ctx, t); err != nil && !errors.Is(err, ErrExists) {
			return err
		}
	}
	return nil
}

// LostRow tells whether the queue has nothing any more that would run this row.
func (c *Client) LostRow(ctx context.Context, r Row) (bool, error) {
	p, ok := PolicyOf(r.Kind)
	if !ok {
		return false, fmt.Errorf("jobs: %q is not a kind with rows", r.Kind)
	}
	return c.backend.Lost(ctx, p.Queue, r.TaskID())
}

// ForgetRow deletes the archived task of a row, after the row was requeued under a new generation.
func (c *Client) ForgetRow(ctx context.Context, r Row) error {
	p, ok := PolicyOf(r.Kind)
	if !ok {
		return fmt.Errorf("jobs: %q is not a kind with rows", r.Kind)
	}
	return c.backend.Forget(ctx, p.Queue, r.TaskID())
}

// State finds an ephemeral job of an account. Jobs of others and forgotten ones are not found. Row jobs are found by
// jobrow.Status.
func (c *Client) State(ctx context.Context, account uuid.UUID, id string) (models.JobStatus, error) {
	s, owner, err := c.backend.Look(ctx, id)
	if err != nil {
		return models.JobStatus{}, err
	}
	if owner != account {
		return models.JobStatus{}, models.NotFound("job")
	}
	return s, nil
}
