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

// TestEveryJobHasItsHandler: every kind of job that the service submits has a handler in its workers.
func TestEveryJobHasItsHandler(t *testing.T) {
	t.Parallel()
	r, err := NewRuntime(config.Config{}, Readers{}, workers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	handlers := reflect.ValueOf(r).Elem().FieldByName("handlers")
	for _, kind := range jobs.Kinds() {
		if !handlers.MapIndex(reflect.ValueOf(kind)).IsValid() && !strings.HasPrefix(kind, "fault:") { // for tests only
			t.Errorf("%s has no handler", kind)
		}
	}
}

// TestStopThatHangs: a process that does not stop within the limit is killed.
func TestStopThatHangs(t *testing.T) {
	t.Parallel()
	ctx, tell := context.WithCancel(t.Context())
	killed := make(chan struct{})
	ended := limitStop(ctx, time.Millisecond, func() { close(killed) })
	defer ended()
	select {
	case <-killed:
		t.Fatal("the process was killed before it was told to stop")
	default:
	}
	tell()
	await.Recv(t, killed)
}
