package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"switchyard/models"
)

// neverExhausted is the retry limit given to asynq. When a job ends is decided by its policy, or its row; asynq's own
// count also grows when a worker is killed.
const neverExhausted = 100_000

// timeoutMargin is added to asynq's timeout, so that the worker's own one, which knows what to do, comes first.
const timeoutMargin = time.Minute

// queueSet is where asynq keeps the names of queues. It writes a name once per producer and never again, so that
// after FLUSHALL a full queue would be invisible.
const queueSet = "asynq:queues"

// doneChannel carries the ids of finished jobs to whoever waits for them.
const doneChannel = "switchyard:jobs:done"

// redisBackend is the Backend on asynq.
type redisBackend struct {
	redis     redis.UniversalClient
	client    *asynq.Client
	inspector *asynq.Inspector

	mu       sync.Mutex
	watchers map[string]map[chan struct{}]struct{}
	listen   sync.Once
}

// Connect makes the client on Redis. It does not wait for the server.
func Connect(r redis.UniversalClient) *Client {
	return NewClient(&redisBackend{
		redis: r, client: asynq.NewClientFromRedisClient(r), inspector: asynq.NewInspectorFromRedisClient(r),
		watchers: map[string]map[chan struct{}]struct{}{},
	})
}

// Enqueue implements Backend.
func (b *redisBackend) Enqueue(ctx context.Context, t Task) error {
	payload, err := json.Marshal(t.Payload)
	if err != nil {
		return fmt.Errorf("jobs: payload of %s: %w", t.Payload.Kind, err)
	}
	opts := []asynq.Option{
		asynq.TaskID(t.ID), asynq.Queue(t.Policy.Queue), asynq.MaxRetry(neverExhausted),
		asynq.Timeout(t.Policy.Timeout + timeoutMargin),
	}
	if !t.Policy.Row {
		opts = append(opts, asynq.Retention(t.Policy.Keep))
	}
	if !t.At.IsZero() {
		opts = append(opts, asynq.ProcessAt(t.At))
	}
	_, err = b.client.EnqueueContext(ctx, asynq.NewTask(t.Payload.Kind, payload), opts...)
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return ErrExists
	}
	if err != nil {
		return fmt.Errorf("jobs: enqueue %s: %w", t.Payload.Kind, err)
	}
	return nil
}

// Look implements Backend.
func (b *redisBackend) Look(_ context.Context, id string) (models.JobStatus, uuid.UUID, error) {
	for _, q := range Queues {
		info, err := b.info(q.Name, id)
		if err != nil {
			return models.JobStatus{}, uuid.Nil, err
		}
		if info == nil {
			continue
		}
		var p Payload
		if err := json.Unmarshal(info.Payload, &p); err != nil {
			return models.JobStatus{}, uuid.Nil, fmt.Errorf("jobs: payload of %s: %w", id, err)
		}
		return statusOf(info), p.Account, nil
	}
	return models.JobStatus{}, uuid.Nil, models.NotFound("job")
}

// info finds a task, nil when there is none.
func (b *redisBackend) info(queue, id string) (*asynq.TaskInfo, error) {
	info, err := b.inspector.GetTaskInfo(queue, id)
	if errors.Is(err, asynq.ErrTaskNotFound) || errors.Is(err, asynq.ErrQueueNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("jobs: look: %w", err)
	}
	return info, nil
}

// statusOf takes an outcome as the end even while asynq still calls the task active: it is written last.
func statusOf(info *asynq.TaskInfo) models.JobStatus {
	s := models.JobStatus{ID: info.ID, Kind: info.Type, Status: models.JobPending}
	var out Outcome
	if len(info.Result) > 0 && json.Unmarshal(info.Result, &out) == nil && info.State != asynq.TaskStatePending {
		s.Status, s.Result, s.Error = models.JobDone, out.Result, out.Error
		if out.Error != nil {
			s.Status = models.JobFailed
		}
		return s
	}
	switch info.State {
	case asynq.TaskStateActive:
		s.Status = models.JobRunning
	case asynq.TaskStateCompleted:
		s.Status = models.JobDone
	case asynq.TaskStateArchived:
		s.Status = models.JobFailed
	}
	return s
}

