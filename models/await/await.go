// Package await is how a test waits for what happens elsewhere: it looks often and gives up late, so that a slow machine
// makes a test slow, never red.
package await

import (
	"testing"
	"time"
)

// Patience is how long anything is waited for.
const Patience = 90 * time.Second

// Until looks every 10 ms until ok; the test fails when that never comes. Call it in the test's own goroutine.
func Until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	Within(tb, Patience, what, ok)
}

// Within is Until with another patience.
func Within(tb testing.TB, patience time.Duration, what string, ok func() bool) {
	tb.Helper()
	deadline, tick := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			tb.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

// Recv waits for a value; the test fails when none comes. Call it in the test's own goroutine.
func Recv[T any](tb testing.TB, ch <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-ch:
	case <-time.After(Patience):
		tb.Fatalf("nothing came: a %T was waited for", v)
	}
	return v
}
