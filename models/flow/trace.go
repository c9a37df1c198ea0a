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
	Via   Via
	Steps []Step
	units []Unit // of the path being looked at
}

// Step is one path that was looked at.
type Step struct {
	PathID  uuid.UUID
	Path    string
	Via     string
	Refused Refusal
	Logic   string
	Units   []Unit
}

// Unit is the path's filters together, or one rule by its name.
type Unit struct {
	Rule       string
	Matched    bool
	Conditions []cond.Finding
}

func (k *picker) explain(r *Route) bool {
	held := 0
	k.env.Trace.units = make([]Unit, 0, len(r.units))
	for i := range r.units {
		u := &r.units[i]
		matched, findings := u.matcher.Explain(k.visitor.Facts)
		k.env.Trace.units = append(k.env.Trace.units, Unit{Rule: u.name, Matched: matched, Conditions: findings})
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
