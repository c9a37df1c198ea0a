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

// testDay is the day of the counts, as localDay writes it. The constants takes and looks are values for the last argument of
// admit.
const (
	testDay      = 20261121
	takes, looks = true, false
)

func testCaps(t *testing.T, prefix string) *kv.Caps {
	t.Helper()
	client, err := jobs.OpenRedisTimeout(os.Getenv("TEST_REDIS_URL"), time.Minute) // so that a busy machine is not taken for an outage
	if err != nil {
		t.Fatal(err)
	}
	c := kv.NewCaps(client, prefix, time.Minute)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestCapsHold checks that 16 goroutines together take the whole cap, and at most one percent more.
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
						for range limit { // together they request 16 times the cap
							if u.admit(id, limit, testDay, takes) {
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
				if sum < limit || sum > limit+limit/100 {
					t.Errorf("%d clicks were taken of a cap of %d, want the cap or at most one percent more", sum, limit)
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
	const limit = 100
	reserve := func(u *capCounter, n int, want bool) {
		t.Helper()
		for i := range n {
			if u.admit(id, limit, testDay, takes) != want {
				t.Fatalf("click %d: %v", i, !want)
			}
		}
	}
	reserve(a, 30, true)
	reserve(b, 20, true)
	prefix = "test:" + rand.Text() + ":" // as if Redis had been emptied
	a.caps, b.caps = testCaps(t, prefix), testCaps(t, prefix)
	reserve(b, 49, true) // b knows the 50 clicks that were counted before
	reserve(a, 1, true)
	reserve(a, 1, false)
	reserve(b, 1, false)
	if !b.admit(id, limit, testDay+1, takes) {
		t.Error("the next day does not start with a count of its own")
	}
	if a.admit(id, limit, testDay, looks) {
		t.Error("admit with looks accepted a click at the cap")
	}
	if !a.admit(id, limit+1, testDay, looks) {
		t.Error("a raised cap does not admit a click")
	}

	// A new process reads the count from Redis.
	fresh := newCapCounter(testCaps(t, prefix))
	reserve(fresh, 1, false)

	// Without Redis, the clicks in PostgreSQL still count.
	const inPostgres = 60
	alone := newCapCounter(&kv.Caps{})
	alone.sync(id, testDay, inPostgres)
	reserve(alone, limit-inPostgres, true)
	reserve(alone, 1, false)
}
