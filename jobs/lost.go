package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Only this file and wake.go know the names of asynq's internal keys. These keys are not part of asynq's API. TestAsynqKeys and
// TestAsynqAsks fail if a new version of asynq names or fills the keys differently.

// queueSet is the key of the set with the names of asynq's queues. A producer adds the name of its queue only once. After
// FLUSHALL, asynqmon would therefore not show a queue even if it has tasks, so Lost adds the name again.
const queueSet = "asynq:queues"

// queueKey returns the common beginning of the keys of a queue. The rest of a key is pending (a list with the oldest task last),
// scheduled or retry (sets ordered by time), or t: and the id of a task (a hash with the fields state and, in nanoseconds,
// pending_since).
func queueKey(queue string) string { return "asynq:{" + queue + "}:" }

// lostTasks finds the tasks that no worker will receive, even if the keys of the queue contradict each other. The state in a
// task's own hash counts only if the task is also in the list or set of that state.
//
// KEYS are the queue's pending list, its scheduled set and its retry set, then the hash of each task. ARGV are the beginning of
// all task keys, the number of nanoseconds by which clocks may differ, and the ids of the tasks. The script returns a list in
// the order of the ids, with 1 for a lost task and 0 for any other task.
//
// The pending list may be long, so it is searched only for a task whose hash has no pending_since. Any other task is compared
// with the oldest entry: the list is ordered by age, so it cannot contain a task that is older than that entry.
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

// clockSkew is the largest assumed difference between the clocks of the processes that enqueue tasks.
const clockSkew = 5 * time.Second

// Lost implements Backend. An active task counts as lost. Callers pass only rows whose lease has ended, so the worker that took
// the task is dead, or will end the task without an attempt.
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
