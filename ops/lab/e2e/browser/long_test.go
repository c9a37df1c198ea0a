package browser

import (
	"testing"

	"switchyard/models/longtest"
)

// longOnly skips a test outside the long suite (make chaos). The test belongs there until it passes on every machine.
func longOnly(t *testing.T) {
	t.Helper()
	if !longtest.On() {
		t.Skip("this test belongs to the long suite: make chaos RUN=" + t.Name())
	}
}
