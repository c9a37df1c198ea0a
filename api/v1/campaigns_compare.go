package v1

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/copilot"
	"switchyard/models/flow"
)

// maxCompareRows limits the rows of the report behind a comparison.
const maxCompareRows = 100_000

var compareBy = []string{copilot.ByPath, copilot.ByLander, copilot.ByOffer}

// CampaignComparison is the answer of GET /campaigns/{id}/compare.
type CampaignComparison struct {
	Range   bind.Range      `json:"range"`
	By      string          `json:"by" enum:"stream,lander,offer"`
	Version string          `json:"version" doc:"the version of the flow, for If-Match when weights are changed"`
	Groups  []ComparedGroup `json:"groups" doc:"each has the candidates among which the same visitors are divided by weight"`
	LeftOut []LeftOut       `json:"left_out"`
}

// ComparedGroup is a set of paths, landing pages or offers that are compared with each other.
type ComparedGroup struct {
	PathID        *string       `json:"path_id" doc:"the path of the landing pages or offers; null: paths are compared"`
	Path          string        `json:"path" doc:"the name of that path"`
	Slot          int           `json:"slot" doc:"the slot of the offers; 0: every slot, or no offers are compared"`
	State         string        `json:"state" enum:"too_early,open,decided,too_many" doc:"too_early: too few figures, so nothing is estimated; open: the lead may be chance; decided: all others earn less than the best, with an error of at most 5 % however often this is read; too_many: more candidates than are compared at once"`
	MoreClicks    *int64        `json:"more_clicks" doc:"about how many more clicks are needed in total; null: no more clicks are needed, or the number is not known"`
	MoreDays      int           `json:"more_days" doc:"too_early: the least number of further days with clicks that are needed"`
	Unit          string        `json:"unit" enum:"earnings,conversions" doc:"what is compared for each click; conversions: no payouts are known"`
	SpreadAssumed bool          `json:"spread_assumed" doc:"payouts came on too few days to measure how much they vary, so the intervals assume that they vary a lot"`
	Arms          []ComparedArm `json:"arms" doc:"the best first; too_early and too_many: in the order of the flow"`
}

// ComparedArm is a path, a landing page or an offer in a comparison.
type ComparedArm struct {
	ID          string        `json:"id" format:"uuid"`
	Name        string        `json:"name"`
	Clicks      int64         `json:"clicks" doc:"without bots"`
	Conversions int64         `json:"conversions" doc:"approved and pending"`
	Revenue     models.Money  `json:"revenue" doc:"payouts, approved and pending"`
	Earns       *models.Money `json:"earns" doc:"earnings or conversions per click, as unit says; days that were good or bad for all candidates do not count for or against one of them"`
	Low         *models.Money `json:"low" doc:"low and high are the ends of the 95 % interval of earns"`
	High        *models.Money `json:"high"`
	Best        *float64      `json:"best" doc:"probability of being the best, 0 to 1"`
	Behind      *models.Money `json:"behind" doc:"how much less a click earns than a click of the best candidate; null: it is the best, or nothing is estimated"`
	BehindLow   *models.Money `json:"behind_low" doc:"behind_low and behind_high are the ends of the 95 % interval of behind"`
	BehindHigh  *models.Money `json:"behind_high"`
	Loses       bool          `json:"loses" doc:"true: this candidate earns less than the best, with an error of at most 5 % however often this is read"`
	MoreClicks  *int64        `json:"more_clicks" doc:"about how many more clicks this candidate and the best each need until the difference is found with a power of 80 %; null: no more clicks are needed, or the number is not known"`
	Weight      float64       `json:"weight"`
	Proposed    *float64      `json:"proposed" doc:"the weight that is proposed because of the probability of being the best; it is never zero"`
}

// LeftOut is a path, a landing page or an offer that is not compared.
type LeftOut struct {
	PathID *string `json:"path_id" doc:"the path of the landing page or offer; null: a path itself is left out"`
	Path   string  `json:"path"`
	ID     *string `json:"id" doc:"null: what is left out is an address, not a record"`
	Name   string  `json:"name"`
	Reason string  `json:"reason" enum:"paused,no_weight,capped,alone,address,twice,not_drawn" doc:"capped: when its cap is reached, its visitors go to the others; alone: nothing else gets the same visitors; address: its clicks cannot be distinguished from others; twice: it is in several slots; not_drawn: it gets only visitors that the others do not get"`
}

