package jobs

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// pendingChannel is the Redis channel with the names of queues that got a task.
const pendingChannel = "switchyard:jobs:pending"

// announcer notifies workers that a queue got a task. Tasks that are added while an announcement is being sent share one further
// announcement.
type announcer struct {
	mu    sync.Mutex
	again map[string]bool // the queues that are being announced; true: announce the queue once more
}

// announce publishes in the background that the queue got a task. If publishing fails, the task starts later: see Idle.
func (a *announcer) announce(r redis.UniversalClient, queue string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, announcing := a.again[queue]; announcing {
		a.again[queue] = true
		return
	}
	a.again[queue] = false
	go func() {
		for more := true; more; more = a.more(queue) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			if err := r.Publish(ctx, pendingChannel, queue).Err(); err != nil {
				slog.DebugContext(ctx, "task not announced", "queue", queue, "error", err)
			}
			cancel()
		}
	}()
}

// more reports whether the queue must be announced once more.
func (a *announcer) more(queue string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	more := a.again[queue]
	if more {
		a.again[queue] = false
	} else {
		delete(a.again, queue)
	}
	return more
}

// Idle is the time after which an idle worker looks for tasks that were not announced. The real time is up to a quarter shorter
// or longer, at random.
const Idle = time.Second

// QueueClient is a Redis client for the asynq server of one queue. asynq requests tasks all the time. While the queue is empty,
// this client makes asynq wait until a task is announced, or for about the duration in the field idle. The client distinguishes
// asynq's two kinds of requests by the keys in them (see TestAsynqAsks).
type QueueClient struct {
	redis.UniversalClient
	pending   string
	idle      time.Duration
	stop      <-chan struct{}
	wake      chan struct{}
	empty     atomic.Bool
	mu        sync.Mutex
	forwarded map[string]time.Time // when asynq last looked for due tasks, by the key of the set in which the tasks wait
}

// NewQueueClient returns the client of a queue. After the channel `stop` is closed, the client no longer makes asynq wait.
func NewQueueClient(r redis.UniversalClient, queue string, idle time.Duration, stop <-chan struct{}) *QueueClient {
	return &QueueClient{
		UniversalClient: r, pending: queueKey(queue) + "pending", idle: idle, stop: stop, wake: make(chan struct{}, 1),
		forwarded: map[string]time.Time{},
	}
}

// Wake lets the asynq server request tasks at once.
func (c *QueueClient) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// EvalSha implements redis.Scripter.
func (c *QueueClient) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	switch {
	case len(keys) == 4 && keys[0] == c.pending: // request for a task to run; keys: pending, paused, active, lease
		if c.empty.Load() {
			c.wait()
		}
		cmd := c.UniversalClient.EvalSha(ctx, sha, keys, args...)
		c.empty.Store(errors.Is(cmd.Err(), redis.Nil))
		return cmd
	case len(keys) == 2 && keys[1] == c.pending: // request to move due tasks; keys: scheduled or retry, pending
		if c.empty.Load() && !c.due(keys[0]) {
			return redis.NewCmdResult(int64(0), nil)
		}
		cmd := c.UniversalClient.EvalSha(ctx, sha, keys, args...)
		if n, err := cmd.Int(); err == nil && n > 0 {
			c.Wake()
		}
		return cmd
	}
	return c.UniversalClient.EvalSha(ctx, sha, keys, args...)
}

func (c *QueueClient) wait() {
	t := time.NewTimer(c.idle*3/4 + rand.N(c.idle/2)) //nolint:gosec // it spreads the requests of workers
	defer t.Stop()
	select {
	case <-c.wake:
	case <-t.C:
	case <-c.stop:
	}
}

// due reports whether an idle worker should look for due tasks in a set. It returns true once a second, because tasks become due
// at full seconds.
func (c *QueueClient) due(set string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().Truncate(time.Second)
	if now.Equal(c.forwarded[set]) {
		return false
	}
	c.forwarded[set] = now
	return true
}

// Listen wakes the client of each queue for which a task is announced, until the context ends. After a reconnection it wakes all
// clients, because announcements may have been lost.
func Listen(ctx context.Context, r redis.UniversalClient, clients map[string]*QueueClient) {
	sub := r.Subscribe(ctx, pendingChannel)
	defer sub.Close() //nolint:errcheck // its messages are no longer read
	messages := sub.ChannelWithSubscriptions()
	for {
		select {
		case <-ctx.Done():
			return
		case m, open := <-messages:
			if !open {
				return
			}
			announced, isTask := m.(*redis.Message) // any other message reports a connection
			for queue, c := range clients {
				if !isTask || announced.Payload == queue {
					c.Wake()
				}
			}
		}
	}
}
