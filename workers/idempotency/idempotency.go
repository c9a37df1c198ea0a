// Package idempotency forgets stored answers of the API that no repeated call can ask for any more.
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
	workers.Register(r, jobs.ForgetAnswers, func(ctx context.Context, _ jobs.Tick) (jobs.None, error) {
		n, err := s.PruneAttempts(ctx)
		slog.InfoContext(ctx, "stored answers forgotten", "rows", n)
		return jobs.None{}, err
	})
}
