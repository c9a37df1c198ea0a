package v1

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
)

// smartlinks are the rows of /short-links.
func smartlinks(d Deps) []route.Route {
	const group, path = "Smartlinks", "/short-links"
	res := resource[models.Smartlink, SmartlinkAnswer]{
		table:  func(s *store.Store) table[models.Smartlink] { return s.Smartlinks() },
		own:    func(l *models.Smartlink, account, id uuid.UUID) { l.AccountID, l.ID = account, id },
		answer: smartlinkAnswer,
	}
	bodyCodes := route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_slug invalid_domain "+
		"invalid_source invalid_rule_url invalid_condition no_conditions duplicate_slug", "409 duplicate_name")
	missing := route.Codes("404 not_found")
	return []route.Route{
		{Method: "GET", Path: path, Group: group, Summary: "smartlinks", Page: true, Handle: pages(res)},
		{
			Method: "POST", Path: path, Group: group, Summary: "create a smartlink", Scope: route.Write, Status: 201,
			Codes: bodyCodes, Handle: create[SmartlinkBody](res),
		},
		{
			Method: "PUT", Path: path, Group: group, Summary: "replace a smartlink", Scope: route.Write,
			Codes: append(answer.IDCodes, bodyCodes...), Handle: put[SmartlinkPut](res, smartlinkAnswer),
		},
		{
			Method: "PATCH", Path: path, Group: group, Summary: "pause or resume a smartlink", Scope: route.Write,
			Codes: toggleCodes, Handle: toggle((*store.Store).Smartlinks, toggledID),
		},
		{
			Method: "DELETE", Path: path, Group: group, Summary: "delete a smartlink", Scope: route.Write, Query: answer.QueryID,
			Codes: answer.IDCodes, Handle: remove((*store.Store).Smartlinks),
		},
		{
			Method: "POST", Path: path + "/{id}/clone", Group: group, Scope: route.Write, Status: 201, BadID: "invalid_id",
			Summary: "copy a smartlink; the copy is paused and has a new slug", Codes: answer.IDCodes,
			Handle: clone((*store.Store).Smartlinks, smartlinkCopied),
		},
		{
			Method: "GET", Path: path + "/{id}/stats", Group: group, Summary: "clicks by rule and destination", Window: true,
			Codes: missing, Handle: route.Do(smartlinkStats),
		},
		{
			Method: "DELETE", Path: path + "/{id}/stats", Group: group, Scope: route.Write, Window: true, Slow: clearSmartlinkJob.Answer(),
			Summary: "irreversibly clear click history in the window; the link stays", Codes: missing,
			Handle: route.Do(d.clearSmartlink),
		},
	}
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
	Slug           string              `json:"slug" bad:"invalid_slug" required:"true" trim:"true" maxLength:"64" format:"slug" doc:"letters, digits, _ and -"`
	DestinationURL string              `json:"destination_url" bad:"invalid_url,too_long" required:"true" trim:"true" maxLength:"4000" format:"routable" doc:"where a visitor goes when no rule matches; http(s)"`
	DomainID       uuid.UUID           `json:"domain_id" bad:"invalid_domain" required:"true" doc:"a tracking domain of the account"`
	SourceID       uuid.UUID           `json:"source_id" bad:"invalid_source" doc:"a traffic source of the account"`
	Rules          []SmartlinkRuleBody `json:"rules" bad:"invalid_input,out_of_range" maxItems:"20" doc:"checked in order"`
	Name           string              `json:"name" trim:"true" maxLength:"255"`
	Notes          string              `json:"notes" maxLength:"2000"`
	IsActive       bind.Opt[bool]      `json:"is_active" default:"true"`
}

// SmartlinkPut is the body of PUT /short-links: every field is written, one left out goes back to its default, but
// is_active stays as it is.
type SmartlinkPut struct {
	bind.ID
	SmartlinkBody
}

