package workers

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	now := time.Now()
	l := NewLimiter[uuid.UUID](func() time.Time { return now }, 100)
	slow, other := uuid.New(), uuid.New()
	var leaves []func()
	fill := func(room int) {
		t.Helper()
		for len(leaves) < room {
			leave, wait := l.acquire(slow, 0)
			if wait != 0 {
				t.Fatalf("no place for %d: %s", len(leaves)+1, wait)
			}
			leaves = append(leaves, leave)
		}
		if _, wait := l.acquire(slow, 0); wait < MinPostpone {
			t.Errorf("one more than %d has to wait %s", room, wait)
		}
	}
	fill(placesFailing) // nothing is known of it
	leaves[0]()
	leaves = leaves[1:]
	fill(placesHealthy)
	if leave, wait := l.acquire(other, 0); wait != 0 {
		t.Errorf("the neighbour has to wait %s", wait)
	} else {
		leave()
	}
	now = now.Add(10 * time.Second) // they hang
	for _, leave := range leaves[1:] {
		leave()
		leave() // twice is once
	}
	for range placesHealthy - 1 {
		if _, wait := l.acquire(slow, 0); wait != 0 {
			t.Errorf("no place after they left: %s", wait)
		}
	}
	var last time.Duration
	for range 5000 {
		_, last = l.acquire(slow, 0)
	}
	if last != MaxPostpone {
		t.Errorf("the last of many waits %s, want them spread up to %s", last, MaxPostpone)
	}
	if freed, _ := l.waitLocally(slow, 0); freed != nil {
		t.Error("somebody waits in the process for an endpoint that hangs")
	}
}

// TestLimiterManyHang: however many endpoints hang, half of the slots are for the others.
func TestLimiterManyHang(t *testing.T) {
	t.Parallel()
	const slots = 20
	l := NewLimiter[uuid.UUID](time.Now, slots)
	atOnce := uuid.New()
	leave, _ := l.acquire(atOnce, 1)
	leave()
	var leaves []func()
	for range 5 * slots {
		if leave, wait := l.acquire(uuid.New(), 1); wait == 0 {
			leaves = append(leaves, leave)
		}
	}
	if len(leaves) != slots/2 {
		t.Errorf("%d of %d slots are taken", len(leaves), slots)
	}
	if _, wait := l.acquire(uuid.New(), 0); wait != 0 {
		t.Errorf("one that is well has to wait %s", wait)
	}
	if _, wait := l.acquire(atOnce, 1); wait != 0 {
		t.Errorf("one that fails at once has to wait %s", wait)
	}
	leaves[0]()
	if _, wait := l.acquire(uuid.New(), 1); wait != 0 {
		t.Errorf("what became free is not given out again: %s", wait)
	}
}
