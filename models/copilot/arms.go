package copilot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"switchyard/models/flow"
)

// Minimum samples, thresholds and other constants of the comparison of arms.
const (
	minArmClicks     = 100 // clicks of each arm
	minArmsConverted = 20  // conversions of all arms together
	minArmDays       = 3
	holdOut          = 0.10  // share of the visitors that is spread evenly over the arms, so that no suggested weight is zero
	minMove          = 0.10  // the smallest share of the visitors that a suggestion moves to other arms
	normal95         = 1.645 // the 95 % quantile of a normal distribution
	minLoss          = 0.05  // an arm is paused only if it earns at least this share less per click than the best
)

// group is a set of arms among which visitors are distributed at random, by weight alone.
type group struct {
	campaign *CampaignInput
	path     string // the path whose destinations are the arms; empty: the arms are paths themselves
	what     string // kind of the arms: path, offer or landing page
	slot     int    // slot of the offers
	draw     string // if the arms are paths: which random choice they share; empty: the choice among paths without conditions
	arms     []Arm
	weight   float64 // weight of all arms together
}

// findArms judges every group of arms that has enough data. With pause, it suggests pausing arms that certainly earn less than the
// best arm. Without pause, it suggests other weights.
func findArms(in *Input, pause bool) (list []finding) {
	for i := range in.Campaigns {
		for _, g := range groupsOf(in, &in.Campaigns[i]) {
			if !g.hasEnough() {
				continue
			}
			j := judge(g.arms)
			if pause {
				list = append(list, g.losers(in, j)...)
			} else {
				list = append(list, g.move(in, j))
			}
		}
	}
	return list
}

func (g group) daysWithClicks() (days int) {
	for d := range g.arms[0].Days {
		if slices.ContainsFunc(g.arms, func(a Arm) bool { return a.Days[d].Clicks > 0 }) {
			days++
		}
	}
	return days
}

func (g group) hasEnough() bool {
	return g.daysWithClicks() >= minArmDays && pooled(g.arms).Conversions >= minArmsConverted &&
		!slices.ContainsFunc(g.arms, func(a Arm) bool { return total(a.Days).Clicks < minArmClicks })
}

// place names the campaign, the path and the kind of the arms. Suggestions to pause an arm have it in their key, with the id of
// the arm.
func (g group) place() string { return g.campaign.ID.String() + "/" + g.path + "/" + g.what }

// key identifies the group. Slot 0, and the choice among paths without conditions, add nothing to it, because dismissed suggestions
// are stored under keys without them.
func (g group) key() string {
	key := g.place()
	if g.slot > 0 {
		key += "/" + strconv.Itoa(g.slot)
	}
	if g.draw != "" {
		key += "/" + g.draw
	}
	return key
}

// losers returns a finding for each arm: the hypothesis is that the arm is as good as the best of the others.
func (g group) losers(in *Input, j judgement) (list []finding) {
	top := g.top(j)
	for i, a := range g.arms {
		f := finding{p: j.loses[i], group: g.key(), weight: 1 + 1/max(j.loses[i], 1e-300)} // the most certain loser comes first
		if j.best != nil && i != top && j.epc[i].mean() < (1-minLoss)*j.epc[top].mean() {
			f.suggest = func([]int) Suggestion { return g.pause(in, j, i, top, a) }
		}
		list = append(list, f)
	}
	return list
}

func (g group) top(j judgement) int {
	top := 0
	for i := range j.epc {
		if j.epc[i].mean() > j.epc[top].mean() {
			top = i
		}
	}
	return top
}

