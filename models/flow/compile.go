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

// Rotation is how regular paths take turns.
type Rotation string

// The rotations of a campaign.
const (
	ByPosition Rotation = "position"
	ByWeight   Rotation = "weight"
)

// Bind is what a returning visitor keeps.
type Bind string

// The bindings of a campaign.
const (
	BindNone                 Bind = "none"
	BindStreams              Bind = "streams"
	BindStreamsLanders       Bind = "streams_landers"
	BindStreamsLandersOffers Bind = "streams_landers_offers"
)

// BindsPath reports whether visitors return to their path.
func (b Bind) BindsPath() bool { return b == BindStreams || b.BindsLander() }

// BindsLander reports whether visitors return to their lander.
func (b Bind) BindsLander() bool { return b == BindStreamsLanders || b.BindsOffer() }

// BindsOffer reports whether visitors return to their offer.
func (b Bind) BindsOffer() bool { return b == BindStreamsLandersOffers }

// Options are what a plan needs beyond its paths. Everything may be left out.
type Options struct {
	Rotation Rotation // default by position
	Bind     Bind     // default none

	// Ref returns the shared reference of an offer or lander. It returns nil if the record is gone, and then it is never
	// served.
	Ref func(id uuid.UUID) *Ref
	// Rule returns a saved rule. It returns nil if the rule is gone, and then no visitor satisfies it.
	Rule func(id uuid.UUID) *cond.Matcher

	// Fallback is where a visitor goes if no path takes them. Destination is used if there is no Fallback. Nil means nowhere.
	Fallback, Destination *token.Template

	// Explained plans take a Trace. They keep their conditions, which adds 40% to a campaign's memory.
	Explained bool
}

// Plan is a compiled flow. It is immutable, except for the references and rules it shares, and safe for any number of
// goroutines.
type Plan struct {
	routes      []Route
	screen      cond.Screen // of the routes
	forced      []uint8
	regular     []uint8 // in the order their groups are tried
	ends        []uint8 // where each group ends in regular
	deflt       int     // index of the default path, -1 for none
	bind        Bind
	fallback    *token.Template
	destination *token.Template
}

// Route is a compiled path. What every visitor's decision looks at stands first.
type Route struct {
	active   bool
	or       bool
	leads    bool // the action needs a destination
	Collect  bool
	weight   uint64
	units    []unit
	DailyCap int      // 0 = none
	first    []choice // where the visitor goes now

	ID         uuid.UUID
	Campaign   uuid.UUID // for ActionCampaign
	Name       string
	StreamType string
	Action     string
	Transition string
	Response   *Response // for ActionNothing; nil answers 404
	Index      int
	onward     []choice // lander paths: where a click on the page goes
}

// unit is a path's filters together, without a name, or one of its rules.
type unit struct {
	name    string
	matcher *cond.Matcher
}

// choice is one weighted destination.
type choice struct {
	id     uuid.UUID // of the record or, for an address, of the template: what a visitor is bound to
	ref    *Ref
	url    *token.Template
	weight uint64
	slot   int
}

func (c *choice) usable() bool { return c.ref == nil || c.ref.Open() }

// Compile prepares a flow that Validate let through. Its error means that the paths were not validated.
func Compile(paths []Path, o Options) (*Plan, error) {
	if len(paths) > MaxPaths {
		return nil, fmt.Errorf("flow: compile: %d paths", len(paths))
	}
	p := &Plan{
		routes: make([]Route, len(paths)), deflt: -1, bind: o.Bind, fallback: o.Fallback, destination: o.Destination,
	}
	var own cond.Cost // of the conditions, without saved rules
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
			p.deflt = i
		}
	}
	if err := own.Check(cond.FlowBudget); err != nil {
		return nil, fmt.Errorf("flow: compile: %w", err)
	}
	p.regular, p.ends = group(paths, o.Rotation)
	return p, nil
}

// group sorts the regular paths into the groups that are tried one after the other. By weight, all paths are one group. By
// position, each path of rule group 0 is a group of its own, and the other rule groups follow in ascending order. ends has the
// index where each group ends.
func group(paths []Path, rotation Rotation) (regular, ends []uint8) {
	regular, ends = make([]uint8, 0, len(paths)), make([]uint8, 0, len(paths))
	for i := range paths {
		if paths[i].StreamType == Regular {
			regular = append(regular, uint8(i))
		}
	}
	of := func(i int) int { return paths[regular[i]].RuleGroup }
	if rotation != ByWeight {
		slices.SortStableFunc(regular, func(a, b uint8) int { return cmp.Compare(paths[a].RuleGroup, paths[b].RuleGroup) })
	}
	for i := range regular {
		last := i == len(regular)-1
		if last || rotation != ByWeight && (of(i) == 0 || of(i) != of(i+1)) {
			ends = append(ends, uint8(i+1))
		}
	}
	return regular, ends
}

// compile fills a route, except its index. It returns the cost of the route's own conditions.
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

// compileUnits returns a path's filters and rules, and the cost of the path's own ones.
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

// matcher compiles a path's own conditions. The matcher of a saved rule is not a plan's to change.
func (o *Options) matcher(list []cond.Condition, logic string) (*cond.Matcher, error) {
	m, err := cond.Compile(list, logic)
	if err == nil && !o.Explained {
		m.DropSource()
	}
	return m, err
}

// compileChoices sorts a path's destinations to where the visitor goes at once and to where a click on the lander
// leads. A destination that is gone is left out. One of weight 0 is kept: a visitor who is bound to it may still get
// it.
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

// scale turns a weight into whole thousandths.
func scale(w float64) uint64 {
	if !validWeight(w) {
		return 0
	}
	return uint64(thousandths(w)*1000 + 0.5)
}

// Routes lists the compiled paths by position. They must not be changed.
func (p *Plan) Routes() []Route { return p.routes }

// Route finds a path by its id. It returns nil if the flow has no such path.
func (p *Plan) Route(id uuid.UUID) *Route {
	for i := range p.routes {
		if p.routes[i].ID == id {
			return &p.routes[i]
		}
	}
	return nil
}

// Uses reports whether a condition of any path looks at an attribute.
func (p *Plan) Uses(a cond.Attr) bool {
	return slices.ContainsFunc(p.routes, func(r Route) bool {
		return slices.ContainsFunc(r.units, func(u unit) bool { return u.matcher.Uses(a) })
	})
}

// Bind is what the plan's visitors keep.
func (p *Plan) Bind() Bind { return p.bind }
