package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db/delivery"
)

// How many deliveries to one endpoint a worker has under way at once. One that keeps failing gets less room, and so does
// one that nothing is known of yet. Endpoints whose last attempt failed get at most half of the worker's slots together,
// so that even many that hang leave slots for those that answer. Those that fail at once are in nobody's way.
const (
	roomHealthy  = 8
	roomFailing  = 2
	failingAfter = 5           // attempts in a row
	hangs        = time.Second // what takes longer, and fails
)

// remembered is of how many endpoints it is kept how long they take, although nothing is under way.
const remembered = 10_000

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
	now   func() time.Time
	share int // slots for deliveries to endpoints that may hang

	mu       sync.Mutex
	m        map[uuid.UUID]*lane
	doubtful int // such deliveries under way
}

type lane struct {
	busy  int
	known bool          // a delivery has come back
	takes time.Duration // how long a delivery takes here, by the last ones
	next  time.Time     // when the next one that waits may come
	here  int           // how many wait in this process
	freed chan struct{} // closed when a place becomes free
}

func newLanes(now func() time.Time, slots int) *lanes {
	return &lanes{now: now, share: max(slots/2, 1), m: map[uuid.UUID]*lane{}}
}

// room is how many may be under way in the lane after so many failures in a row.
func (e *lane) room(failures int) int {
	if !e.known || failures >= failingAfter {
		return roomFailing
	}
	return roomHealthy
}

// doubtful is 1 for a delivery to an endpoint that may hang, by its failures in a row and by how long it takes.
func (e *lane) doubtful(failures int) int {
	if failures == 0 || e.known && e.takes < hangs {
		return 0
	}
	return 1
}

// full tells whether the lane has no place now, and gives the signal to wait for, nil when waiting here is pointless.
// done ends the wait.
func (l *lanes) full(endpoint uuid.UUID, failures int) (freed <-chan struct{}, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.m[endpoint]
	if e == nil || e.busy < e.room(failures) || e.takes > quick || e.here >= mayWait {
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
func (l *lanes) await(ctx context.Context, endpoint uuid.UUID, failures int) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		freed, done := l.full(endpoint, failures)
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
func (l *lanes) enter(endpoint uuid.UUID, failures int) (leave func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, e := l.now(), l.m[endpoint]
	if e == nil {
		e = &lane{takes: firstTime, freed: make(chan struct{})}
		l.m[endpoint] = e
	}
	room, doubtful := e.room(failures), e.doubtful(failures)
	if e.busy < room && (doubtful == 0 || l.doubtful < l.share) {
		e.busy++
		l.doubtful += doubtful
		return sync.OnceFunc(func() { l.leave(endpoint, e, now, doubtful) }), 0
	}
	if e.next.Before(now) {
		e.next = now
	}
	if e.next.Sub(now) < longestWait {
		e.next = e.next.Add(e.takes / time.Duration(room))
	}
	return nil, min(max(e.next.Sub(now), shortestWait), longestWait)
}

func (l *lanes) leave(endpoint uuid.UUID, e *lane, since time.Time, doubtful int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	e.busy--
	e.known = true
	l.doubtful -= doubtful
	close(e.freed)
	e.freed = make(chan struct{})
	e.takes = (3*e.takes + now.Sub(since)) / 4
	if e.busy == 0 && e.here == 0 && !e.next.After(now) && len(l.m) > remembered {
		delete(l.m, endpoint)
	}
}

// admit is the gate of webhook:deliver. An endpoint that is gone needs no room: its delivery ends at once.
func (s *sender) admit(ctx context.Context, row uuid.UUID) (func(), time.Duration, error) {
	endpoint, failures, err := delivery.Lane(ctx, s.db, row)
	if err != nil || endpoint == uuid.Nil {
		return func() {}, 0, err
	}
	s.lanes.await(ctx, endpoint, failures)
	leave, wait := s.lanes.enter(endpoint, failures)
	return leave, wait, nil
}