func (g group) pause(in *Input, j judgement, i, top int, a Arm) Suggestion {
	s := g.suggestion(j, 1-j.loses[i])
	s.Key = g.place() + "/" + a.ID
	s.Title = fmt.Sprintf("Pause %s “%s”: “%s” earns more per click", g.what, a.Name, g.arms[top].Name)
	s.Detail = fmt.Sprintf("“%s” earned %s per click, “%s” %s. The visitors of “%s” go to the others.", a.Name, amount(j.epc[i].mean()).Round(4),
		g.arms[top].Name, amount(j.epc[top].mean()).Round(4), a.Name)
	s.Action = &Action{Op: OpPausePath, CampaignID: uuid.NullUUID{UUID: g.campaign.ID, Valid: true}, PathID: a.ID}
	if g.path != "" {
		s.Action.Op, s.Action.PathID, s.Action.Weights = OpSetDestinationWeights, g.path, []Weight{{a.ID, 0}}
	}
	shares := make([]float64, len(g.arms))
	for k, arm := range g.arms {
		if k != i && a.Share < 1 {
			shares[k] = arm.Share / (1 - a.Share)
		}
	}
	s.Effect = g.effect(in, j, shares)
	g.seal(&s)
	return s
}

// move suggests weights that follow each arm's probability of being the best (Thompson, 1933).
func (g group) move(in *Input, j judgement) finding {
	f := finding{p: j.differ, group: g.key()}
	if j.best == nil {
		return f
	}
	shares, moved := g.shares(j), 0.0
	for i, a := range g.arms {
		moved += math.Abs(shares[i]-a.Share) / 2
	}
	if moved < minMove {
		return f
	}
	f.suggest = func([]int) Suggestion {
		s := g.suggestion(j, 1-j.differ)
		s.Key = g.key()
		s.Title = fmt.Sprintf("Send more visitors to %s “%s”", g.what, g.arms[g.top(j)].Name)
		s.Action = &Action{Op: OpSetWeights, CampaignID: uuid.NullUUID{UUID: g.campaign.ID, Valid: true}, PathID: g.path}
		if g.path != "" {
			s.Action.Op = OpSetDestinationWeights
		}
		var parts []string
		for i, a := range g.arms {
			s.Action.Weights = append(s.Action.Weights, Weight{a.ID, g.weightOf(shares[i])})
			parts = append(parts, fmt.Sprintf("“%s” from %.0f to %.0f %%", a.Name, 100*a.Share, 100*shares[i]))
		}
		s.Detail = "Shares by the probability of being the best: " + strings.Join(parts, ", ") + "."
		s.Effect = g.effect(in, j, shares)
		g.seal(&s)
		return s
	}
	return f
}

// shares returns each arm's share of the visitors. The hold-out is spread evenly, and the rest follows the probabilities of being
// the best.
func (g group) shares(j judgement) []float64 {
	shares := make([]float64, len(g.arms))
	for i := range shares {
		shares[i] = holdOut/float64(len(g.arms)) + (1-holdOut)*j.best[i]
	}
	return shares
}

// weightOf returns the weight that gives an arm a share of the visitors. It is rounded to about a hundredth of the weight of all
// arms, so that people can read it, and is never zero.
func (g group) weightOf(share float64) float64 {
	unit := max(math.Pow(10, min(math.Floor(math.Log10(g.weight))-2, 0)), 0.001)
	return thousandths(max(math.Round(share*g.weight/unit), 1) * unit)
}

func (g group) suggestion(j judgement, confidence float64) Suggestion {
	s := Suggestion{CampaignID: uuid.NullUUID{UUID: g.campaign.ID, Valid: true}, CampaignName: g.campaign.Name}
	for i, a := range g.arms {
		d := total(a.Days)
		s.Evidence.Sample += int64(d.Clicks)
		s.Evidence.Figures = append(s.Evidence.Figures, count(a.Name, "clicks", int64(d.Clicks)),
			count(a.Name, "conversions", int64(d.Conversions)), money(a.Name, "revenue", d.Value),
			money(a.Name, "epc", j.epc[i].mean()), money(a.Name, "probability_best", math.Round(j.best[i]*1e4)/1e4))
	}
	s.Evidence.Confidence = rounded(confidence)
	s.Evidence.Method = "sequential likelihood ratio test by day; Benjamini-Hochberg over all that was judged"
	return s
}

// rounded returns a confidence as answers show it. It is never 1, because a test never gives certainty.
func rounded(c float64) float64 { return min(math.Floor(c*1e4)/1e4, 0.9999) }

