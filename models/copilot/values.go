package copilot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/flow"
)

// The thresholds and the method for judging a value.
const (
	minValueClicks = 100
	minValueDue    = 2   // conversions that would have paid for the value's clicks
	maxValueReturn = 0.5 // a value is blocked only if it returns less than this share of its cost
	maxValuePart   = 0.5 // share of the campaign's cost; above this share, the whole campaign loses, not the value
	worstPart      = 0.8 // the variant "most" blocks the worst values until they have this share of the loss
	minPayouts     = 5   // conversions that are needed to know the value of a conversion
	valueMethod    = "sequential likelihood ratio test against break-even; Benjamini-Hochberg over all that was judged"
	returnLevel    = 0.05 // probability on each side of an interval
)

type attribute struct {
	name, kind, what string
	op               string
}

var attributes = func() []attribute {
	list := []attribute{
		{"isp", kindBlockISP, "provider", OpDeny},
		{"device_type", kindBlockDevice, "device", OpExclude},
		{"country", kindNoReturn, "country", OpDeny},
		{"hour_of_day", kindNoReturn, "hour", OpExclude},
	}
	for _, sub := range models.SubKeys {
		list = append(list, attribute{sub, kindBlockValue, sub + " value", OpDeny})
	}
	return list
}()

// Attributes returns the dimensions of the reports that Judge needs for the Values of each campaign.
func Attributes() []string {
	var names []string
	for _, a := range attributes {
		names = append(names, a.name)
	}
	return names
}

// findValues judges the values of a kind of attribute against break-even.
func findValues(in *Input, kind string) (list []finding) {
	for i := range in.Campaigns {
		c := &in.Campaigns[i]
		payout, spread := c.payout(in)
		if payout <= 0 {
			continue
		}
		cost := 0.0
		for _, r := range c.Rows {
			if r.Day < c.judgedDays(in) {
				cost += r.Cost
			}
		}
		for _, a := range attributes {
			if a.kind == kind {
				list = append(list, c.judgeValues(in, a, payout, spread, cost)...)
			}
		}
	}
	return list
}

// payout returns the value of a conversion of the campaign, and the spread of payouts. With too few conversions, it is the
// largest fixed payout of the campaign's offers in the account's currency, or 0.
func (c *CampaignInput) payout(in *Input) (mean, spread float64) {
	arm := Arm{Days: make([]Day, len(in.Days))}
	for _, r := range c.Rows {
		arm.Days[r.Day] = arm.Days[r.Day].plus(Day{Conversions: float64(r.Conversions), Value: r.Value})
	}
	if sum := total(arm.Days); sum.Conversions >= minPayouts && sum.Value > 0 {
		spread, _ := payoutSpread([]Arm{arm})
		return sum.Value / sum.Conversions, spread
	}
	for _, p := range c.Paths {
		for _, d := range p.Destinations {
			o := in.Offers[d.ID]
			if o.PayoutType == "fixed" && o.Currency == in.Currency {
				mean = max(mean, o.Payout.InexactFloat64())
			}
		}
	}
	return mean, 1
}

func (c *CampaignInput) judgeValues(in *Input, a attribute, payout, spread, cost float64) (list []finding) {
	group := c.ID.String() + "/" + a.name
	for i, v := range c.Values {
		due := v.Cost / payout
		if v.Attribute != a.name || v.Value == "" || v.Clicks < minValueClicks || due < minValueDue || v.Cost > maxValuePart*cost ||
			Excludes(c.Paths, a.name, v.Value) {
			continue
		}
		f := finding{
			p: v.pays(payout, spread), group: group, item: i, weight: v.Cost - v.Returns,
		}
		if v.Returns < maxValueReturn*v.Cost {
			f.suggest = func(items []int) Suggestion { return c.block(in, a, items, payout, spread) }
		}
		list = append(list, f)
	}
	return list
}

// Excludes reports whether a path already refuses visitors with a value of an attribute.
func Excludes(paths []flow.Path, attribute, value string) bool {
	return slices.ContainsFunc(paths, func(p flow.Path) bool {
		for _, f := range p.Filters {
			texts, _ := f.Value.([]any)
			if f.Attribute == attribute && f.Operator == "not_in" && slices.ContainsFunc(texts, func(v any) bool { return fmt.Sprint(v) == value }) {
				return true
			}
		}
		return false
	})
}

// LossChance returns a p value: the probability of returns as low as these if the clicks on average return what they cost.
// payout is the value of a conversion. Payouts are assumed to be exponential.
func LossChance(cost, returns, payout float64) float64 {
	return ValueRow{Cost: cost, Returns: returns}.pays(payout, 1)
}

func (v ValueRow) pays(payout, spread float64) float64 {
	return pValue(shortfall(max(v.Returns, 0)/payout, v.Cost/payout, 1+spread))
}