// compareCampaign compares the paths, landing pages or offers of a campaign. It reads the figures by day, so that days that were
// good or bad for all do not distort the comparison.
func (d Deps) compareCampaign(c *route.Call, campaign models.Campaign) (CampaignComparison, error) {
	by := cmp.Or(c.Query.Get("by"), copilot.ByPath)
	out := CampaignComparison{Range: c.Window.Range(), By: by}
	if !slices.Contains(compareBy, by) {
		return out, models.Invalid("invalid_input", "by must be stream, lander or offer")
	}
	saved, err := c.Store.Campaigns().Flow(c.Context(), c.Account.ID, c.ID)
	if err != nil {
		return out, err
	}
	out.Version = saved.Version
	in := copilot.Input{}
	if by != copilot.ByPath {
		if err := compareRecords(c, saved.Paths, &in); err != nil {
			return out, err
		}
	}
	of := copilot.CampaignInput{Campaign: campaign, Paths: saved.Paths}
	if of.Rows, err = d.compareRows(c, by, &in); err != nil {
		return out, err
	}
	groups, left := copilot.Compare(&in, &of, by)
	out.Groups = answer.Each(groups, comparedGroup)
	out.LeftOut = answer.Each(left, func(l copilot.LeftOut) LeftOut {
		return LeftOut{answer.OrNull(l.PathID), l.Path, answer.OrNull(l.ID), l.Name, l.Reason}
	})
	return out, nil
}

func compareRecords(c *route.Call, paths []flow.Path, in *copilot.Input) error {
	ids, _, _ := flow.References(paths)
	offers, err := c.Store.Offers().Among(c.Context(), c.Account.ID, ids)
	if err != nil {
		return err
	}
	landers, err := c.Store.Landers().Among(c.Context(), c.Account.ID, ids)
	in.Offers, in.Landers = map[string]copilot.OfferInput{}, map[string]copilot.LanderInput{}
	for _, o := range offers {
		in.Offers[o.ID.String()] = copilot.OfferInput{Offer: o}
	}
	for _, l := range landers {
		in.Landers[l.ID.String()] = copilot.LanderInput{Name: l.Name, Active: bool(l.IsActive)}
	}
	return err
}

// compareRows reads a row for each path, landing page or offer on each day of the account's time zone. It adds the days to
// in.Days.
func (d Deps) compareRows(c *route.Call, by string, in *copilot.Input) (list []copilot.ArmRow, err error) {
	q := report.Query{
		AccountID: c.Account.ID, From: c.Window.From, To: c.Window.End(), Zone: c.Account.DayStart(time.Now()).Location(),
		Dimensions: []string{"stream_id"}, Filters: []report.Filter{report.IDs("campaign_id", c.ID)},
		Limit: maxCompareRows, MaxClicks: cmp.Or(d.LargeReport, report.Large),
	}
	if by != copilot.ByPath {
		q.Dimensions = append(q.Dimensions, by+"_id")
	}
	q.Dimensions = append(q.Dimensions, "date")
	days := map[string]int{}
	err = d.reports(c).Each(c.Context(), q, func(r report.Row) error {
		row := copilot.ArmRow{
			Path: r.Dims[0], Clicks: r.Clicks, Conversions: r.Conversions(), Value: r.Revenue.Add(r.PendingRevenue).InexactFloat64(),
		}
		switch by {
		case copilot.ByLander:
			row.Lander = r.Dims[1]
		case copilot.ByOffer:
			row.Offer = r.Dims[1]
		}
		day := r.Dims[len(r.Dims)-1]
		at, known := days[day]
		if !known {
			at = len(in.Days)
			days[day], in.Days = at, append(in.Days, day)
		}
		row.Day = at
		list = append(list, row)
		return nil
	})
	if err == nil && len(list) == maxCompareRows {
		err = report.ErrLarge
	}
	return list, tooLarge(err)
}

func comparedGroup(g copilot.Comparison) ComparedGroup {
	unit := "conversions"
	if g.InMoney {
		unit = "earnings"
	}
	return ComparedGroup{
		answer.OrNull(g.PathID), g.Path, g.Slot, g.State, g.MoreClicks, g.MoreDays, unit, g.SpreadAssumed, answer.Each(g.Arms, comparedArm),
	}
}

func comparedArm(a copilot.Compared) ComparedArm {
	return ComparedArm{
		ID: a.ID, Name: a.Name, Clicks: a.Clicks, Conversions: a.Conversions, Revenue: *moneyOf(&a.Value),
		Earns: moneyOf(a.Earns), Low: moneyOf(a.Low), High: moneyOf(a.High), Best: a.Best,
		Behind: moneyOf(a.Behind), BehindLow: moneyOf(a.BehindLow), BehindHigh: moneyOf(a.BehindHigh),
		Loses: a.Loses, MoreClicks: a.MoreClicks, Weight: a.Weight, Proposed: a.Proposed,
	}
}

func moneyOf(v *float64) *models.Money {
	if v == nil {
		return nil
	}
	return new(models.NewMoney(decimal.NewFromFloat(*v).Round(6)))
}