// effect returns the additional earnings per day that other shares would bring.
func (g group) effect(in *Input, j judgement, shares []float64) *Effect {
	clicks := pooled(g.arms).Clicks / float64(max(len(in.Days), 1))
	mean, variance := 0.0, 0.0
	for i, a := range g.arms {
		moved := (shares[i] - a.Share) * clicks // clicks per day that the arm gains
		mean += moved * j.epc[i].mean()
		variance += moved * moved * j.epc[i].shape / (j.epc[i].rate * j.epc[i].rate)
	}
	margin := normal95 * math.Sqrt(variance)
	return &Effect{Value: amount(mean), Low: amount(mean - margin), High: amount(mean + margin), Unit: in.Currency + " a day"}
}

func (g group) seal(s *Suggestion) { s.Digest = s.Action.JudgedDigest(Record{Paths: g.campaign.Paths}) }

func groupsOf(in *Input, c *CampaignInput) (list []group) {
	list = pathGroups(in, c)
	for i := range c.Paths {
		if p := &c.Paths[i]; p.IsActive {
			list = append(list, destinationGroups(in, c, p)...)
		}
	}
	return list
}

// pathGroups returns groups of regular paths. The paths of a group share the same visitors in one random choice.
func pathGroups(in *Input, c *CampaignInput) (list []group) {
	at := map[string]int{}
	for i := range c.Paths {
		p := &c.Paths[i]
		if !p.IsActive || p.Weight <= 0 || p.StreamType != flow.Regular || p.DailyCap != nil || !p.CollectClicks {
			continue
		}
		draw := ""
		if c.FlowRotation != "weight" {
			if p.RuleGroup == 0 {
				continue // such paths are tried one after the other
			}
			draw = strconv.Itoa(p.RuleGroup)
		}
		draw += digest([]any{p.Logic, p.Filters, p.Rules})
		g := group{campaign: c, what: "path"}
		if p.RuleGroup != 0 || len(p.Filters)+len(p.Rules) > 0 {
			g.draw = draw
		}
		list = addArm(list, at, draw, g, Arm{ID: p.ID, Name: p.Name, Share: p.Weight})
	}
	return fillGroups(in, list, func(r ArmRow, id string) bool { return r.Path == id })
}

// destinationGroups returns the groups of a path's destinations: offers with the same slot, and landing pages.
func destinationGroups(in *Input, c *CampaignInput, p *flow.Path) (list []group) {
	at, seen := map[string]int{}, map[string]int{}
	for _, d := range p.Destinations {
		seen[d.ID]++
	}
	for _, d := range p.Destinations {
		name, _, what := in.problem(d.ID)
		if what == "" || in.Offers[d.ID].DailyCap != nil || d.Weight <= 0 || seen[d.ID] > 1 {
			continue
		}
		slot := fmt.Sprint(what, d.Slot)
		list = addArm(list, at, slot, group{campaign: c, path: p.ID, what: what, slot: d.Slot}, Arm{ID: d.ID, Name: name, Share: d.Weight})
	}
	return fillGroups(in, list, func(r ArmRow, id string) bool { return r.Path == p.ID && (r.Offer == id || r.Lander == id) })
}

// addArm adds an arm to the group with the given key. If there is no such group yet, it first appends the group in the parameter
// empty. at has the index of each group by key.
func addArm(list []group, at map[string]int, key string, empty group, a Arm) []group {
	i, known := at[key]
	if !known {
		i, list = len(list), append(list, empty)
		at[key] = i
	}
	list[i].arms = append(list[i].arms, a)
	return list
}

// fillGroups sets the shares and days of the arms, and removes groups with fewer than two arms. belongs reports whether a row
// counts for an arm.
func fillGroups(in *Input, list []group, belongs func(r ArmRow, id string) bool) []group {
	list = slices.DeleteFunc(list, func(g group) bool { return len(g.arms) < 2 })
	for i := range list {
		g := &list[i]
		for _, a := range g.arms {
			g.weight += a.Share
		}
		for k := range g.arms {
			a := &g.arms[k]
			a.Share /= g.weight
			a.Days = make([]Day, len(in.Days))
			for _, r := range g.campaign.Rows {
				if belongs(r, a.ID) {
					a.Days[r.Day] = a.Days[r.Day].plus(Day{float64(r.Clicks), float64(r.Conversions), r.Value})
				}
			}
		}
	}
	return list
}
