// Package clock starts the jobs of the cron table at their time. Any number of clocks may run. A lock in PostgreSQL chooses
// the one that leads; when it dies another leads within seconds. Even two that lead start a tick once, because its id is
// made of its moment.
package clock

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/robfig/cron/v3"

	"switchyard/db"
	"switchyard/db/advisory"
	"switchyard/jobs"
)

// StartFunc starts the job of a row for the tick that was due at a moment. Starting the same tick again does nothing until
// the retention ends.
type StartFunc func(ctx context.Context, row jobs.CronRow, at time.Time, retention time.Duration) error

// Submit is the StartFunc of the service.
func Submit(c *jobs.Client) StartFunc {
	return func(ctx context.Context, row jobs.CronRow, at time.Time, retention time.Duration) error {
		_, err := jobs.Submit(ctx, c, row.Job, uuid.Nil, jobs.Tick{At: at}, jobs.WithTick(at, retention))
		return err
	}
}

// Clock is the settings of the clock. Rows and Start are required; tests set Now and Sleep.
type Clock struct {
	Rows  []jobs.CronRow
	Start StartFunc
	Now   func() time.Time                                 // default time.Now
	Sleep func(ctx context.Context, until time.Time) error // default by the system's clock
}

// lockName is the name of the lock that the one clock holds.
const lockName = "switchyard clock"

// Run starts ticks whenever this process holds the lock, until the context ends. A wrong spec is an error at once.
func (c Clock) Run(ctx context.Context, d *db.DB) error {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	entries, err := c.entries()
	if err != nil {
		return err
	}
	return advisory.Hold(ctx, d, lockName, advisory.Options{}, func(ctx context.Context) {
		slog.InfoContext(ctx, "clock leads", "rows", len(entries))
		c.lead(ctx, entries)
	})
}

type entry struct {
	row       jobs.CronRow
	schedule  cron.Schedule
	retention time.Duration
	busy      chan struct{} // holds one token: a tick is being started
}

func (c Clock) entries() ([]entry, error) {
	entries := make([]entry, len(c.Rows))
	for i, row := range c.Rows {
		s, err := jobs.ParseSpec(row.Spec)
		if err != nil {
			return nil, fmt.Errorf("clock: %s: %w", row.Name, err)
		}
		entries[i] = entry{row: row, schedule: s, retention: tickRetention(s, c.Now()), busy: make(chan struct{}, 1)}
	}
	return entries, nil
}

// tickRetention is longer than a new leader looks back, and than a leader that was stopped for a while is late.
func tickRetention(s cron.Schedule, now time.Time) time.Duration {
	first := s.Next(now.UTC())
	return max(2*s.Next(first).Sub(first), 3*time.Minute)
}

// lead starts every tick, beginning with the last one before now. So of the ticks that were missed while nobody led, the
// last one is made up for.
func (c Clock) lead(ctx context.Context, entries []entry) {
	next := make([]time.Time, len(entries))
	for i, e := range entries {
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
				c.start(ctx, e, due)
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

// lookBack is how far lastBefore searches, from short to long: so finding the last of frequent ticks is cheap.
var lookBack = []time.Duration{10 * time.Second, 10 * time.Minute, 25 * time.Hour}

// lastBefore is the last tick that is not after now, or the next one when there was none for 25 hours.
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

// start starts a tick without waiting, so that a queue that hangs delays no other row. When the tick before is still being
// started, this one is skipped.
func (c Clock) start(ctx context.Context, e entry, at time.Time) {
	select {
	case e.busy <- struct{}{}:
	default:
		slog.WarnContext(ctx, "tick skipped, the one before hangs", "job", e.row.Job.Kind())
		return
	}
	go func() {
		defer func() {
			if p := recover(); p != nil {
				slog.ErrorContext(ctx, "tick panicked", "job", e.row.Job.Kind(), "panic", fmt.Sprint(p))
			}
			<-e.busy
		}()
		if err := c.Start(ctx, e.row, at, e.retention); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "tick not started", "job", e.row.Job.Kind(), "error", err)
		}
	}()
}

func sleep(ctx context.Context, until time.Time) error {
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
