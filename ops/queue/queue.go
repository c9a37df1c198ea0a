// Package queue lists jobs for operators and runs failed jobs again. It handles row jobs, which have a row in PostgreSQL, and
// ephemeral jobs, which are only in Redis.
package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
)

// States lists asynq's names of the job states.
var States = []string{"pending", "active", "scheduled", "retry", "archived", "completed"}

// Item is one job.
type Item struct {
	ID          string     `json:"id"`
	Queue       string     `json:"queue"`
	Kind        string     `json:"kind"`
	State       string     `json:"state"`
	Account     string     `json:"account"`
	Attempts    int        `json:"attempts"`
	MaxAttempts int        `json:"max_attempts"`
	NextAt      *time.Time `json:"next_at"`
	Error       string     `json:"error"`
}

// Filter selects jobs. An empty Queue, State or Kind does not restrict the selection.
type Filter struct {
	Queue string
	State string
	Kind  string
	Limit int // maximum length of the list; 0: 1,000
}

func (f Filter) accepts(i Item) bool {
	return (f.Queue == "" || f.Queue == i.Queue) && (f.State == "" || f.State == i.State) &&
		(f.Kind == "" || f.Kind == i.Kind)
}

// Inspector lists jobs and runs them again. All fields are required.
type Inspector struct {
	DB     *db.DB
	Redis  jobs.Redis
	Client *jobs.Client
}

const (
	defaultLimit = 1000
	pageSize     = 1000 // tasks per call
)

// List returns the newest row jobs, and after them the ephemeral jobs by queue and state. It also returns the number of jobs
// beyond the limit. Row jobs are read from PostgreSQL, so they are complete even after Redis was emptied.
func (in Inspector) List(ctx context.Context, f Filter) (items []Item, more int, err error) {
	f.Limit = cmp.Or(f.Limit, defaultLimit)
	items = []Item{}
	if chosen, possible := f.rows(); possible {
		rows, err := jobrow.List(ctx, in.DB, chosen)
		if err != nil {
			return nil, 0, err
		}
		for _, j := range rows {
			items = append(items, itemOfRow(j))
		}
		if len(rows) == f.Limit {
			all, err := jobrow.Count(ctx, in.DB, chosen)
			if err != nil {
				return nil, 0, err
			}
			more = max(all-len(rows), 0)
		}
	}
	tasks, left, err := in.ephemeral(f)
	shown := min(len(tasks), f.Limit-len(items))
	return append(items, tasks[:shown]...), more + left + len(tasks) - shown, err
}

// rows returns the filter for row jobs. possible is false if no row job can match.
func (f Filter) rows() (chosen jobrow.Filter, possible bool) {
	chosen = rowStates[f.State]
	chosen.Limit = f.Limit
	switch {
	case f.Queue != "":
		chosen.Kinds = jobs.RowKinds(f.Queue, f.Kind)
		return chosen, len(chosen.Kinds) > 0
	case f.Kind != "":
		chosen.Kinds = []string{f.Kind}
	}
	return chosen, true
}

var rowStates = map[string]jobrow.Filter{
	"pending":   {State: models.JobPending, Wait: jobrow.WaitDue},
	"scheduled": {State: models.JobPending, Wait: jobrow.WaitLater},
	"retry":     {State: models.JobPending, Wait: jobrow.WaitRetry},
	"active":    {State: models.JobRunning}, "archived": {State: models.JobFailed}, "completed": {State: models.JobDone},
}

func itemOfRow(j models.Job) Item {
	p, _ := jobs.PolicyOf(j.Kind)
	i := Item{ID: j.ID.String(), Queue: p.Queue, Kind: j.Kind, Attempts: j.Attempts, MaxAttempts: p.AttemptLimit(j)}
	if j.AccountID.Valid {
		i.Account = j.AccountID.UUID.String()
	}
	var cause jobrow.Cause
	if json.Unmarshal(j.Error, &cause) == nil {
		i.Error = cmp.Or(cause.Detail, cause.Message)
	}
	switch {
	case j.State == models.JobRunning:
		i.State = "active"
	case j.State == models.JobFailed:
		i.State = "archived"
	case j.State == models.JobDone:
		i.State = "completed"
	case j.Attempts > 0:
		i.State = "retry"
	case j.NextAttemptAt.After(time.Now()):
		i.State = "scheduled"
	default:
		i.State = "pending"
	}
	if j.State == models.JobPending {
		i.NextAt = &j.NextAttemptAt
	}
	return i
}

type lister func(queue string, opts ...asynq.ListOption) ([]*asynq.TaskInfo, error)

