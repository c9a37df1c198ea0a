package clicklog

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

// Redirects counts redirects since the start of the process: all, and those that took longer than 10 ms (SlowRedirect).
type Redirects struct{ All, Slow int64 }

// SlowRedirect is from when on a redirect counts as slow. Of the 15 ms that 99 of 100 visitors may wait, it leaves a
// third to the network and the kernel.
const SlowRedirect = 10 * time.Millisecond

const (
	throttleWindow = 250 * time.Millisecond
	// maxQueue is how many goroutines may wait for each processor, on average of the last second or so. A process that
	// keeps up has a quarter or less, in single windows more, because the clicks of one write to the disk wake up
	// together. One that 64 connections ask as fast as they are answered has one.
	maxQueue = 0.5
	// queueShare is the share of its time that the ingester always works, so that a backlog never stands still.
	queueShare = 0.1
	// maxSlow is the share of slow redirects that is still good.
	maxSlow = 0.01
	// slowShare is the share that slow redirects leave to the ingester. If they stay slow then, they do not wait for it.
	slowShare = 0.5
	// maxRest is the longest rest after a batch. A batch that took long has mostly waited, for the disk or for a lock,
	// which no redirect suffers from: nine times as long would be minutes in which nothing is stored.
	maxRest = 2 * time.Second
	// shareGrowth is by how many times the share grows after a window in which nobody suffered: to the whole in 1.5 s.
	shareGrowth = 1.5
)

// throttle decides how much of its time the ingester works while there is a backlog: all of it, until redirects
// suffer. If more than one in a hundred is slow, it gives way step by step, to the half. If goroutines queue for the
// processor, visitors come as fast as they are answered, and it gives way within a second, to a tenth. Then it works
// in smaller batches, and the backlog waits on disk.
type throttle struct {
	share    float64 // of its time, queueShare to 1
	pressure func() pressure
	at       time.Time
	last     pressure
	queue    float64 // goroutines that waited for each processor, as maxQueue
}

// pressure is what redirects suffered since the start of the process.
type pressure struct {
	Redirects
	queued float64 // seconds that all goroutines together waited for a processor, by the number of processors
}

// newThrottle takes the redirects' own count, nil if there is none.
func newThrottle(redirects func() Redirects) throttle {
	queue := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	return throttle{share: 1, pressure: func() pressure {
		var p pressure
		if redirects != nil {
			p.Redirects = redirects()
		}
		metrics.Read(queue)
		if queue[0].Value.Kind() == metrics.KindFloat64Histogram {
			p.queued = sumOf(queue[0].Value.Float64Histogram()) / float64(runtime.GOMAXPROCS(0))
		}
		return p
	}}
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
	p, last, first := t.pressure(), t.last, t.at.IsZero()
	t.at, t.last = now, p
	if first {
		return
	}
	old := math.Exp(-passed.Seconds())
	t.queue = old*t.queue + (1-old)*(p.queued-last.queued)/passed.Seconds()
	switch {
	case t.queue > maxQueue:
		t.share = max(t.share/3, queueShare)
	case float64(p.Slow-last.Slow) > maxSlow*float64(p.All-last.All):
		t.share = max(t.share*0.7, min(t.share, slowShare))
	default:
		t.share = min(t.share*shareGrowth, 1)
	}
}

// batchSize is how many of at most limit records to store at once: a short transaction leaves the disk free soon.
func (t *throttle) batchSize(limit int) int { return max(1, int(float64(limit)*t.share)) }

// backoff is how long to rest after having worked, at most maxRest.
func (t *throttle) backoff(worked time.Duration) time.Duration {
	return min(time.Duration(float64(worked)*(1/t.share-1)), maxRest)
}
