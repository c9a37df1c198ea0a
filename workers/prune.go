package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hibiken/asynq"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/db/jobrow"
	"switchyard/jobs"
)

const (
	// weeksAhead is how many weeks of the webhook log are created ahead.
	weeksAhead = 3
	// deliveryTime is added to the retention of deliveries. All attempts of a delivery together take less time, so the delivery is
	// kept for the whole retention after it failed.
	deliveryTime = 24 * time.Hour
	// archivePage is how many tasks one call reads.
	archivePage = 1000
)

// prune deletes what is older than jobrow.Retention: finished rows, weeks of the webhook log, and failed tasks in queue archives.
// It also creates the coming weeks of the log. If one part fails, the others still run.
func (r *Runtime) prune(ctx context.Context) error {
	now := time.Now()
	err := pruneRows(ctx, r.o.DB, now)
	tasks, tasksErr := r.deleteFailedTasks(ctx, now.Add(-jobrow.Retention))
	slog.InfoContext(ctx, "failed tasks deleted", "tasks", tasks)
	return errors.Join(err, tasksErr)
}

func pruneRows(ctx context.Context, d *db.DB, now time.Time) error {
	err := delivery.EnsureWeeks(ctx, d, now, weeksAhead)
	rows, rowsErr := jobrow.DeleteFinished(ctx, d, now.Add(-jobrow.Retention))
	weeks, weeksErr := delivery.DeleteWeeks(ctx, d, now.Add(-jobrow.Retention-deliveryTime))
	slog.InfoContext(ctx, "old jobs deleted", "rows", rows, "weeks", weeks)
	return errors.Join(err, rowsErr, weeksErr)
}

// deleteFailedTasks deletes archived tasks that last failed before a time. asynq would keep up to 10,000 of them, for 90 days.
func (r *Runtime) deleteFailedTasks(ctx context.Context, before time.Time) (n int, err error) {
	in := asynq.NewInspectorFromRedisClient(r.o.Redis)
	for _, q := range jobs.Queues {
		var old []string
		for page := 1; ; page++ {
			tasks, err := in.ListArchivedTasks(q.Name, asynq.Page(page), asynq.PageSize(archivePage))
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
			if len(tasks) < archivePage {
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
