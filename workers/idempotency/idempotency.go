// Package idempotency deletes stored answers of the API that are too old for a repeated call.
package idempotency

import (
	"context"
	"log/slog"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/workers"
)

// Register adds the handler to a runtime.
func Register(r *workers.Runtime, s *store.Store) {
	workers.RegisterTick(r, jobs.ForgetAnswers, func(ctx context.Context) error {
		n, err := s.PruneAttempts(ctx)
		slog.InfoContext(ctx, "stored answers forgotten", "rows", n)
		return err
	})
}
