package copilot

import (
	"cmp"
	"math"
	"slices"

	"switchyard/models/flow"
)

// The kinds of comparison, with their names in answers.
const (
	ByPath   = "stream"
	ByLander = "lander"
	ByOffer  = "offer"
)

// The states of a comparison.
const (
	TooEarly = "too_early" // the minimum samples are not reached, so nothing is estimated
	Open     = "open"      // the arm that leads may lead only by chance
	Decided  = "decided"   // every arm except the best loses, at the significance level levelMove
	TooMany  = "too_many"  // there are more arms than one answer compares
)

// The reasons why a path or a destination is in no comparison.
const (
	ReasonPaused   = "paused"    // the path, or the offer or landing page, is not active
	ReasonNoWeight = "no_weight" // its weight is zero, so no visitor is sent to it
	ReasonCapped   = "capped"    // after its cap is reached, its visitors go to other destinations
	ReasonAlone    = "alone"     // there is nothing with which it shares its visitors
	ReasonAddress  = "address"   // an address has no record, so its clicks cannot be distinguished
	ReasonTwice    = "twice"     // it occurs more than once in the path
	ReasonNotDrawn = "not_drawn" // visitors are not sent to it at random (see whyNoPath), or its clicks are not recorded
)

// Limits of a comparison.
const (
	MaxCompared   = 20                  // a group with more arms has the state TooMany
	maxJudged     = 60                  // if an answer has more arms than this, the later groups have the state TooMany
	farAway       = 10_000_000          // if more clicks would be needed, no number is given, because the arms earn alike
	sampleQuality = 1.959964 + 0.841621 // sum of the normal quantiles for a two-sided level of 5 % and a power of 80 %
)

// Comparison compares paths, landing pages or offers among which visitors are distributed at random, by weight alone.
type Comparison struct {
	PathID, Path string // the path to which the landing pages or offers belong; empty if paths are compared
	Slot         int
	State        string
	// MoreClicks is the estimated number of missing clicks, for all arms together. It is nil if none are missing or if the number
	// is not known.
	MoreClicks *int64
	// MoreDays is the number of further days with clicks that are needed.
	MoreDays int
	// InMoney reports whether arms are compared by earnings. Otherwise no payout is known, and they are compared by conversions.
	InMoney bool
	// SpreadAssumed reports that there are too few payouts to measure how much they vary.
	SpreadAssumed bool
	Arms          []Compared // with estimates, sorted by earnings per click, the highest first
}

// Compared is an arm in a comparison. Without an estimate, its pointers are nil.
type Compared struct {
	ID, Name            string
	Clicks, Conversions int64
	Value               float64 // sum of approved and pending payouts
	Earns, Low, High    *float64
	Best                *float64
	// Behind is how much less per click the arm earns than the best arm, with the 95 % interval.
	Behind, BehindLow, BehindHigh *float64
	Loses                         bool   // whether the difference to the best arm is more than chance
	MoreClicks                    *int64 // clicks that this arm and the best arm each need until they can be distinguished
	Weight                        float64
	Proposed                      *float64
}

// LeftOut is a path or a destination that is in no comparison.
type LeftOut struct{ PathID, Path, ID, Name, Reason string }

// Compare compares the paths, landing pages or offers of a campaign. It uses the probabilities, weights and minimum samples of
// the suggestion to move weights (see the package comment). Unlike a suggestion, it gives a result even without certainty.
//
// The interval of a difference holds the middle 95 % of the difference between the two posteriors. MoreClicks follows from the
// sample size of a comparison of two means at a level of 5 % with a power of 80 % (Chow, Shao and Wang, Sample Size Calculations
// in Clinical Research, 2008, sections 3.2 and 4.2). The variance of the earnings of a click is p*m²*(1+s) - (p*m)², for
// the conversion rate p and conversions of the mean value m and the squared coefficient of variation s.
func Compare(in *Input, c *CampaignInput, by string) (list []Comparison, left []LeftOut) {
	var groups []group
	if by == ByPath {
		groups = pathGroups(in, c)
	} else {
		for i := range c.Paths {
			if p := &c.Paths[i]; p.IsActive {
				groups = append(groups, destinationGroups(in, c, p)...)
			}
		}
		what := map[string]string{ByLander: "landing page", ByOffer: "offer"}[by]
		groups = slices.DeleteFunc(groups, func(g group) bool { return g.what != what })
	}
	judged := 0
	for _, g := range groups {
		judged += len(g.arms)
		list = append(list, g.compare(c, judged > maxJudged))
	}
	return list, leftOut(in, c, by, groups)
}

