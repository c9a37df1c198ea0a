// Package capacity works out from measured unit costs which machines a traffic needs.
package capacity

import (
	"math"
	"time"
)

// Cost is what one thing takes of a core, by the processes that do it.
type Cost struct{ Web, Worker, Postgres, Redis time.Duration }

// plus adds share times another cost.
func (c Cost) plus(o Cost, share float64) Cost {
	add := func(a, b time.Duration) time.Duration { return a + time.Duration(share*float64(b)) }
	return Cost{add(c.Web, o.Web), add(c.Worker, o.Worker), add(c.Postgres, o.Postgres), add(c.Redis, o.Redis)}
}

// Units are what things cost, as `make bench PART=units` measures them.
type Units struct {
	Click         Cost    // from the request to its row and its figures
	Conversion    Cost    // of a click, by a postback
	Delivery      Cost    // of a webhook
	ClickBytes    float64 // on PostgreSQL's disk: row, indexes, uniqueness, ledger
	WALBytes      float64 // of a click
	CampaignBytes float64 // in the memory of each web process
	ProcessBytes  float64 // of a web process without campaigns
}

const (
	// planned is the share of a processor that is planned for. The rest is for bursts, reports and upkeep of the database.
	planned = 0.6
	// converted is the share of clicks that convert. Each conversion is sent to one webhook.
	converted = 0.01
	// perWriter is how many clicks a second one web process stores at most: it has one connection for that.
	perWriter = 12_000
)

// Each is what a click costs with its share of a conversion.
func (u Units) Each() Cost { return u.Click.plus(u.Conversion, converted).plus(u.Delivery, converted) }

func (c Cost) database() float64 { return (c.Postgres + c.Redis).Seconds() }

// OneMachine returns how many clicks a second one machine handles that runs everything and has the given number of cores.
func (u Units) OneMachine(cores int) float64 {
	each := u.Each()
	return min(planned*float64(cores)/(each.Web.Seconds()+each.Worker.Seconds()+each.database()), perWriter)
}

// Apart returns how many clicks a second the given number of machines for web and worker handle, with PostgreSQL and Redis on a
// machine of their own. All machines have the same number of cores.
func (u Units) Apart(machines, cores int) float64 {
	each := u.Each()
	fronts := float64(machines) * min(planned*float64(cores)/(each.Web+each.Worker).Seconds(), perWriter)
	return min(fronts, planned*float64(cores)/each.database())
}

// Curve is how traffic is spread over time. A mean of 1 is the month's own.
type Curve struct {
	// Day is the largest hour by the mean one, Week the largest day by the mean one.
	Day, Week float64
	// Burst is by how much traffic rises for BurstMinutes of each day, at its largest hour.
	Burst        float64
	BurstMinutes int
}

// Usual is the curve of a campaign's traffic that follows people's days, with a mailing or a push each evening.
var Usual = Curve{Day: 1.7, Week: 1.2, Burst: 3, BurstMinutes: 10}

// Peak is the largest minute by the mean one.
func (c Curve) Peak() (most float64) {
	sum := 0.0
	for n := range daysOfMonth * minutesOfDay {
		sum += c.at(n)
		most = max(most, c.at(n))
	}
	return most * daysOfMonth * minutesOfDay / sum
}

const (
	minutesOfDay = 24 * 60
	daysOfMonth  = 30
	peakMinute   = 20 * 60
)

// at is the traffic of a minute by the mean one.
func (c Curve) at(minute int) float64 {
	day, of := minute/minutesOfDay, minute%minutesOfDay
	hours := 1 + (c.Day-1)*math.Cos(2*math.Pi*float64(of-peakMinute)/minutesOfDay)
	week := 1 + (c.Week-1)*math.Cos(2*math.Pi*float64(day-5)/7)
	rate := max(hours, 0) * week
	if of >= peakMinute && of < peakMinute+c.BurstMinutes {
		rate *= c.Burst
	}
	return rate
}

// Machines are what serves: web and worker processes on Fronts, and PostgreSQL with Redis on another.
type Machines struct{ Fronts, FrontCores, DatabaseCores int }

// Month is what a simulated month led to.
type Month struct {
	Clicks                  float64
	Peak                    float64       // clicks a second in the largest minute
	BusiestFront, BusiestDB float64       // shares of their processors in the largest minute
	Backlog                 float64       // clicks that waited for PostgreSQL, at most
	Behind                  time.Duration // the longest that a click waited
	Missed                  float64       // clicks that web could not answer in their minute
}

// Simulate sends a month of clicks, minute by minute. Web answers what its processors can. PostgreSQL stores what its own can,
// and the rest waits in the spools. Processors are used wholly before anything waits.
func (u Units) Simulate(clicks float64, c Curve, m Machines) Month {
	minutes, each := daysOfMonth*minutesOfDay, u.Each()
	total := 0.0
	for n := range minutes {
		total += c.at(n)
	}
	var out Month
	answered := float64(m.Fronts*m.FrontCores) / (each.Web + each.Worker).Seconds() * 60
	able := float64(m.DatabaseCores) / each.database() * 60
	stored := min(able, float64(m.Fronts)*perWriter*60)
	waiting := 0.0
	for n := range minutes {
		came := clicks * c.at(n) / total
		out.Clicks += came
		out.Peak = max(out.Peak, came/60)
		out.Missed += max(came-answered, 0)
		out.BusiestFront = max(out.BusiestFront, came/answered)
		work := waiting + min(came, answered)
		out.BusiestDB = max(out.BusiestDB, min(min(work, stored)/able, 1))
		waiting = max(work-stored, 0)
		out.Backlog = max(out.Backlog, waiting)
		out.Behind = max(out.Behind, time.Duration(waiting/stored*float64(time.Minute)))
	}
	return out
}

// Smallest finds the fewest machines with the given number of cores that handle a month without a backlog and are at most 90 % busy at
// the peak. ok is false if no number of fronts is enough, because PostgreSQL's machine is too small.
func (u Units) Smallest(clicks float64, c Curve, cores int) (m Machines, month Month, ok bool) {
	const most = 64
	for fronts := 1; fronts <= most; fronts++ {
		m = Machines{Fronts: fronts, FrontCores: cores, DatabaseCores: cores}
		month = u.Simulate(clicks, c, m)
		if month.BusiestDB > 0.9 {
			return m, month, false
		}
		if month.BusiestFront <= 0.9 && month.Backlog == 0 {
			return m, month, true
		}
	}
	return m, month, false
}
