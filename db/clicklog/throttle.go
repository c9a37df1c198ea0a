package clicklog

import (
	"cmp"
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

const (
	throttleWindow = 250 * time.Millisecond
	// maxQueue is how many goroutines may wait for each processor, on average over the last second or so. A process that
	// keeps up has a quarter or less. Single windows have more, because the clicks of one write to the disk wake up
	// together. A process that answers 64 connections at full rate has one.
	maxQueue = 0.5
	// queueShare is the share of its time that the ingester always works, so that a backlog never stands still.
	queueShare = 0.1
	// maxRest is the longest rest after a batch, unless IngestOptions set another. A batch that took long has mostly waited
	// for the disk or for a lock, and redirects do not suffer from that. Nine times that time would be minutes without
	// storing anything.
	maxRest = 2 * time.Second
	// shareGrowth is the factor by which the share grows after a window without trouble: it is whole again after 1.5 s.
	shareGrowth = 1.5
)

// throttle decides which share of its time the ingester works while there is a backlog. It works all of the time until
// redirects suffer. They suffer when goroutines queue for the processor, because visitors come as fast as they are answered.
// Then the ingester gives way within a second: its share falls to a tenth, its batches become smaller, and the backlog waits
// on disk. Slow redirects without such a queue wait for the disk. Resting did not make those faster at 5,000 clicks a second
// on two processors, and a hundred thousand clicks waited.
type throttle struct {
	share  float64       // of its time, queueShare to 1
	most   time.Duration // the longest rest; 0: maxRest
	queued func() float64
	at     time.Time
	last   float64 // what queued said then
	queue  float64 // goroutines that waited for each processor, as maxQueue
}

func newThrottle() throttle { return throttle{share: 1, queued: queued} }

// queued is how many seconds all goroutines together have waited for a processor, by the number of processors.
func queued() float64 {
	sample := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0
	}
	return sumOf(sample[0].Value.Float64Histogram()) / float64(runtime.GOMAXPROCS(0))
}

// sumOf returns the sum of a histogram's values. Each value counts as the lower end of its bucket.
func sumOf(h *metrics.Float64Histogram) (sum float64) {
	for i, n := range h.Counts {
		if low := h.Buckets[i]; !math.IsInf(low, -1) {
			sum += float64(n) * low
		}
	}
	return sum
}

// update adapts the share to what happened since the last update, at most once in a window.
func (t *throttle) update(now time.Time) {
	passed := now.Sub(t.at)
	if passed < throttleWindow {
		return
	}
	sum, last, first := t.queued(), t.last, t.at.IsZero()
	t.at, t.last = now, sum
	if first {
		return
	}
	old := math.Exp(-passed.Seconds())
	t.queue = old*t.queue + (1-old)*(sum-last)/passed.Seconds()
	if t.queue > maxQueue {
		t.share = max(t.share/3, queueShare)
		return
	}
	t.share = min(t.share*shareGrowth, 1)
}

// batchSize returns how many records to store at once, at most limit. A short transaction leaves the disk free soon.
func (t *throttle) batchSize(limit int) int { return max(1, int(float64(limit)*t.share)) }

// backoff returns how long to rest after a batch that took worked, at most the longest rest.
func (t *throttle) backoff(worked time.Duration) time.Duration {
	return min(time.Duration(float64(worked)*(1/t.share-1)), cmp.Or(t.most, maxRest))
}
