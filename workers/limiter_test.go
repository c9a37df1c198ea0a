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
	var releases []func()
	fill := func(places int) {
		t.Helper()
		for len(releases) < places {
			release, wait := l.acquire(slow, 0)
			if wait != 0 {
				t.Fatalf("request %d has to wait %s, want no wait", len(releases)+1, wait)
			}
			releases = append(releases, release)
		}
		if _, wait := l.acquire(slow, 0); wait < MinPostpone {
			t.Errorf("a request beyond the %d places waits only %s", places, wait)
		}
	}
	fill(placesFailing) // no request has ended yet
	releases[0]()
	releases = releases[1:]
	fill(placesHealthy)
	if release, wait := l.acquire(other, 0); wait != 0 {
		t.Errorf("a request to another endpoint has to wait %s, want no wait", wait)
	} else {
		release()
	}
	now = now.Add(10 * time.Second) // the requests hang
	for _, release := range releases[1:] {
		release()
		release() // does nothing
	}
	for range placesHealthy - 1 {
		if _, wait := l.acquire(slow, 0); wait != 0 {
			t.Errorf("no place is free after all requests but one ended: %s", wait)
		}
	}
	var last time.Duration
	for range 5000 {
		_, last = l.acquire(slow, 0)
	}
	if last != MaxPostpone {
		t.Errorf("the last of many requests waits %s, want %s", last, MaxPostpone)
	}
	if freed, _ := l.waitLocally(slow, 0); freed != nil {
		t.Error("a request to a hanging endpoint waits in the process")
	}
}

// TestLimiterManyHang checks that half of the slots stay free, however many endpoints hang.
func TestLimiterManyHang(t *testing.T) {
	t.Parallel()
	const slots = 20
	l := NewLimiter[uuid.UUID](time.Now, slots)
	failsAtOnce := uuid.New()
	release, _ := l.acquire(failsAtOnce, 1)
	release()
	var releases []func()
	for range 5 * slots {
		if release, wait := l.acquire(uuid.New(), 1); wait == 0 {
			releases = append(releases, release)
		}
	}
	if len(releases) != slots/2 {
		t.Errorf("hanging endpoints take %d of %d slots, want half", len(releases), slots)
	}
	if _, wait := l.acquire(uuid.New(), 0); wait != 0 {
		t.Errorf("a request to a healthy endpoint has to wait %s, want no wait", wait)
	}
	if _, wait := l.acquire(failsAtOnce, 1); wait != 0 {
		t.Errorf("a request to an endpoint that fails at once has to wait %s, want no wait", wait)
	}
	releases[0]()
	if _, wait := l.acquire(uuid.New(), 1); wait != 0 {
		t.Errorf("a freed slot is not reused: %s", wait)
	}
}
