// Package queue shows operators the jobs, those with rows and those that live in Redis only, and runs failed ones again.
package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/db"
	"switchyard/db/joblog"
	"switchyard/jobs"
	"switchyard/models"
)

// States are the words for the state of a job, as asynq has them.
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

// Filter chooses jobs; an empty field does not restrict.
type Filter struct {
	Queue string
	State string
	Kind  string
}

func (f Filter) accepts(i Item) bool {
	return (f.Queue == "" || f.Queue == i.Queue) && (f.State == "" || f.State == i.State) &&
		(f.Kind == "" || f.Kind == i.Kind)
}

// Desk is where the jobs are looked at.
type Desk struct {
	DB     *db.DB
	Redis  jobs.Redis
	Client *jobs.Client
}

// most bounds a list, of rows and of each queue's state.
const most = 1000

// List gives the newest jobs. Row jobs are read from their rows, so they are complete even when Redis was emptied.
func (d Desk) List(ctx context.Context, f Filter) ([]Item, error) {
	rows, err := joblog.List(ctx, d.DB, joblog.Filter{State: rowStates[f.State], Kinds: kinds(f.Kind), Limit: most})
	if err != nil {
		return nil, err
	}
	items := []Item{}
	for _, j := range rows {
		if i := itemOfRow(j); f.accepts(i) {
			items = append(items, i)
		}
	}
	tasks, err := d.ephemeral(f)
	return append(items, tasks...), err
}

func kinds(kind string) []string {
	if kind == "" {
		return nil
	}
	return []string{kind}
}

// rowStates narrows what is read; itemOfRow decides.
var rowStates = map[string]string{
	"pending": models.JobPending, "scheduled": models.JobPending, "retry": models.JobPending,
	"active": models.JobRunning, "archived": models.JobFailed, "completed": models.JobDone,
}

func itemOfRow(j models.Job) Item {
	p, _ := jobs.PolicyOf(j.Kind)
	i := Item{ID: j.ID.String(), Queue: p.Queue, Kind: j.Kind, Attempts: j.Attempts, MaxAttempts: j.MaxAttempts}
	if j.AccountID.Valid {
		i.Account = j.AccountID.UUID.String()
	}
	var cause joblog.Cause
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

// ephemeral lists the tasks that name no row.
func (d Desk) ephemeral(f Filter) ([]Item, error) {
	in := asynq.NewInspectorFromRedisClient(d.Redis)
	listers := map[string]lister{
		"pending": in.ListPendingTasks, "active": in.ListActiveTasks, "scheduled": in.ListScheduledTasks,
		"retry": in.ListRetryTasks, "archived": in.ListArchivedTasks, "completed": in.ListCompletedTasks,
	}
	var items []Item
	for _, q := range jobs.Queues {
		for _, state := range States {
			if f.Queue != "" && f.Queue != q.Name || f.State != "" && f.State != state {
				continue
			}
			tasks, err := listers[state](q.Name, asynq.PageSize(most))
			if err != nil && !errors.Is(err, asynq.ErrQueueNotFound) {
				return nil, fmt.Errorf("queue: list: %w", err)
			}
			for _, t := range tasks {
				if i, ok := itemOfTask(t); ok && f.accepts(i) {
					items = append(items, i)
				}
			}
		}
	}
	return items, nil
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

// rowID finds the row in its own id, or in the id of its task as the queue's page shows it.
var rowID = regexp.MustCompile(`(?:^|:)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::\d+)?$`)

// Requeue runs the named jobs again now and tells which it did: failed ones, and those that wait for an hour to come.
// What is done, or being done, is left alone, so it is always safe.
func (d Desk) Requeue(ctx context.Context, ids ...string) ([]string, error) {
	done := []string{}
	for _, id := range ids {
		if m := rowID.FindStringSubmatch(id); m != nil {
			rows, err := joblog.Requeue(ctx, d.DB, []uuid.UUID{uuid.MustParse(m[1])})
			if err != nil {
				return done, err
			}
			if len(rows) > 0 {
				done = append(done, id)
				if err := d.dispatch(ctx, rows); err != nil {
					return done, err
				}
				continue
			}
		}
		ok, err := d.runTask(id)
		if err != nil {
			return done, err
		}
		if ok {
			done = append(done, id)
		}
	}
	return done, nil
}

// RequeueAll runs every failed job of a queue and kind again ("" = any).
func (d Desk) RequeueAll(ctx context.Context, queue, kind string) ([]string, error) {
	done := []string{}
	chosen := jobs.RowKinds(queue)
	if kind != "" {
		chosen = slices.DeleteFunc(chosen, func(k string) bool { return k != kind })
	}
	if len(chosen) > 0 {
		rows, err := joblog.Requeue(ctx, d.DB, nil, chosen...)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			done = append(done, r.ID.String())
		}
		if err := d.dispatch(ctx, rows); err != nil {
			return done, err
		}
	}
	tasks, err := d.ephemeral(Filter{Queue: queue, State: "archived", Kind: kind})
	if err != nil {
		return done, err
	}
	for _, t := range tasks {
		ok, err := d.runTask(t.ID)
		if err != nil {
			return done, err
		}
		if ok {
			done = append(done, t.ID)
		}
	}
	return done, nil
}

// dispatch enqueues rows under their new generation and clears the archive of the task of the old one.
func (d Desk) dispatch(ctx context.Context, rows []joblog.Due) error {
	for _, r := range rows {
		row := jobs.Row{Kind: r.Kind, ID: r.ID, Account: r.AccountID.UUID, Generation: r.Generation}
		if err := d.Client.DispatchRows(ctx, row); err != nil {
			return fmt.Errorf("queue: the rows are due and will be enqueued when redis is back: %w", err)
		}
		row.Generation--
		if err := d.Client.ForgetRow(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// runTask runs an archived or waiting task; false when there is none such.
func (d Desk) runTask(id string) (bool, error) {
	in := asynq.NewInspectorFromRedisClient(d.Redis)
	for _, q := range jobs.Queues {
		info, err := in.GetTaskInfo(q.Name, id)
		if errors.Is(err, asynq.ErrQueueNotFound) || errors.Is(err, asynq.ErrTaskNotFound) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("queue: find: %w", err)
		}
		switch info.State {
		case asynq.TaskStateArchived, asynq.TaskStateRetry, asynq.TaskStateScheduled:
			if err := in.RunTask(q.Name, id); err != nil {
				return false, fmt.Errorf("queue: run: %w", err)
			}
			return true, nil
		}
		return false, nil
	}
	return false, nil
}
