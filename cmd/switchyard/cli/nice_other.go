//go:build !linux

package cli

import "golang.org/x/sys/unix"

// setNice sets the priority of the process. 0 is the usual priority, and 19 the lowest.
func setNice(nice int) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, nice) }
