// Package ledger does the housekeeping of clicks and their ledger, and deletes the clicks that a customer asks to
// delete.
//
// The housekeeping never changes a figure. Its jobs may be missed, repeated or run in parallel. A deletion is a row
// job.
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
	workers.RegisterTick(r, jobs.CompactLedger, h.compact)
	workers.RegisterTick(r, jobs.TidyClicks, h.tidy)
	campaigns := clearing(clicklog.Clear, clicklog.ClearArchive)
	workers.RegisterRow(r, jobs.ClearCampaign, campaigns)
	workers.RegisterRow(r, jobs.ClearOrphans, campaigns)
	workers.RegisterRow(r, jobs.ClearSmartlink, clearing(clicklog.ClearSmartlink))
}

type housekeeper struct{ db *db.DB }

const (
	hoursAtOnce = 500
	stepsAtOnce = 1000
	// visitorGrace is how long an expired fingerprint is kept, for clicks that wait in a spool.
	visitorGrace = 3 * 24 * time.Hour
	daysAhead    = 3
)

func (h *housekeeper) compact(ctx context.Context) error {
	if _, err := clicklog.ApplyWaitingHops(ctx, h.db, stepsAtOnce); err != nil {
		return err
	}
	_, err := ledger.Compact(ctx, h.db, time.Now(), hoursAtOnce)
	return err
}

func (h *housekeeper) tidy(ctx context.Context) error {
	now := time.Now()
	for day := range daysAhead {
		if err := clicklog.EnsurePartition(ctx, h.db, now.AddDate(0, 0, day)); err != nil {
			return err
		}
	}
	visitors, err := clicklog.SweepVisitors(ctx, h.db, now.Add(-visitorGrace))
	if err != nil {
		return err
	}
	days, err := clicklog.DropBefore(ctx, h.db, now.AddDate(0, 0, -models.LongestHistory()))
	if err != nil {
		return fmt.Errorf("ledger: tidy: %w", err)
	}
	slog.InfoContext(ctx, "clicks tidied", "days", days, "visitors", visitors)
	return nil
}