func (g group) compare(c *CampaignInput, tooMany bool) Comparison {
	out := Comparison{PathID: g.path, InMoney: pooled(g.arms).Value > 0}
	if g.path != "" {
		out.Path, out.Slot = c.pathName(g.path), g.slot
	}
	for _, a := range g.arms {
		d := total(a.Days)
		out.Arms = append(out.Arms, Compared{
			ID: a.ID, Name: a.Name, Clicks: int64(d.Clicks), Conversions: int64(d.Conversions), Value: d.Value, Weight: thousandths(a.Share * g.weight),
		})
	}
	switch {
	case tooMany || len(g.arms) > MaxCompared:
		out.State = TooMany
	case !g.hasEnough():
		out.State = TooEarly
		out.MoreClicks, out.MoreDays = g.missing()
	default:
		g.estimate(&out)
	}
	return out
}

// missing returns the estimated number of clicks, and the number of days, until the minimum samples are reached. Without a
// conversion, the number of clicks is not known.
func (g group) missing() (clicks *int64, days int) {
	all, need := pooled(g.arms), 0.0
	for _, a := range g.arms {
		need = max(need, (minArmClicks-total(a.Days).Clicks)/max(a.Share, 1e-3))
	}
	if short := minArmsConverted - all.Conversions; short > 0 {
		if all.Conversions == 0 {
			need = farAway + 1
		} else {
			need = max(need, short*all.Clicks/all.Conversions)
		}
	}
	return whole(need), max(minArmDays-g.daysWithClicks(), 0)
}

// whole returns a number of clicks, rounded up to two significant digits. It is nil for none, and for more than farAway.
func whole(clicks float64) *int64 {
	if !(clicks > 0 && clicks <= farAway) {
		return nil
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(clicks))-1))
	return new(int64(math.Ceil(clicks/unit) * unit))
}

