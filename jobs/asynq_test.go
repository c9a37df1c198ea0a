package jobs_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
)

// TestAsynqKeys brings tasks into the states pending, scheduled, active, retry and archived with asynq itself, and looks for them
// under the keys that LostRows reads. If the test fails after an upgrade of asynq, lost.go must be adapted.
func TestAsynqKeys(t *testing.T) {
	t.Parallel()
	ctx, r := t.Context(), jobstest.Redis(t)
	client, inspector := jobs.Connect(r), asynq.NewInspectorFromRedisClient(r)
	const queue, prefix = jobs.Webhooks, "asynq:{webhooks}:"
	add := func() models.JobRef {
		row := models.JobRef{Kind: rowJob.Kind(), ID: uuid.New()}
		if err := client.DispatchRows(ctx, row); err != nil {
			t.Fatal(err)
		}
		return row
	}
	check := func(row models.JobRef, state string, lost bool) {
		t.Helper()
		if got := r.HGet(ctx, prefix+"t:"+jobs.TaskID(row), "state").Val(); got != state {
			t.Errorf("the state in the hash of a task is %q, want %q", got, state)
		}
		if got, err := client.LostRows(ctx, row); err != nil || (len(got) == 1) != lost {
			t.Errorf("%s: lost %v, %v; want %v", state, got, err, lost)
		}
	}
	member := func(row models.JobRef, set string) {
		t.Helper()
		if err := r.ZScore(ctx, prefix+set, jobs.TaskID(row)).Err(); err != nil {
			t.Errorf("the task is not in the set %s: %v", set, err)
		}
	}

	begin := time.Now()
	oldest, younger := add(), add()
	check(oldest, "pending", false)
	check(younger, "pending", false)
	if got, want := r.LRange(ctx, prefix+"pending", 0, -1).Val(), []string{jobs.TaskID(younger), jobs.TaskID(oldest)}; !slices.Equal(got, want) {
		t.Errorf("pending is %v, want the oldest last: %v", got, want)
	}
	since, err := strconv.ParseInt(r.HGet(ctx, prefix+"t:"+jobs.TaskID(oldest), "pending_since").Val(), 10, 64)
	if at := time.Unix(0, since); err != nil || at.Before(begin.Add(-time.Minute)) || at.After(time.Now().Add(time.Minute)) {
		t.Errorf("pending since %s, %v, want nanoseconds", at, err)
	}

	const later = "wait"
	asynqClient := asynq.NewClientFromRedisClient(r)
	scheduled := models.JobRef{Kind: rowJob.Kind(), ID: uuid.New()}
	if _, err := asynqClient.EnqueueContext(ctx, asynq.NewTask(later, nil), asynq.Queue(queue),
		asynq.TaskID(jobs.TaskID(scheduled)), asynq.ProcessIn(time.Hour)); err != nil {
		t.Fatal(err)
	}
	check(scheduled, "scheduled", false)
	member(scheduled, "scheduled")

	// The oldest task fails, and the younger one does not end.
	started := make(chan struct{}, 1)
	server := asynq.NewServerFromRedisClient(r, asynq.Config{
		Concurrency: 2, Queues: map[string]int{queue: 1}, LogLevel: asynq.FatalLevel, ShutdownTimeout: time.Millisecond,
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return time.Hour },
	})
	err = server.Start(asynq.HandlerFunc(func(ctx context.Context, _ *asynq.Task) error {
		if id, _ := asynq.GetTaskID(ctx); id == jobs.TaskID(oldest) {
			return errors.New("no")
		}
		started <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Shutdown)
	await.Recv(t, started)
	check(younger, "active", true)
	await.Until(t, "the failed task waits", func() bool {
		info, err := inspector.GetTaskInfo(queue, jobs.TaskID(oldest))
		return err == nil && info.State == asynq.TaskStateRetry
	})
	check(oldest, "retry", false)
	member(oldest, "retry")
	if err := inspector.ArchiveTask(queue, jobs.TaskID(oldest)); err != nil {
		t.Fatal(err)
	}
	check(oldest, "archived", true)

	// A producer writes each queue's name only once, so after FLUSHALL only LostRows writes it.
	if err := r.FlushAll(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.LostRows(ctx, oldest); err != nil {
		t.Fatal(err)
	}
	if known, err := inspector.Queues(); err != nil || !slices.Equal(known, []string{queue}) {
		t.Errorf("asynq knows the queues %v (%v), want only %s", known, err, queue)
	}
}
