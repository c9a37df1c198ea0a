// Package clickcopy keeps the copy of clicks in ClickHouse up to date. Any number of workers may run it: a lock in PostgreSQL
// chooses the active one. While ClickHouse is unavailable, changes wait in PostgreSQL.
package clickcopy

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"switchyard/db"
	"switchyard/db/advisory"
	dbclickcopy "switchyard/db/clickcopy"
	"switchyard/models/interval"
)

// Forwarder copies changes of clicks to ClickHouse. Copy, Locks and Flush are required.
type Forwarder struct {
	Copy  dbclickcopy.Copy
	Locks *db.DB        // its sessions hold the lock
	Flush time.Duration // interval between two searches for changes
	// Days is the number of days after which clicks leave PostgreSQL. With 0 they stay.
	Days int
	// Metrics registers the figures. If it is nil, they are not published.
	Metrics prometheus.Registerer

	copied   prometheus.Counter
	failures prometheus.Counter
}

const (
	lockName = "switchyard click copy"
	// attemptTimeout limits one attempt to send changes.
	attemptTimeout = time.Minute
	// deleteEvery is the interval at which rows of deleted accounts and expired days are deleted, and at which old clicks leave
	// PostgreSQL.
	deleteEvery = 10 * time.Minute
	// deletedAfter is the minimum time for which the rows of a deleted account stay in ClickHouse. After that time, no change of the
	// account can still arrive.
	deletedAfter = 10 * time.Minute
	// thawedFor is how long the clicks of an old day stay in PostgreSQL after they were copied back from ClickHouse (thawed).
	thawedFor = 24 * time.Hour
)

// Run keeps the copy up to date while this process holds the lock, until the context ends.
func (f *Forwarder) Run(ctx context.Context) error {
	factory := promauto.With(f.Metrics)
	f.copied = factory.NewCounter(prometheus.CounterOpts{
		Name: "switchyard_click_copy_changes_total", Help: "Changes of clicks and conversions that were copied to ClickHouse.",
	})
	f.failures = factory.NewCounter(prometheus.CounterOpts{
		Name: "switchyard_click_copy_failures_total", Help: "Failed attempts to copy changes to ClickHouse or to delete old clicks.",
	})
	differs := factory.NewCounter(prometheus.CounterOpts{
		Name: "switchyard_click_copy_differs_total", Help: "Times that a day was kept in PostgreSQL because its copy differed.",
	})
	f.Copy.Differs = func(time.Time) { differs.Inc() }
	err := advisory.WithLock(ctx, f.Locks, lockName, f.lead)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (f *Forwarder) lead(ctx context.Context) {
	slog.InfoContext(ctx, "this process copies clicks to ClickHouse")
	var deletedAt time.Time
	for ctx.Err() == nil {
		next := time.Now().Add(f.Flush)
		f.try(ctx, "changes of clicks", f.forward)
		if time.Since(deletedAt) > deleteEvery {
			deletedAt = time.Now()
			f.try(ctx, "old clicks", f.deleteExpired)
		}
		if interval.Sleep(ctx, time.Until(next)) != nil {
			return
		}
	}
}

func (f *Forwarder) try(ctx context.Context, what string, step func(context.Context) error) {
	if err := step(ctx); err != nil && ctx.Err() == nil {
		f.failures.Inc()
		slog.WarnContext(ctx, "clickhouse is not up to date", "failed", what, "error", err)
	}
}

func (f *Forwarder) forward(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	n, err := f.Copy.Forward(ctx)
	f.copied.Add(float64(n))
	return err
}

func (f *Forwarder) deleteExpired(ctx context.Context) error {
	if err := f.Copy.DeleteAccounts(ctx, time.Now().Add(-deletedAfter)); err != nil {
		return err
	}
	if err := f.Copy.DeleteOldDays(ctx); err != nil || f.Days == 0 {
		return err
	}
	return f.Copy.Freeze(ctx, time.Now().AddDate(0, 0, -f.Days), thawedFor)
}
