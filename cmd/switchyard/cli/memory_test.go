package cli

import (
	"math"
	"os"
	"runtime/debug"
	"testing"
)

// TestMemoryLimit: a process limits its memory without any setting. If GOMEMLIMIT is set, it stays in force.
func TestMemoryLimit(t *testing.T) { //nolint:paralleltest // the limit applies to the whole process
	before := debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	t.Setenv("GOMEMLIMIT", "")
	_ = os.Unsetenv("GOMEMLIMIT") // Setenv restores it after the test
	limitMemory()
	if own := debug.SetMemoryLimit(-1); own > 1<<46 || own < 1<<26 {
		t.Errorf("the limit is %d bytes, want a part of the machine's memory", own)
	}
	t.Setenv("GOMEMLIMIT", "123MiB")
	debug.SetMemoryLimit(123 << 20) // as the runtime does at its start
	if limitMemory(); debug.SetMemoryLimit(-1) != 123<<20 {
		t.Errorf("GOMEMLIMIT was changed to %d", debug.SetMemoryLimit(-1))
	}
}
