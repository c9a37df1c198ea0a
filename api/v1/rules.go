package v1

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
)

// rules are the rows of /rules.
func rules() []route.Route {
	const group, path = "Saved rules", "/rules"
	res := resource[models.Rule, RuleAnswer]{
		table:  func(s *store.Store) table[models.Rule] { return s.Rules() },
		own:    func(r *models.Rule, account, id uuid.UUID) { r.AccountID, r.ID = account, id },
		answer: ruleAnswer,
	}
	bodyCodes := route.Codes("400 required too_long invalid_condition no_conditions duplicate_name")
	return []route.Route{
		{Method: "GET", Path: path, Group: group, Summary: "saved rules, by name", Page: true, Handle: pages(res)},
		{
			Method: "POST", Path: path, Group: group, Summary: "create a saved rule", Scope: route.Write, Status: 201,
			BodyLimit: route.CSVBody, Codes: bodyCodes, Handle: create[RuleBody](res),
		},
		{
			Method: "PUT", Path: path, Group: group, Scope: route.Write, BodyLimit: route.CSVBody,
			Summary: "replace a saved rule; every flow that uses it follows within a second",
			Codes:   append(answer.IDCodes, bodyCodes...), Handle: put[RulePut](res, ruleAnswer),
		},
		{
			Method: "DELETE", Path: path, Group: group, Scope: route.Write, Query: answer.QueryID, Codes: answer.IDCodes,
			Summary: "delete a saved rule; flows that use it keep its conditions as a rule of their own",
			Handle:  remove((*store.Store).Rules),
		},
	}
}

// RuleBody is the body of POST /rules.
type RuleBody struct {
	Name       string                   `json:"name" required:"true" trim:"true" maxLength:"255"`
	Notes      bind.Opt[string]         `json:"notes" maxLength:"2000"`
	Logic      bind.Opt[bind.LooseText] `json:"logic" default:"and" doc:"and, or; anything but or is and"`
	Conditions Conditions               `json:"conditions" bad:"invalid_condition" required:"no_conditions" doc:"the first 20 are used; of a value the first 200 items, of a text item its first 200 characters"`
}

// RulePut is the body of PUT /rules, which requires notes and logic too.
type RulePut struct {
	bind.ID
	RuleBody
	NotesSent bind.Opt[string]         `json:"notes" required:"true" maxLength:"2000"`
	LogicSent bind.Opt[bind.LooseText] `json:"logic" required:"true" doc:"and, or; anything but or is and"`
}

// Conditions are the conditions of a saved rule: the first ones of a list are read, the rest is not looked at.
type Conditions []cond.Condition

// UnmarshalJSON reads a list of objects. A value of another type is an error, an unknown attribute is not: that is for
// the check of the rule.
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

// Record gives the rule that the body describes.
func (b RuleBody) Record() (models.Rule, error) {
	r := models.Rule{Name: b.Name, Notes: b.Notes.Value, Logic: "and"}
	if strings.EqualFold(strings.TrimSpace(string(b.Logic.Value)), "or") {
		r.Logic = "or"
	}
	for i, c := range b.Conditions {
		c = cond.Clip(c)
		if err := cond.Validate(c); err != nil {
			return r, models.Invalid("invalid_condition", "conditions[%d]: %s", i, err)
		}
		r.Conditions = append(r.Conditions, c)
	}
	return r, nil
}

// RuleAnswer is the saved rule.
type RuleAnswer struct {
	ID             uuid.UUID        `json:"id"`
	Name           string           `json:"name"`
	Notes          string           `json:"notes"`
	Logic          string           `json:"logic" enum:"and,or"`
	Conditions     []cond.Condition `json:"conditions"`
	ConditionCount int              `json:"condition_count"`
	CreatedAt      string           `json:"created_at"`
	UpdatedAt      string           `json:"updated_at"`
}

func ruleAnswer(r models.Rule) RuleAnswer {
	return RuleAnswer{
		ID: r.ID, Name: r.Name, Notes: r.Notes, Logic: r.Logic, Conditions: r.Conditions,
		ConditionCount: len(r.Conditions), CreatedAt: answer.Stamp(r.CreatedAt), UpdatedAt: answer.Stamp(r.UpdatedAt),
	}
}