// Record gives the smartlink that the body describes.
func (b SmartlinkBody) Record() (models.Smartlink, error) {
	rules, err := smartlinkRules(b.Rules)
	return models.Smartlink{
		DomainID: b.DomainID, SourceID: b.SourceID, Slug: b.Slug, Name: b.Name, Notes: b.Notes,
		DestinationURL: b.DestinationURL, IsActive: b.IsActive.Value, Rules: rules,
	}, err
}

// Record gives the smartlink that the body describes.
func (b SmartlinkPut) Record() (models.Smartlink, error) {
	l, err := b.SmartlinkBody.Record()
	l.KeepActive = !b.IsActive.Given()
	return l, err
}

// smartlinkRules checks the rules and puts them into their order.
func smartlinkRules(list []SmartlinkRuleBody) ([]models.SmartlinkRule, error) {
	type placed struct {
		models.SmartlinkRule
		at int
	}
	rules := make([]placed, len(list))
	for i, b := range list {
		r, err := b.rule()
		if err != nil {
			return nil, err
		}
		rules[i] = placed{r, i + 1}
		if b.Position != nil {
			rules[i].at = *b.Position
		}
	}
	slices.SortStableFunc(rules, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
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
	r.ID, _ = bind.ParseID(b.ID) // what is no id was no rule's
	for _, c := range r.Conditions {
		if err := cond.Validate(c); err != nil {
			return r, models.Invalid("invalid_condition", "%s", err)
		}
	}
	if r.DestinationURL == "" {
		return r, models.Invalid("invalid_rule_url", "a rule needs a destination_url")
	}
	return r, nil
}

// SmartlinkRuleAnswer is a rule as saved.
type SmartlinkRuleAnswer struct {
	models.SmartlinkRule
	Position int `json:"position"`
}

// SmartlinkAnswer is the saved smartlink.
type SmartlinkAnswer struct {
	ID             uuid.UUID             `json:"id"`
	Slug           string                `json:"slug"`
	Name           string                `json:"name"`
	Notes          string                `json:"notes"`
	DestinationURL string                `json:"destination_url"`
	DomainID       uuid.UUID             `json:"domain_id"`
	SourceID       *uuid.UUID            `json:"source_id"`
	SourceName     *string               `json:"source_name"`
	Rules          []SmartlinkRuleAnswer `json:"rules"`
	RuleCount      int                   `json:"rule_count"`
	Domain         string                `json:"domain"`
	URL            string                `json:"url"`
	IsActive       bool                  `json:"is_active"`
	Status         string                `json:"status" enum:"active,paused"`
	Clicks         int64                 `json:"clicks" doc:"without bots"`
	LastClickAt    *string               `json:"last_click_at"`
	CreatedAt      string                `json:"created_at"`
	UpdatedAt      string                `json:"updated_at"`
}

func smartlinkAnswer(l models.Smartlink) SmartlinkAnswer {
	out := SmartlinkAnswer{
		ID: l.ID, Slug: l.Slug, Name: l.Name, Notes: l.Notes, DestinationURL: l.DestinationURL, DomainID: l.DomainID,
		SourceID: answer.IDOrNull(l.SourceID), Rules: make([]SmartlinkRuleAnswer, 0, len(l.Rules)), RuleCount: len(l.Rules),
		Domain: l.Host, URL: "https://" + l.Host + "/" + l.Slug, IsActive: l.IsActive, Status: models.StatusOf(l.IsActive),
		Clicks: l.Clicks, LastClickAt: answer.StampOrNull(l.LastClickAt), CreatedAt: answer.Stamp(l.CreatedAt), UpdatedAt: answer.Stamp(l.UpdatedAt),
	}
	if l.SourceID != uuid.Nil {
		out.SourceName = &l.SourceName
	}
	for i, r := range l.Rules {
		out.Rules = append(out.Rules, SmartlinkRuleAnswer{r, i + 1})
	}
	return out
}

// SmartlinkCopied is the answer to copying a smartlink.
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
	return SmartlinkCopied{a.ID, a.Slug, a.Name, a.Domain, a.URL, a.Status, a.RuleCount}
}
