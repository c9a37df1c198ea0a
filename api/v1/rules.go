package v1

import (
	"encoding/json"
	"strings"

	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/cond"
)

// rules returns the routes of /rules.
func rules() []route.Route {
	res := resource.Kind[store.Rules, models.Rule, RuleAnswer]{
		Group: "Saved rules", Path: "/rules", Table: (*store.Store).Rules, Answer: ruleAnswer, BodyLimit: route.CSVBody,
		Codes: route.Codes("400 required too_long invalid_condition no_conditions duplicate_name"),
	}
	return []route.Route{
		resource.List(res, "saved rules, by name"),
		resource.Create[RuleBody](res, "create a saved rule"),
		resource.Put[RulePut](res, "replace a saved rule; every flow that uses it follows within a second", ruleAnswer),
		resource.RemoveUsed(res, "delete a saved rule; flows that use it keep its conditions as a rule of their own", resource.DeletedWith),
	}
}

// RuleBody is the body of POST /rules.
type RuleBody struct {
	Name       string           `json:"name" required:"true" trim:"true" maxLength:"255"`
	Notes      bind.Opt[string] `json:"notes" maxLength:"2000"`
	Logic      bind.Opt[string] `json:"logic" loose:"true" default:"and" doc:"'and' or 'or'; any value other than 'or' means 'and'"`
	Conditions Conditions       `json:"conditions" bad:"invalid_condition" required:"no_conditions" doc:"only the first 20 conditions are used; a value is cut to 200 items, and a text item to 200 characters"`
}

// RulePut is the body of PUT /rules. NotesSent and LogicSent only make notes and logic required. Record reads the values from
// RuleBody, which bind fills from the same names.
type RulePut struct {
	bind.ID
	RuleBody
	NotesSent bind.Opt[string] `json:"notes" required:"true" maxLength:"2000"`
	LogicSent bind.Opt[string] `json:"logic" loose:"true" required:"true" doc:"'and' or 'or'; any value other than 'or' means 'and'"`
}

// Conditions are the conditions of a saved rule. Only the first cond.MaxConditions conditions of a list are read. The rest is
// ignored.
type Conditions []cond.Condition

// UnmarshalJSON parses a list of objects. A value of another type is an error. It accepts unknown attributes, which the method
// Record of RuleBody refuses.
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

// RuleAnswer is a saved rule.
type RuleAnswer struct {
	models.Rule
	ConditionCount int `json:"condition_count"`
}

func ruleAnswer(r models.Rule) RuleAnswer { return RuleAnswer{r, len(r.Conditions)} }
