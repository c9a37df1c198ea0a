package cli

import (
	"log/slog"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// The part of the memory that the heap of a process may use. In a container the rest is for stacks and kernel buffers. Outside a
// container, other processes run on the machine, often PostgreSQL.
const (
	shareOfContainer = 0.8
	shareOfMachine   = 0.4
)

// limitMemory limits the memory of the Go runtime to a part of the container's or the machine's memory, unless GOMEMLIMIT is set.
// Without a limit, the heap of a web process may grow to five times its live data (see tuneRuntime).
func limitMemory() {
	provider, share := memlimit.FromCgroup, shareOfContainer
	if _, err := provider(); err != nil {
		provider, share = memlimit.FromSystem, shareOfMachine
	}
	if _, err := memlimit.Set(memlimit.WithProvider(provider), memlimit.WithRatio(share)); err != nil {
		slog.Warn("the size of this machine's memory is unknown, set GOMEMLIMIT", "error", err)
	}
}
