// Package market simulates campaigns with known true rates, and compares the suggestions of package copilot with these rates.
package market

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/models/copilot"
	"switchyard/models/flow"
)

// Options of a run.
type Options struct {
	Seed      uint64
	Campaigns int
	Equal     int // number of campaigns with paths that earn the same (A/A)
	Days      int
	// Hasty also judges days with outstanding conversions, as if conversions came at once.
	Hasty bool
}

// Result counts right and wrong suggestions.
type Result struct {
	Suggestions, Right int // of the campaigns with different paths; blocked placements are not among them
	Pauses, WrongPause int // a pause is wrong if the paused path was better than every path that is still active
	Equal, EqualMoved  int // number of A/A campaigns, and how many got a suggestion about weights or paths
	Blocks, WrongBlock int // blocked placements; a block is wrong if the placement pays for its clicks
	Fraud              int // placements that return nothing at all
	// Profit of the campaigns with different paths, over all days: with the suggestions applied, without changes, with an even
	// split, and with all visitors on the best path.
	Applied, Nothing, Even, Knowing float64
}

// WrongShare returns the share of wrong pauses.
func (r Result) WrongShare() float64 { return share(r.WrongPause, r.Pauses) }

// RightShare returns the share of right suggestions.
func (r Result) RightShare() float64 { return share(r.Right, r.Suggestions) }

// WrongBlockShare returns the share of blocked placements that pay for their clicks.
func (r Result) WrongBlockShare() float64 { return share(r.WrongBlock, r.Blocks) }

// EqualShare returns the share of A/A campaigns that got a suggestion about weights or paths.
func (r Result) EqualShare() float64 { return share(r.EqualMoved, r.Equal) }

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

type path struct {
	rate, payout float64
	varies       bool // payouts are spread exponentially, like the totals of carts
}

func (p path) epc() float64 { return p.rate * p.payout }

type campaign struct {
	in     copilot.CampaignInput
	paths  []path
	first  []float64
	clicks float64 // mean number per day
	cost   float64
	equal  bool
	moved  bool

	delay      float64 // mean days until a conversion comes; 0: at once
	placements []placement
	coming     []arrival
}

type market struct {
	Options
	random *rand.Rand // for the campaigns, and for the clicks and conversions of their paths
	late   *rand.Rand // for the placements, with their clicks and conversions, and for the delays of all conversions
	list   []*campaign
	came   []copilot.Arrival
	result Result
}

// Run simulates the days. At the end of each day it judges the campaigns and applies every suggestion.
func Run(o Options) (Result, error) {
	m := &market{Options: o, random: rand.New(rand.NewPCG(o.Seed, 1)), late: rand.New(rand.NewPCG(o.Seed, 2))}
	for i := range o.Campaigns + o.Equal {
		m.list = append(m.list, m.campaign(i, i >= o.Campaigns))
	}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var days []string
	for day := range o.Days {
		days = append(days, start.AddDate(0, 0, day).Format(time.DateOnly))
		weekday := 1 + 0.3*math.Sin(2*math.Pi*float64(day)/7)
		for _, c := range m.list {
			m.simulateDay(c, day, weekday)
			m.place(c, day)
			m.arrive(c, start, day)
		}
		in := copilot.Input{Now: start.AddDate(0, 0, day+1), Days: days, Currency: "USD"}
		delays := copilot.NewDelays(in.Now, m.came)
		for _, c := range m.list {
			if !m.Hasty {
				c.in.Late = delays.Late(c.in.ID, in.Now)
			}
			c.fillValues(day)
			in.Campaigns = append(in.Campaigns, c.in)
		}
		found, _ := copilot.Judge(in)
		for _, s := range found {
			if err := m.apply(s); err != nil {
				return m.result, err
			}
		}
	}
	for _, c := range m.list {
		if c.equal {
			m.result.Equal++
			if c.moved {
				m.result.EqualMoved++
			}
		}
	}
	return m.result, nil
}

