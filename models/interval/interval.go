// Package interval waits for time to pass, or for the end of a context, whichever comes first.
package interval

import (
	"context"
	"math/rand/v2"
	"time"
)

// Sleep waits for d.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Every calls fn after each interval, until the context ends.
func Every(ctx context.Context, d time.Duration, fn func()) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			fn()
		}
	}
}

// Vary returns d, changed at random by up to a twentieth in either direction. It prevents processes that started together from
// acting at the same times. d must be at least 10 nanoseconds.
func Vary(d time.Duration) time.Duration {
	return d - d/20 + rand.N(d/10) //nolint:gosec // only spreads the waits
}
