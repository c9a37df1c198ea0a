package cond_test

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of fn, which does not depend on other load of the machine.
func processorTime(fn func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // cannot fail with these arguments
		return time.Duration(t.Nano())
	}
	before := used()
	fn()
	return used() - before
}
