//go:build !linux

package cli

import "golang.org/x/sys/unix"

// setNice sets the priority of the process, from 0 to 19, the lowest.
func setNice(nice int) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, nice) }
