package flow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/token"
)

// Rotation is the way in which a path is chosen among the regular paths.
type Rotation string

// The rotations of a campaign.
const (
	ByPosition Rotation = "position"
	ByWeight   Rotation = "weight"
)

// Bind says which part of a decision stays the same for a returning visitor.
type Bind string

// The bindings of a campaign.
const (
	BindNone                 Bind = "none"
	BindStreams              Bind = "streams"
	BindStreamsLanders       Bind = "streams_landers"
	BindStreamsLandersOffers Bind = "streams_landers_offers"
)

// BindsPath reports whether returning visitors get the same path again.
func (b Bind) BindsPath() bool { return b == BindStreams || b.BindsLander() }

// BindsLander reports whether returning visitors get the same lander again.
func (b Bind) BindsLander() bool { return b == BindStreamsLanders || b.BindsOffer() }

// BindsOffer reports whether returning visitors get the same offer again.
func (b Bind) BindsOffer() bool { return b == BindStreamsLandersOffers }

// Options hold what a plan needs in addition to its paths. Every field may be left out.
type Options struct {
	Rotation Rotation // default: by position
	Bind     Bind     // default: none

	// Ref returns the shared reference to an offer or lander, or nil if it no longer exists. No visitor is sent there then.
	Ref func(id uuid.UUID) *Ref
	// Rule returns the matcher of a saved rule, or nil if it no longer exists. No visitor satisfies it then.
	Rule func(id uuid.UUID) *cond.Matcher

	// Fallback is the address for a visitor that no path takes. If it is nil, Destination is used. If both are nil, the visitor
	// gets a 404.
	Fallback, Destination *token.Template

	// Explained makes a plan that can fill a Trace. Its conditions stay in memory, which adds 40% to a campaign's memory.
	Explained bool
}

// Plan is a compiled flow. It is safe for concurrent use. Only the shared references and rules can change.
type Plan struct {
	routes      []Route
	screen      cond.Screen // quick check of the routes
	forced      []uint8
	regular     []uint8 // the regular paths in the order in which their groups are tried
	ends        []uint8 // for each group, the index in regular at which the group ends
	defaultPath int     // index of the default path; -1: there is no default path
	bind        Bind
	fallback    *token.Template
	destination *token.Template
}

// Route is a compiled path. The fields that every decision uses come first.
type Route struct {
	active   bool
	or       bool
	leads    bool // the action leads to a destination
	Collect  bool
	weight   uint64
	units    []unit
	DailyCap int      // 0 means no cap
	first    []choice // the destinations to which the path sends a visitor directly

	ID         uuid.UUID
	Campaign   uuid.UUID // the next campaign of ActionCampaign
	Name       string
	StreamType string
	Action     string
	Transition string
	Response   *Response // the answer for ActionNothing; nil: 404
	Index      int
	onward     []choice // for paths with a lander: the destinations of a click on the page
}

// unit is one rule of a path, or all filters of the path together. The name is empty for the filters.
type unit struct {
	name    string
	matcher *cond.Matcher
}

type choice struct {
	id     uuid.UUID // id of the offer or lander, or of an address's template; a visitor's binding stores this id
	ref    *Ref
	url    *token.Template
	weight uint64
	slot   int
}

func (c *choice) usable() bool { return c.ref == nil || c.ref.Open() }

// Compile compiles a flow that Validate has accepted. An error means that the paths were not validated.
func Compile(paths []Path, o Options) (*Plan, error) {
	if len(paths) > MaxPaths {
		return nil, fmt.Errorf("flow: compile: %d paths", len(paths))
	}
	p := &Plan{
		routes: make([]Route, len(paths)), defaultPath: -1, bind: o.Bind, fallback: o.Fallback, destination: o.Destination,
	}
	var own cond.Cost // cost of the conditions, without saved rules
	for i := range paths {
		r := &p.routes[i]
		cost, err := r.compile(&paths[i], &o)
		if err != nil {
			return nil, fmt.Errorf("flow: compile path %d: %w", i+1, err)
		}
		own = own.Plus(cost)
		r.Index = i
		p.screen.Add(r.matchers(), r.or)
		switch paths[i].StreamType {
		case Forced:
			p.forced = append(p.forced, uint8(i))
		case Default:
			p.defaultPath = i
		}
	}
	if err := own.Check(cond.FlowBudget); err != nil {
		return nil, fmt.Errorf("flow: compile: %w", err)
	}
	p.regular, p.ends = groupPaths(paths, o.Rotation)
	return p, nil
}

// groupPaths returns the indexes of the regular paths, in the groups that are tried one after the other. With the rotation by
// weight, all paths form one group. With the rotation by position, each path in rule group 0 is alone, and the other rule groups
// follow in ascending order. ends holds where each group ends in regular.
func groupPaths(paths []Path, rotation Rotation) (regular, ends []uint8) {
	regular, ends = make([]uint8, 0, len(paths)), make([]uint8, 0, len(paths))
	for i := range paths {
		if paths[i].StreamType == Regular {
			regular = append(regular, uint8(i))
		}
	}
	ruleGroup := func(i int) int { return paths[regular[i]].RuleGroup }
	if rotation != ByWeight {
		slices.SortStableFunc(regular, func(a, b uint8) int { return cmp.Compare(paths[a].RuleGroup, paths[b].RuleGroup) })
	}
	for i := range regular {
		last := i == len(regular)-1
		if last || rotation != ByWeight && (ruleGroup(i) == 0 || ruleGroup(i) != ruleGroup(i+1)) {
			ends = append(ends, uint8(i+1))
		}
	}
	return regular, ends
}