// ephemeral lists the tasks in Redis that do not belong to a row.
func (in Inspector) ephemeral(f Filter) (items []Item, more int, err error) {
	tasks := asynq.NewInspectorFromRedisClient(in.Redis)
	listers := map[string]lister{
		"pending": tasks.ListPendingTasks, "active": tasks.ListActiveTasks, "scheduled": tasks.ListScheduledTasks,
		"retry": tasks.ListRetryTasks, "archived": tasks.ListArchivedTasks, "completed": tasks.ListCompletedTasks,
	}
	for _, q := range jobs.Queues {
		for _, state := range States {
			if f.Queue != "" && f.Queue != q.Name || f.State != "" && f.State != state {
				continue
			}
			found, left, err := page(listers[state], q.Name, f)
			if err != nil {
				return nil, 0, err
			}
			items, more = append(items, found...), more+left
		}
	}
	return items, more, nil
}

// page lists the ephemeral tasks of a queue in a state. It reads all tasks, because the same list also has the tasks of row jobs.
func page(list lister, queue string, f Filter) (items []Item, more int, err error) {
	for n := 1; ; n++ {
		tasks, err := list(queue, asynq.Page(n), asynq.PageSize(pageSize))
		if err != nil && !errors.Is(err, asynq.ErrQueueNotFound) {
			return nil, 0, fmt.Errorf("queue: list: %w", err)
		}
		for _, t := range tasks {
			if i, ok := itemOfTask(t); !ok || !f.accepts(i) {
				continue
			} else if len(items) < f.Limit {
				items = append(items, i)
			} else {
				more++
			}
		}
		if len(tasks) < pageSize {
			return items, more, nil
		}
	}
}

func itemOfTask(t *asynq.TaskInfo) (Item, bool) {
	var p jobs.Payload
	if json.Unmarshal(t.Payload, &p) != nil || p.Row != uuid.Nil {
		return Item{}, false
	}
	policy, _ := jobs.PolicyOf(t.Type)
	i := Item{
		ID: t.ID, Queue: t.Queue, Kind: t.Type, State: t.State.String(), Attempts: t.Retried, MaxAttempts: policy.MaxAttempts,
		Error: t.LastErr,
	}
	if p.Account != uuid.Nil {
		i.Account = p.Account.String()
	}
	if !t.NextProcessAt.IsZero() {
		i.NextAt = &t.NextProcessAt
	}
	return i, true
}

// Requeue immediately runs each named job that has failed or waits for a later time, and returns the ids of these jobs. An id is
// the id of a row, or the id of a task as asynqmon shows it.
func (in Inspector) Requeue(ctx context.Context, ids ...string) ([]string, error) {
	done := []string{}
	for _, id := range ids {
		if row, _, ok := jobs.ParseTaskID(id); ok {
			rows, err := jobrow.Requeue(ctx, in.DB, []uuid.UUID{row})
			if err != nil {
				return done, err
			}
			if len(rows) > 0 {
				done = append(done, id)
				if err := in.dispatch(ctx, rows); err != nil {
					return done, err
				}
				continue
			}
		}
		ok, err := in.runTask(id)
		if err != nil {
			return done, err
		}
		if ok {
			done = append(done, id)
		}
	}
	return done, nil
}

// RequeueAll runs every failed job of a queue and kind now, and returns their ids. An empty queue or kind does not restrict the
// selection.
func (in Inspector) RequeueAll(ctx context.Context, queue, kind string) ([]string, error) {
	done := []string{}
	if chosen := jobs.RowKinds(queue, kind); len(chosen) > 0 {
		rows, err := jobrow.Requeue(ctx, in.DB, nil, chosen...)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			done = append(done, r.ID.String())
		}
		if err := in.dispatch(ctx, rows); err != nil {
			return done, err
		}
	}
	tasks, _, err := in.ephemeral(Filter{Queue: queue, State: "archived", Kind: kind, Limit: math.MaxInt})
	if err != nil {
		return done, err
	}
	for _, t := range tasks {
		ok, err := in.runTask(t.ID)
		if err != nil {
			return done, err
		}
		if ok {
			done = append(done, t.ID)
		}
	}
	return done, nil
}

func (in Inspector) dispatch(ctx context.Context, rows []jobrow.Requeued) error {
	for _, r := range rows {
		if err := in.Client.DispatchRequeued(ctx, r.JobRef, r.Archived); err != nil {
			return fmt.Errorf("queue: the rows are due and will be enqueued when redis is back: %w", err)
		}
	}
	return nil
}

// runTask runs a task now if it is archived or waits for a later time. It returns false if there is no such task.
func (in Inspector) runTask(id string) (bool, error) {
	tasks := asynq.NewInspectorFromRedisClient(in.Redis)
	for _, q := range jobs.Queues {
		info, err := tasks.GetTaskInfo(q.Name, id)
		if errors.Is(err, asynq.ErrQueueNotFound) || errors.Is(err, asynq.ErrTaskNotFound) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("queue: find: %w", err)
		}
		switch info.State {
		case asynq.TaskStateArchived, asynq.TaskStateRetry, asynq.TaskStateScheduled:
			if err := tasks.RunTask(q.Name, id); err != nil {
				return false, fmt.Errorf("queue: run: %w", err)
			}
			return true, nil
		}
		return false, nil
	}
	return false, nil
}
