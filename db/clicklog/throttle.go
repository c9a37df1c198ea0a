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
	// maxQueue is how many goroutines may wait for each processor, on average of the last second or so. A process that
	// keeps up has a quarter or less, in single windows more, because the clicks of one write to the disk wake up
	// together. One that 64 connections ask as fast as they are answered has one.
	maxQueue = 0.5
	// queueShare is the share of its time that the ingester always works, so that a backlog never stands still.
	queueShare = 0.1
	// maxRest is the longest rest after a batch, if IngestOptions name no other. A batch that took long has mostly waited, for the disk or for a lock,
	// which no redirect suffers from: nine times as long would be minutes in which nothing is stored.
	maxRest = 2 * time.Second
	// shareGrowth is by how many times the share grows after a window in which nobody suffered: to the whole in 1.5 s.
	shareGrowth = 1.5
)

// throttle decides how much of its time the ingester works while there is a backlog: all of it, until redirects suffer.
// They do when goroutines queue for the processor, because visitors come as fast as they are answered. Then it gives way
// within a second, to a tenth, works in smaller batches, and the backlog waits on disk. Redirects that are slow without
// such a queue wait for the disk. At 5,000 clicks a second on two processors, resting did not make them quicker, and let a
// hundred thousand clicks wait.
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

// sumOf adds up what a histogram counted. A value is taken for the lower end of its bucket.
func sumOf(h *metrics.Float64Histogram) (sum float64) {
	for i, n := range h.Counts {
		if low := h.Buckets[i]; !math.IsInf(low, -1) {
			sum += float64(n) * low
		}
	}
	return sum
}

// update looks at what happened since the last update, at most once in a window.
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

// batchSize is how many of at most limit records to store at once: a short transaction leaves the disk free soon.
func (t *throttle) batchSize(limit int) int { return max(1, int(float64(limit)*t.share)) }

// backoff is how long to rest after having worked, at most as long as it may be.
func (t *throttle) backoff(worked time.Duration) time.Duration {
	return min(time.Duration(float64(worked)*(1/t.share-1)), cmp.Or(t.most, maxRest))
}
