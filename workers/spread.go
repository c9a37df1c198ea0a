package workers

import "time"

// Bounds of the wait of a postponed job.
const (
	MinPostpone = 200 * time.Millisecond
	MaxPostpone = time.Minute
)

// Spread lets postponed jobs that compete for places return at the rate at which they can be carried out. Otherwise thousands
// would return every second. The zero value is ready for use. It is not safe for concurrent use.
type Spread struct {
	next time.Time // for the next postponed job
}

// Postpone returns how long the next job waits, between MinPostpone and MaxPostpone. The argument each is the average time
// until a place becomes free.
func (s *Spread) Postpone(now time.Time, each time.Duration) time.Duration {
	if s.next.Before(now) {
		s.next = now
	}
	if s.next.Sub(now) < MaxPostpone {
		s.next = s.next.Add(each)
	}
	return min(max(s.next.Sub(now), MinPostpone), MaxPostpone)
}

// Pending reports whether a postponed job has not returned yet.
func (s *Spread) Pending(now time.Time) bool { return s.next.After(now) }
