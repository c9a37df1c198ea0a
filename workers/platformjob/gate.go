package platformjob

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/workers"
)

// Name returns the name under which jobs of a provider share job slots. A custom provider is a server of the customer, so each of
// its targets has its own name.
func Name(provider string, target uuid.UUID) string {
	if provider == models.CustomCost {
		return provider + " " + target.String()
	}
	return provider
}

// Gate returns the Gate of a row job that calls a platform. It limits how many jobs of one platform run at once, so that slots
// stay free for other platforms. A job without a readable platform is admitted, and its attempt reports the error.
func Gate[A any](r *workers.Runtime, s *store.Store, name func(A) string) workers.Gate {
	admitted := func() {}
	return func(ctx context.Context, job uuid.UUID) (release func(), wait time.Duration, err error) {
		row, err := jobrow.Find(ctx, s.Conn(), workers.Account(ctx), job)
		if errors.Is(err, models.NotFound("job")) {
			return admitted, 0, nil
		}
		if err != nil {
			return nil, 0, err
		}
		var args A
		if err := json.Unmarshal(row.Args, &args); err != nil {
			return admitted, 0, nil //nolint:nilerr // the attempt reports the error
		}
		platform := name(args)
		if platform == "" {
			return admitted, 0, nil
		}
		release, wait = r.Platforms().Admit(ctx, platform, 0)
		return release, wait, nil
	}
}
