package workers

import (
	"context"
	"sync"
	"time"
)

// Limits of the requests that a worker has under way at one endpoint. An endpoint has placesHealthy places. It has only
// placesFailing places until its first request has ended, and after failingAfter failures in a row.
const (
	placesHealthy = 8
	placesFailing = 2
	failingAfter  = 5 // failures in a row
)

// slowFailure is the duration from which a failing request counts as hanging. Endpoints that may hang share at most half of the
// worker's slots, so that other endpoints find slots even when many hang. An endpoint that fails at once occupies no slots, so
// it is not suspect.
const slowFailure = time.Second

// idleEndpoints is the number of known endpoints above which the limiter forgets an endpoint that becomes idle, together with its
// measured latency.
const idleEndpoints = 10_000

// A request to a fast endpoint waits in the worker until the endpoint has a free place. A wait in the queue would take whole
// seconds.
const (
	fast         = 100 * time.Millisecond // the maximum latency of a fast endpoint
	localTimeout = 300 * time.Millisecond // how long the request waits in the worker
	localMax     = 24                     // how many requests wait in the worker for one endpoint
	firstLatency = 20 * time.Millisecond  // the assumed latency of an endpoint before its first measurement
)

// Limiter limits the concurrent outgoing requests to each endpoint. K names an endpoint. A request that finds no place is
// postponed. A Limiter is safe for concurrent use.
type Limiter[K comparable] struct {
	now          func() time.Time
	suspectSlots int // how many requests to suspect endpoints may run at once

	mu        sync.Mutex
	endpoints map[K]*endpointLoad
	suspects  int // running requests to suspect endpoints
}

// endpointLoad is the state of an endpoint in the limiter.
type endpointLoad struct {
	running        int
	known          bool          // whether a request to the endpoint has ended
	latency        time.Duration // moving average over the requests
	postponed      Spread
	waitingLocally int
	freed          chan struct{} // closed when a place becomes free
}

// NewLimiter makes a limiter for a worker that makes at most `slots` requests at once.
func NewLimiter[K comparable](now func() time.Time, slots int) *Limiter[K] {
	return &Limiter[K]{now: now, suspectSlots: max(slots/2, 1), endpoints: map[K]*endpointLoad{}}
}

// places returns how many requests may run at once, given the number of failures in a row.
func (e *endpointLoad) places(failures int) int {
	if !e.known || failures >= failingAfter {
		return placesFailing
	}
	return placesHealthy
}

// suspect reports whether a request may hang: the last request failed, and requests are slow or their latency is unknown.
func (e *endpointLoad) suspect(failures int) bool {
	return failures > 0 && (!e.known || e.latency >= slowFailure)
}

// waitLocally counts a request as waiting in this worker and returns the signal to wait for and a function that ends
// the wait. Both are nil if the endpoint has a free place, if it is unknown or not fast, or if localMax requests wait for it already.
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

// Admit reserves a place at an endpoint. failures is the number of requests in a row that have failed there. A Gate calls Admit,
// and release is called after the request. Without a free place, release is nil and wait is how long the request must wait.
func (l *Limiter[K]) Admit(ctx context.Context, endpoint K, failures int) (release func(), wait time.Duration) {
	l.await(ctx, endpoint, failures)
	return l.acquire(endpoint, failures)
}

// await waits for a place at a fast endpoint, for localTimeout at most.
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

// acquire reserves a place, until release is called. Without a free place, release is nil and wait is how long to wait.
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