// estimate sets what follows from the posteriors, and sorts the arms by their earnings per click.
func (g group) estimate(out *Comparison) {
	j := judge(g.arms)
	j.best = probabilityBest(j.epc)
	top, shares := g.top(j), g.shares(j)
	variance := func(i int) float64 {
		mean := j.epc[i].mean()
		return mean*j.payout[i]*(1+j.spread) - mean*mean
	}
	out.State, out.SpreadAssumed = Decided, out.InMoney && j.assumed
	for i := range out.Arms {
		a, p := &out.Arms[i], j.epc[i]
		a.Earns, a.Low, a.High = new(p.mean()), new(p.quantile(0.025)), new(p.quantile(0.975))
		a.Best, a.Proposed = new(j.best[i]), new(g.weightOf(shares[i]))
		if i == top {
			continue
		}
		behind := j.epc[top].mean() - p.mean()
		a.Behind, a.BehindLow, a.BehindHigh = new(behind), new(difference(j.epc[top], p, 0.025)), new(difference(j.epc[top], p, 0.975))
		if a.Loses = j.loses[i] <= levelMove; a.Loses {
			continue
		}
		out.State = Open
		need := samples(behind, variance(i), variance(top))
		if a.MoreClicks = whole(need - min(j.clicks[i], j.clicks[top])); a.MoreClicks != nil {
			out.MoreClicks = new(max(*a.MoreClicks*int64(len(g.arms)), orZero(out.MoreClicks)))
		}
	}
	slices.SortStableFunc(out.Arms, func(a, b Compared) int { return cmp.Compare(*b.Earns, *a.Earns) })
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// samples returns how many clicks each of two arms needs until a difference is found at a level of 5 % with a power of 80 %.
func samples(difference, variance, other float64) float64 {
	return sampleQuality * sampleQuality * (variance + other) / (difference * difference)
}

// difference returns a quantile of the difference between two independent posteriors. It uses bisection, and the midpoint rule
// for the second posterior.
func difference(a, b posterior, q float64) float64 {
	const nodes, steps, widest = 100, 40, 12 // widest is in standard deviations
	x := make([]float64, nodes)
	for n := range x {
		x[n] = b.quantile((float64(n) + 0.5) / nodes)
	}
	middle := a.mean() - b.mean()
	margin := widest * math.Sqrt(a.shape/(a.rate*a.rate)+b.shape/(b.rate*b.rate))
	low, high := middle-margin, middle+margin
	for range steps {
		at, below := (low+high)/2, 0.0
		for _, v := range x {
			below += a.below(at+v) / nodes
		}
		if below < q {
			low = at
		} else {
			high = at
		}
	}
	return (low + high) / 2
}

func leftOut(in *Input, c *CampaignInput, by string, groups []group) (list []LeftOut) {
	compared := func(path, id string) bool {
		return slices.ContainsFunc(groups, func(g group) bool {
			return g.path == path && slices.ContainsFunc(g.arms, func(a Arm) bool { return a.ID == id })
		})
	}
	for i := range c.Paths {
		p := &c.Paths[i]
		if by == ByPath {
			if !compared("", p.ID) {
				list = append(list, LeftOut{ID: p.ID, Name: p.Name, Reason: whyNoPath(c, p)})
			}
			continue
		}
		seen := map[string]int{}
		for _, d := range p.Destinations {
			seen[d.ID]++
		}
		for _, d := range p.Destinations {
			reason, name := whyNoDestination(in, by, p, d, seen[d.ID] > 1)
			if reason != "" && !compared(p.ID, d.ID) {
				list = append(list, LeftOut{p.ID, p.Name, d.ID, name, reason})
			}
		}
	}
	return list
}

func whyNoPath(c *CampaignInput, p *flow.Path) string {
	switch {
	case !p.IsActive:
		return ReasonPaused
	case p.StreamType != flow.Regular || !p.CollectClicks || c.FlowRotation != "weight" && p.RuleGroup == 0:
		return ReasonNotDrawn
	case p.Weight <= 0:
		return ReasonNoWeight
	case p.DailyCap != nil:
		return ReasonCapped
	}
	return ReasonAlone
}

// whyNoDestination returns why a destination is in no group, and its name. The reason is empty for a destination of another
// kind, and for a deleted record.
func whyNoDestination(in *Input, by string, p *flow.Path, d flow.Destination, twice bool) (reason, name string) {
	offer, isOffer := in.Offers[d.ID]
	lander, isLander := in.Landers[d.ID]
	name = lander.Name
	if isOffer {
		name = offer.Name
	}
	switch {
	case isOffer && by != ByOffer, isLander && by != ByLander, d.ID == "" && by != ByOffer:
		return "", ""
	case d.ID == "":
		return ReasonAddress, d.URL
	case !isOffer && !isLander:
		return "", "" // the record is deleted, so it is not known whether it is an offer or a landing page
	case !p.IsActive, isOffer && !bool(offer.IsActive), isLander && !lander.Active:
		return ReasonPaused, name
	case d.Weight <= 0:
		return ReasonNoWeight, name
	case isOffer && offer.DailyCap != nil:
		return ReasonCapped, name
	case twice:
		return ReasonTwice, name
	}
	return ReasonAlone, name
}
