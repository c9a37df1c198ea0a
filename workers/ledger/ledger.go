// Package ledger does the housekeeping of clicks and their ledger. What the clock starts may be missed, repeated or run
// beside others: it never changes a figure. What a customer asks to delete is a job with a row.
package ledger

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/ledger"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, d *db.DB) {
	h := &housekeeper{db: d}
	workers.Register(r, jobs.CompactLedger, h.compact)
	workers.Register(r, jobs.TidyClicks, h.tidy)
	campaigns := clearing(clicklog.Clear, clicklog.ClearArchive)
	workers.RegisterRow(r, jobs.ClearCampaign, campaigns)
	workers.RegisterRow(r, jobs.ClearOrphans, campaigns)
	workers.RegisterRow(r, jobs.ClearSmartlink, clearing(clicklog.ClearSmartlink))
}

type housekeeper struct{ db *db.DB }

const (
	hoursAtOnce = 500
	stepsAtOnce = 1000
	// visitorGrace is how long an expired fingerprint stays, for clicks that wait in a spool.
	visitorGrace = 3 * 24 * time.Hour
	daysAhead    = 3
)

func (h *housekeeper) compact(ctx context.Context, _ jobs.Tick) (jobs.None, error) {
	if _, err := clicklog.ApplyWaitingHops(ctx, h.db, stepsAtOnce); err != nil {
		return jobs.None{}, err
	}
	_, err := ledger.Compact(ctx, h.db, time.Now(), hoursAtOnce)
	return jobs.None{}, err
}

func (h *housekeeper) tidy(ctx context.Context, _ jobs.Tick) (jobs.None, error) {
	now := time.Now()
	for day := range daysAhead {
		if err := clicklog.EnsurePartition(ctx, h.db, now.AddDate(0, 0, day)); err != nil {
			return jobs.None{}, err
		}
	}
	visitors, err := clicklog.SweepVisitors(ctx, h.db, now.Add(-visitorGrace))
	if err != nil {
		return jobs.None{}, err
	}
	days, err := clicklog.DropBefore(ctx, h.db, now.AddDate(0, 0, -models.LongestHistory()))
	if err != nil {
		return jobs.None{}, fmt.Errorf("ledger: tidy: %w", err)
	}
	slog.InfoContext(ctx, "clicks tidied", "days", days, "visitors", visitors)
	return jobs.None{}, nil
}
