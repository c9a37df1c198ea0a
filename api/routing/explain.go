package routing

import (
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// Explainer makes routing decisions for some campaigns without carrying them out. Only one goroutine may use it.
type Explainer struct{ snap *Snapshot }

// NewExplainer compiles records as the redirect does, but keeps the details that explanations need.
func NewExplainer(r *store.Routing) *Explainer {
	b := (&Snapshot{}).builder()
	b.explained = true
	return &Explainer{b.apply(nil, r)}
}

// Zone returns the time zone of an account.
func (x *Explainer) Zone(account uuid.UUID) *time.Location { return x.snap.Account(account).Zone }

// Has reports whether the Explainer has a campaign.
func (x *Explainer) Has(campaign uuid.UUID) bool { return x.snap.Campaign(campaign) != nil }

// Counts reports whether a decision depends on clicks of the day.
func (x *Explainer) Counts() bool {
	return count(x.snap, campaigns, func(c *Campaign) bool { return c.CountsClicks }) > 0
}

// Capped reports whether a decision depends on conversions of the day.
func (x *Explainer) Capped() bool { return len(x.snap.CappedOffers()) > 0 }

// Snapshot returns the compiled records. Real visitors are never routed by this snapshot.
func (x *Explainer) Snapshot() *Snapshot { return x.snap }

// Cap sets the number of today's conversions of each capped offer, which closes or opens the offer.
func (x *Explainer) Cap(conversions map[uuid.UUID]int) {
	for _, capped := range x.snap.CappedOffers() {
		for _, o := range capped {
			o.SetConversions(conversions[o.Row.ID])
		}
	}
}

// Question is a visitor and the circumstances of the decision that Explain makes.
type Question struct {
	Campaign    uuid.UUID
	Facts       *cond.Facts                // without campaign_id and clicks_today, which Explain sets
	Bound       map[uuid.UUID]flow.Binding // the bindings by campaign
	Seed        uint64
	Clicks      map[uuid.UUID]int // the clicks of paths and campaigns today, before this visitor
	Conversions map[uuid.UUID]int // the conversions of offers today
}

// Explanation is a decision, with the stages that led to it.
type Explanation struct {
	Outcome

	Stages []ExplainedStage // one for each campaign that took part, in the order of the visit
}

// ExplainedStage is the trace of the decision in one campaign.
type ExplainedStage struct {
	CampaignID uuid.UUID
	Name       string
	Trace      *flow.Trace
}

// URL returns the decision's address with its tokens unfilled. It is empty if there is no address.
func (e *Explanation) URL() string {
	if l := LanderOf(e.Lander); l != nil {
		return l.Row.URL
	}
	if o := OfferOf(e.Offer); o != nil {
		return o.Row.URL
	}
	if e.Decision.URL != nil {
		return e.Decision.URL.Source()
	}
	return ""
}

// explainedVisit is a Visit that records the trace of each campaign.
type explainedVisit struct {
	q        *Question
	campaign *Campaign // the campaign that was entered last
	visitor  flow.Visitor
	env      flow.Env
	stages   []ExplainedStage
}

// Enter implements Visit. If hand-overs lead back to a campaign, the visitor is no longer unique there.
func (v *explainedVisit) Enter(c *Campaign) {
	if slices.ContainsFunc(v.stages, func(s ExplainedStage) bool { return s.CampaignID == c.Row.ID }) {
		v.q.Facts.SetBool(cond.IsUnique, false)
	}
	v.campaign, v.visitor.Bound = c, v.q.Bound[c.Row.ID]
	v.q.Facts.SetText(cond.CampaignID, c.id)
	v.q.Facts.SetInt(cond.ClicksToday, int64(v.q.Clicks[c.Row.ID]))
	v.env.Trace = &flow.Trace{}
	v.stages = append(v.stages, ExplainedStage{c.Row.ID, c.Row.Name, v.env.Trace})
}

// HandOver implements Visit. It keeps an existing binding of the campaign, because in a real visit the cookie with the binding does
// not change before the answer is sent.
func (v *explainedVisit) HandOver(path uuid.UUID, bindable bool) {
	id := v.campaign.Row.ID
	if _, bound := v.q.Bound[id]; !bound && bindable && v.campaign.Plan.Bind().BindsPath() {
		v.q.Bound[id] = flow.Binding{Path: path}
	}
}

// admit takes one click of a path's daily cap, if there is room. A bot's click is admitted but not counted.
func (v *explainedVisit) admit(r *flow.Route) bool {
	if v.q.Clicks[r.ID] >= r.DailyCap {
		return false
	}
	if v.q.Facts.Text(cond.IsBot) != "true" {
		v.q.Clicks[r.ID]++
	}
	return true
}

// cloneMap returns a copy of a map. The result is never nil.
func cloneMap[V any](from map[uuid.UUID]V) map[uuid.UUID]V {
	to := make(map[uuid.UUID]V, len(from))
	maps.Copy(to, from)
	return to
}

// Explain makes the decision that the redirect would make. Has must be true for the campaign.
func (x *Explainer) Explain(q Question) Explanation {
	x.Cap(q.Conversions)
	q.Bound, q.Clicks = cloneMap(q.Bound), cloneMap(q.Clicks)
	v := &explainedVisit{q: &q, visitor: flow.Visitor{Facts: q.Facts}}
	v.env.Admit = v.admit
	out := x.snap.Decide(x.snap.Campaign(q.Campaign), &v.visitor, &v.env, q.Seed, v)
	return Explanation{out, v.stages}
}
