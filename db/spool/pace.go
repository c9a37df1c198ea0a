package spool

import "time"

const (
	// busyRate is the number of records per second from which the spool counts as busy.
	busyRate = 2000
	// busyPace is the minimum time between two writes of a busy spool. A write with its sync costs about 0.1 ms of processor
	// time, whatever its size, so all records that arrive between two writes share one write. At 5,000 records a second, this
	// leaves a fifth of a processor to redirects and to PostgreSQL.
	busyPace = 2 * time.Millisecond
	// enough is the number of records at which a batch stops waiting for more. With that many records, the cost of a write is
	// small for each record.
	enough = 24
	// paceWindow is the time over which records are counted to calculate the rate.
	paceWindow = 50 * time.Millisecond
)

// pacer decides how long to wait between two writes: at least the time in the field least, and at least busyPace while records come
// faster than busyRate.
type pacer struct {
	least time.Duration
	busy  bool
	since time.Time
	count int64
}

// recordWrite records a write of count records at a moment, and returns the minimum time until the next write.
func (p *pacer) recordWrite(count int64, at time.Time) time.Duration {
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
