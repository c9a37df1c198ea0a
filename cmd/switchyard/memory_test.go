package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestMemoryLimitOfTheContainer(t *testing.T) { //nolint:paralleltest // the limit is the process's
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	limit := func(text string, env string) int64 {
		t.Helper()
		debug.SetMemoryLimit(before)
		path := filepath.Join(t.TempDir(), "memory.max")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		limitMemory(func(string) string { return env }, []string{"/nowhere", path})
		return debug.SetMemoryLimit(-1)
	}
	for _, c := range []struct {
		text, env string
		want      int64
	}{
		{"1000000000\n", "", 800_000_000}, {"max\n", "", before}, {"1000000000\n", "1GiB", before}, {"", "", before},
	} {
		if got := limit(c.text, c.env); got != c.want {
			t.Errorf("%q with GOMEMLIMIT=%q: %d, want %d", c.text, c.env, got, c.want)
		}
	}
}
