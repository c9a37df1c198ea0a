package kv

import (
	"crypto/rand"
	"os"
	"testing"
	"time"
)

func TestOwnWindows(t *testing.T) {
	t.Parallel()
	r, err := OpenRates("", "", Wait)
	if err != nil {
		t.Fatal(err)
	}
	r.processes = 3
	now := time.Unix(1000, 0)
	for i := range 101 {
		got := r.own("a", 300, now)
		if got.Limit != 100 || got.Over != (i == 100) || got.Remaining != max(0, 99-i) || got.Reset != time.Minute {
			t.Fatalf("call %d: %+v", i, got)
		}
	}
	if got := r.own("b", 300, now); got.Remaining != 99 {
		t.Errorf("another account: %+v", got)
	}
	if got := r.own("a", 300, now.Add(59*time.Second)); !got.Over || got.Reset != time.Second {
		t.Errorf("at the window's end: %+v", got)
	}
	if got := r.own("a", 300, now.Add(time.Minute)); got.Over || got.Remaining != 99 {
		t.Errorf("in the next window: %+v", got)
	}
	if len(r.local) != 1 {
		t.Errorf("%d windows are kept, want the live one", len(r.local))
	}
	if got := r.own("tiny", 1, now); got.Limit != 1 || got.Over {
		t.Errorf("a share is never nothing: %+v", got)
	}
}

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
		r, err := OpenRates(url, prefix, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return r
	}
	ctx, one, two := t.Context(), open(), open()
	if got := one.Take(ctx, "a", 3); got.Remaining != 2 || got.Over || got.Reset <= 0 || got.Reset > time.Minute {
		t.Errorf("first call: %+v", got)
	}
	if got := two.Take(ctx, "a", 3); got.Remaining != 1 {
		t.Errorf("second call, another process: %+v", got)
	}
	if one.processes != 1 || two.processes != 2 {
		t.Errorf("processes known: %d and %d", one.processes, two.processes)
	}
	// A counter without an end of life would lock the account out for ever.
	if err := one.client.Persist(ctx, prefix+"rate:a").Err(); err != nil {
		t.Fatal(err)
	}
	if got := one.Take(ctx, "a", 3); got.Reset != time.Minute {
		t.Errorf("a counter that lost its end: %+v", got)
	}
	if got := two.Take(ctx, "a", 3); !got.Over || got.Remaining != 0 {
		t.Errorf("beyond the limit: %+v", got)
	}
}

// TestAddresses: every form of REDIS_URL that the workers take, without a connection.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, fine := range map[string]bool{
		"":                                      true,
		"redis://:p@h:6379/0":                   true,
		"rediss://:p@h:6379/0?skip_verify=true": true,
		"unix:///run/redis.sock":                true,
		"redis://h:26379/0?master_name=main":    true,
		"redis://h:6379?addr=h:6380":            true,
		"redis://h:6379/x":                      false,
		"http://h":                              false,
		"redis://h:%zz":                         false,
	} {
		r, err := OpenRates(address, "", Wait)
		if (err == nil) != fine {
			t.Errorf("%q: %v", address, err)
		}
		if err == nil {
			_ = r.Close()
		}
	}
}
