package spool

import "time"

const (
	// busyRate is the number of records per second from which the spool counts as busy.
	busyRate = 2000
	// busyPace is how long a busy spool waits between two writes. A write with its sync costs about 0.1 ms of processor time,
	// whatever its size, so all records that arrive between two writes share one write. At 5,000 records a second, this saves a
	// fifth of a processor.
	busyPace = 2 * time.Millisecond
	// enough is the number of records at which a batch stops waiting for more, unless the option Pace is set. With that many
	// records, the cost of a write is small for each record.
	enough = 24
	// paceWindow is the time over which records are counted to calculate the rate.
	paceWindow = 50 * time.Millisecond
)

// pacer decides how long to wait between two writes: as long as the field least says, and at least busyPace while records come
// faster than busyRate.
type pacer struct {
	least time.Duration
	busy  bool
	since time.Time
	count int64
}

// recordWrite records a write of count records at a moment, and returns the time to wait until the next write.
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
