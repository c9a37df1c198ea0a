package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// cgroupLimits are where Linux tells a container how much memory it may use, version 2 first.
var cgroupLimits = []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}

// limitMemory lets the collector work harder before the container's memory is used up, unless GOMEMLIMIT says otherwise:
// the heap may otherwise grow to five times what it holds.
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
