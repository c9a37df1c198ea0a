// Package await is how a test waits for what happens elsewhere. It looks often and gives up only when the whole run is
// about to end, so that a slow machine makes a test slow, never red.
package await

import (
	"testing"
	"time"
)

// Timeout is the limit for waits that need a context of their own, such as requests. It is as long as a whole run may
// take, because a machine that ten others use as well may be that slow.
const Timeout = 30 * time.Minute

// margin is how long before the end of the run a wait gives up, so that the test can still report what it waited for.
const margin = 20 * time.Second

// Until looks every 10 ms until ok. The test fails if that has not come shortly before the run's own timeout. Call it in
// the test's own goroutine.
func Until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	deadline, tick := end(tb), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			tb.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

// Recv waits for a value. The test fails if none has come shortly before the run's own timeout. Call it in the test's own
// goroutine.
func Recv[T any](tb testing.TB, ch <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-ch:
	case <-end(tb):
		tb.Fatalf("nothing came: a %T was waited for", v)
	}
	return v
}

// end returns a channel that receives shortly before the -timeout of go test ends the run. A run without a timeout, such as a
// benchmark, has Timeout instead.
func end(tb testing.TB) <-chan time.Time {
	tb.Helper()
	if t, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, limited := t.Deadline(); limited {
			return time.After(max(0, time.Until(at)-margin))
		}
	}
	return time.After(Timeout)
}
