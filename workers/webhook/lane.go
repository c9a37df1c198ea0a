package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db/delivery"
)

// How many deliveries to one endpoint a worker has under way at once. One that keeps failing gets less room, so that
// even many dead endpoints leave slots for those that answer.
const (
	roomHealthy  = 8
	roomFailing  = 2
	failingAfter = 5 // attempts in a row
)

const (
	shortestWait = 200 * time.Millisecond // becomes the next full second, which is what the queue can measure
	longestWait  = time.Minute
)

// A burst to an endpoint that answers quickly waits here for a place, a few at a time, and not in the queue, which
// measures in seconds.
const (
	quick     = 100 * time.Millisecond
	patience  = 300 * time.Millisecond
	mayWait   = 24
	firstTime = 20 * time.Millisecond // what a delivery is taken to take at an endpoint not known yet
)

// lanes counts what is under way per endpoint, and spreads what finds no room over the time it will take: thousands
// of deliveries to an endpoint that hangs must not all come back every second.
type lanes struct {
	now func() time.Time

	mu sync.Mutex
	m  map[uuid.UUID]*lane
}

type lane struct {
	busy  int
	takes time.Duration // how long a delivery takes here, by the last ones
	next  time.Time     // when the next one that waits may come
	here  int           // how many wait in this process
	freed chan struct{} // closed when a place becomes free
}

func newLanes(now func() time.Time) *lanes { return &lanes{now: now, m: map[uuid.UUID]*lane{}} }

// full tells whether the lane has no place now, and gives the signal to wait for, nil when waiting here is pointless.
// done ends the wait.
func (l *lanes) full(endpoint uuid.UUID, room int) (freed <-chan struct{}, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.m[endpoint]
	if e == nil || e.busy < room || e.takes > quick || e.here >= mayWait {
		return nil, nil
	}
	e.here++
	return e.freed, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		e.here--
	}
}

// await waits a little for a place in a lane that moves quickly.
func (l *lanes) await(ctx context.Context, endpoint uuid.UUID, room int) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		freed, done := l.full(endpoint, room)
		if freed == nil {
			return
		}
		select {
		case <-freed:
			done()
		case <-limit.C:
			done()
			return
		case <-ctx.Done():
			done()
			return
		}
	}
}

// enter takes a place in an endpoint's lane, to be given back by leave; or tells how long to wait.
func (l *lanes) enter(endpoint uuid.UUID, room int) (leave func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, e := l.now(), l.m[endpoint]
	if e == nil {
		e = &lane{takes: firstTime, freed: make(chan struct{})}
		l.m[endpoint] = e
	}
	if e.busy < room {
		e.busy++
		return sync.OnceFunc(func() { l.leave(endpoint, e, now) }), 0
	}
	if e.next.Before(now) {
		e.next = now
	}
	if e.next.Sub(now) < longestWait {
		e.next = e.next.Add(e.takes / time.Duration(room))
	}
	return nil, min(max(e.next.Sub(now), shortestWait), longestWait)
}

func (l *lanes) leave(endpoint uuid.UUID, e *lane, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	e.busy--
	close(e.freed)
	e.freed = make(chan struct{})
	e.takes = (3*e.takes + now.Sub(since)) / 4
	if e.busy == 0 && e.here == 0 && !e.next.After(now) {
		delete(l.m, endpoint)
	}
}

// admit is the gate of webhook:deliver. An endpoint that is gone needs no room: its delivery ends at once.
func (s *sender) admit(ctx context.Context, row uuid.UUID) (func(), time.Duration, error) {
	endpoint, failures, err := delivery.Lane(ctx, s.db, row)
	if err != nil || endpoint == uuid.Nil {
		return func() {}, 0, err
	}
	room := roomHealthy
	if failures >= failingAfter {
		room = roomFailing
	}
	s.lanes.await(ctx, endpoint, room)
	leave, wait := s.lanes.enter(endpoint, room)
	return leave, wait, nil
}
