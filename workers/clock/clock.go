// Package clock starts the jobs of the cron table at their time. Any number of clocks may run: a PostgreSQL lock
// chooses one, another takes over within seconds when it dies, and the id of a tick keeps even two from starting it
// twice.
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

// StartFunc starts the job of a row for the tick that was due at a moment. Starting the same tick again does nothing
// as long as keep says.
type StartFunc func(ctx context.Context, row jobs.CronRow, at time.Time, keep time.Duration) error

// Submit is the StartFunc of the service.
func Submit(c *jobs.Client) StartFunc {
	return func(ctx context.Context, row jobs.CronRow, at time.Time, keep time.Duration) error {
		_, err := jobs.Submit(ctx, c, row.Job, uuid.Nil, jobs.Tick{At: at}, jobs.WithTick(at, keep))
		return err
	}
}

// Clock holds what the loop needs; tests set their own time.
type Clock struct {
	Rows  []jobs.CronRow
	Start StartFunc
	Now   func() time.Time                                 // default time.Now
	Sleep func(ctx context.Context, until time.Time) error // default by the system's clock
}

// lockName is the name of the lock that the one clock holds.
const lockName = "switchyard clock"

// Run leads whenever this process holds the lock, until the context ends.
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
	row      jobs.CronRow
	schedule cron.Schedule
	keep     time.Duration
	busy     chan struct{} // holds one token: a tick is being started
}

func (c Clock) entries() ([]entry, error) {
	entries := make([]entry, len(c.Rows))
	for i, row := range c.Rows {
		s, err := jobs.ParseSpec(row.Spec)
		if err != nil {
			return nil, fmt.Errorf("clock: %s: %w", row.Name, err)
		}
		entries[i] = entry{row: row, schedule: s, keep: keepTick(s, c.Now()), busy: make(chan struct{}, 1)}
	}
	return entries, nil
}

// keepTick remembers a tick longer than a new leader looks back, and than a leader that was stopped may lag.
func keepTick(s cron.Schedule, now time.Time) time.Duration {
	first := s.Next(now.UTC())
	return max(2*s.Next(first).Sub(first), 3*time.Minute)
}

// lead starts every tick from the last one before it began: what was missed while nobody led is made up for once.
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

// lookBack is tried from short to long, so that finding the last of frequent ticks is cheap.
var lookBack = []time.Duration{10 * time.Second, 10 * time.Minute, 25 * time.Hour}

// lastBefore is the latest tick that is not after now, or the next one when there was none for a day.
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

// start does not wait: a queue that hangs delays no other row. A row whose last tick is still being started skips one.
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
		if err := c.Start(ctx, e.row, at, e.keep); err != nil && ctx.Err() == nil {
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
