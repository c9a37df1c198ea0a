// Package await lets a test wait for an event in another goroutine or process. It gives up only shortly before the end of the
// whole test run, so a slow machine makes a test slow, but does not make it fail.
package await

import (
	"testing"
	"time"
)

// Timeout is the limit for waits that need their own context, such as requests. It is long, because a machine with other work may
// be very slow.
const Timeout = 30 * time.Minute

// margin is the time before the end of the test run at which a wait gives up, so that the test can still report it.
const margin = 20 * time.Second

// Until calls ok every 10 ms until ok returns true. The test fails shortly before the timeout of the test run. Call it in the
// test's own goroutine.
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

// Recv waits for a value and returns it. The test fails shortly before the timeout of the test run. Call it in the test's own
// goroutine.
func Recv[T any](tb testing.TB, ch <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-ch:
	case <-end(tb):
		tb.Fatalf("timed out: no %T was received", v)
	}
	return v
}

// end returns a channel that receives a value shortly before the -timeout of go test ends the run. Without a timeout, as with a
// benchmark, this is after Timeout.
func end(tb testing.TB) <-chan time.Time {
	tb.Helper()
	if t, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, limited := t.Deadline(); limited {
			return time.After(max(0, time.Until(at)-margin))
		}
	}
	return time.After(Timeout)
}
