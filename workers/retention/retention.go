// Package retention does the housekeeping of clicks and their ledger, deletes clicks, erases visitors, and scores clicks again
// after a change of settings.
//
// The housekeeping leaves the figures of the ledger alone, and may be missed, repeated or run in parallel. The other jobs are row
// jobs.
package retention

import (
	"context"
	"log/slog"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/ingest"
	"switchyard/db/matchkey"
	dbretention "switchyard/db/retention"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/workers"
)

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, s *store.Store, clicks click.Log) {
	tick := func(fn func(context.Context, click.Log) error) func(context.Context) error {
		return func(ctx context.Context) error { return fn(ctx, clicks) }
	}
	workers.RegisterTick(r, jobs.CompactLedger, tick(ingest.Compact))
	workers.RegisterTick(r, jobs.TidyClicks, tick(dbretention.MaintainPartitions))
	workers.RegisterTick(r, jobs.DeleteExpiredHistory, tick(dbretention.DeleteExpired))
	workers.RegisterTick(r, jobs.DeleteExpiredKeys, tick(deleteExpiredKeys))
	campaigns := clearing(clicks, dbretention.Clear, dbretention.ClearArchive)
	workers.RegisterRow(r, jobs.ClearCampaign, campaigns)
	workers.RegisterRow(r, jobs.ClearOrphans, campaigns)
	smartlink := func(ctx context.Context, _ click.Log, c db.Conn, q dbretention.ClearQuery, limit int) (dbretention.Cleared, error) {
		return dbretention.ClearSmartlink(ctx, c, q, limit)
	}
	workers.RegisterRow(r, jobs.ClearSmartlink, clearing(clicks, smartlink))
	workers.RegisterRow(r, jobs.RescoreBots, rescore(s, clicks))
	workers.RegisterRow(r, jobs.EraseVisitor, erase(clicks))
}

// deleteExpiredKeys deletes hashed personal data, and clears encrypted proofs of postbacks that contain personal data, shortly
// before the end of their retention.
func deleteExpiredKeys(ctx context.Context, l click.Log) error {
	keys, proofs, err := matchkey.DeleteExpired(ctx, l.Conn, l.Time())
	slog.InfoContext(ctx, "old hashed personal data deleted", "keys", keys, "proofs", proofs)
	return err
}
