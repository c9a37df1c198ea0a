package form

import (
	"cmp"
	"slices"

	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/cond"
)

// SmartlinkRuleBody is a rule of a smartlink.
type SmartlinkRuleBody struct {
	ID             string           `json:"id" doc:"id of the existing rule, to keep its statistics"`
	Name           string           `json:"name" trim:"true" maxLength:"255"`
	Position       *int             `json:"position" bad:"invalid_number,out_of_range" min:"1" max:"20" doc:"place in the order; default: the place in the list"`
	Logic          string           `json:"logic" case:"lower" enum:"and,or" default:"and"`
	Conditions     []cond.Condition `json:"conditions" bad:"invalid_condition" required:"no_conditions" maxItems:"20"`
	DestinationURL string           `json:"destination_url" bad:"invalid_rule_url,too_long" trim:"true" maxLength:"4000" format:"routable" doc:"http(s); {token} placeholders allowed"`
	URL            string           `json:"url" bad:"invalid_rule_url,too_long" trim:"true" maxLength:"4000" format:"routable" doc:"another name of destination_url"`
}

// SmartlinkBody is the body of POST /short-links.
type SmartlinkBody struct {
	models.SmartlinkFields
	Rules    []SmartlinkRuleBody `json:"rules" bad:"invalid_input,out_of_range" maxItems:"20" doc:"the first rule that matches decides"`
	Name     string              `json:"name" trim:"true" maxLength:"255"`
	Notes    string              `json:"notes" maxLength:"2000"`
	IsActive bind.Opt[bool]      `json:"is_active" default:"true"`
}

// Record returns the smartlink that the body describes.
func (b SmartlinkBody) Record() (models.Smartlink, error) {
	rules, err := smartlinkRules(b.Rules)
	if err != nil {
		return models.Smartlink{}, err
	}
	var cost cond.Cost
	for _, r := range rules {
		each, _ := cond.CostOf(r.Conditions)
		cost = cost.Plus(each)
	}
	if err = cost.Check(cond.FlowBudget); err != nil {
		err = models.Invalid("invalid_condition", "all rules together: %s", err)
	}
	return models.Smartlink{
		SmartlinkFields: b.SmartlinkFields, Name: b.Name, Notes: b.Notes, IsActive: b.IsActive.Value, Rules: rules,
		MatchBytes: cost.Bytes,
	}, err
}

func smartlinkRules(list []SmartlinkRuleBody) ([]models.SmartlinkRule, error) {
	type placed struct {
		models.SmartlinkRule
		position int
	}
	rules := make([]placed, len(list))
	for i, b := range list {
		r, err := b.rule()
		if err != nil {
			return nil, err
		}
		rules[i] = placed{r, i + 1}
		if b.Position != nil {
			rules[i].position = *b.Position
		}
	}
	slices.SortStableFunc(rules, func(a, b placed) int { return cmp.Compare(a.position, b.position) })
	out := make([]models.SmartlinkRule, len(rules))
	for i, r := range rules {
		out[i] = r.SmartlinkRule
	}
	return out, nil
}

func (b SmartlinkRuleBody) rule() (models.SmartlinkRule, error) {
	r := models.SmartlinkRule{
		Name: b.Name, Logic: b.Logic, Conditions: b.Conditions, DestinationURL: cmp.Or(b.DestinationURL, b.URL),
	}
	r.ID, _ = models.ParseID(b.ID)
	for i, c := range r.Conditions {
		r.Conditions[i] = cond.Canonical(c)
		if err := cond.Validate(c); err != nil {
			return r, models.Invalid("invalid_condition", "%s", err)
		}
	}
	if r.DestinationURL == "" {
		return r, models.Invalid("invalid_rule_url", "a rule needs a destination_url")
	}
	return r, nil
}
