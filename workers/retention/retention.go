// Package retention does the housekeeping of clicks and their ledger, deletes the clicks that a customer asks to delete, erases
// visitors, and scores clicks again when a customer changes how they are scored.
//
// The housekeeping never changes a figure. The housekeeping jobs may be missed, repeated or run in parallel. The other jobs are
// row jobs.
package retention

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/workers"
)

// Clicks does the housekeeping of the click store, and deletes, erases and rescores clicks. clicklog.Log implements it.
type Clicks interface {
	Compact(ctx context.Context) error
	Tidy(ctx context.Context) error
	ForgetHistory(ctx context.Context) error
	Clear(ctx context.Context, c db.Conn, q clicklog.ClearQuery, limit int) (clicklog.Cleared, error)
	ClearArchive(ctx context.Context, c db.Conn, q clicklog.ClearQuery, limit int) (clicklog.Cleared, error)
	Rescore(ctx context.Context, c db.Conn, q clicklog.RescoreQuery, limit int) (clicklog.Rescored, error)
	Erase(ctx context.Context, c db.Conn, v clicklog.Visitor, after uuid.UUID, until time.Time, limit int) (clicklog.Erased, error)
	RespreadSpend(ctx context.Context, c db.Conn, account uuid.UUID, day time.Time) error
	ClearSmartlink(ctx context.Context, c db.Conn, q clicklog.ClearQuery, limit int) (clicklog.Cleared, error)
}

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, s *store.Store, clicks Clicks) {
	workers.RegisterTick(r, jobs.CompactLedger, clicks.Compact)
	workers.RegisterTick(r, jobs.TidyClicks, clicks.Tidy)
	workers.RegisterTick(r, jobs.ForgetHistory, clicks.ForgetHistory)
	campaigns := clearing(clicks.Clear, clicks.ClearArchive)
	workers.RegisterRow(r, jobs.ClearCampaign, campaigns)
	workers.RegisterRow(r, jobs.ClearOrphans, campaigns)
	workers.RegisterRow(r, jobs.ClearSmartlink, clearing(clicks.ClearSmartlink))
	workers.RegisterRow(r, jobs.RescoreBots, rescore(s, clicks))
	workers.RegisterRow(r, jobs.EraseVisitor, erase(clicks))
}
