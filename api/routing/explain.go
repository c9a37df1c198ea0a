package routing

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// FNV-1a, written out so that hashing in a redirect allocates nothing.
const (
	hashBasis = 14695981039346656037
	hashPrime = 1099511628211
)

func addHash[T string | []byte](h uint64, text T) uint64 {
	h = (h ^ uint64(len(text))) * hashPrime
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * hashPrime
	}
	return h
}

// hashCampaign tells flows apart that could decide differently: the campaign's paths and the settings around them.
func hashCampaign(row *store.RoutingCampaign) uint64 {
	h := addHash(hashBasis, []byte(row.Streams))
	for _, text := range [...]string{row.FlowRotation, row.BindVisitors, row.FallbackURL, row.DestinationURL} {
		h = addHash(h, text)
	}
	return h
}

// FlowHash adds what a campaign's flow and its saved rules say to the hash of the campaigns that decided before it.
// Whether offers and landing pages are usable is not in it.
func (s *Snapshot) FlowHash(h uint64, c *Campaign) uint64 {
	h = h*hashPrime + c.hash
	for i := range c.rules {
		if r, ok := s.rules.get(c.rules[i].id); ok {
			h = addHash(addHash(h, r.Row.Logic), []byte(r.Row.Conditions))
		}
	}
	return h
}

// Explainer is what some campaigns are routed by, compiled as for the redirect, to ask it for decisions that are not
// carried out. It belongs to one goroutine.
type Explainer struct{ snap *Snapshot }

// NewExplainer compiles records.
func NewExplainer(r *store.Routing) *Explainer {
	d := (&Snapshot{}).builder()
	d.explained = true
	return &Explainer{d.apply(nil, r)}
}

// Zone is the time zone of an account of the picture.
func (p *Explainer) Zone(account uuid.UUID) *time.Location { return p.snap.Account(account).Zone }

// Has tells whether the picture has a campaign.
func (p *Explainer) Has(campaign uuid.UUID) bool {
	_, ok := p.snap.campaigns.get(campaign)
	return ok
}

// Counts tells whether a decision depends on clicks of the day.
func (p *Explainer) Counts() bool {
	for _, c := range p.snap.campaigns.all {
		if c.CountsClicks {
			return true
		}
	}
	return false
}

// Capped tells whether a decision depends on conversions of the day.
func (p *Explainer) Capped() bool { return len(p.snap.CappedOffers()) > 0 }

// Question is a visitor who is routed for the sake of the answer.
type Question struct {
	Campaign    uuid.UUID
	Facts       *cond.Facts // all but campaign_id and clicks_today
	Bound       flow.Binding
	BoundIn     uuid.UUID // the campaign that he is bound in; zero: the first
	Seed        uint64
	Clicks      map[uuid.UUID]int // of paths and campaigns, today, before him
	Conversions map[uuid.UUID]int // of offers, today
}

// Explanation is a decision and how it came about.
type Explanation struct {
	flow.Decision

	FlowHash uint64           // as recorded with clicks
	Stages   []ExplainedStage // one for each campaign that had a say
}

// ExplainedStage is what happened in one campaign.
type ExplainedStage struct {
	CampaignID uuid.UUID
	Name       string
	Via        flow.Via
	Trace      *flow.Trace
}

// URL is the address of the decision with its tokens unfilled, empty when there is none.
func (e *Explanation) URL() string {
	switch {
	case e.Lander != nil && LanderOf(e.Lander) != nil:
		return LanderOf(e.Lander).Row.URL
	case e.Offer != nil && OfferOf(e.Offer) != nil:
		return OfferOf(e.Offer).Row.URL
	case e.Decision.URL != nil:
		return e.Decision.URL.Source()
	}
	return ""
}

// Explain decides as the redirect does, and takes nothing: neither from a cap nor from anybody's uniqueness. The
// campaign must be in the picture.
func (p *Explainer) Explain(q Question) Explanation {
	for _, offers := range p.snap.CappedOffers() {
		for _, ref := range offers {
			o := OfferOf(ref)
			ref.SetCapped(o.Row.DailyCap != nil && q.Conversions[o.Row.ID] >= *o.Row.DailyCap)
		}
	}
	env := flow.Env{Admit: func(r *flow.Route) bool { return q.Clicks[r.ID] < r.DailyCap }}
	var e Explanation
	collect := true
	c, _ := p.snap.campaigns.get(q.Campaign)
	for hops := 0; ; hops++ {
		v := flow.Visitor{Facts: q.Facts}
		if q.BoundIn == c.Row.ID || q.BoundIn == uuid.Nil && hops == 0 {
			v.Bound = q.Bound
		}
		q.Facts.SetText(cond.CampaignID, c.id)
		q.Facts.SetInt(cond.ClicksToday, int64(q.Clicks[c.Row.ID]))
		d, trace := c.Plan.Explain(&v, env, q.Seed+uint64(hops)) //nolint:gosec // a few
		e.FlowHash = p.snap.FlowHash(e.FlowHash, c)
		e.Stages = append(e.Stages, ExplainedStage{c.Row.ID, c.Row.Name, d.Via, trace})
		collect = collect && d.Collect
		d.Collect = collect
		e.Decision = d
		if d.Action() != flow.ActionCampaign {
			return e
		}
		next := p.snap.Handover(c, d.Route.Campaign)
		if next == nil || hops == flow.MaxHandovers {
			e.Decision = c.LastResort(collect)
			return e
		}
		c = next
	}
}
