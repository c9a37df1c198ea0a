package cli

import (
	"log/slog"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// The part of the memory that the heap of a process may use. A container belongs to one process, and its remaining memory is
// for stacks and kernel buffers. A machine is shared with other processes, often with PostgreSQL.
const (
	shareOfContainer = 0.8
	shareOfMachine   = 0.4
)

// limitMemory sets the memory limit of the Go runtime, unless GOMEMLIMIT is set. It derives the limit from the memory of the
// container, or else of the machine. Without a limit, the heap may grow to five times its live data.
func limitMemory() {
	provider, share := memlimit.FromCgroup, shareOfContainer
	if _, err := provider(); err != nil {
		provider, share = memlimit.FromSystem, shareOfMachine
	}
	if _, err := memlimit.Set(memlimit.WithProvider(provider), memlimit.WithRatio(share)); err != nil {
		slog.Warn("the memory of this machine cannot be found out, set GOMEMLIMIT", "error", err)
	}
}
