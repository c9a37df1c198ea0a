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
	// maxQueue is the largest acceptable number of goroutines that wait for each processor, as an average over about a second. A
	// process that keeps up has 0.25 or less. A process that answers 64 connections at full rate has about 1.
	maxQueue = 0.5
	// queueShare is the minimum of throttle.share, so that storing a backlog never stops.
	queueShare = 0.1
	// maxRest is the longest pause after a batch, unless Options sets another. A batch that took long has mostly waited for the
	// disk or a lock, so a pause of nine times its length would not help redirects.
	maxRest = 2 * time.Second
	// shareGrowth is the factor by which throttle.share grows after a window without a long queue. From its minimum, the share
	// reaches 1 after 1.5 s.
	shareGrowth = 1.5
	shareDrop   = 3
)

// throttle determines the share of the time in which the ingester works while there is a backlog. The share is 1 until goroutines
// queue for a processor, which slows redirects down. Then it falls to a tenth within a second, and batches become smaller.
// Redirects that wait only for the disk are not helped: in a test with 5,000 clicks a second on two processors, pauses did not
// make them faster, and left a backlog of a hundred thousand clicks.
type throttle struct {
	share    float64        // queueShare to 1
	maxPause time.Duration  // longest pause; 0: maxRest
	queued   func() float64 // processorWait, except in tests
	at       time.Time      // last update
	last     float64        // result of `queued` at the last update
	queue    float64        // average, see maxQueue
}

func newThrottle() throttle { return throttle{share: 1, queued: processorWait} }

// processorWait returns the total time in seconds that goroutines have waited for a processor, divided by the number of
// processors.
func processorWait() float64 {
	sample := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0
	}
	return sumOf(sample[0].Value.Float64Histogram()) / float64(runtime.GOMAXPROCS(0))
}

// sumOf returns the sum of the values in a histogram. Each counts as the lower bound of its bucket.
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
	weight := math.Exp(-passed.Seconds()) // of the earlier average
	t.queue = weight*t.queue + (1-weight)*(sum-last)/passed.Seconds()
	if t.queue > maxQueue {
		t.share = max(t.share/shareDrop, queueShare)
		return
	}
	t.share = min(t.share*shareGrowth, 1)
}

// batchSize returns the number of records to store in one transaction: the limit times the share, but at least 1. A short
// transaction soon frees the disk.
func (t *throttle) batchSize(limit int) int { return max(1, int(float64(limit)*t.share)) }

// backoff returns the pause after a batch. worked is the time that the batch took.
func (t *throttle) backoff(worked time.Duration) time.Duration {
	return min(time.Duration(float64(worked)*(1/t.share-1)), cmp.Or(t.maxPause, maxRest))
}
