package v1

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/cond"
)

// smartlinks returns the routes of /short-links.
func smartlinks(d Deps) []route.Route {
	res := resource.Kind[countedSmartlinks, models.Smartlink, SmartlinkAnswer]{
		Group: "Smartlinks", Path: "/short-links", Answer: smartlinkAnswer, Filters: resource.UseFilters[:1], // only the status
		Table: func(s *store.Store) countedSmartlinks { return countedSmartlinks{s.Smartlinks(), d.Reports} },
		Codes: route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_slug invalid_domain "+
			"invalid_source invalid_rule_url invalid_condition no_conditions duplicate_slug", "409 duplicate_name"),
	}
	missing := route.Codes("404 not_found")
	return []route.Route{
		resource.List(res, "smartlinks").WithShare(route.Lists),
		resource.Create[SmartlinkBody](res, "create a smartlink"),
		resource.Put[SmartlinkPut](res, "replace a smartlink", smartlinkAnswer).WithShare(route.Lists),
		resource.Toggle(res, "pause or resume a smartlink", resource.ToggledID),
		resource.Remove(res, "delete a smartlink", answer.Deleted),
		resource.Clone(res, "copy a smartlink; the copy is paused and has a new slug", smartlinkCopied),
		res.Row("GET", "/{id}/stats", "clicks by rule and destination", route.HandleRecord((*store.Store).Smartlinks, d.smartlinkStats), missing).
			WithWindow().WithShare(route.Lists),
		res.Row("DELETE", "/{id}/stats", "irreversibly clear click history in the window; the link stays",
			route.HandleRecord((*store.Store).Smartlinks, d.clearSmartlink), missing).WithWindow().Awaits(clearSmartlinkJob.Answer()),
	}
}

// countedSmartlinks accesses smartlinks and adds their clicks.
type countedSmartlinks struct {
	store.Smartlinks
	reports ReportReader
}

// List lists the smartlinks that are not deleted, newest first.
func (k countedSmartlinks) List(ctx context.Context, account uuid.UUID, p store.Page) ([]models.Smartlink, string, error) {
	list, next, err := k.Smartlinks.List(ctx, account, p)
	if err == nil {
		err = k.reports.CountSmartlinks(ctx, account, list)
	}
	return list, next, err
}

// Update saves every field of a smartlink.
func (k countedSmartlinks) Update(ctx context.Context, l models.Smartlink) (models.Smartlink, error) {
	saved, err := k.Smartlinks.Update(ctx, l)
	list := []models.Smartlink{saved}
	if err == nil {
		err = k.reports.CountSmartlinks(ctx, l.AccountID, list)
	}
	return list[0], err
}

// SmartlinkRuleBody is a rule of a smartlink.
type SmartlinkRuleBody struct {
	ID             string           `json:"id" doc:"of the rule as it was, to keep its statistics"`
	Name           string           `json:"name" trim:"true" maxLength:"255"`
	Position       *int             `json:"position" bad:"invalid_number,out_of_range" min:"1" max:"20" doc:"place in the order; default: as listed"`
	Logic          string           `json:"logic" case:"lower" enum:"and,or" default:"and"`
	Conditions     []cond.Condition `json:"conditions" bad:"invalid_condition" required:"no_conditions" maxItems:"20"`
	DestinationURL string           `json:"destination_url" bad:"invalid_rule_url,too_long" trim:"true" maxLength:"4000" format:"routable" doc:"http(s); {token} placeholders allowed"`
	URL            string           `json:"url" bad:"invalid_rule_url,too_long" trim:"true" maxLength:"4000" format:"routable" doc:"another name of destination_url"`
}

// SmartlinkBody is the body of POST /short-links.
type SmartlinkBody struct {
	models.SmartlinkFields
	Rules    []SmartlinkRuleBody `json:"rules" bad:"invalid_input,out_of_range" maxItems:"20" doc:"checked in order"`
	Name     string              `json:"name" trim:"true" maxLength:"255"`
	Notes    string              `json:"notes" maxLength:"2000"`
	IsActive bind.Opt[bool]      `json:"is_active" default:"true"`
}

// SmartlinkPut is the body of PUT /short-links. It replaces every field. A field that is left out gets its default, except
// is_active, which keeps its value.
type SmartlinkPut struct {
	bind.ID
	SmartlinkBody
}

// Record returns the smartlink that the body describes.
func (b SmartlinkBody) Record() (models.Smartlink, error) {
	rules, err := smartlinkRules(b.Rules)
	if err != nil {
		return models.Smartlink{}, err
	}
	var cost cond.Cost
	for _, r := range rules {
		each, _ := cond.CostOf(r.Conditions) // they are valid
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

// Record returns the smartlink that the body describes. Without is_active the smartlink stays active or paused.
func (b SmartlinkPut) Record() (models.Smartlink, error) {
	l, err := b.SmartlinkBody.Record()
	l.KeepActive = !b.IsActive.Given()
	return l, err
}

// smartlinkRules checks the rules and sorts them by position.
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
	return answer.Each(rules, func(r placed) models.SmartlinkRule { return r.SmartlinkRule }), nil
}

func (b SmartlinkRuleBody) rule() (models.SmartlinkRule, error) {
	r := models.SmartlinkRule{
		Name: b.Name, Logic: b.Logic, Conditions: b.Conditions, DestinationURL: cmp.Or(b.DestinationURL, b.URL),
	}
	r.ID, _ = models.ParseID(b.ID) // an invalid id counts as a new rule
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

// SmartlinkRuleAnswer is a saved rule.
type SmartlinkRuleAnswer struct {
	models.SmartlinkRule
	Position int `json:"position"`
}

// SmartlinkAnswer is a saved smartlink.
type SmartlinkAnswer struct {
	models.Smartlink
	SourceName  *string               `json:"source_name"`
	Rules       []SmartlinkRuleAnswer `json:"rules"`
	RuleCount   int                   `json:"rule_count"`
	URL         string                `json:"url"`
	Status      string                `json:"status" enum:"active,paused"`
	LastClickAt *string               `json:"last_click_at"`
}

func smartlinkAnswer(l models.Smartlink) SmartlinkAnswer {
	out := SmartlinkAnswer{
		Smartlink: l, Rules: make([]SmartlinkRuleAnswer, 0, len(l.Rules)), RuleCount: len(l.Rules),
		URL: "https://" + l.Host + "/" + l.Slug, Status: models.StatusOf(l.IsActive),
		LastClickAt: answer.StampOrNull(l.LastClickAt),
	}
	if l.SourceID.Valid {
		out.SourceName = &l.SourceName
	}
	for i, r := range l.Rules {
		out.Rules = append(out.Rules, SmartlinkRuleAnswer{r, i + 1})
	}
	return out
}

// SmartlinkCopied is the answer to the copy of a smartlink.
type SmartlinkCopied struct {
	ID     uuid.UUID `json:"id"`
	Slug   string    `json:"slug"`
	Name   string    `json:"name"`
	Domain string    `json:"domain"`
	URL    string    `json:"url"`
	Status string    `json:"status" enum:"active,paused"`
	Rules  int       `json:"rules" doc:"how many rules were copied"`
}

func smartlinkCopied(l models.Smartlink) SmartlinkCopied {
	a := smartlinkAnswer(l)
	return SmartlinkCopied{a.ID, a.Slug, a.Name, a.Host, a.URL, a.Status, a.RuleCount}
}
