package routing

import (
	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

// Possible returns every decision that the redirect can make for a new visitor of a campaign while no cap is reached: one decision for
// each possible result of the random draws. The function unsure reports whether the visitor's value of an attribute is unknown.
// certain is false if such an attribute can change the decision. x.Has must be true for the campaign.
func (x *Explainer) Possible(campaign uuid.UUID, f *cond.Facts, unsure func(attribute string) bool) (list []flow.Decision, certain bool) {
	c := x.snap.Campaign(campaign)
	v := possibleVisit{snap: x.snap, source: c.Row.SourceID.UUID, facts: f, unsure: unsure, entered: map[uuid.UUID]bool{}, certain: true}
	v.enter(c, 0)
	return v.list, v.certain
}

// possibleVisit collects the decisions of a campaign and of the campaigns to which it hands over.
type possibleVisit struct {
	snap    *Snapshot
	source  uuid.UUID
	facts   *cond.Facts
	unsure  func(string) bool
	entered map[uuid.UUID]bool // true: the campaign's decisions are being collected, false: they are in the list
	list    []flow.Decision
	certain bool
}

func (v *possibleVisit) enter(c *Campaign, hops int) {
	v.entered[c.Row.ID] = true
	v.facts.SetText(cond.CampaignID, c.id)
	if v.snap.findBlock(c, v.source, v.facts) != nil {
		v.list = append(v.list, c.Plan.Blocked())
	} else {
		decisions, certain := c.Plan.Possible(v.facts, v.unsure)
		v.certain = v.certain && certain
		for _, d := range decisions {
			v.follow(c, d, hops)
		}
	}
	v.entered[c.Row.ID] = false
}

// follow adds a decision or, if the decision is a hand-over, the decisions of the next campaign.
func (v *possibleVisit) follow(c *Campaign, d flow.Decision, hops int) {
	if d.Action() != flow.ActionCampaign {
		v.list = append(v.list, d)
		return
	}
	next := v.snap.handover(c, d.Route.Campaign)
	if next == nil || hops == flow.MaxHandovers {
		v.list = append(v.list, c.Plan.LastResort())
		return
	}
	switch open, known := v.entered[next.Row.ID]; {
	case open: // a loop of hand-overs, which the redirect ends with the last resort
		v.list = append(v.list, c.Plan.LastResort())
	case !known:
		v.enter(next, hops+1)
	}
}
