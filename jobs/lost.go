package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Only this file and wake.go know the names of asynq's internal keys, which are not part of its API. TestAsynqKeys and
// TestAsynqAsks fail if a new version of asynq changes them.

// queueSet is the key of the set with the names of asynq's queues. A producer adds the name of its queue only once, so Lost adds
// it again after a FLUSHALL. Otherwise asynqmon would not show the queue.
const queueSet = "asynq:queues"

// queueKey returns the common beginning of the keys of a queue. The rest of a key is pending (a list with the oldest task last),
// scheduled or retry (sets ordered by time), or t: and the id of a task (a hash).
func queueKey(queue string) string { return "asynq:{" + queue + "}:" }

// lostTasks finds the tasks that no worker will receive, even if the keys of the queue contradict each other. The state in a
// task's own hash counts only if the task is also in the list or set of that state.
//
// KEYS are the queue's pending list, its scheduled set and its retry set, then the hash of each task. ARGV are the beginning of
// all task keys, the nanoseconds by which clocks may differ, and the ids of the tasks. The script returns 1 for a lost task and 0
// for any other, in the order of the ids.
//
// The pending list may be long, so it is searched only for a task whose hash has no pending_since. Any other pending task
// is lost if the list is empty, or if the task is older than the oldest entry by more than clocks may differ.
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

// Lost implements Backend. An active task counts as lost. Callers pass only the tasks of rows whose lease has ended, so no
// worker runs them.
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
