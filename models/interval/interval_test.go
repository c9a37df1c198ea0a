package interval_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"switchyard/models/interval"
)

func TestSleep(t *testing.T) {
	t.Parallel()
	if err := interval.Sleep(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := interval.Sleep(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("Sleep with an ended context returned %v, want context.Canceled", err)
	}
}

func TestEvery(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	interval.Every(ctx, time.Millisecond, func() {
		if calls++; calls == 3 {
			cancel()
		}
	})
	if calls < 3 {
		t.Errorf("Every called the function %d times before the context ended, want at least 3", calls)
	}
}

// TestVary checks that waits differ from d by at most a twentieth.
func TestVary(t *testing.T) {
	t.Parallel()
	const d = time.Hour
	seen := map[time.Duration]bool{}
	for range 100 {
		wait := interval.Vary(d)
		if wait < d-d/20 || wait > d+d/20 {
			t.Fatalf("the wait is %s, want one that differs from %s by at most a twentieth", wait, d)
		}
		seen[wait] = true
	}
	if len(seen) < 50 {
		t.Errorf("only %d of 100 waits are different, want at least 50", len(seen))
	}
}
