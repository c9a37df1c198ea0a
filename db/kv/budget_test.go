package kv

import (
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// TestBudget checks that two processes share a budget and its pauses, and that calls can be reserved.
func TestBudget(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Redis, skipped by -short")
	}
	o, err := redis.ParseURL(os.Getenv("TEST_REDIS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	prefix := "test:" + rand.Text() + ":"
	open := func() *Budget {
		client := redis.NewClient(o)
		t.Cleanup(func() { _ = client.Close() })
		return NewBudget(BudgetOptions{
			Client: client, Prefix: prefix, Name: "p", Burst: 5, Interval: time.Hour, Timeout: time.Minute,
		})
	}
	ctx, one, two := t.Context(), open(), open()
	for i, b := range []*Budget{one, two, one} {
		if wait := b.Allow(ctx, 2); wait != 0 {
			t.Fatalf("call %d of the burst waits %v, want no wait", i, wait)
		}
	}
	if wait := two.Allow(ctx, 2); wait <= 0 || wait > time.Hour {
		t.Errorf("a call that must leave two calls to others waits %v, want up to an hour", wait)
	}
	for i, b := range []*Budget{one, two} {
		if wait := b.Allow(ctx, 0); wait != 0 {
			t.Fatalf("call %d of the two remaining calls waits %v, want no wait", i, wait)
		}
	}
	if wait := two.Allow(ctx, 0); wait <= 0 || wait > time.Hour {
		t.Errorf("a call beyond the burst waits %v, want up to an hour", wait)
	}
	if err := one.o.Client.Del(ctx, prefix+"budget:p").Err(); err != nil {
		t.Fatal(err)
	}
	one.Pause(ctx, 2*time.Hour)
	for i, b := range []*Budget{one, two} {
		if wait := b.Allow(ctx, 0); wait <= time.Hour || wait > 2*time.Hour {
			t.Errorf("process %d waits %v during the pause, want between one and two hours", i, wait)
		}
	}
	two.Pause(ctx, time.Minute)
	if wait := two.Allow(ctx, 0); wait <= 0 {
		t.Error("a shorter pause has ended the longer one")
	}
	away := NewBudget(BudgetOptions{
		Client: redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1}), Name: "p", Burst: 1, Interval: time.Hour,
		Timeout: time.Minute,
	})
	for range 2 {
		if wait := away.Allow(ctx, 0); wait != 0 {
			t.Errorf("without Redis a call waits %v, want no wait", wait)
		}
	}
	away.Pause(ctx, time.Hour)
	if wait := away.Allow(ctx, 0); wait <= 0 {
		t.Error("without Redis a process forgets its own pause")
	}
}
