package flow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/shelf"
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

// KeepsPath tells whether visitors return to their path.
func (b Bind) KeepsPath() bool { return b == BindStreams || b.KeepsLander() }

// KeepsLander tells whether visitors return to their lander.
func (b Bind) KeepsLander() bool { return b == BindStreamsLanders || b.KeepsOffer() }

// KeepsOffer tells whether visitors return to their offer.
func (b Bind) KeepsOffer() bool { return b == BindStreamsLandersOffers }

// Options are what a plan needs beyond its paths. Everything may be left out.
type Options struct {
	Rotation Rotation // default by position
	Bind     Bind     // default none

	// Ref gives the shared reference of an offer or lander, nil when it is gone: then it is never served.
	Ref func(id uuid.UUID) *Ref
	// Rule gives a saved rule, nil when it is gone: then nobody satisfies it.
	Rule func(id uuid.UUID) *cond.Matcher
	// Gate gives the gate of a path with a daily cap; nil is always open.
	Gate func(path uuid.UUID, dailyCap int) *Gate

	FallbackURL    string
	DestinationURL string

	// Explained plans take a Trace; they take more memory and more time.
	Explained bool
}

// Plan is a compiled flow. It is immutable but for the gates and references it shares, and safe for any number of
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
	uses        [len(costly)]bool
}

// costly are the attributes that have to be looked up somewhere; a plan remembers whether it needs them.
var costly = [...]cond.Attr{cond.IsUnique, cond.ClicksToday}

// SameCost tells whether a plan that was compiled with the rule a knows whether it needs the costly attributes although
// the rule became b.
func SameCost(a, b *cond.Matcher) bool {
	return !slices.ContainsFunc(costly[:], func(attr cond.Attr) bool { return a.Uses(attr) != b.Uses(attr) })
}

// Route is a compiled path. What every visitor's decision looks at stands first.
type Route struct {
	active   bool
	or       bool
	leads    bool // the action needs a destination
	Collect  bool
	weight   uint64
	Gate     *Gate          // nil without a daily cap
	units    []cond.Matcher // the filters together, then each rule
	DailyCap int            // 0 = none
	first    []choice       // where the visitor goes now

	ID         uuid.UUID
	Campaign   uuid.UUID // for ActionCampaign
	Name       string
	StreamType string
	Action     string
	Transition string
	Response   *Response // for ActionNothing; nil answers 404
	Index      int
	onward     []choice // lander paths: where a click on the page goes
	labels     []string // of the units; explained plans only
}

// choice is one weighted destination.
type choice struct {
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
		routes: make([]Route, len(paths)), deflt: -1, bind: o.Bind,
		fallback: compileURL(o.FallbackURL), destination: compileURL(o.DestinationURL),
	}
	to := newTargets(paths)
	var units []*cond.Matcher
	for i := range paths {
		r := &p.routes[i]
		own, err := r.compile(&paths[i], &o)
		if err != nil {
			return nil, fmt.Errorf("flow: compile path %d: %w", i+1, err)
		}
		units = append(units, own...)
		to.sort(r, paths[i].Destinations, &o)
		r.Index = i
		switch paths[i].StreamType {
		case Forced:
			p.forced = append(p.forced, uint8(i))
		case Default:
			p.deflt = i
		}
	}
	p.settle(units, o.Explained)
	p.regular, p.ends = group(paths, o.Rotation)
	for i, a := range costly {
		p.uses[i] = p.search(a)
	}
	return p, nil
}

// settle gives the routes their units and keeps their names, side by side.
func (p *Plan) settle(units []*cond.Matcher, explained bool) {
	var all []cond.Matcher
	if explained {
		for _, m := range units {
			all = append(all, *m)
		}
	} else {
		all = cond.Pack(units)
	}
	letters := 0
	for i := range p.routes {
		letters += len(p.routes[i].Name)
	}
	names := shelf.New(letters)
	for i := range p.routes {
		r := &p.routes[i]
		r.Name = names.Put(r.Name)
		n := len(r.labels)
		r.units, all = all[:n:n], all[n:]
		p.screen.Add(r.units, r.or)
		if !explained {
			r.labels = nil
		}
	}
}

func compileURL(url string) *token.Template {
	if url == "" {
		return nil
	}
	return token.Compile(url)
}

// group sorts the regular paths into the groups that are tried one after the other: one for all by weight; by
// position each path of rule group 0 by itself, then the other groups in ascending order. Ends tells where each ends.
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

