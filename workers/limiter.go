package workers

import (
	"context"
	"sync"
	"time"
)

// An endpoint has placesHealthy places for a worker's requests. It has only placesFailing until its first request has ended, and
// after failingAfter failures in a row.
const (
	placesHealthy = 8
	placesFailing = 2
	failingAfter  = 5 // failures in a row
)

// slowFailure is the average latency from which a failing endpoint counts as hanging. Endpoints that may hang share at most half
// of the worker's slots, so that the other endpoints find slots.
const slowFailure = time.Second

// idleEndpoints is the number of known endpoints above which an idle endpoint is forgotten, with its latency.
const idleEndpoints = 10_000

// A request to a fast endpoint waits in the worker for a place, because a wait in the queue takes whole seconds.
const (
	fast         = 100 * time.Millisecond // maximum latency
	localTimeout = 300 * time.Millisecond // how long a request waits in the worker
	localMax     = 24                     // how many requests wait for one endpoint
	firstLatency = 20 * time.Millisecond  // assumed before the first measurement
)

// Limiter limits the concurrent requests to each endpoint K. A request that finds no place is postponed. It is safe for
// concurrent use.
type Limiter[K comparable] struct {
	now          func() time.Time
	suspectSlots int // how many requests to suspect endpoints run at once

	mu        sync.Mutex
	endpoints map[K]*endpointLoad
	suspects  int // running requests to suspect endpoints
}

// endpointLoad is the state of an endpoint in the limiter.
type endpointLoad struct {
	running        int
	known          bool          // a request has ended
	latency        time.Duration // moving average
	postponed      Spread
	waitingLocally int
	freed          chan struct{} // closed when a place becomes free
}

// NewLimiter makes a limiter for a worker that makes at most `slots` requests at once.
func NewLimiter[K comparable](now func() time.Time, slots int) *Limiter[K] {
	return &Limiter[K]{now: now, suspectSlots: max(slots/2, 1), endpoints: map[K]*endpointLoad{}}
}

// places returns how many requests may run at once after this many failures in a row.
func (e *endpointLoad) places(failures int) int {
	if !e.known || failures >= failingAfter {
		return placesFailing
	}
	return placesHealthy
}

// suspect reports whether a request may hang: the last request failed, and the endpoint is slow or no request to it has ended in
// this worker.
func (e *endpointLoad) suspect(failures int) bool {
	return failures > 0 && (!e.known || e.latency >= slowFailure)
}

// waitLocally counts a request as waiting in this worker and returns the signal to wait for and a function that ends the wait.
// Both are nil if the endpoint has had no request, has a free place or is not fast, or if localMax requests wait for it.
func (l *Limiter[K]) waitLocally(endpoint K, failures int) (freed <-chan struct{}, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.endpoints[endpoint]
	if e == nil || e.running < e.places(failures) || e.latency > fast || e.waitingLocally >= localMax {
		return nil, nil
	}
	e.waitingLocally++
	return e.freed, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		e.waitingLocally--
	}
}

// Admit reserves a place at an endpoint where this many requests in a row have failed. A Gate calls Admit before the
// request and release after it. If the request must wait, release is nil and wait is how long.
func (l *Limiter[K]) Admit(ctx context.Context, endpoint K, failures int) (release func(), wait time.Duration) {
	l.await(ctx, endpoint, failures)
	return l.acquire(endpoint, failures)
}

func (l *Limiter[K]) await(ctx context.Context, endpoint K, failures int) {
	limit := time.NewTimer(localTimeout)
	defer limit.Stop()
	for {
		freed, done := l.waitLocally(endpoint, failures)
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

// acquire is Admit without waiting in the worker.
func (l *Limiter[K]) acquire(endpoint K, failures int) (release func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, e := l.now(), l.endpoints[endpoint]
	if e == nil {
		e = &endpointLoad{latency: firstLatency, freed: make(chan struct{})}
		l.endpoints[endpoint] = e
	}
	places, suspect := e.places(failures), e.suspect(failures)
	if e.running < places && (!suspect || l.suspects < l.suspectSlots) {
		e.running++
		if suspect {
			l.suspects++
		}
		return sync.OnceFunc(func() { l.release(endpoint, e, now, suspect) }), 0
	}
	return nil, e.postponed.Postpone(now, e.latency/time.Duration(places))
}

func (l *Limiter[K]) release(endpoint K, e *endpointLoad, since time.Time, suspect bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	e.running--
	e.known = true
	if suspect {
		l.suspects--
	}
	close(e.freed)
	e.freed = make(chan struct{})
	e.latency = (3*e.latency + now.Sub(since)) / 4
	if e.running == 0 && e.waitingLocally == 0 && !e.postponed.Pending(now) && len(l.endpoints) > idleEndpoints {
		delete(l.endpoints, endpoint)
	}
}
