package clicklog

import (
	"math"
	"runtime/metrics"
	"testing"
	"time"
)

// The ingester gives way when redirects suffer, whatever tells it, never stops, and comes back step by step.
func TestThrottle(t *testing.T) {
	t.Parallel()
	var p pressure
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	th := throttle{share: 1, pressure: func() pressure { return p }}
	p = pressure{Redirects: Redirects{All: 1000, Slow: 1000}, queued: 1e6} // what was before is nobody's concern
	th.update(now)
	for i, step := range []struct {
		after     time.Duration
		all, slow int64
		queued    float64
		want      float64
	}{
		{time.Second, 5000, 50, 0.5, 1}, // one in a hundred, and a queue that is short
		{time.Second, 0, 0, 0, 1},
		{time.Second, 5000, 51, 0, 0.7},
		{throttleWindow / 2, 5000, 5000, 99, 0.7}, // too short to tell
		{throttleWindow / 2, 0, 0, 0, 0.7 / 3},    // what the short one left out
		{time.Second, 5000, 51, 0, queueShare},    // the queue was too long to be forgotten
		{time.Hour, 5000, 0, 0, queueShare * 1.5},
		{time.Hour, 5000, 51, 0, queueShare * 1.5},          // less than slow redirects ask for
		{throttleWindow, 0, 0, 0.2, queueShare * 1.5 * 1.5}, // 0.8 in one window
		{throttleWindow, 0, 0, 0.2, queueShare * 1.5 * 1.5 * 1.5},
		{throttleWindow, 0, 0, 0.4, queueShare * 1.5 * 1.5 / 2}, // again and again
		{time.Hour, 5000, 0, 0.4 * 3600, queueShare * 1.5 * 1.5 * 1.5 / 2},
		{time.Hour, 5000, 0, 0, queueShare * 1.5 * 1.5 * 1.5 * 1.5 / 2},
		{time.Hour, 5000, 0, 0, queueShare * 1.5 * 1.5 * 1.5 * 1.5 * 1.5 / 2},
		{time.Hour, 5000, 0, 0, queueShare * 1.5 * 1.5 * 1.5 * 1.5 * 1.5 * 1.5 / 2},
		{time.Hour, 5000, 5000, 0, slowShare},
		{time.Hour, 5000, 5000, 0, slowShare},
		{time.Hour, 1, 1, 3601, slowShare / 3},
	} {
		now = now.Add(step.after)
		p.All, p.Slow, p.queued = p.All+step.all, p.Slow+step.slow, p.queued+step.queued
		th.update(now)
		if math.Abs(th.share-step.want) > 1e-9 {
			t.Fatalf("step %d: a share of %v, want %v", i, th.share, step.want)
		}
	}
	for range 20 {
		now = now.Add(throttleWindow)
		th.update(now)
	}
	if th.share != 1 || th.batchSize(2000) != 2000 || th.backoff(time.Second) != 0 {
		t.Errorf("does not come back: share %v, batch %d, backoff %s", th.share, th.batchSize(2000), th.backoff(time.Second))
	}
	th.share = queueShare
	if n, rest := th.batchSize(2000), th.backoff(100*time.Millisecond); n != 200 || rest != 900*time.Millisecond {
		t.Errorf("gives way with batches of %d and a backoff of %s", n, rest)
	}
	if rest := th.backoff(13 * time.Second); rest != maxRest {
		t.Errorf("a batch that took 13 s, waiting for the disk, is followed by a rest of %s", rest)
	}
	if th.batchSize(1) != 1 {
		t.Error("a batch of nothing would never end")
	}
}

// The real signal is there and only grows.
func TestPressure(t *testing.T) {
	t.Parallel()
	th := newThrottle(func() Redirects { return Redirects{7, 3} })
	before := th.pressure()
	done := make(chan struct{})
	for range 1000 {
		go func() { done <- struct{}{} }()
	}
	for range 1000 {
		<-done
	}
	if after := th.pressure(); after.queued <= before.queued || after.Redirects != (Redirects{7, 3}) {
		t.Errorf("before %+v, after %+v", before, after)
	}
	h := &metrics.Float64Histogram{Counts: []uint64{9, 2, 1}, Buckets: []float64{math.Inf(-1), 0.5, 2, math.Inf(1)}}
	if sum := sumOf(h); sum != 3 {
		t.Errorf("sum %v", sum)
	}
}
