package clicklog

import (
	"runtime"
	"time"
)

// courtesy decides how much of its time the ingester works while there is a backlog. When clicks come faster than
// the machine's processors can both answer and store, answering comes first: the ingester steps back to a third of its
// time and takes smaller bites, the backlog waits on disk, and it is worked off when the rush is over.
type courtesy struct {
	duty    float64 // share of time, 0 to 1
	rush    float64 // records a second from which on there is a rush
	rushing bool

	at    time.Time
	count int64
}

const (
	// rushPerProcessor is how many records a second one processor can surely both answer and store.
	rushPerProcessor = 2000
	rushBatch        = 500
	rushWindow       = 250 * time.Millisecond
)

func newCourtesy(duty float64) courtesy {
	return courtesy{duty: duty, rush: rushPerProcessor * float64(runtime.NumCPU())}
}

// note learns how many records have been appended so far.
func (c *courtesy) note(now time.Time, appended int64) {
	passed := now.Sub(c.at)
	if passed < rushWindow {
		return
	}
	c.rushing = !c.at.IsZero() && float64(appended-c.count) > c.rush*passed.Seconds()
	c.at, c.count = now, appended
}

// bite is how many of up to limit records to take at once: a short transaction leaves the disk free soon.
func (c *courtesy) bite(limit int) int {
	if c.rushing {
		return min(limit, rushBatch)
	}
	return limit
}

// rest is how long to rest after having worked.
func (c *courtesy) rest(worked time.Duration) time.Duration {
	duty := c.duty
	if c.rushing {
		duty /= 3
	}
	return time.Duration(float64(worked) * (1 - duty) / duty)
}
