// Package housekeeping deletes records that are no longer needed:
//   - answers that were stored for repeated calls of the API, after 24 hours
//   - removed rules that no flow uses any more
//   - ended sessions, expired sign-in links, and old entries of the audit log
//   - old figures that networks and traffic sources have reported
//   - old data with which changes of cost and changes of many records at once could be undone
//   - old plans of configuration documents
//   - old tokens and clients of connected assistants
package housekeeping

import (
	"context"
	"log/slog"
	"time"

	"switchyard/db/accountconfig"
	"switchyard/db/assistant"
	"switchyard/db/idempotency"
	"switchyard/db/people"
	"switchyard/db/reported"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/workers"
)

// Register registers the handlers.
func Register(r *workers.Runtime, s *store.Store) {
	workers.RegisterTick(r, jobs.DeleteExpiredAnswers, func(ctx context.Context) error {
		n, err := idempotency.New(s).DeleteExpired(ctx)
		slog.InfoContext(ctx, "old stored answers deleted", "rows", n)
		return err
	})
	workers.RegisterTick(r, jobs.DeleteExpiredEntries, func(ctx context.Context) error {
		n, err := people.New(s).DeleteExpired(ctx)
		slog.InfoContext(ctx, "ended sessions and old audit entries deleted", "rows", n)
		if err != nil {
			return err
		}
		undoable, err := s.DeleteExpiredChanges(ctx)
		slog.InfoContext(ctx, "old changes of many records deleted", "rows", undoable)
		if err != nil {
			return err
		}
		old, err := reported.DeleteExpired(ctx, s.Conn(), time.Now())
		slog.InfoContext(ctx, "old figures of networks and sources deleted", "rows", old)
		if err != nil {
			return err
		}
		changes, err := spend.DeleteExpired(ctx, s.Conn(), time.Now())
		slog.InfoContext(ctx, "old changes of cost deleted", "rows", changes)
		if err != nil {
			return err
		}
		plans, err := accountconfig.PlansOf(s).DeleteExpired(ctx)
		slog.InfoContext(ctx, "old plans of documents deleted", "rows", plans)
		if err != nil {
			return err
		}
		assistants, err := assistant.New(s).DeleteExpired(ctx, time.Now())
		slog.InfoContext(ctx, "old tokens and clients of assistants deleted", "rows", assistants)
		return err
	})
	workers.RegisterTick(r, jobs.DeleteUnusedRules, func(ctx context.Context) error {
		n, err := s.Rules().DeleteUnused(ctx)
		slog.InfoContext(ctx, "unused removed rules deleted", "rows", n)
		return err
	})
}