// compile fills a route but for its destinations, and gives its units, one for each of its labels.
func (r *Route) compile(p *Path, o *Options) ([]*cond.Matcher, error) {
	var ok bool
	if r.ID, ok = parseID(p.ID); !ok {
		return nil, fmt.Errorf("the id %q is no uuid", p.ID)
	}
	r.Campaign, _ = parseID(p.CampaignID)
	r.Name, r.StreamType, r.Action, r.Transition = p.Name, word(p.StreamType), word(p.Action), word(p.Transition)
	r.Response, r.Collect, r.active = p.Response, p.CollectClicks, p.IsActive
	r.or, r.weight = p.Logic == "or", scale(p.Weight)
	r.leads = p.Action == ActionLander || p.Action == ActionOffer || p.Action == ActionRedirect
	if p.DailyCap != nil {
		r.DailyCap = *p.DailyCap
		if o.Gate != nil {
			r.Gate = o.Gate(r.ID, r.DailyCap)
		}
	}
	return r.compileUnits(p, o)
}

var words = [...]string{
	Regular, Forced, Default, ActionLander, ActionOffer, ActionRedirect, ActionCampaign, ActionNothing, Transition302,
	Transition301, Transition303, Transition307, TransitionMeta, TransitionDoubleMeta, TransitionJS,
	TransitionBlankReferrer, TransitionFormPost, TransitionIframe,
}

// word gives the one text that all routes share in place of one of their own.
func word(s string) string {
	for _, w := range words {
		if w == s {
			return w
		}
	}
	return s
}

func (r *Route) compileUnits(p *Path, o *Options) (units []*cond.Matcher, err error) {
	if len(p.Filters) > 0 {
		m, err := cond.Compile(p.Filters, p.Logic)
		if err != nil {
			return nil, fmt.Errorf("filters: %w", err)
		}
		units, r.labels = append(units, m), append(r.labels, "")
	}
	for i := range p.Rules {
		ref := &p.Rules[i]
		m := cond.Never
		if id, ok := parseID(ref.RuleID); ok && o.Rule != nil {
			if saved := o.Rule(id); saved != nil {
				m = saved
			}
		} else if ref.RuleID == "" {
			if m, err = cond.Compile(ref.Conditions, ref.Logic); err != nil {
				return nil, fmt.Errorf("rule %d: %w", i+1, err)
			}
		}
		units, r.labels = append(units, m), append(r.labels, ref.Name)
	}
	return units, nil
}

// targets holds the choices of all routes of a flow, and their addresses.
type targets struct {
	choices   []choice
	templates []token.Template // of the addresses, in their order
}

func newTargets(paths []Path) *targets {
	var urls []string
	size := 0
	for i := range paths {
		size += len(paths[i].Destinations)
		for _, d := range paths[i].Destinations {
			if d.URL != "" {
				urls = append(urls, d.URL)
			}
		}
	}
	return &targets{make([]choice, 0, size), token.CompileAll(urls)}
}

// sort sorts the next route's destinations to where the visitor goes at once and to where a click on the lander leads.
// One that is gone is left out; one that has the weight 0 is kept: a bound visitor may still hold it while it is usable.
func (t *targets) sort(r *Route, list []Destination, o *Options) {
	var onward []choice
	from := len(t.choices)
	for i := range list {
		d := &list[i]
		c := choice{weight: scale(d.Weight), slot: d.Slot}
		if d.URL != "" {
			c.url, t.templates = &t.templates[0], t.templates[1:]
		}
		if id, ok := parseID(d.ID); ok && o.Ref != nil {
			c.ref = o.Ref(id)
		}
		if c.ref == nil && c.url == nil {
			continue
		}
		isLander := c.ref != nil && c.ref.Kind == KindLander
		switch {
		case r.Action == ActionLander && !isLander:
			onward = append(onward, c)
		case r.Action == ActionLander, r.Action == ActionOffer && !isLander, r.Action == ActionRedirect && !isLander:
			t.choices = append(t.choices, c)
		}
	}
	mid := len(t.choices)
	t.choices = append(t.choices, onward...)
	r.first, r.onward = t.choices[from:mid:mid], t.choices[mid:len(t.choices):len(t.choices)]
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

// Route finds a path by its id, nil when the flow has none such.
func (p *Plan) Route(id uuid.UUID) *Route {
	for i := range p.routes {
		if p.routes[i].ID == id {
			return &p.routes[i]
		}
	}
	return nil
}

// Uses tells whether a condition of any path looks at an attribute. The answer is at hand for is_unique and
// clicks_today, which cost a look-up; others are searched for.
func (p *Plan) Uses(a cond.Attr) bool {
	if i := slices.Index(costly[:], a); i >= 0 {
		return p.uses[i]
	}
	return p.search(a)
}

func (p *Plan) search(a cond.Attr) bool {
	return slices.ContainsFunc(p.routes, func(r Route) bool {
		return slices.ContainsFunc(r.units, func(m cond.Matcher) bool { return m.Uses(a) })
	})
}

// Bind tells what the plan's visitors keep.
func (p *Plan) Bind() Bind { return p.bind }
