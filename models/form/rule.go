package form

import (
	"encoding/json"
	"strings"

	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/cond"
)

// RuleBody is the body of POST /rules.
type RuleBody struct {
	Name       string           `json:"name" required:"true" trim:"true" maxLength:"255"`
	Notes      bind.Opt[string] `json:"notes" maxLength:"2000"`
	Logic      bind.Opt[string] `json:"logic" loose:"true" default:"and" doc:"'and' or 'or'; any value other than 'or' means 'and'"`
	Conditions Conditions       `json:"conditions" bad:"invalid_condition" required:"no_conditions" doc:"only the first 20 conditions are used; a value is cut to 200 items, and a text item to 200 characters"`
}

// Conditions are the conditions of a saved rule. Only the first cond.MaxConditions conditions of a list are read.
type Conditions []cond.Condition

// UnmarshalJSON parses a list of objects.
func (l *Conditions) UnmarshalJSON(raw []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	items = items[:min(len(items), cond.MaxConditions)]
	*l = make(Conditions, len(items))
	for i, item := range items {
		if err := json.Unmarshal(item, &(*l)[i]); err != nil {
			return err
		}
	}
	return nil
}

// Record returns the rule that the body describes.
func (b RuleBody) Record() (models.Rule, error) {
	r := models.Rule{Name: b.Name, Notes: b.Notes.Value, Logic: "and"}
	if strings.EqualFold(strings.TrimSpace(b.Logic.Value), "or") {
		r.Logic = "or"
	}
	for i, c := range b.Conditions {
		c = cond.Canonical(cond.Clip(c))
		if err := cond.Validate(c); err != nil {
			return r, models.Invalid("invalid_condition", "conditions[%d]: %s", i, err)
		}
		r.Conditions = append(r.Conditions, c)
	}
	cost, err := cond.CostOf(r.Conditions)
	if err == nil {
		err = cost.Check(cond.RuleBudget)
	}
	if err != nil {
		return r, models.Invalid("invalid_condition", "%s", err)
	}
	r.MatchSteps, r.MatchBytes = cost.Steps, cost.Bytes
	return r, nil
}
