package copilot

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

const (
	delayShare  = 0.95                // share of the conversions that arrive within the delay
	minDelays   = 20                  // number of conversions that are needed to know the delay
	delayKnown  = 14 * 24 * time.Hour // minimum age of a campaign's first click for the campaign's delay to be known
	delayMargin = 3 * 24 * time.Hour  // the shortest delay that is assumed for a campaign whose own delay is not known
	longDelay   = 21 * 24 * time.Hour // the longest delay that is used: a longer delay counts as this delay
)

// DelayDays is the number of days of conversions that NewDelays needs.
const DelayDays = 60

// Arrival holds the time of a conversion and the time of its click.
type Arrival struct {
	Campaign      uuid.UUID
	Clicked, Came time.Time
}

// Delays holds the delays of an account's conversions.
type Delays struct {
	now        time.Time
	all        *delays
	byCampaign map[uuid.UUID]*delays
}

type delays struct {
	first time.Time
	list  []time.Duration
}

// NewDelays returns the delays of conversions. The caller passes the conversions of the last DelayDays days.
func NewDelays(now time.Time, list []Arrival) Delays {
	d := Delays{now: now, all: &delays{first: now}, byCampaign: map[uuid.UUID]*delays{}}
	for _, a := range list {
		ofCampaign, ok := d.byCampaign[a.Campaign]
		if !ok {
			ofCampaign = &delays{first: now}
			d.byCampaign[a.Campaign] = ofCampaign
		}
		for _, known := range []*delays{d.all, ofCampaign} {
			known.list = append(known.list, a.Came.Sub(a.Clicked))
			if a.Clicked.Before(known.first) {
				known.first = a.Clicked
			}
		}
	}
	slices.Sort(d.all.list)
	for _, ofCampaign := range d.byCampaign {
		slices.Sort(ofCampaign.list)
	}
	return d
}

// within returns a delay: the share delayShare of the conversions arrives in at most this time. ok is false if too few conversions
// are known.
func (d *delays) within() (delay time.Duration, ok bool) {
	if len(d.list) < minDelays {
		return 0, false
	}
	return max(d.list[int(delayShare*float64(len(d.list)-1)+0.5)], 0), true
}

// ForCampaign returns the delay of a campaign's conversions. If the campaign has too few conversions or only recent
// clicks, the result is the account's delay, but at least three days.
func (d Delays) ForCampaign(campaign uuid.UUID) time.Duration {
	if ofCampaign, ok := d.byCampaign[campaign]; ok && d.now.Sub(ofCampaign.first) >= delayKnown {
		if delay, ok := ofCampaign.within(); ok {
			return min(delay, longDelay)
		}
	}
	delay, _ := d.all.within()
	return min(max(delay, delayMargin), longDelay)
}

// lateSteps lists the results of Late. There are only a few, because figures are read once for each.
var lateSteps = []int{0, 1, 2, 3, 5, 7, 10, 14, 21, int(longDelay/(24*time.Hour)) + 1}

// Late returns how many of the days before the given end may still get conversions, as one of lateSteps.
func (d Delays) Late(campaign uuid.UUID, end time.Time) int {
	complete := d.now.Add(-d.ForCampaign(campaign)) // conversions of clicks before this time have arrived
	i := slices.IndexFunc(lateSteps, func(days int) bool { return !end.AddDate(0, 0, -days).After(complete) })
	if i < 0 {
		return lateSteps[len(lateSteps)-1]
	}
	return lateSteps[i]
}
