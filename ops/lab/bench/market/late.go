package market

import (
	"fmt"
	"slices"
	"time"

	"switchyard/models/copilot"
)

type placement struct {
	name    string
	times   float64 // earnings per click, relative to the campaign's earnings per click
	starts  int
	share   float64
	blocked bool
	days    []copilot.ValueRow // figures by day of the click
}

// arrival holds conversions that come on the day `day`, from clicks of the day `of`. They belong either to a row of a path (row)
// or to a placement (place). The other index is negative.
type arrival struct {
	day, of     int
	row, place  int
	conversions int64
	value       float64
}

// A campaign with an even number has placements, unless its paths earn the same. The Copilot judges the placements. Every fourth
// campaign is slow: its conversions come days after their clicks.
const (
	placements = 6
	slowEvery  = 4
	slowDays   = 6.0 // the mean delay of a slow campaign
	newStarts  = 8
	newShare   = 0.5
)

// assignPlacements gives a campaign its delay and its placements. One placement earns nothing. The others earn 0.9
// to 1.7 times as much per click as the campaign. One of these gets its first clicks on the day newStarts.
func (m *market) assignPlacements(c *campaign, i int) {
	if i%slowEvery == 0 {
		c.delay = slowDays
	}
	if c.equal || i%2 == 1 {
		return
	}
	for k := range placements {
		p := placement{name: fmt.Sprint("p", k), times: 0.9 + 0.8*m.late.Float64(), share: 1.0 / placements}
		switch k {
		case 0:
			p.times = 0
			m.result.Fraud++
		case 1:
			p.starts, p.share = newStarts, newShare
		}
		c.placements = append(c.placements, p)
	}
}

func (m *market) daysLate(c *campaign) int {
	if c.delay == 0 {
		return 0
	}
	return int(c.delay * m.late.ExpFloat64())
}

func (m *market) delayConversions(c *campaign, row *copilot.ArmRow) {
	if c.delay == 0 || row.Conversions == 0 {
		return
	}
	each := row.Value / float64(row.Conversions)
	for range row.Conversions {
		c.coming = append(c.coming, arrival{row.Day + m.daysLate(c), row.Day, len(c.in.Rows), -1, 1, each})
	}
	row.Conversions, row.Value = 0, 0
}

func (m *market) place(c *campaign, day int) {
	mean, payout := 0.0, 0.0
	for k, share := range sharesOf(c.in.Paths) {
		mean += share * c.paths[k].epc()
		payout += c.paths[k].payout / float64(len(c.paths))
	}
	for k := range c.placements {
		p := &c.placements[k]
		clicks := int64(0)
		if day >= p.starts {
			clicks = m.poissonOf(m.late, c.clicks*p.share)
		}
		p.days = append(p.days, copilot.ValueRow{Clicks: clicks, Cost: float64(clicks) * c.cost})
		for range m.poissonOf(m.late, float64(clicks)*p.times*mean/payout) {
			c.coming = append(c.coming, arrival{day + m.daysLate(c), day, -1, k, 1, payout})
		}
	}
}

func (m *market) arrive(c *campaign, start time.Time, day int) {
	c.coming = slices.DeleteFunc(c.coming, func(a arrival) bool {
		switch {
		case a.day > day:
			return false
		case a.row >= 0:
			r := &c.in.Rows[a.row]
			r.Conversions, r.Value = r.Conversions+a.conversions, r.Value+a.value
		default:
			v := &c.placements[a.place].days[a.of]
			v.Conversions, v.Returns = v.Conversions+a.conversions, v.Returns+a.value
		}
		m.came = append(m.came, copilot.Arrival{
			Campaign: c.in.ID, Clicked: start.AddDate(0, 0, a.of).Add(12 * time.Hour), Came: start.AddDate(0, 0, a.day).Add(12 * time.Hour),
		})
		return true
	})
}

// The last c.in.Late days are left out, because more of their conversions may come.
func (c *campaign) fillValues(day int) {
	c.in.Values = nil
	for _, p := range c.placements {
		if p.blocked {
			continue
		}
		sum := copilot.ValueRow{Attribute: "sub1", Value: p.name}
		for _, v := range p.days[:max(day+1-c.in.Late, 0)] {
			sum.Clicks, sum.Conversions = sum.Clicks+v.Clicks, sum.Conversions+v.Conversions
			sum.Returns, sum.Cost = sum.Returns+v.Returns, sum.Cost+v.Cost
		}
		c.in.Values = append(c.in.Values, sum)
	}
}

// A block is wrong if the placement earns at least what its clicks cost.
func (m *market) block(c *campaign, names []string) {
	mean := earn(c, sharesOf(c.in.Paths))
	for k := range c.placements {
		if p := &c.placements[k]; slices.Contains(names, p.name) {
			p.blocked = true
			m.result.Blocks++
			if p.times*mean >= c.cost {
				m.result.WrongBlock++
			}
		}
	}
}
