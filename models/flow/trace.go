package flow

import (
	"github.com/google/uuid"

	"switchyard/models/cond"
)

// Refusal is the reason why a path was not taken. It is empty for the path that was taken.
type Refusal string

// The reasons why a path was not taken.
const (
	RefusedInactive     Refusal = "inactive"
	RefusedCapped       Refusal = "capped"
	RefusedConditions   Refusal = "conditions"
	RefusedDestinations Refusal = "no_usable_destination"
	RefusedWeight       Refusal = "weight_zero"
	RefusedBudget       Refusal = "over_budget" // the conditions of earlier paths used up the work that a decision may take: see cond.MaxSteps
	RefusedBlocked      Refusal = "blocked"     // no path was tried: the visitor has a blocked value
)

// Trace records the steps of a decision.
type Trace struct {
	Via     Via
	Blocked *Block // why no path was tried; nil: the visitor is not blocked
	Steps   []Step
	units   []Unit
}

// Block is a blocked value of a visitor, and its list.
type Block struct {
	ListID    uuid.UUID
	Scope     string
	Dimension string
	Value     string
}

// Step is one path that was examined.
type Step struct {
	PathID  uuid.UUID
	Path    string
	Via     string
	Refused Refusal
	Logic   string
	Units   []Unit
}

// Unit is the result of all filters of a path, or of one rule. A rule has a name.
type Unit struct {
	Rule       string
	Matched    bool
	Conditions []cond.Finding
}

// explain records the results of a path's conditions. It does not influence the decision.
func (t *Trace) explain(r *Route, f *cond.Facts) {
	t.units = make([]Unit, 0, len(r.units))
	for _, u := range r.units {
		matched, findings := u.matcher.Explain(f)
		t.units = append(t.units, Unit{Rule: u.name, Matched: matched, Conditions: findings})
	}
}

func (t *Trace) record(r *Route, via Via, refused Refusal) {
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
