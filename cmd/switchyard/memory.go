package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// cgroupLimits are the files with the memory limit of a Linux container: of cgroups version 2, then of version 1.
var cgroupLimits = []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}

// limitMemory sets the runtime's memory limit to four fifths of the container's, unless GOMEMLIMIT is set. Without it
// the heap may grow to five times what it holds.
func limitMemory(getenv func(string) string, paths []string) {
	if getenv("GOMEMLIMIT") != "" {
		return
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			debug.SetMemoryLimit(n / 5 * 4) // stacks, buffers of the kernel and other processes need the rest
		}
		return
	}
}
