package click

import (
	"crypto/rand"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/kv"
	"switchyard/jobs"
)

func testCaps(t *testing.T, prefix string) *kv.Caps {
	t.Helper()
	client, err := jobs.OpenRedisTimeout(os.Getenv("TEST_REDIS_URL"), time.Minute) // a busy machine is not away
	if err != nil {
		t.Fatal(err)
	}
	c := kv.NewCaps(client, prefix, time.Minute)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestCapsHold lets 16 goroutines of two processes, or of one without Redis, take what they can: exactly the cap.
func TestCapsHold(t *testing.T) {
	t.Parallel()
	shared := "test:" + rand.Text() + ":"
	for name, c := range map[string]struct {
		processes []*capCounter
		limits    []int
	}{
		"one process":   {[]*capCounter{newCapCounter(nil)}, []int{1, 50, 3000}},
		"two processes": {[]*capCounter{newCapCounter(testCaps(t, shared)), newCapCounter(testCaps(t, shared))}, []int{1, 50, 3000, 20_000}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range c.processes {
				go p.run(t.Context())
			}
			for _, limit := range c.limits {
				id, taken := uuid.New(), make([]int, 16)
				var all sync.WaitGroup
				for g := range taken {
					all.Go(func() {
						u := c.processes[g%len(c.processes)]
						for range limit { // together they ask 16 times for the whole cap
							if u.admit(id, limit, 20261121, true) {
								taken[g]++
							}
						}
					})
				}
				all.Wait()
				sum := 0
				for _, n := range taken {
					sum += n
				}
				// Near the cap each click asks, and what others have not told yet is less than what is near.
				if sum < limit || sum > limit+limit/100 {
					t.Errorf("cap %d: %d taken", limit, sum)
				}
			}
		})
	}
}

// TestCapsOutlast checks that counts survive an emptied Redis, and that no click is refused below a cap.
func TestCapsOutlast(t *testing.T) {
	t.Parallel()
	prefix := "test:" + rand.Text() + ":"
	a, b, id := newCapCounter(testCaps(t, prefix)), newCapCounter(testCaps(t, prefix)), uuid.New()
	const limit, day = 100, 20261121
	take := func(u *capCounter, n int, want bool) {
		t.Helper()
		for i := range n {
			if u.admit(id, limit, day, true) != want {
				t.Fatalf("click %d: %v", i, !want)
			}
		}
	}
	take(a, 30, true)
	take(b, 20, true)
	prefix = "test:" + rand.Text() + ":" // as if Redis had been emptied
	a.caps, b.caps = testCaps(t, prefix), testCaps(t, prefix)
	take(b, 49, true) // b knows of the 50 before
	take(a, 1, true)
	take(a, 1, false)
	take(b, 1, false)
	if !b.admit(id, limit, day+1, true) {
		t.Error("the next day has its own count")
	}
	if a.admit(id, limit, day, false) || !a.admit(id, limit+1, day, false) {
		t.Error("looking must not take, and a raised cap opens")
	}

	// A new process learns the count with its first click. The count in PostgreSQL holds without Redis.
	fresh := newCapCounter(testCaps(t, prefix))
	take(fresh, 1, false)
	alone := newCapCounter(&kv.Caps{})
	alone.sync(id, day, 60)
	take(alone, 40, true)
	take(alone, 1, false)
}
