package cli

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"switchyard/jobs"
	"switchyard/models/await"
	"switchyard/ops/config"
	"switchyard/workers"
)

// TestEveryJobHasItsHandler: what the service can submit, its workers can carry out.
func TestEveryJobHasItsHandler(t *testing.T) {
	t.Parallel()
	r, err := NewRuntime(config.Config{}, Readers{}, workers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	handlers := reflect.ValueOf(r).Elem().FieldByName("handlers")
	for _, kind := range jobs.Kinds() {
		if !handlers.MapIndex(reflect.ValueOf(kind)).IsValid() && !strings.HasPrefix(kind, "fault:") { // of the tests' own worker
			t.Errorf("%s has no handler", kind)
		}
	}
}

// TestStopThatHangs: a process that was told to stop and does not stop in time is ended.
func TestStopThatHangs(t *testing.T) {
	t.Parallel()
	ctx, tell := context.WithCancel(t.Context())
	killed := make(chan struct{})
	ended := limitStop(ctx, time.Millisecond, func() { close(killed) })
	defer ended()
	select {
	case <-killed:
		t.Fatal("ended before it was told to")
	default:
	}
	tell()
	await.Recv(t, killed)
}
