package main

import (
	"strings"
	"testing"

	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/workers"
)

// TestEveryJobHasItsHandler: what the service can submit, its workers can carry out.
func TestEveryJobHasItsHandler(t *testing.T) {
	t.Parallel()
	r, err := newRuntime(config.Config{}, workers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range jobs.Kinds() {
		if !r.Handles(kind) && !strings.HasPrefix(kind, "fault:") { // of the tests' own worker
			t.Errorf("%s has no handler", kind)
		}
	}
}
