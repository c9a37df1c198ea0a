package click

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

// flowHash adds what a campaign's flow and its saved rules say to the hash of the campaigns that decided before it.
// Whether offers and landing pages are usable is not in it.
func (s *snapshot) flowHash(h uint64, c *campaign) uint64 {
	h = h*hashPrime + c.hash
	for i := range c.rules {
		if r, ok := s.rules.get(c.rules[i].id); ok {
			h = addHash(addHash(h, r.row.Logic), []byte(r.row.Conditions))
		}
	}
	return h
}

// Picture is what some campaigns are routed by, compiled as for the redirect, to ask it for decisions that are not
// carried out. It belongs to one goroutine.
type Picture struct{ snap *snapshot }

// NewPicture compiles records.
func NewPicture(r *store.Routing) *Picture {
	d := (&snapshot{}).draft()
	d.explained = true
	return &Picture{d.apply(nil, r)}
}

// Zone is the time zone of an account of the picture.
func (p *Picture) Zone(account uuid.UUID) *time.Location { return p.snap.account(account).zone }

// Has tells whether the picture has a campaign.
func (p *Picture) Has(campaign uuid.UUID) bool {
	_, ok := p.snap.campaigns.get(campaign)
	return ok
}

// Counts tells whether a decision depends on clicks of the day.
func (p *Picture) Counts() bool {
	for _, c := range p.snap.campaigns.all {
		if c.counts {
			return true
		}
	}
	return false
}

// Capped tells whether a decision depends on conversions of the day.
func (p *Picture) Capped() bool { return len(p.snap.capped()) > 0 }

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
	case e.Lander != nil && asLander(e.Lander) != nil:
		return asLander(e.Lander).row.URL
	case e.Offer != nil && asOffer(e.Offer) != nil:
		return asOffer(e.Offer).row.URL
	case e.Decision.URL != nil:
		return e.Decision.URL.Source()
	}
	return ""
}

// Explain decides as the redirect does, and takes nothing: neither from a cap nor from anybody's uniqueness. The
// campaign must be in the picture.
func (p *Picture) Explain(q Question) Explanation {
	for _, offers := range p.snap.capped() {
		for _, ref := range offers {
			o := asOffer(ref)
			ref.SetCapped(o.row.DailyCap != nil && q.Conversions[o.row.ID] >= *o.row.DailyCap)
		}
	}
	env := flow.Env{Admit: func(r *flow.Route) bool { return q.Clicks[r.ID] < r.DailyCap }}
	var e Explanation
	collect := true
	c, _ := p.snap.campaigns.get(q.Campaign)
	for hops := 0; ; hops++ {
		v := flow.Visitor{Facts: q.Facts}
		if q.BoundIn == c.row.ID || q.BoundIn == uuid.Nil && hops == 0 {
			v.Bound = q.Bound
		}
		q.Facts.SetText(cond.CampaignID, c.id)
		q.Facts.SetInt(cond.ClicksToday, int64(q.Clicks[c.row.ID]))
		d, trace := c.plan.Explain(&v, env, q.Seed+uint64(hops)) //nolint:gosec // a few
		e.FlowHash = p.snap.flowHash(e.FlowHash, c)
		e.Stages = append(e.Stages, ExplainedStage{c.row.ID, c.row.Name, d.Via, trace})
		collect = collect && d.Collect
		d.Collect = collect
		e.Decision = d
		if d.Action() != flow.ActionCampaign {
			return e
		}
		next := p.snap.handover(c, d.Route.Campaign)
		if next == nil || hops == flow.MaxHandovers {
			e.Decision = c.lastResort(collect)
			return e
		}
		c = next
	}
}