// Forget implements Backend.
func (b *redisBackend) Forget(_ context.Context, queue, id string) error {
	info, err := b.info(queue, id)
	if err != nil || info == nil {
		return err
	}
	if info.State != asynq.TaskStateCompleted && info.State != asynq.TaskStateArchived {
		return nil
	}
	err = b.inspector.DeleteTask(queue, id)
	if err != nil && !errors.Is(err, asynq.ErrTaskNotFound) {
		return fmt.Errorf("jobs: forget: %w", err)
	}
	return nil
}

// lostTask tells whether no worker will be given a task, however the keys of the queue may contradict each other: the
// state in the task's own hash is believed only if the task stands where that state says. KEYS: the task, the queue's
// pending, scheduled and retry; ARGV: the task's id, the beginning of all task keys, how far clocks may differ in ns.
// Returns 1 for a lost one.
//
// A long pending list is not searched: it is in order of age, so that a task older than its oldest is not in it.
var lostTask = redis.NewScript(`
local state = redis.call("HGET", KEYS[1], "state")
if state == "scheduled" or state == "retry" then
	local set = KEYS[3]
	if state == "retry" then set = KEYS[4] end
	if redis.call("ZSCORE", set, ARGV[1]) then return 0 end
	return 1
end
if state ~= "pending" then return 1 end
local oldest = redis.call("LINDEX", KEYS[2], -1)
if not oldest then return 1 end
if oldest == ARGV[1] then return 0 end
local mine = tonumber(redis.call("HGET", KEYS[1], "pending_since"))
if not mine then
	if redis.call("LPOS", KEYS[2], ARGV[1]) then return 0 end
	return 1
end
local first = tonumber(redis.call("HGET", ARGV[2] .. oldest, "pending_since"))
if first and mine < first - tonumber(ARGV[3]) then return 1 end
return 0`)

// clockSkew is how far the clocks of the processes that enqueue may differ.
const clockSkew = 5 * time.Second

// Lost implements Backend. A task that is active counts as lost: its row holds no live lease, so that whoever took the
// task is gone, or ends it quietly.
func (b *redisBackend) Lost(ctx context.Context, queue, id string) (bool, error) {
	if err := b.redis.SAdd(ctx, queueSet, queue).Err(); err != nil {
		return false, fmt.Errorf("jobs: publish queue: %w", err)
	}
	q := "asynq:{" + queue + "}:"
	keys := []string{q + "t:" + id, q + "pending", q + "scheduled", q + "retry"}
	lost, err := lostTask.Run(ctx, b.redis, keys, id, q+"t:", clockSkew.Nanoseconds()).Bool()
	if err != nil {
		return false, fmt.Errorf("jobs: look for a lost task: %w", err)
	}
	return lost, nil
}

// Watch implements Backend.
func (b *redisBackend) Watch(id string) (<-chan struct{}, func()) {
	b.listen.Do(func() { go b.receive() })
	ch := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers[id] == nil {
		b.watchers[id] = map[chan struct{}]struct{}{}
	}
	b.watchers[id][ch] = struct{}{}
	return ch, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers[id], ch)
		if len(b.watchers[id]) == 0 {
			delete(b.watchers, id)
		}
	}
}

// receive hands the notifications of all jobs to those that wait, over one connection for the whole process; go-redis
// reconnects it. It ends when the Redis client is closed.
func (b *redisBackend) receive() {
	sub := b.redis.Subscribe(context.Background(), doneChannel)
	defer sub.Close() //nolint:errcheck // nobody is left to tell
	for m := range sub.Channel() {
		b.mu.Lock()
		for ch := range b.watchers[m.Payload] {
			select {
			case ch <- struct{}{}:
			default:
			}
		}
		b.mu.Unlock()
	}
}

// Notify tells everybody who waits for the job that it has finished. A failure is logged only: they also look.
func Notify(ctx context.Context, r redis.UniversalClient, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := r.Publish(ctx, doneChannel, id).Err(); err != nil {
		slog.WarnContext(ctx, "finish not announced", "id", id, "error", err)
	}
}
