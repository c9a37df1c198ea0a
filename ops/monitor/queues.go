package monitor

import (
	"log/slog"
	"slices"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/jobs"
)

// newQueues returns the metrics of the queues. A queue that never had a task is reported as empty. If Redis does not answer, the
// metrics that are not read by then are missing.
func newQueues(r jobs.Redis) prometheus.Collector {
	inspector := asynq.NewInspectorFromRedisClient(r)
	depth := prometheus.NewDesc("switchyard_queue_tasks", "Tasks in Redis by queue and state.", []string{"queue", "state"}, nil)
	age := prometheus.NewDesc("switchyard_queue_oldest_seconds", "How long the oldest task that could run has waited.", []string{"queue"}, nil)
	paused := prometheus.NewDesc("switchyard_queue_paused", "1 while the queue is paused by hand.", []string{"queue"}, nil)
	return collector{[]*prometheus.Desc{depth, age, paused}, func(send sender) {
		known, err := inspector.Queues()
		for _, q := range jobs.Queues {
			info := &asynq.QueueInfo{}
			if err == nil && slices.Contains(known, q.Name) {
				info, err = inspector.GetQueueInfo(q.Name)
			}
			if err != nil {
				slog.Warn("figures of queues not read", "error", err)
				return
			}
			for state, n := range map[string]int{
				"pending": info.Pending, "active": info.Active, "scheduled": info.Scheduled, "retry": info.Retry,
				"archived": info.Archived, "completed": info.Completed,
			} {
				send(depth, float64(n), q.Name, state)
			}
			send(age, info.Latency.Seconds(), q.Name)
			if info.Paused {
				send(paused, 1, q.Name)
			} else {
				send(paused, 0, q.Name)
			}
		}
	}}
}
