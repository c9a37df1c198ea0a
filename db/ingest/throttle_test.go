package ingest

import (
	"math"
	"runtime/metrics"
	"testing"
	"time"
)

// TestThrottle checks that the ingester slows down when goroutines queue for a processor, never stops, and speeds up again in
// steps.
func TestThrottle(t *testing.T) {
	t.Parallel()
	var sum float64 // seconds that goroutines have waited for a processor
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	th := throttle{share: 1, queued: func() float64 { return sum }}
	sum = 1e6 // before the start: does not count
	th.update(now)
	for i, step := range []struct {
		after  time.Duration // since the last step
		queued float64       // seconds of waiting since the last step
		want   float64       // after the step, the ingester works in this share of the time
	}{
		{time.Second, 0.5, 1}, // the average queue stays below maxQueue
		{time.Hour, 0, 1},
		{throttleWindow / 2, 99, 1},      // too short a time to measure
		{throttleWindow / 2, 0, 1.0 / 3}, // the wait of the previous step counts now
		{time.Second, 0, 1.0 / 9},        // the long queue still counts in the average
		{time.Second, 0, queueShare},
		{time.Hour, 0, queueShare * shareGrowth},
		{throttleWindow, 0.2, queueShare * 1.5 * 1.5}, // 0.2 s of waiting in a window of 0.25 s: an average queue of 0.8
		{throttleWindow, 0.2, queueShare * 1.5 * 1.5 * 1.5},
		{throttleWindow, 0.4, queueShare * 1.5 * 1.5 / 2}, // the queues of several windows add up
		{time.Hour, 0.4 * 3600, queueShare * 1.5 * 1.5 * 1.5 / 2},
		{time.Hour, 0, queueShare * 1.5 * 1.5 * 1.5 * 1.5 / 2},
		{time.Hour, 3601, queueShare},
	} {
		now, sum = now.Add(step.after), sum+step.queued
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
		t.Errorf("after a time without a queue: share %v, want 1; batch size %d, want 2000; backoff %s, want 0s",
			th.share, th.batchSize(2000), th.backoff(time.Second))
	}
	th.share = queueShare
	if n, rest := th.batchSize(2000), th.backoff(100*time.Millisecond); n != 200 || rest != 900*time.Millisecond {
		t.Errorf("at the minimum share, batches have %d records, want 200, and the pause is %s, want 900ms", n, rest)
	}
	if rest := th.backoff(13 * time.Second); rest != maxRest {
		t.Errorf("after a batch that took 13 s, the pause is %s, want %s", rest, maxRest)
	}
	if th.batchSize(1) != 1 {
		t.Error("the batch size is 0, so a backlog would never shrink")
	}
}

// TestQueued checks that the runtime measures the wait for processors.
func TestQueued(t *testing.T) {
	t.Parallel()
	before := processorWait()
	done := make(chan struct{})
	for range 1000 {
		go func() { done <- struct{}{} }()
	}
	for range 1000 {
		<-done
	}
	if after := processorWait(); after <= before {
		t.Errorf("goroutines have waited, but the total is %v before and %v after", before, after)
	}
	h := &metrics.Float64Histogram{Counts: []uint64{9, 2, 1}, Buckets: []float64{math.Inf(-1), 0.5, 2, math.Inf(1)}}
	if sum := sumOf(h); sum != 2*0.5+1*2 { // the 9 values below 0.5 count as zero
		t.Errorf("the sum of the histogram is %v, want 3", sum)
	}
}
