package cli

import (
	"log/slog"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// The shares of the memory that a process may take for its heap. A container belongs to one process: stacks and buffers of
// the kernel need the rest. A machine is shared with other processes, often with PostgreSQL.
const (
	shareOfContainer = 0.8
	shareOfMachine   = 0.4
)

// limitMemory sets the runtime's memory limit by the memory of the container, or else of the machine, unless GOMEMLIMIT is
// set. Without a limit the heap may grow to five times what it holds.
func limitMemory() {
	provider, share := memlimit.FromCgroup, shareOfContainer
	if _, err := provider(); err != nil {
		provider, share = memlimit.FromSystem, shareOfMachine
	}
	if _, err := memlimit.Set(memlimit.WithProvider(provider), memlimit.WithRatio(share)); err != nil {
		slog.Warn("the memory of this machine cannot be found out, set GOMEMLIMIT", "error", err)
	}
}
