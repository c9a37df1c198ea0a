package jobs_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
)

// requestCounter is a Redis client that counts asynq's requests for tasks. Such a request has four keys.
type requestCounter struct {
	redis.UniversalClient
	n atomic.Int32
}

func (a *requestCounter) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	if len(keys) == 4 && strings.HasSuffix(keys[0], ":pending") {
		a.n.Add(1)
	}
	return a.UniversalClient.EvalSha(ctx, sha, keys, args...)
}

// TestAsynqAsks checks that an asynq server gets tasks when they are announced or due, and makes few other requests. If the test
// fails after an upgrade of asynq, QueueClient must be adapted.
func TestAsynqAsks(t *testing.T) {
	t.Parallel()
	ctx, r := t.Context(), jobstest.Redis(t)
	counted := &requestCounter{UniversalClient: r}
	stop := make(chan struct{})
	queue := jobs.NewQueueClient(counted, jobs.Webhooks, time.Hour, stop)
	go jobs.Listen(ctx, r, map[string]*jobs.QueueClient{jobs.Webhooks: queue})
	done := make(chan string, 10)
	server := asynq.NewServerFromRedisClient(queue, asynq.Config{
		Concurrency: 2, Queues: map[string]int{jobs.Webhooks: 1}, LogLevel: asynq.FatalLevel,
		TaskCheckInterval: time.Millisecond, DelayedTaskCheckInterval: 20 * time.Millisecond,
	})
	if err := server.Start(asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		done <- task.Type()
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	client := jobs.Connect(r)
	await.Until(t, "the listener has subscribed", func() bool {
		n, err := r.PubSubNumSub(ctx, "switchyard:jobs:pending").Result()
		return err == nil && n["switchyard:jobs:pending"] > 0
	})
	const tasks = 3
	for range tasks {
		if err := client.DispatchRows(ctx, models.JobRef{Kind: rowJob.Kind(), ID: uuid.New()}); err != nil {
			t.Fatal(err)
		}
		if got := await.Recv(t, done); got != rowJob.Kind() {
			t.Errorf("the server ran the task %s, want %s", got, rowJob.Kind())
		}
	}
	later := asynq.NewClientFromRedisClient(r)
	if _, err := later.EnqueueContext(ctx, asynq.NewTask("later", nil), asynq.Queue(jobs.Webhooks), asynq.ProcessIn(2*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := await.Recv(t, done); got != "later" {
		t.Errorf("the server ran the task %s, want the task named later", got)
	}
	const mostPerTask = 6
	if n := counted.n.Load(); n > mostPerTask*(tasks+1) {
		t.Errorf("%d requests for %d tasks, want at most %d", n, tasks+1, mostPerTask*(tasks+1))
	}
	close(stop)
	server.Shutdown()
}
