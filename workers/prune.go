package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hibiken/asynq"

	"switchyard/db/delivery"
	"switchyard/db/jobrow"
	"switchyard/jobs"
)

const (
	// weeksAhead is how long the log of webhooks goes on by weeks although nobody tidies it.
	weeksAhead = 3
	// lastAttempts is added to the age of deliveries, so that one that failed for good after all its attempts is kept for
	// the whole time from then on.
	lastAttempts = 24 * time.Hour
	// tasksAtOnce is how many archived tasks are read with one call.
	tasksAtOnce = 1000
)

// prune forgets what is older than 30 days: finished rows, the log of webhooks by whole weeks, and failed tasks of the
// queue. A part that fails does not keep the others from being done.
func (r *Runtime) prune(ctx context.Context, _ jobs.Tick) (jobs.None, error) {
	now := time.Now()
	err := delivery.EnsureWeeks(ctx, r.o.DB, now, weeksAhead)
	rows, pruneErr := jobrow.Prune(ctx, r.o.DB, jobrow.KeepFinished)
	weeks, dropErr := delivery.DropWeeks(ctx, r.o.DB, now.Add(-jobrow.KeepFinished-lastAttempts))
	tasks, forgetErr := r.forgetFailed(ctx, now.Add(-jobrow.KeepFinished))
	slog.InfoContext(ctx, "old jobs forgotten", "rows", rows, "weeks", weeks, "tasks", tasks)
	return jobs.None{}, errors.Join(err, pruneErr, dropErr, forgetErr)
}

// forgetFailed deletes archived tasks that failed before a moment, as their rows are, and tells how many. The queue
// would keep them for three times as long, though never more than 10,000.
func (r *Runtime) forgetFailed(ctx context.Context, before time.Time) (n int, err error) {
	in := asynq.NewInspectorFromRedisClient(r.o.Redis)
	for _, q := range jobs.Queues {
		var old []string
		for page := 1; ; page++ {
			tasks, err := in.ListArchivedTasks(q.Name, asynq.Page(page), asynq.PageSize(tasksAtOnce))
			if errors.Is(err, asynq.ErrQueueNotFound) {
				break
			}
			if err != nil {
				return n, fmt.Errorf("workers: failed tasks: %w", err)
			}
			for _, t := range tasks {
				if t.LastFailedAt.Before(before) {
					old = append(old, t.ID)
				}
			}
			if len(tasks) < tasksAtOnce {
				break
			}
		}
		for _, id := range old {
			err := in.DeleteTask(q.Name, id)
			if err != nil && !errors.Is(err, asynq.ErrTaskNotFound) || ctx.Err() != nil {
				return n, fmt.Errorf("workers: failed tasks: %w", errors.Join(err, ctx.Err()))
			}
			n++
		}
	}
	return n, nil
}
