package webhook

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestLanes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	l := newLanes(func() time.Time { return now })
	slow, other := uuid.New(), uuid.New()
	var leaves []func()
	for range roomHealthy {
		leave, wait := l.enter(slow, roomHealthy)
		if wait != 0 {
			t.Fatalf("no place in an empty lane: %s", wait)
		}
		leaves = append(leaves, leave)
	}
	if _, wait := l.enter(slow, roomHealthy); wait < shortestWait {
		t.Errorf("a ninth has to wait %s", wait)
	}
	if leave, wait := l.enter(other, roomHealthy); wait != 0 {
		t.Errorf("the neighbour has to wait %s", wait)
	} else {
		leave()
	}
	now = now.Add(10 * time.Second) // they hang
	for _, leave := range leaves[1:] {
		leave()
		leave() // twice is once
	}
	for range roomHealthy - 1 {
		if _, wait := l.enter(slow, roomHealthy); wait != 0 {
			t.Errorf("no place after they left: %s", wait)
		}
	}
	var last time.Duration
	for range 5000 {
		_, last = l.enter(slow, roomHealthy)
	}
	if last != longestWait {
		t.Errorf("the last of many waits %s, want them spread up to %s", last, longestWait)
	}
	if freed, _ := l.full(slow, roomHealthy); freed != nil {
		t.Error("somebody waits in the process for an endpoint that hangs")
	}
}
