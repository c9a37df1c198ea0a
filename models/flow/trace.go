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
	RefusedBudget       Refusal = "over_budget" // the decision took too long before: see cond.MaxSteps
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

// explain notes what the conditions of a path say. It decides nothing.
func (t *Trace) explain(r *Route, f *cond.Facts) {
	t.units = make([]Unit, 0, len(r.units))
	for _, u := range r.units {
		matched, findings := u.matcher.Explain(f)
		t.units = append(t.units, Unit{Rule: u.name, Matched: matched, Conditions: findings})
	}
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
