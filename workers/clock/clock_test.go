package clock_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models/await"
	"switchyard/workers/clock"
)

var tick = jobs.Define[jobs.Tick, jobs.None]("ctest:tick", jobs.Policy{Queue: jobs.Maintenance})

// manualClock is a clock that a test moves forward. Each move wakes all sleepers.
type manualClock struct {
	mu   sync.Mutex
	now  time.Time
	wake chan struct{}
	idle chan struct{} // gets a value whenever a caller goes to sleep
}

func newManualClock(now time.Time) *manualClock {
	return &manualClock{now: now, wake: make(chan struct{}), idle: make(chan struct{}, 1000)}
}

func (h *manualClock) read() time.Time { h.mu.Lock(); defer h.mu.Unlock(); return h.now }

func (h *manualClock) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
	close(h.wake)
	h.wake = make(chan struct{})
}

func (h *manualClock) sleep(ctx context.Context, until time.Time) error {
	for {
		h.mu.Lock()
		now, wake := h.now, h.wake
		h.mu.Unlock()
		if !now.Before(until) {
			return nil
		}
		h.idle <- struct{}{}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		}
	}
}

func starts() (clock.StartFunc, chan time.Time) {
	ch := make(chan time.Time, 1000)
	return func(_ context.Context, _ jobs.CronRow, at time.Time, _ time.Duration) error {
		ch <- at
		return nil
	}, ch
}

func TestTicks(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newManualClock(time.Date(2026, 3, 29, 0, 30, 10, 0, time.UTC))
	start, ticks := starts()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := clock.Clock{Rows: []jobs.CronRow{{Name: "hourly", Spec: "0 * * * *", Job: tick}}, Start: start, Now: h.read, Sleep: h.sleep}
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, d) }()

	// The tick that was missed without a leader is started once. After a long sleep only the last tick is started.
	for i, c := range []struct {
		move time.Duration
		want string
	}{{0, "00:00"}, {30 * time.Minute, "01:00"}, {time.Hour, "02:00"}, {5 * time.Hour, "07:00"}} {
		if i > 0 {
			await.Recv(t, h.idle)
			h.move(c.move)
		}
		if got := await.Recv(t, ticks).Format("15:04"); got != c.want {
			t.Errorf("tick %s, want %s", got, c.want)
		}
	}
	cancel()
	await.Recv(t, done)
	if len(ticks) != 0 {
		t.Errorf("%d ticks too many", len(ticks))
	}
}

func TestTwoClocksAndHandOver(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	start, ticks := starts()
	rows := []jobs.CronRow{{Name: "secondly", Spec: "* * * * * *", Job: tick}}
	run := func(h *manualClock) (context.CancelFunc, chan error) {
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		done := make(chan error, 1)
		go func() { done <- clock.Clock{Rows: rows, Start: start, Now: h.read, Sleep: h.sleep}.Run(ctx, d) }()
		t.Cleanup(cancel)
		return cancel, done
	}
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	one, two := newManualClock(begin), newManualClock(begin)
	stop, stopped := run(one)
	await.Recv(t, ticks)
	await.Recv(t, one.idle)
	run(two)
	for range 5 {
		one.move(time.Second)
		two.move(time.Second)
		await.Recv(t, ticks)
		await.Recv(t, one.idle)
	}
	if len(ticks) != 0 || len(two.idle) != 0 {
		t.Errorf("the second clock starts ticks although it does not lead: %d ticks, %d sleeps", len(ticks), len(two.idle))
	}
	stop()
	await.Recv(t, stopped)
	await.Recv(t, two.idle) // the second clock leads now
	if got := await.Recv(t, ticks); !got.Equal(begin.Add(5 * time.Second)) {
		t.Errorf("the new leader's first tick is %s, want 5 s after the start", got)
	}
}

func TestPanicIsIsolated(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newManualClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	good := make(chan time.Time, 10)
	start := func(_ context.Context, row jobs.CronRow, at time.Time, _ time.Duration) error {
		if row.Name == "bad" {
			panic("boom")
		}
		good <- at
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows := []jobs.CronRow{{Name: "bad", Spec: "* * * * *", Job: tick}, {Name: "good", Spec: "* * * * *", Job: tick}}
	go func() { _ = clock.Clock{Rows: rows, Start: start, Now: h.read, Sleep: h.sleep}.Run(ctx, d) }()
	for range 3 {
		await.Recv(t, good)
		await.Recv(t, h.idle)
		h.move(time.Minute)
	}
}

// TestTickBehindAHangingOne: while a tick hangs, only the newest tick of its row waits.
func TestTickBehindAHangingOne(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newManualClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	ticks, release := make(chan time.Time, 10), make(chan struct{})
	start := func(_ context.Context, _ jobs.CronRow, at time.Time, _ time.Duration) error {
		ticks <- at
		<-release
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows := []jobs.CronRow{{Name: "minutely", Spec: "* * * * *", Job: tick}}
	go func() { _ = clock.Clock{Rows: rows, Start: start, Now: h.read, Sleep: h.sleep}.Run(ctx, d) }()
	await.Recv(t, ticks)
	for range 3 {
		await.Recv(t, h.idle)
		h.move(time.Minute)
	}
	await.Recv(t, h.idle)
	close(release)
	if got := await.Recv(t, ticks).Format("15:04"); got != "12:03" {
		t.Errorf("tick %s after the hanging tick, want the newest, 12:03", got)
	}
	if len(ticks) != 0 {
		t.Errorf("%d ticks too many", len(ticks))
	}
}

func TestATickIsOneJob(t *testing.T) {
	t.Parallel()
	r, client := jobstest.New()
	submit, at := clock.Submit(client), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	row := jobs.CronRow{Name: "x", Spec: "@hourly", Job: tick}
	for _, moment := range []time.Time{at, at, at.Add(time.Hour), at} {
		if err := submit(t.Context(), row, moment, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	tasks := r.Tasks(tick.Kind())
	if len(tasks) != 2 || tasks[0].ID != "ctest:tick@2026-01-01T12:00:00Z" || tasks[0].Policy.Retention != time.Hour {
		t.Errorf("tasks: %+v", tasks)
	}
}

func TestTableIsValid(t *testing.T) {
	t.Parallel()
	for _, row := range jobs.Cron {
		if _, err := jobs.ParseSpec(row.Spec); err != nil {
			t.Errorf("%s: %v", row.Name, err)
		}
	}
}
