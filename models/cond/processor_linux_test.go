package cond_test

import (
	"runtime"
	"syscall"
	"time"
)

// processorTime is how long a processor works at fn, whatever else the machine does.
func processorTime(fn func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_THREAD, &u) // cannot fail with these arguments
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	fn()
	return used() - before
}
