package flow

import (
	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/token"
)

// Portable is a compiled flow for another program, which decides as Pick does: see ops/deploy/edge.
type Portable struct {
	Routes  []PortableRoute `json:"routes"`
	Forced  []int           `json:"forced"` // indexes of routes
	Groups  [][]int         `json:"groups"` // indexes of regular routes, in the order in which the groups are tried
	Default *int            `json:"default"`

	BindsPath   bool `json:"binds_path,omitempty"`
	BindsLander bool `json:"binds_lander,omitempty"`
	BindsOffer  bool `json:"binds_offer,omitempty"`

	// Fallback and Destination are null if there is no such address.
	Fallback    []token.PortablePart `json:"fallback"`
	Destination []token.PortablePart `json:"destination"`
}

// PortableRoute is a compiled path.
type PortableRoute struct {
	ID         uuid.UUID        `json:"id"`
	Name       string           `json:"name"`
	Forced     bool             `json:"forced,omitempty"`
	Action     string           `json:"action"`
	Transition string           `json:"transition"`
	Active     bool             `json:"active"`
	Collect    bool             `json:"collect"`
	Or         bool             `json:"or,omitempty"`
	Weight     uint64           `json:"weight"`
	Capped     bool             `json:"capped,omitempty"` // the path has a daily cap
	Leads      bool             `json:"leads,omitempty"`
	Units      []cond.Portable  `json:"units,omitempty"`
	Choices    []PortableChoice `json:"choices,omitempty"` // the destinations to which the path sends a visitor directly
	Campaign   *uuid.UUID       `json:"campaign,omitempty"`
}

// PortableChoice is a weighted destination: an offer, a landing page or an address.
type PortableChoice struct {
	ID     uuid.UUID            `json:"id"` // id of the offer or landing page; for an address: id of its template in the compiled plan
	URL    []token.PortablePart `json:"url,omitempty"`
	Weight uint64               `json:"weight"`
}

// Portable returns the flow in portable form. known reports whether the other program knows an attribute. The plan must be
// Explained: see cond.Matcher.Portable.
func (p *Plan) Portable(known func(attribute string) bool) Portable {
	out := Portable{
		Routes: make([]PortableRoute, len(p.routes)), Forced: numbers(p.forced), Groups: make([][]int, 0, len(p.ends)),
		BindsPath: p.bind.BindsPath(), BindsLander: p.bind.BindsLander(), BindsOffer: p.bind.BindsOffer(),
	}
	from := uint8(0)
	for _, end := range p.ends {
		out.Groups = append(out.Groups, numbers(p.regular[from:end]))
		from = end
	}
	if p.defaultPath >= 0 {
		out.Default = &p.defaultPath
	}
	if p.fallback != nil {
		out.Fallback = p.fallback.Portable()
	}
	if p.destination != nil {
		out.Destination = p.destination.Portable()
	}
	for i := range p.routes {
		out.Routes[i] = p.routes[i].portable(known)
	}
	return out
}

func numbers(list []uint8) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = int(n)
	}
	return out
}

func (r *Route) portable(known func(attribute string) bool) PortableRoute {
	out := PortableRoute{
		ID: r.ID, Name: r.Name, Forced: r.StreamType == Forced, Action: r.Action, Transition: r.Transition, Active: r.active,
		Collect: r.Collect, Or: r.or, Weight: r.weight, Capped: r.DailyCap > 0, Leads: r.leads,
	}
	if r.Action == ActionCampaign {
		out.Campaign = &r.Campaign
	}
	for i := range r.units {
		out.Units = append(out.Units, r.units[i].matcher.Portable(known))
	}
	for i := range r.first {
		c := &r.first[i]
		choice := PortableChoice{ID: c.id, Weight: c.weight}
		if c.ref == nil {
			choice.URL = c.url.Portable()
		}
		out.Choices = append(out.Choices, choice)
	}
	return out
}
