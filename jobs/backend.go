package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"switchyard/models"
)

// neverExhausted is the retry limit given to asynq. asynq's own count of attempts cannot be used, because it also grows when a
// worker is killed.
const neverExhausted = 100_000

// timeoutMargin is added to the timeout given to asynq, so that the worker's own timeout comes first.
const timeoutMargin = time.Minute

type redisBackend struct {
	redis     redis.UniversalClient
	client    *asynq.Client
	inspector *asynq.Inspector
	watchers  watchers
	announcer announcer
}

// Connect returns a client whose tasks are stored in Redis. It opens no connection yet.
func Connect(r redis.UniversalClient) *Client {
	return NewClient(&redisBackend{
		redis: r, client: asynq.NewClientFromRedisClient(r), inspector: asynq.NewInspectorFromRedisClient(r),
		watchers:  watchers{byID: map[string]map[chan struct{}]struct{}{}},
		announcer: announcer{again: map[string]bool{}},
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
		opts = append(opts, asynq.Retention(t.Policy.Retention))
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
	if t.At.IsZero() {
		b.announcer.announce(b.redis, t.Policy.Queue)
	}
	return nil
}

// Find implements Backend.
func (b *redisBackend) Find(_ context.Context, id string) (models.JobStatus, uuid.UUID, error) {
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

func (b *redisBackend) info(queue, id string) (*asynq.TaskInfo, error) {
	info, err := b.inspector.GetTaskInfo(queue, id)
	if errors.Is(err, asynq.ErrTaskNotFound) || errors.Is(err, asynq.ErrQueueNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("jobs: find: %w", err)
	}
	return info, nil
}

// statusOf reports the status of a task. A worker writes the outcome last, so a task with an outcome counts as finished even
// while asynq calls it active. A pending task with an outcome waits to run again, so its outcome does not count.
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

// DeleteFinished implements Backend.
func (b *redisBackend) DeleteFinished(_ context.Context, queue, id string) error {
	info, err := b.info(queue, id)
	if err != nil || info == nil {
		return err
	}
	if info.State != asynq.TaskStateCompleted && info.State != asynq.TaskStateArchived {
		return nil
	}
	err = b.inspector.DeleteTask(queue, id)
	if err != nil && !errors.Is(err, asynq.ErrTaskNotFound) {
		return fmt.Errorf("jobs: delete task: %w", err)
	}
	return nil
}
