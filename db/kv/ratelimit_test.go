package kv

import (
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// TestLocalWindows checks the windows of one of three processes while Redis cannot be reached.
func TestLocalWindows(t *testing.T) {
	t.Parallel()
	r := NewRates(nil, "", Timeout)
	r.processes = 3
	now := time.Unix(1000, 0)
	for i := range 101 {
		got := r.countLocally("a", 300, now, window)
		if got.Limit != 100 || got.Over != (i == 100) || got.Remaining != max(0, 99-i) || got.Reset != time.Minute {
			t.Fatalf("call %d: %+v, want a limit of 100 calls in a minute", i, got)
		}
	}
	if got := r.countLocally("b", 300, now, window); got.Remaining != 99 {
		t.Errorf("first call of another account: %+v, want 99 remaining calls", got)
	}
	if got := r.countLocally("a", 300, now.Add(59*time.Second), window); !got.Over || got.Reset != time.Second {
		t.Errorf("one second before the window ends: %+v, want a call over the limit", got)
	}
	if got := r.countLocally("a", 300, now.Add(time.Minute), window); got.Over || got.Remaining != 99 {
		t.Errorf("first call of the next window: %+v, want 99 remaining calls", got)
	}
	if len(r.local) != 1 {
		t.Errorf("%d windows are stored, want only the live one", len(r.local))
	}
	if got := r.countLocally("tiny", 1, now, window); got.Limit != 1 || got.Over {
		t.Errorf("a share of a small limit is %+v, want 1 call", got)
	}
}

// TestSharedWindows checks that two processes count in the same windows in Redis.
func TestSharedWindows(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Redis, skipped by -short")
	}
	url := os.Getenv("TEST_REDIS_URL")
	if url == "" {
		t.Fatal("TEST_REDIS_URL is not set: run `make test`")
	}
	prefix := "test:" + rand.Text() + ":"
	open := func() *Rates {
		o, err := redis.ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		client := redis.NewClient(o)
		t.Cleanup(func() { _ = client.Close() })
		return NewRates(client, prefix, time.Minute)
	}
	ctx, one, two := t.Context(), open(), open()
	if got := one.Allow(ctx, "a", 3); got.Remaining != 2 || got.Over || got.Reset <= 0 || got.Reset > time.Minute {
		t.Errorf("first call: %+v, want 2 remaining calls and a reset within a minute", got)
	}
	if got := two.Allow(ctx, "a", 3); got.Remaining != 1 {
		t.Errorf("second call, from another process: %+v, want 1 remaining call", got)
	}
	if one.processes != 1 || two.processes != 2 {
		t.Errorf("known processes: %d and %d, want 1 and 2", one.processes, two.processes)
	}
	// A counter without an expiry time would lock the account out for ever.
	if err := one.client.Persist(ctx, prefix+"rate:a").Err(); err != nil {
		t.Fatal(err)
	}
	if got := one.Allow(ctx, "a", 3); got.Reset != time.Minute {
		t.Errorf("a counter that had lost its expiry time: %+v, want a reset after a minute", got)
	}
	if got := two.Allow(ctx, "a", 3); !got.Over || got.Remaining != 0 {
		t.Errorf("call beyond the limit: %+v, want Over and 0 remaining calls", got)
	}
}