// compile sets the fields of a route, except its index, and returns the cost of its own conditions.
func (r *Route) compile(p *Path, o *Options) (own cond.Cost, err error) {
	var ok bool
	if r.ID, ok = models.ParseID(p.ID); !ok {
		return own, fmt.Errorf("the id %q is no uuid", p.ID)
	}
	r.Campaign, _ = models.ParseID(p.CampaignID)
	r.Name, r.StreamType, r.Action, r.Transition = p.Name, p.StreamType, p.Action, p.Transition
	r.Response, r.Collect, r.active = p.Response, p.CollectClicks, p.IsActive
	r.or, r.weight = p.Logic == "or", scale(p.Weight)
	r.leads = p.Action == ActionLander || p.Action == ActionOffer || p.Action == ActionRedirect
	if p.DailyCap != nil {
		r.DailyCap = *p.DailyCap
	}
	if r.units, own, err = compileUnits(p, o); err != nil {
		return own, err
	}
	r.first, r.onward = compileChoices(p, o)
	return own, nil
}

func (r *Route) matchers() []*cond.Matcher {
	out := make([]*cond.Matcher, len(r.units))
	for i := range r.units {
		out[i] = r.units[i].matcher
	}
	return out
}

// compileUnits returns the units of a path, and the cost of its own conditions.
func compileUnits(p *Path, o *Options) (units []unit, own cond.Cost, err error) {
	add := func(name string, list []cond.Condition, logic string) error {
		m, err := o.matcher(list, logic)
		if err == nil {
			units, own = append(units, unit{name, m}), own.Plus(m.Cost())
		}
		return err
	}
	units = make([]unit, 0, 1+len(p.Rules))
	if len(p.Filters) > 0 {
		if err := add("", p.Filters, p.Logic); err != nil {
			return nil, own, fmt.Errorf("filters: %w", err)
		}
	}
	for i := range p.Rules {
		ref := &p.Rules[i]
		id, ok := models.ParseID(ref.RuleID)
		switch {
		case ref.RuleID == "":
			if err := add(ref.Name, ref.Conditions, ref.Logic); err != nil {
				return nil, own, fmt.Errorf("rule %d: %w", i+1, err)
			}
		case ok && o.Rule != nil:
			units = append(units, unit{ref.Name, cmp.Or(o.Rule(id), cond.Never)})
		default:
			units = append(units, unit{ref.Name, cond.Never})
		}
	}
	return units, own, nil
}

// matcher compiles a path's own conditions. A saved rule has its own matcher, which a plan must not change.
func (o *Options) matcher(list []cond.Condition, logic string) (*cond.Matcher, error) {
	m, err := cond.Compile(list, logic)
	if err == nil && !o.Explained {
		m.DiscardConditions()
	}
	return m, err
}

// compileChoices divides a path's destinations into two lists. first has the destinations to which the path sends a visitor
// directly. onward has the destinations of a click on the lander. A destination that no longer exists is left out. A destination
// with the weight 0 stays, because a bound visitor may still get it.
func compileChoices(p *Path, o *Options) (first, onward []choice) {
	for i := range p.Destinations {
		d := &p.Destinations[i]
		c := choice{weight: scale(d.Weight), slot: d.Slot}
		if d.URL != "" {
			c.url = token.Compile(d.URL)
			c.id = c.url.ID()
		}
		if id, ok := models.ParseID(d.ID); ok && o.Ref != nil {
			if c.ref = o.Ref(id); c.ref != nil {
				c.id = id
			}
		}
		if c.ref == nil && c.url == nil {
			continue
		}
		isLander := c.ref != nil && c.ref.Kind == KindLander
		switch {
		case p.Action == ActionLander && !isLander:
			onward = append(onward, c)
		case p.Action == ActionLander, p.Action == ActionOffer && !isLander, p.Action == ActionRedirect && !isLander:
			first = append(first, c)
		}
	}
	return first, onward
}

func scale(w float64) uint64 {
	if !validWeight(w) {
		return 0
	}
	return uint64(thousandths(w)*1000 + 0.5)
}

// Routes returns the compiled paths by position. Callers must not change them.
func (p *Plan) Routes() []Route { return p.routes }

// Route finds a path by its id, or returns nil.
func (p *Plan) Route(id uuid.UUID) *Route {
	for i := range p.routes {
		if p.routes[i].ID == id {
			return &p.routes[i]
		}
	}
	return nil
}

// Uses reports whether a condition of any path uses an attribute.
func (p *Plan) Uses(a cond.Attr) bool {
	return slices.ContainsFunc(p.routes, func(r Route) bool {
		return slices.ContainsFunc(r.units, func(u unit) bool { return u.matcher.Uses(a) })
	})
}

// Bind returns the binding of the plan's visitors.
func (p *Plan) Bind() Bind { return p.bind }
