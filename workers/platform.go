package workers

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Platforms returns the limiter of jobs of this process that call external platforms. It limits the jobs of all kinds together
// for each platform, and is made for as many slots as this process has for long jobs (jobs.Bulk). Its endpoints are names of
// platforms; see PlatformOf.
func (r *Runtime) Platforms() *Limiter[string] { return r.platforms }

// PlatformOf returns the name under which a provider's jobs share places. A custom provider (also as the provider of a network)
// is an address of the customer. Each target of it gets its own name, so that no customer waits for another customer's server.
func PlatformOf(provider string, target uuid.UUID) string {
	if provider == models.CustomCost {
		return provider + " " + target.String()
	}
	return provider
}

// GateByPlatform is the Gate of a row job that calls a platform. It keeps the jobs of one platform from taking the places of the
// other platforms. platform reads the platform's name from the arguments. A job without a name is admitted, and its attempt
// reports the error.
func GateByPlatform[A any](ctx context.Context, c db.Conn, room *Limiter[string], job uuid.UUID, platform func(A) string) (
	release func(), wait time.Duration, err error,
) {
	free := func() {}
	row, err := jobrow.Find(ctx, c, Account(ctx), job)
	if errors.Is(err, models.NotFound("job")) {
		return free, 0, nil // no worker will claim it
	}
	if err != nil {
		return nil, 0, err
	}
	var args A
	if err := json.Unmarshal(row.Args, &args); err != nil {
		return free, 0, nil //nolint:nilerr // the attempt reports the error
	}
	name := platform(args)
	if name == "" {
		return free, 0, nil
	}
	release, wait = room.Admit(ctx, name, 0)
	return release, wait, nil
}
