//go:build !linux

package cli

import "golang.org/x/sys/unix"

// setNice makes the process give way to others on its machine: 0 not at all, 19 as far as possible.
func setNice(nice int) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, nice) }
