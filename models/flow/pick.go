package flow

import (
	"math/bits"

	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/token"
)

// Via is the step that decided. The package comment lists the steps in their order.
type Via uint8

// The steps that can decide. With ViaNone, the visitor gets a 404.
const (
	ViaNone Via = iota
	ViaForced
	ViaBound
	ViaRegular
	ViaDefault
	ViaFallback
	ViaDestination
)

// String returns the name of the step.
func (v Via) String() string {
	return [...]string{"none", "forced", "bound", "regular", "default", "fallback_url", "destination_url"}[v]
}

// Binding holds the ids of the visitor's previous decision. uuid.Nil means none. Offer is the id of an offer, or of the template
// of an address (see token.Template.ID).
type Binding struct{ Path, Lander, Offer uuid.UUID }

// Visitor is the visitor to route. Facts must be set, but may be empty.
type Visitor struct {
	Facts *cond.Facts
	Bound Binding
}

// Env lets the caller influence a decision.
type Env struct {
	// Admit reserves one click of a path with a daily cap. If it returns false, the path is skipped. It is called last, so an
	// admitted path is always the chosen one. If it is nil, daily caps are not checked.
	Admit func(*Route) bool
	// Trace receives the steps of the decision. It may be nil, and must be nil if the plan was compiled without Explained. Filling
	// it allocates memory.
	Trace *Trace
}

// Decision says where a visitor goes.
type Decision struct {
	Via    Via
	Route  *Route          // nil for fallback_url, destination_url and none
	Lander *Ref            // set for ActionLander
	Offer  *Ref            // set for ActionOffer and ActionRedirect, if an offer was chosen
	URL    *token.Template // an address instead of an offer, or the fallback_url or destination_url
	// Collect is false if the click must not be recorded.
	Collect bool
	// Bindable is true if the decision should be stored for the visitor. A forced path takes the visitors that match it now, and
	// does not bind them.
	Bindable bool
	// Passed is the first path that the visitor should have got but that could not take the visitor.
	Passed RefusedPath
}

// RefusedPath is a path that could not take the visitor, with the reason. It was chosen at random, was the visitor's bound path,
// or had conditions that the visitor met. With RefusedBudget, its conditions may be unchecked, because no steps were left. A nil
// Route means that there was no such path. Why is then empty, or RefusedBlocked for a blocked visitor.
type RefusedPath struct {
	Route *Route
	Why   Refusal
}

// Action returns the action to take.
func (d *Decision) Action() string {
	switch {
	case d.Route != nil:
		return d.Route.Action
	case d.URL != nil:
		return ActionRedirect
	default:
		return ActionNothing
	}
}

// Transition returns the way in which the visitor is sent to the destination.
func (d *Decision) Transition() string {
	if d.Route != nil {
		return d.Route.Transition
	}
	return Transition302
}

// Pick routes a visitor. The decision depends only on the visitor, the seed, and the answers of Env.Admit and Ref.Open. When the
// visitor's facts are exhausted (see package cond), no further path takes the visitor.
func (p *Plan) Pick(v *Visitor, env Env, seed uint64) Decision {
	pick := picker{plan: p, visitor: v, env: env, seed: seed}
	d := pick.decide()
	d.Passed = pick.passed
	if env.Trace != nil {
		env.Trace.Via = d.Via
	}
	return d
}

// PickOffer chooses the destination of a click on the lander, at random among the destinations of the slot (0 counts as 1). If
// the plan binds offers, a bound destination is kept while it is usable. ok is false if no destination is usable.
func (p *Plan) PickOffer(r *Route, slot int, bound uuid.UUID, seed uint64) (offer *Ref, url *token.Template, ok bool) {
	if !p.bind.BindsOffer() {
		bound = uuid.Nil
	}
	pick := picker{plan: p, seed: seed}
	c := pick.draw(r.onward, max(slot, 1), bound)
	if c == nil {
		return nil, nil, false
	}
	return c.ref, c.url, true
}

// picker is the state of one decision. It is on the stack.
type picker struct {
	plan    *Plan
	visitor *Visitor
	env     Env
	seed    uint64
	tried   [MaxPaths / 64]uint64 // paths that were chosen at random and then refused
	passed  RefusedPath
}

func (k *picker) decide() Decision {
	p := k.plan
	for _, i := range p.forced {
		if d, ok := k.try(i, ViaForced); ok {
			return d
		}
	}
	if p.bind.BindsPath() && k.visitor.Bound.Path != uuid.Nil {
		if r := p.Route(k.visitor.Bound.Path); r != nil && r.StreamType != Forced {
			if d, ok := k.try(uint8(r.Index), ViaBound); ok {
				return d
			}
		}
	}
	from := uint8(0)
	for _, end := range p.ends {
		if d, ok := k.rotate(p.regular[from:end]); ok {
			return d
		}
		from = end
	}
	if p.defaultPath >= 0 {
		if d, ok := k.try(uint8(p.defaultPath), ViaDefault); ok {
			return d
		}
	}
	return p.LastResort()
}

// Fallback returns the decision to send a visitor to the campaign's fallback_url, for example if the campaign is paused. ok is
// false if the campaign has no fallback_url.
func (p *Plan) Fallback() (Decision, bool) {
	return Decision{Via: ViaFallback, URL: p.fallback, Collect: true}, p.fallback != nil
}

// Blocked returns the decision for a visitor that the campaign does not route: its fallback_url or, without a fallback_url,
// nothing. The destination_url is only for visitors that the campaign wants.
func (p *Plan) Blocked() Decision {
	d, ok := p.Fallback()
	if !ok {
		d = Decision{Via: ViaNone, Collect: true}
	}
	d.Passed.Why = RefusedBlocked
	return d
}

