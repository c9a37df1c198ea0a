//go:build !linux

package cli

import "golang.org/x/sys/unix"

// setNice sets the priority of the process. At 0 the process does not give way to other processes, at 19 it gives way as far as
// possible.
func setNice(nice int) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, nice) }
