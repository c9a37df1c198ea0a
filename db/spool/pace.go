package spool

import "time"

const (
	// busyRate is from how many records a second on the spool counts as busy.
	busyRate = 2000
	// busyPace is the minimum time between two writes of a busy spool. A write with its sync costs some 0.1 ms of a
	// processor, whatever its size, so the records that arrive meanwhile share one: at 5,000 a second, a fifth of a
	// processor is left to redirects and to PostgreSQL.
	busyPace = 2 * time.Millisecond
	// enough is how many records a batch need not wait for more with: a write is spread over them well.
	enough = 24
	// paceWindow is how long records are counted before the rate is worked out anew.
	paceWindow = 50 * time.Millisecond
)

// pacer decides how long to wait between two writes: least, or busyPace while records come faster than busyRate.
type pacer struct {
	least time.Duration
	busy  bool
	since time.Time
	count int64
}

// wrote notes a write of so many records at a moment, and gives the least time until the next one.
func (p *pacer) wrote(count int64, at time.Time) time.Duration {
	p.count += count
	if passed := at.Sub(p.since); passed >= paceWindow {
		p.busy = float64(p.count) >= busyRate*passed.Seconds()
		p.since, p.count = at, 0
	}
	if p.busy {
		return max(p.least, busyPace)
	}
	return p.least
}
