package v1

import (
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
)

// rules returns the routes of /rules.
func rules() []route.Route {
	res := resource.Kind[store.Rules, models.Rule, RuleAnswer]{
		Group: "Saved rules", Path: "/rules", Table: (*store.Store).Rules, Answer: ruleAnswer, BodyLimit: route.CSVBody,
		Codes: route.Codes("400 required too_long invalid_condition no_conditions duplicate_name"),
	}
	return []route.Route{
		resource.List(res, "saved rules, by name"),
		resource.Create[form.RuleBody](res, "create a saved rule"),
		resource.Put[RulePut](res, "replace a saved rule; every flow that uses the rule applies the change within a second", ruleAnswer),
		resource.RemoveUsed(res, "delete a saved rule; each flow that uses it keeps a copy of its conditions as an inline rule", resource.DeletedWith),
	}
}

// RulePut is the body of PUT /rules. NotesSent and LogicSent only make notes and logic required. Their values are read from
// form.RuleBody.
type RulePut struct {
	bind.ID
	form.RuleBody
	NotesSent bind.Opt[string] `json:"notes" required:"true" maxLength:"2000"`
	LogicSent bind.Opt[string] `json:"logic" loose:"true" required:"true" doc:"'and' or 'or'; any value other than 'or' means 'and'"`
}

// RuleAnswer is a saved rule.
type RuleAnswer struct {
	models.Rule
	ConditionCount int `json:"condition_count"`
}

func ruleAnswer(r models.Rule) RuleAnswer { return RuleAnswer{r, len(r.Conditions)} }