// LastResort returns the decision for a visitor that no path takes.
func (p *Plan) LastResort() Decision {
	d, ok := p.Fallback()
	switch {
	case ok:
		return d
	case p.destination != nil:
		return Decision{Via: ViaDestination, URL: p.destination, Collect: true}
	}
	return Decision{Via: ViaNone, Collect: true}
}

// rotate chooses a path of a group at random by weight. If the path is refused, rotate chooses again among the others. This gives
// the same probabilities as one choice among the matching paths, with fewer checks.
func (k *picker) rotate(group []uint8) (Decision, bool) {
	if len(group) == 1 {
		return k.try(group[0], ViaRegular)
	}
	for {
		var total uint64
		for _, i := range group {
			if !k.isTried(i) {
				total += k.plan.routes[i].weight
			}
		}
		if total == 0 {
			k.recordWeightless(group)
			return Decision{}, false
		}
		at := k.below(total)
		for _, i := range group {
			r := &k.plan.routes[i]
			if k.isTried(i) {
				continue
			}
			if at >= r.weight {
				at -= r.weight
				continue
			}
			if d, ok := k.try(i, ViaRegular); ok {
				return d, true
			}
			k.tried[i/64] |= 1 << (i % 64)
			break
		}
	}
}

func (k *picker) recordWeightless(group []uint8) {
	if k.env.Trace == nil {
		return
	}
	for _, i := range group {
		if !k.isTried(i) {
			k.env.Trace.record(&k.plan.routes[i], ViaRegular, RefusedWeight)
		}
	}
}

func (k *picker) isTried(i uint8) bool { return k.tried[i/64]&(1<<(i%64)) != 0 }

func (k *picker) try(i uint8, via Via) (Decision, bool) {
	screened := via != ViaBound && k.plan.screen.Refuses(int(i), k.visitor.Facts)
	if screened && k.env.Trace == nil {
		return Decision{}, false // with a trace, the conditions are evaluated even if the plan's screen refuses the path
	}
	r := &k.plan.routes[i]
	c, refused := k.consider(r, via, screened)
	if k.env.Trace != nil {
		k.env.Trace.record(r, via, refused)
	}
	if refused != "" {
		if k.passed.Route == nil && (refused == RefusedCapped || refused == RefusedDestinations || refused == RefusedBudget) {
			k.passed = RefusedPath{r, refused}
		}
		return Decision{}, false
	}
	d := Decision{Via: via, Route: r, Collect: r.Collect, Bindable: r.StreamType != Forced}
	switch {
	case c == nil:
	case r.Action == ActionLander:
		d.Lander = c.ref
	default:
		d.Offer, d.URL = c.ref, c.url
	}
	return d, true
}

// consider returns the destination of a path, or the reason why the path cannot be taken. The destination is nil if the action
// needs none. screened says that the plan's screen has refused the path.
func (k *picker) consider(r *Route, via Via, screened bool) (c *choice, refused Refusal) {
	if k.visitor.Facts.Exhausted() {
		return nil, RefusedBudget
	}
	if via == ViaRegular && r.weight == 0 {
		return nil, RefusedWeight
	}
	if !r.active {
		return nil, RefusedInactive
	}
	if via != ViaBound && k.env.Trace != nil {
		k.env.Trace.explain(r, k.visitor.Facts)
	}
	if screened || via != ViaBound && !k.matches(r) {
		return nil, RefusedConditions
	}
	if r.leads {
		if c = k.draw(r.first, 0, k.bound(r)); c == nil {
			return nil, RefusedDestinations
		}
	}
	if r.DailyCap > 0 && k.env.Admit != nil && !k.env.Admit(r) {
		return nil, RefusedCapped
	}
	return c, ""
}

// bound returns the destination that the visitor may keep on this path, or uuid.Nil.
func (k *picker) bound(r *Route) uuid.UUID {
	b := &k.visitor.Bound
	switch {
	case b.Path != r.ID:
		return uuid.Nil
	case r.Action == ActionLander && k.plan.bind.BindsLander():
		return b.Lander
	case r.Action != ActionLander && k.plan.bind.BindsOffer():
		return b.Offer
	}
	return uuid.Nil
}

// matches reports whether the visitor satisfies a path. With the logic "or" one matching unit is enough, otherwise all must
// match. Without units it takes every visitor.
func (k *picker) matches(r *Route) bool {
	for i := range r.units {
		if r.units[i].matcher.Match(k.visitor.Facts) == r.or {
			return r.or
		}
	}
	return !r.or || len(r.units) == 0
}

// draw returns the bound choice if it is usable. Otherwise it chooses at random among the usable choices of a slot. Slot 0
// includes all choices.
func (k *picker) draw(list []choice, slot int, bound uuid.UUID) *choice {
	var total uint64
	for i := range list {
		c := &list[i]
		if !c.serves(slot) || !c.usable() {
			continue
		}
		if bound != uuid.Nil && c.id == bound {
			return c
		}
		total += c.weight
	}
	if total == 0 {
		return nil
	}
	at := k.below(total)
	var last *choice
	for i := range list {
		c := &list[i]
		if c.weight == 0 || !c.serves(slot) || !c.usable() {
			continue
		}
		last = c
		if at < c.weight {
			break
		}
		at -= c.weight
	}
	return last // nil if all choices have been paused between the two loops
}

func (c *choice) serves(slot int) bool { return slot == 0 || c.slot == 0 || c.slot == slot }

// below returns the next pseudo-random number below n (splitmix64).
func (k *picker) below(n uint64) uint64 {
	k.seed += 0x9e3779b97f4a7c15
	z := k.seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	hi, _ := bits.Mul64(z^z>>31, n)
	return hi
}
