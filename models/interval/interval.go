// Package interval waits for time to pass, or for the end of a context, whichever comes first.
package interval

import (
	"context"
	"math/rand/v2"
	"time"
)

// Sleep waits for d. It returns the context's error when the context ends first.
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

// Every calls fn after each interval, until the context ends. An interval that ends while fn runs is made up for at
// once, several of them by one call.
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

// Vary gives a wait of d, or up to a twentieth of it less or more, so that what began together does not stay together. d is
// some nanoseconds at least.
func Vary(d time.Duration) time.Duration {
	return d - d/20 + rand.N(d/10) //nolint:gosec // it spreads them
}
