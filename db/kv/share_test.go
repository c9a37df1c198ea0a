package kv

import (
	"context"
	"crypto/rand"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"switchyard/models/await"
)

// TestShare checks that each of two processes receives the messages of the other. A third process cannot reach Redis.
func TestShare(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Redis, skipped by -short")
	}
	o, err := redis.ParseURL(os.Getenv("TEST_REDIS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	prefix := "test:" + rand.Text() + ":"
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	var mu sync.Mutex
	received := map[string]string{}
	start := func(name string, o *redis.Options) {
		client := redis.NewClient(o)
		t.Cleanup(func() { _ = client.Close() })
		s := NewShare(client, prefix, "x", time.Second)
		s.every = time.Millisecond
		all.Go(func() {
			s.Run(ctx, func() [][]byte { return [][]byte{[]byte(name)} }, func(m []byte) {
				mu.Lock()
				defer mu.Unlock()
				if string(m) != name {
					received[name] = string(m)
				}
			})
		})
	}
	start("a", o)
	start("b", o)
	start("alone", &redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	await.Until(t, "both processes have received the other's message", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return received["a"] == "b" && received["b"] == "a"
	})
}
