package copilot

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// How late conversions come, and what is assumed where too few are known.
const (
	delayShare  = 0.95 // of the conversions come within the delay
	minDelays   = 20   // conversions that tell how late they come
	delayKnown  = 14 * 24 * time.Hour
	delayMargin = 3 * 24 * time.Hour
	longDelay   = 21 * 24 * time.Hour // figures never wait longer
)

// DelayDays is how many days of conversions NewDelays needs.
const DelayDays = 60

// Arrival is a conversion: when its click was, and when it came.
type Arrival struct {
	Campaign      uuid.UUID
	Clicked, Came time.Time
}

// Delays tell how late the conversions of an account come.
type Delays struct {
	now time.Time
	all *delays
	by  map[uuid.UUID]*delays
}

type delays struct {
	first time.Time // of the clicks
	list  []time.Duration
}

// NewDelays reads the conversions of the last DelayDays days.
func NewDelays(now time.Time, list []Arrival) Delays {
	d := Delays{now: now, all: &delays{first: now}, by: map[uuid.UUID]*delays{}}
	for _, a := range list {
		own, ok := d.by[a.Campaign]
		if !ok {
			own = &delays{first: now}
			d.by[a.Campaign] = own
		}
		for _, to := range []*delays{d.all, own} {
			to.list = append(to.list, a.Came.Sub(a.Clicked))
			if a.Clicked.Before(to.first) {
				to.first = a.Clicked
			}
		}
	}
	d.all.sort()
	for _, own := range d.by {
		own.sort()
	}
	return d
}

func (d *delays) sort() { slices.Sort(d.list) }

// within is how long delayShare of the conversions take. ok is false if too few are known to tell.
func (d *delays) within() (delay time.Duration, ok bool) {
	if len(d.list) < minDelays {
		return 0, false
	}
	return max(d.list[int(delayShare*float64(len(d.list)-1)+0.5)], 0), true
}

// Of returns how late the conversions of a campaign come. If the campaign has few conversions or no old clicks, its own delay
// is not known yet. Then Of returns the delay of the account, and three days at least.
func (d Delays) Of(campaign uuid.UUID) time.Duration {
	if own, ok := d.by[campaign]; ok && d.now.Sub(own.first) >= delayKnown {
		if delay, ok := own.within(); ok {
			return min(delay, longDelay)
		}
	}
	delay, _ := d.all.within()
	return min(max(delay, delayMargin), longDelay)
}

// lateSteps are the numbers of days that Late gives. They are few, because figures are read once for each number.
var lateSteps = []int{0, 1, 2, 3, 5, 7, 10, 14, 21, int(longDelay/(24*time.Hour)) + 1}

// Late is the number of days before end that are not complete: more conversions of their clicks are to be expected.
func (d Delays) Late(campaign uuid.UUID, end time.Time) int {
	settled := d.now.Add(-d.Of(campaign))
	i := slices.IndexFunc(lateSteps, func(days int) bool { return !end.AddDate(0, 0, -days).After(settled) })
	if i < 0 {
		return lateSteps[len(lateSteps)-1]
	}
	return lateSteps[i]
}
