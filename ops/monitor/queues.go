package monitor

import (
	"log/slog"
	"slices"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/jobs"
)

// queues reads the metrics of the queues from Redis at each scrape.
type queues struct{ inspector *asynq.Inspector }

func newQueues(r jobs.Redis) queues { return queues{asynq.NewInspectorFromRedisClient(r)} }

var (
	depthDesc = prometheus.NewDesc("switchyard_queue_tasks", "Tasks in Redis by queue and state.",
		[]string{"queue", "state"}, nil)
	ageDesc = prometheus.NewDesc("switchyard_queue_oldest_seconds", "How long the oldest task that could run waits.",
		[]string{"queue"}, nil)
	pausedDesc = prometheus.NewDesc("switchyard_queue_paused", "1 while the queue is paused by hand.",
		[]string{"queue"}, nil)
)

// Describe implements prometheus.Collector.
func (queues) Describe(ch chan<- *prometheus.Desc) {
	ch <- depthDesc
	ch <- ageDesc
	ch <- pausedDesc
}

// Collect implements prometheus.Collector. It reports a queue that never had a task as empty. If Redis is away, it stops
// without the remaining metrics. Other collectors are not affected.
func (c queues) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	known, err := c.inspector.Queues()
	for _, q := range jobs.Queues {
		info := &asynq.QueueInfo{}
		if err == nil && slices.Contains(known, q.Name) {
			info, err = c.inspector.GetQueueInfo(q.Name)
		}
		if err != nil {
			slog.Warn("figures of queues not read", "error", err)
			return
		}
		for state, n := range map[string]int{
			"pending": info.Pending, "active": info.Active, "scheduled": info.Scheduled, "retry": info.Retry,
			"archived": info.Archived, "completed": info.Completed,
		} {
			gauge(depthDesc, float64(n), q.Name, state)
		}
		gauge(ageDesc, info.Latency.Seconds(), q.Name)
		paused := 0.0
		if info.Paused {
			paused = 1
		}
		gauge(pausedDesc, paused, q.Name)
	}
}
