package routing

import (
	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/flow"
)

// Visit is a visitor on the way through one campaign or, by hand-overs, several. The redirect's visit is carried out, and an
// Explainer's visit is not. The same loop decides both.
type Visit interface {
	// Enter is called when a campaign begins to route, including the first one. It sets what depends on the campaign in the
	// visitor and the facts: the binding, campaign_id, is_unique and clicks_today.
	Enter(c *Campaign)
	// HandOver is called when the last entered campaign hands over to the next one. path is the path that hands over, and
	// bindable reports whether it is to be remembered.
	HandOver(path uuid.UUID, bindable bool)
}

// Outcome is a decision with the state of the flows that made it.
type Outcome struct {
	flow.Decision

	FlowHash uint64 // of every campaign that had a say
}

// Decide routes a visitor, beginning with campaign c. A hand-over that leads nowhere, or too far, ends at the fallback
// of the campaign that it has reached. Decide allocates nothing.
func (s *Snapshot) Decide(c *Campaign, v *flow.Visitor, env *flow.Env, seed uint64, visit Visit) Outcome {
	var out Outcome
	collect := true
	var passed flow.Passed
	for hops := uint64(0); ; hops++ {
		visit.Enter(c)
		out.Decision = c.Plan.Pick(v, *env, seed+hops)
		out.FlowHash = s.FlowHash(out.FlowHash, c)
		collect = collect && out.Collect
		out.Collect = collect
		if passed.Route == nil {
			passed = out.Passed
		}
		out.Passed = passed
		if out.Action() != flow.ActionCampaign {
			return out
		}
		next := s.handover(c, out.Route.Campaign)
		if next == nil || hops == flow.MaxHandovers {
			out.Decision = c.Plan.LastResort()
			out.Collect, out.Passed = collect, passed
			return out
		}
		visit.HandOver(out.Route.ID, out.Bindable)
		c = next
	}
}

// handover gives the campaign that another one hands over to: an active one of the same account.
func (s *Snapshot) handover(from *Campaign, id uuid.UUID) *Campaign {
	c := s.Campaign(id)
	if c == nil || !c.Active() || c.Row.AccountID != from.Row.AccountID {
		return nil
	}
	return c
}

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
		if r := find[*rule](s, rules, c.rules[i].id); r != nil {
			h = addHash(addHash(h, r.saved.Logic), []byte(r.saved.Conditions))
		}
	}
	return h
}
