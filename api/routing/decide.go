package routing

import (
	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/flow"
)

// Visit is a visitor's way through one campaign or, by hand-overs, through several.
type Visit interface {
	// Enter is called when a campaign begins to route, including the first campaign. It sets the values of the visitor and the
	// facts that depend on the campaign: the binding, campaign_id, is_unique and clicks_today.
	Enter(c *Campaign)
	// HandOver is called when the last entered campaign hands over to the next one. path is the path that hands over. bindable
	// reports whether the path is to be remembered for the visitor.
	HandOver(path uuid.UUID, bindable bool)
}

// Outcome is a decision with a hash of the flows that made it.
type Outcome struct {
	flow.Decision

	FlowHash uint64 // hash of the flows of all campaigns that the visitor has entered
}

// Decide routes a visitor, beginning with campaign c. A campaign sends a visitor with a blocked value to its fallback without
// trying a path. If a hand-over leads nowhere, or there are too many, the visit ends at the fallback of the campaign that it has
// reached. Decide allocates nothing unless env has a trace.
func (s *Snapshot) Decide(c *Campaign, v *flow.Visitor, env *flow.Env, seed uint64, visit Visit) Outcome {
	var out Outcome
	collect, source := true, c.Row.SourceID.UUID
	var passed flow.RefusedPath
	for hops := uint64(0); ; hops++ {
		visit.Enter(c)
		if list := s.findBlock(c, source, v.Facts); list != nil {
			out.Decision = c.Plan.Blocked()
			list.explain(env.Trace, out.Via, v.Facts)
		} else {
			out.Decision = c.Plan.Pick(v, *env, seed+hops)
		}
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

// handover returns the campaign that another campaign hands over to.
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

// hashCampaign returns a hash of the campaign's paths and of the settings that decide together with them. It does not cover saved
// rules, which FlowHash adds.
func hashCampaign(row *store.RoutingCampaign) uint64 {
	h := addHash(hashBasis, []byte(row.Streams))
	for _, text := range [...]string{row.FlowRotation, row.BindVisitors, row.FallbackURL, row.DestinationURL} {
		h = addHash(h, text)
	}
	return h
}

// FlowHash adds the campaign's flow and its saved rules to h, the hash of the campaigns that decided before it. The hash does not
// depend on whether offers and landing pages are usable.
func (s *Snapshot) FlowHash(h uint64, c *Campaign) uint64 {
	h = h*hashPrime + c.hash
	for i := range c.rules {
		if r := find[*rule](s, rules, c.rules[i].id); r != nil {
			h = addHash(addHash(h, r.saved.Logic), []byte(r.saved.Conditions))
		}
	}
	return h
}