// block returns the suggestion to block values, the largest loss first.
func (c *CampaignInput) block(in *Input, a attribute, items []int, payout, spread float64) Suggestion {
	slices.SortFunc(items, func(i, k int) int {
		return cmp.Compare(c.Values[k].Cost-c.Values[k].Returns, c.Values[i].Cost-c.Values[i].Returns)
	})
	items = items[:min(len(items), MaxValues)]
	s := Suggestion{
		Key: c.ID.String() + "/" + a.name, CampaignID: uuid.NullUUID{UUID: c.ID, Valid: true}, CampaignName: c.Name,
		Action: &Action{Op: a.op, CampaignID: uuid.NullUUID{UUID: c.ID, Valid: true}, Attribute: a.name},
	}
	var sum ValueRow
	weakest := 0.0
	for _, i := range items {
		v := c.Values[i]
		s.Action.Values = append(s.Action.Values, v.Value)
		sum.Clicks, sum.Conversions = sum.Clicks+v.Clicks, sum.Conversions+v.Conversions
		sum.Cost, sum.Returns = sum.Cost+v.Cost, sum.Returns+v.Returns
		weakest = max(weakest, v.pays(payout, spread))
		if len(s.Evidence.Figures) < maxFigures {
			s.Evidence.Figures = append(s.Evidence.Figures, count(v.Value, "clicks", v.Clicks), count(v.Value, "conversions", v.Conversions),
				money(v.Value, "cost", v.Cost), money(v.Value, "revenue", v.Returns))
		}
	}
	s.Evidence.To = c.lastDay(in)
	values := s.Action.Values
	s.Action.Worst = c.worst(items, sum.Cost-sum.Returns)
	s.Evidence.Sample, s.Evidence.Method, s.Evidence.Confidence = sum.Clicks, valueMethod, rounded(1-weakest)
	where, then := "here and at the traffic source", blocked[a.op]
	c.setOtherCampaigns(&s, a)
	if _, _, _, err := s.Action.Apply(Record{Paths: c.Paths}); err != nil { // the values can only be blocked at the traffic source
		where, then = "at the traffic source", "Block this at the traffic source, because it cannot be blocked here."
		s.Effect, s.Action = savedCost(in, c.judgedDays(in), sum, payout), nil
	} else {
		s.Digest = s.Action.JudgedDigest(Record{Paths: c.Paths})
	}
	s.Title = fmt.Sprintf("Block %s of “%s” %s: the clicks cost more than they return", plural(a.what, len(items)), c.Name, where)
	s.Detail = fmt.Sprintf("%s cost %s %s and returned %s: %s. %s",
		plural(a.what, len(items)), amount(sum.Cost).Round(2), in.Currency, amount(sum.Returns).Round(2), listed(values, maxListed, func(v string) string { return v }), then)
	return s
}

// blocked describes the effect of blocking. A block in this service saves no money, because the clicks are paid for at the
// traffic source.
var blocked = map[string]string{
	OpDeny:    "Visitors with these values count as bots from then on, and their clicks are still paid for. Money is saved once the traffic source blocks the values too.",
	OpExclude: "The default path takes visitors with these values, and their clicks are still paid for. Money is saved once the traffic source blocks the values too.",
}

// setOtherCampaigns sets the other campaigns in which the variant "network" blocks the values too: those with the same source.
// Only values of sub-parameters have this variant, because they belong to the traffic source.
func (c *CampaignInput) setOtherCampaigns(s *Suggestion, a attribute) {
	if a.op == OpDeny && a.kind == kindBlockValue {
		s.Action.Campaigns = c.Others[:min(len(c.Others), MaxCampaigns)]
	}
}

func (c *CampaignInput) worst(items []int, loss float64) int {
	sum := 0.0
	for n, i := range items {
		if sum += c.Values[i].Cost - c.Values[i].Returns; sum >= worstPart*loss {
			return n + 1
		}
	}
	return len(items)
}

// savedCost returns the loss per day that ends if the traffic source no longer sends visitors with these values: the cost minus
// the returns. The interval comes from a gamma posterior of the returns.
func savedCost(in *Input, judgedDays int, sum ValueRow, payout float64) *Effect {
	days := float64(max(judgedDays, 1))
	returns := posterior{max(sum.Returns, 0)/payout + 0.5, 1 / payout}
	low, high := sum.Cost-returns.quantile(1-returnLevel), sum.Cost-returns.quantile(returnLevel)
	return &Effect{
		Value: amount((sum.Cost - sum.Returns) / days), Low: amount(math.Min(low, sum.Cost-sum.Returns) / days), High: amount(math.Max(high, sum.Cost-sum.Returns) / days),
		Unit: in.Currency + " a day",
	}
}

const (
	maxFigures = 40
	maxListed  = 5
)

func plural(what string, n int) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "y") {
		what = strings.TrimSuffix(what, "y") + "ie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
