package flow

import (
	"github.com/google/uuid"

	"switchyard/models/cond"
)

// Refusal says why a path was not taken; empty when it was.
type Refusal string

// The reasons for passing a path over.
const (
	RefusedInactive     Refusal = "inactive"
	RefusedCapped       Refusal = "capped"
	RefusedConditions   Refusal = "conditions"
	RefusedDestinations Refusal = "no_usable_destination"
	RefusedWeight       Refusal = "weight_zero"
)

// Trace tells step by step how a decision came about.
type Trace struct {
	Steps []Step `json:"steps"`
	units []Unit // of the path being looked at
}

// Step is one path that was looked at.
type Step struct {
	PathID  uuid.UUID `json:"path_id"`
	Path    string    `json:"path"`
	Via     string    `json:"via"`
	Refused Refusal   `json:"refused,omitempty"`
	Logic   string    `json:"logic"`
	Units   []Unit    `json:"units"`
}

// Unit is the path's filters together, or one rule by its name.
type Unit struct {
	Rule       string         `json:"rule,omitempty"`
	Matched    bool           `json:"matched"`
	Conditions []cond.Finding `json:"conditions"`
}

// Explain is Pick with a trace, for plans compiled to be explained. It allocates.
func (p *Plan) Explain(v *Visitor, env Env, seed uint64) (Decision, *Trace) {
	pick := picker{plan: p, visitor: v, env: env, seed: seed, trace: &Trace{}}
	d := pick.decide()
	return d, pick.trace
}

func (k *picker) explain(r *Route) bool {
	held := 0
	k.trace.units = make([]Unit, 0, len(r.units))
	for i := range r.units {
		matched, findings := r.units[i].Explain(k.visitor.Facts)
		k.trace.units = append(k.trace.units, Unit{Rule: r.labels[i], Matched: matched, Conditions: findings})
		if matched {
			held++
		}
	}
	if r.or && len(r.units) > 0 {
		return held > 0
	}
	return held == len(r.units)
}

func (t *Trace) note(r *Route, via Via, refused Refusal) {
	logic := "and"
	if r.or {
		logic = "or"
	}
	units := t.units
	if units == nil {
		units = []Unit{}
	}
	t.units = nil
	t.Steps = append(t.Steps, Step{
		PathID: r.ID, Path: r.Name, Via: via.String(), Refused: refused, Logic: logic,
		Units: units,
	})
}
