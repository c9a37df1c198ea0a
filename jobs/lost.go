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

// lostTasks finds the tasks that will reach no worker, although the keys of the queue may contradict each other: the
// state in a task's own hash counts only if the task also stands where that state says.
//
// KEYS: the queue's pending, scheduled and retry, then the tasks. ARGV: the beginning of all task keys, by how many
// nanoseconds clocks may differ, then the ids of the tasks. Returns 1 for a lost task, else 0, in the order of the ids.
//
// A long pending list is not searched. It is in order of age, so a task that is older than its oldest is not in it.
var lostTasks = redis.NewScript(`
local oldest = redis.call("LINDEX", KEYS[1], -1)
local first = oldest and tonumber(redis.call("HGET", ARGV[1] .. oldest, "pending_since"))
local function lost(task, id)
	local state = redis.call("HGET", task, "state")
	if state == "scheduled" then return not redis.call("ZSCORE", KEYS[2], id) end
	if state == "retry" then return not redis.call("ZSCORE", KEYS[3], id) end
	if state ~= "pending" or not oldest then return true end
	if oldest == id then return false end
	local mine = tonumber(redis.call("HGET", task, "pending_since"))
	if not mine then return not redis.call("LPOS", KEYS[1], id) end
	return first and mine < first - tonumber(ARGV[2])
end
local out = {}
for i = 3, #ARGV do
	out[i - 2] = lost(KEYS[i + 1], ARGV[i]) and 1 or 0
end
return out`)

// clockSkew is how far the clocks of the processes that enqueue may differ.
const clockSkew = 5 * time.Second

// Lost implements Backend. An active task counts as lost: its row holds no live lease, so the worker that took the task
// is dead, or ends it without an attempt.
func (b *redisBackend) Lost(ctx context.Context, queue string, ids []string) ([]bool, error) {
	if err := b.redis.SAdd(ctx, queueSet, queue).Err(); err != nil {
		return nil, fmt.Errorf("jobs: publish queue: %w", err)
	}
	q := queueKey(queue)
	keys := []string{q + "pending", q + "scheduled", q + "retry"}
	args := []any{q + "t:", clockSkew.Nanoseconds()}
	for _, id := range ids {
		keys, args = append(keys, q+"t:"+id), append(args, id)
	}
	lost, err := lostTasks.Run(ctx, b.redis, keys, args...).BoolSlice()
	if err != nil {
		return nil, fmt.Errorf("jobs: find lost tasks: %w", err)
	}
	return lost, nil
}
