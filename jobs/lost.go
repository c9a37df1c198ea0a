package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// This file and wake.go are the only ones that know the keys which asynq keeps for itself. They are not part of its API:
// TestAsynqKeys and TestAsynqAsks fail when a release of asynq names or fills them differently.

// queueSet is where asynq has the names of queues. A producer writes a name there once and never again, so that after
// FLUSHALL a full queue would be invisible to asynqmon.
const queueSet = "asynq:queues"

// queueKey is the beginning of the keys of a queue. After it comes pending (a list, the oldest last), scheduled or
// retry (sets ordered by time), or t: and the id of a task (a hash with the fields state and, in nanoseconds,
// pending_since).
func queueKey(queue string) string { return "asynq:{" + queue + "}:" }

// lostTask reports whether a task will reach no worker, although the keys of the queue may contradict each other: the
// state in the task's own hash counts only if the task also stands where that state says.
//
// KEYS: the task, and the queue's pending, scheduled and retry. ARGV: the task's id, the beginning of all task keys, by
// how many nanoseconds clocks may differ. Returns 1 for a lost task, else 0.
//
// A long pending list is not searched. It is in order of age, so a task that is older than its oldest is not in it.
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

// Lost implements Backend. An active task counts as lost: its row holds no live lease, so the worker that took the task
// is dead, or ends it without an attempt.
func (b *redisBackend) Lost(ctx context.Context, queue, id string) (bool, error) {
	if err := b.redis.SAdd(ctx, queueSet, queue).Err(); err != nil {
		return false, fmt.Errorf("jobs: publish queue: %w", err)
	}
	q := queueKey(queue)
	keys := []string{q + "t:" + id, q + "pending", q + "scheduled", q + "retry"}
	lost, err := lostTask.Run(ctx, b.redis, keys, id, q+"t:", clockSkew.Nanoseconds()).Bool()
	if err != nil {
		return false, fmt.Errorf("jobs: find a lost task: %w", err)
	}
	return lost, nil
}
