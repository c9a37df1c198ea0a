// Package await is how a test waits for what happens elsewhere: it looks often and gives up late, so that a slow
// machine makes a test slow, never red.
package await

import (
	"testing"
	"time"
)

// Timeout is how long anything is waited for. It ends only tests that wait for what never comes: it is far longer than
// anything takes on a machine that ten others use as well.
const Timeout = 5 * time.Minute

// Until looks every 10 ms until ok. The test fails if that does not come within Timeout. Call it in the test's own
// goroutine.
func Until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	deadline, tick := time.After(Timeout), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			tb.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

// Recv waits for a value. The test fails if none comes within Timeout. Call it in the test's own goroutine.
func Recv[T any](tb testing.TB, ch <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-ch:
	case <-time.After(Timeout):
		tb.Fatalf("nothing came: a %T was waited for", v)
	}
	return v
}
