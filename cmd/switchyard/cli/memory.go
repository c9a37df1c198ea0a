package cli

import (
	"log/slog"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// The part of the memory that the heap of a process may use. In a container there is only this process, so the rest of the memory
// is for stacks and kernel buffers. Without a container, other processes run on the same machine, often PostgreSQL.
const (
	shareOfContainer = 0.8
	shareOfMachine   = 0.4
)

// limitMemory sets the memory limit of the Go runtime, unless GOMEMLIMIT is set. The limit is a part of the container's memory or,
// outside a container, of the machine's memory. Without a limit, the heap of a web process may grow to five times its live data
// (see tuneRuntime).
func limitMemory() {
	provider, share := memlimit.FromCgroup, shareOfContainer
	if _, err := provider(); err != nil {
		provider, share = memlimit.FromSystem, shareOfMachine
	}
	if _, err := memlimit.Set(memlimit.WithProvider(provider), memlimit.WithRatio(share)); err != nil {
		slog.Warn("the size of this machine's memory is unknown, set GOMEMLIMIT", "error", err)
	}
}
