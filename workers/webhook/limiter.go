package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db/delivery"
	"switchyard/workers"
)

// How many deliveries to one endpoint a worker makes at once. An endpoint that nothing is known of yet, or that failed
// many times in a row, gets fewer places.
const (
	placesHealthy = 8
	placesFailing = 2
	failingAfter  = 5 // failures in a row
)

// slowFailure is from when on a delivery that fails counts as hanging. Endpoints that may hang get at most half of the
// worker's slots together, so that the others find slots even when many hang. Endpoints that fail at once take nobody's
// slots, so they are not suspect.
const slowFailure = time.Second

// idleEndpoints is how many idle endpoints keep their measured latency.
const idleEndpoints = 10_000

// A delivery to a fast endpoint waits for a place in the worker and not in the queue, which measures in seconds.
const (
	fast         = 100 * time.Millisecond // the latency of such an endpoint, at most
	localTimeout = 300 * time.Millisecond // how long the delivery waits in the worker
	localMax     = 24                     // how many wait for one endpoint
	firstLatency = 20 * time.Millisecond  // what is assumed of an endpoint that is not known yet
)

// endpointLimiter limits the deliveries under way by endpoint. Those that find no place are postponed.
type endpointLimiter struct {
	now          func() time.Time
	suspectSlots int // for deliveries to suspect endpoints

	mu        sync.Mutex
	endpoints map[uuid.UUID]*endpointLoad
	suspects  int // deliveries to suspect endpoints under way
}

// endpointLoad is what the limiter knows of an endpoint.
type endpointLoad struct {
	running        int
	known          bool          // a delivery has come back
	latency        time.Duration // of a delivery, a moving average
	postponed      workers.Spread
	waitingLocally int
	freed          chan struct{} // closed when a place becomes free
}

func newEndpointLimiter(now func() time.Time, slots int) *endpointLimiter {
	return &endpointLimiter{now: now, suspectSlots: max(slots/2, 1), endpoints: map[uuid.UUID]*endpointLoad{}}
}

// places is how many deliveries may run at once, after so many failures in a row.
func (e *endpointLoad) places(failures int) int {
	if !e.known || failures >= failingAfter {
		return placesFailing
	}
	return placesHealthy
}

// suspect reports whether a delivery may hang: the last one failed, and was slow as far as is known.
func (e *endpointLoad) suspect(failures int) bool {
	return failures > 0 && (!e.known || e.latency >= slowFailure)
}

// waitLocally counts a delivery as waiting in this worker and returns the signal to wait for and a function that ends
// the wait. Both are nil when there is a place, or when waiting here is pointless.
func (l *endpointLimiter) waitLocally(endpoint uuid.UUID, failures int) (freed <-chan struct{}, done func()) {
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

// await waits for a place at a fast endpoint, for localTimeout at most.
func (l *endpointLimiter) await(ctx context.Context, endpoint uuid.UUID, failures int) {
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
func (l *endpointLimiter) acquire(endpoint uuid.UUID, failures int) (release func(), wait time.Duration) {
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

func (l *endpointLimiter) release(endpoint uuid.UUID, e *endpointLoad, since time.Time, suspect bool) {
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

// admit is the gate of webhook:deliver. A delivery whose endpoint is gone needs no place: it ends at once.
func (s *sender) admit(ctx context.Context, row uuid.UUID) (func(), time.Duration, error) {
	endpoint, failures, err := delivery.EndpointOf(ctx, s.db, row)
	if err != nil || endpoint == uuid.Nil {
		return func() {}, 0, err
	}
	s.limiter.await(ctx, endpoint, failures)
	release, wait := s.limiter.acquire(endpoint, failures)
	return release, wait, nil
}
