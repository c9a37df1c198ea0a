package ingest

import (
	"cmp"
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

const (
	throttleWindow = 250 * time.Millisecond
	// maxQueue is the number of goroutines that may wait for each processor, on average over about the last second. A process
	// that keeps up has 0.25 or less. Single windows have more, because the clicks of one write to the disk wake up together. A
	// process that answers 64 connections at full rate has about 1.
	maxQueue = 0.5
	// queueShare is the share of its time that the ingester works at least, so that a backlog never stands still.
	queueShare = 0.1
	// maxRest is the longest pause after a batch, unless Options sets another. A batch that took long has mostly waited for
	// the disk or for a lock, which does not slow redirects down. Without the limit, a pause of nine times that time would mean
	// minutes without storing anything.
	maxRest = 2 * time.Second
	// shareGrowth is the factor by which the share grows after a window without a queue. The full share is reached again after
	// 1.5 s.
	shareGrowth = 1.5
)

// throttle decides which share of its time the ingester works while there is a backlog. It works all the time until goroutines
// queue for the processor, which slows redirects down. Then the ingester slows down within a second: its share falls to a tenth,
// its batches become smaller, and the backlog waits on disk. Redirects that are slow without such a queue wait for the disk.
// Pauses of the ingester did not make them faster in a test with 5,000 clicks a second on two processors, and left a backlog of a
// hundred thousand clicks.
type throttle struct {
	share  float64       // share of the time in which the ingester works, queueShare to 1
	most   time.Duration // the longest pause; 0: maxRest
	queued func() float64
	at     time.Time
	last   float64 // result of queued at that time
	queue  float64 // average number of goroutines that wait for each processor, see maxQueue
}

func newThrottle() throttle { return throttle{share: 1, queued: processorWait} }

// processorWait returns the seconds that all goroutines together have waited for a processor, divided by the number of
// processors.
func processorWait() float64 {
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

// update adapts the share to the queue since the last update, at most once per throttleWindow.
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

// batchSize returns the number of records to store at once, at most limit. A short transaction soon frees the disk.
func (t *throttle) batchSize(limit int) int { return max(1, int(float64(limit)*t.share)) }

// backoff returns the pause after a batch that took the time worked, at most the longest pause.
func (t *throttle) backoff(worked time.Duration) time.Duration {
	return min(time.Duration(float64(worked)*(1/t.share-1)), cmp.Or(t.most, maxRest))
}
