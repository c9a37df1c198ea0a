package workers

import (
	"context"
	"time"
)

// MaintainLease renews a lease of this worker whenever a third of it has passed, until the context ends. MaintainLease calls the
// function lost and returns if another worker holds the lease, or if the lease may have expired because PostgreSQL did not answer.
func MaintainLease(ctx context.Context, lease time.Duration, renew func(context.Context) (held bool, err error), lost func()) {
	tick := time.NewTicker(lease / 3)
	defer tick.Stop()
	until := time.Now().Add(lease)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		limited, cancel := context.WithDeadline(ctx, until)
		held, err := renew(limited)
		cancel()
		switch {
		case err == nil && held:
			until = asked.Add(lease)
		case err == nil, time.Now().After(until):
			lost()
			return
		}
	}
}