// campaign creates a campaign of two to four paths. If equal is set, a click earns the same on each path. Otherwise the rates of
// paths differ by about 30 %, their payouts by about 20 %, and their weights at random.
func (m *market) campaign(i int, equal bool) *campaign {
	r := m.random
	c := &campaign{equal: equal, clicks: 300 * math.Exp(2.7*r.Float64())}
	c.in.ID, c.in.Name, c.in.FlowRotation = uuid.NewSHA1(uuid.Nil, fmt.Append(nil, i)), fmt.Sprint("campaign ", i), "weight"
	rate, payout, varies := 0.005*math.Exp(2*r.Float64()), 5*math.Exp(2*r.Float64()), r.IntN(3) == 0
	mean := 0.0
	for k := range 2 + r.IntN(3) {
		p := flow.NewPath()
		p.ID, p.Name = uuid.NewSHA1(c.in.ID, fmt.Append(nil, k)).String(), fmt.Sprint("path ", k)
		truth := path{rate, payout, varies}
		if equal && i%2 == 0 { // rates and payouts differ, but a click earns the same
			f := math.Exp(0.7 * r.NormFloat64())
			truth = path{truth.rate * f, truth.payout / f, true}
		}
		if !equal {
			truth.rate *= math.Exp(0.3 * r.NormFloat64())
			truth.payout *= math.Exp(0.2 * r.NormFloat64())
			p.Weight = 50 + float64(r.IntN(101))
		}
		c.in.Paths, c.paths = append(c.in.Paths, p), append(c.paths, truth)
		mean += truth.epc()
	}
	m.assignPlacements(c, i)
	c.first = sharesOf(c.in.Paths)
	c.cost = mean / float64(len(c.paths)) * (0.7 + 0.4*r.Float64())
	return c
}

func (m *market) simulateDay(c *campaign, day int, weekday float64) {
	shares := sharesOf(c.in.Paths)
	best, even := 0.0, 0.0
	for k, p := range c.paths {
		clicks := m.poisson(c.clicks * weekday * shares[k])
		row := copilot.ArmRow{Path: c.in.Paths[k].ID, Day: day, Clicks: clicks, Cost: float64(clicks) * c.cost}
		row.Conversions = m.poisson(float64(clicks) * p.rate * weekday)
		row.Value = float64(row.Conversions) * p.payout
		if p.varies {
			row.Value = 0
			for range row.Conversions {
				row.Value += p.payout * m.random.ExpFloat64()
			}
		}
		m.delayConversions(c, &row)
		c.in.Rows = append(c.in.Rows, row)
		best = max(best, p.epc())
		even += p.epc() / float64(len(c.paths))
	}
	if c.equal {
		return
	}
	clicks := c.clicks * weekday
	m.result.Applied += clicks * (earn(c, shares)*weekday - c.cost)
	m.result.Nothing += clicks * (earn(c, c.first)*weekday - c.cost)
	m.result.Even += clicks * (even*weekday - c.cost)
	m.result.Knowing += clicks * (best*weekday - c.cost)
}

// A suggestion was right if a click earns more than before.
func (m *market) apply(s copilot.Suggestion) error {
	c := m.list[slices.IndexFunc(m.list, func(c *campaign) bool { return c.in.ID == s.CampaignID.UUID })]
	if s.Action.Op == copilot.OpDeny {
		m.block(c, s.Action.Values)
		return nil
	}
	c.moved = true
	before := sharesOf(c.in.Paths)
	after, _, _, err := s.Action.Apply(copilot.Record{Paths: c.in.Paths})
	if err != nil {
		return fmt.Errorf("market: %s: %w", s.Title, err)
	}
	c.in.Paths = after.Paths
	if c.equal {
		return nil
	}
	m.result.Suggestions++
	if earn(c, sharesOf(c.in.Paths)) > earn(c, before) {
		m.result.Right++
	}
	if s.Action.Op != copilot.OpPausePath {
		return nil
	}
	m.result.Pauses++
	best, paused := 0.0, 0.0
	for k, p := range c.in.Paths {
		switch {
		case p.ID == s.Action.PathID:
			paused = c.paths[k].epc()
		case p.IsActive:
			best = max(best, c.paths[k].epc())
		}
	}
	if paused > best {
		m.result.WrongPause++
	}
	return nil
}

func earn(c *campaign, shares []float64) (sum float64) {
	for k, p := range c.paths {
		sum += shares[k] * p.epc()
	}
	return sum
}

func sharesOf(paths []flow.Path) []float64 {
	shares, sum := make([]float64, len(paths)), 0.0
	for k, p := range paths {
		if p.IsActive {
			shares[k] = p.Weight
			sum += p.Weight
		}
	}
	for k := range shares {
		shares[k] /= sum
	}
	return shares
}

func (m *market) poisson(mean float64) int64 { return m.poissonOf(m.random, mean) }

func (*market) poissonOf(random *rand.Rand, mean float64) int64 {
	if mean > 500 { // with such a mean, the Poisson distribution is almost a normal distribution
		return int64(max(math.Round(mean+math.Sqrt(mean)*random.NormFloat64()), 0))
	}
	n, p, limit := int64(0), 1.0, math.Exp(-mean)
	for {
		if p *= random.Float64(); p <= limit {
			return n
		}
		n++
	}
}
