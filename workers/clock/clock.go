// Package clock starts the jobs of the cron table at their times. Any number of clocks may run: a lock in PostgreSQL chooses the
// leader. A tick starts once even if two clocks lead, because its id derives from its time.
package clock

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/robfig/cron/v3"

	"switchyard/db"
	"switchyard/db/advisory"
	"switchyard/jobs"
	"switchyard/models/interval"
)

// StartFunc starts the job of a row for the tick that was due at the given time. Until the retention ends, starting the same tick
// again does nothing.
type StartFunc func(ctx context.Context, row jobs.CronRow, at time.Time, retention time.Duration) error

// Submit is the StartFunc of the service.
func Submit(c *jobs.Client) StartFunc {
	return func(ctx context.Context, row jobs.CronRow, at time.Time, retention time.Duration) error {
		_, err := jobs.Submit(ctx, c, row.Job, uuid.Nil, jobs.Tick{At: at}, jobs.WithTick(at, retention))
		return err
	}
}

// Clock has the settings of a clock. Rows and Start are required. Tests set Now and Sleep.
type Clock struct {
	Rows  []jobs.CronRow
	Start StartFunc
	Now   func() time.Time                                 // default time.Now
	Sleep func(ctx context.Context, until time.Time) error // default a timer
}

const lockName = "switchyard clock"

// Run starts ticks while this process leads, until the context ends. A malformed spec is an error.
func (c Clock) Run(ctx context.Context, d *db.DB) error {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = func(ctx context.Context, until time.Time) error { return interval.Sleep(ctx, time.Until(until)) }
	}
	entries, err := c.entries()
	if err != nil {
		return err
	}
	return advisory.WithLock(ctx, d, lockName, func(ctx context.Context) {
		slog.InfoContext(ctx, "clock leads", "rows", len(entries))
		c.lead(ctx, entries)
	})
}

type entry struct {
	row       jobs.CronRow
	schedule  cron.Schedule
	retention time.Duration
	due       chan time.Time // holds the tick to start next
}

func (c Clock) entries() ([]entry, error) {
	entries := make([]entry, len(c.Rows))
	for i, row := range c.Rows {
		s, err := jobs.ParseSpec(row.Spec)
		if err != nil {
			return nil, fmt.Errorf("clock: %s: %w", row.Name, err)
		}
		entries[i] = entry{row: row, schedule: s, retention: tickRetention(s, c.Now())}
	}
	return entries, nil
}

// tickRetention returns how long the id of a tick is remembered. A new leader starts the last tick again, and a paused leader
// starts a tick late. The id must still be remembered then.
func tickRetention(s cron.Schedule, now time.Time) time.Duration {
	first := s.Next(now.UTC())
	return max(2*s.Next(first).Sub(first), 3*time.Minute)
}

// lead starts every tick until the context ends, beginning with the last tick before now. If several ticks passed without a
// leader, lead starts only the last of them.
func (c Clock) lead(ctx context.Context, entries []entry) {
	next := make([]time.Time, len(entries))
	entries = slices.Clone(entries)
	for i, e := range entries {
		e.due = make(chan time.Time, 1) // a new channel, because goroutines of an earlier lead may still read theirs
		entries[i] = e
		go c.work(ctx, e)
		next[i] = lastBefore(e.schedule, c.Now().UTC())
	}
	for ctx.Err() == nil {
		now := c.Now().UTC()
		wake := now.Add(time.Minute)
		for i, e := range entries {
			due := time.Time{}
			for !next[i].After(now) {
				due, next[i] = next[i], e.schedule.Next(next[i])
			}
			if !due.IsZero() {
				e.enqueue(ctx, due)
			}
			if next[i].Before(wake) {
				wake = next[i]
			}
		}
		if c.Sleep(ctx, wake) != nil {
			return
		}
	}
}

// lookBack is how far lastBefore searches, from short to long, so that it is cheap for frequent ticks.
var lookBack = []time.Duration{10 * time.Second, 10 * time.Minute, 25 * time.Hour}

// lastBefore returns the last tick that is not after now. If there was no tick for 25 hours, it returns the next one.
func lastBefore(s cron.Schedule, now time.Time) time.Time {
	for _, back := range lookBack {
		t := s.Next(now.Add(-back))
		if t.After(now) {
			continue
		}
		for n := s.Next(t); !n.After(now); n = s.Next(n) {
			t = n
		}
		return t
	}
	return s.Next(now)
}

// enqueue makes a tick the next tick of its row. It does not wait, so a hanging queue delays no other row. A tick that still
// waits is replaced. Only one goroutine may call enqueue for a row.
func (e entry) enqueue(ctx context.Context, at time.Time) {
	select {
	case <-e.due:
		slog.WarnContext(ctx, "tick skipped, an earlier tick hangs", "job", e.row.Job.Kind())
	default:
	}
	e.due <- at
}

func (c Clock) work(ctx context.Context, e entry) {
	for {
		select {
		case <-ctx.Done():
			return
		case at := <-e.due:
			c.start(ctx, e, at)
		}
	}
}

// start starts a tick. A panic does not stop the clock.
func (c Clock) start(ctx context.Context, e entry, at time.Time) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "tick panicked", "job", e.row.Job.Kind(), "panic", fmt.Sprint(p))
		}
	}()
	if err := c.Start(ctx, e.row, at, e.retention); err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "tick not started", "job", e.row.Job.Kind(), "error", err)
	}
}
