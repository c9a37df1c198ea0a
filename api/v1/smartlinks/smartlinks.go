// Package smartlinks has the handlers of /short-links.
package smartlinks

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
)

// Deps are the dependencies of the handlers.
type Deps struct {
	Jobs    *jobs.Client
	Reports ReportReader
}

// ReportReader has the methods of report.Reader that the handlers need.
type ReportReader interface {
	CountSmartlinks(ctx context.Context, account uuid.UUID, list []models.Smartlink) error
	SmartlinkFigures(ctx context.Context, account, smartlink uuid.UUID, from, to time.Time) (
		[]report.SmartlinkFigure, error)
}

// Routes returns the routes of /short-links.
func Routes(d Deps) []route.Route {
	res := resource.Kind[countedSmartlinks, models.Smartlink, SmartlinkAnswer]{
		Group: "Smartlinks", Path: "/short-links", Answer: smartlinkAnswer, Filters: resource.UseFilters[:1],
		Table: func(s *store.Store) countedSmartlinks { return countedSmartlinks{s.Smartlinks(), d.Reports} },
		Codes: route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_slug invalid_domain "+
			"invalid_source invalid_rule_url invalid_condition no_conditions duplicate_slug", "409 duplicate_name"),
	}
	missing := route.Codes("404 not_found")
	return []route.Route{
		resource.List(res, "smartlinks").WithShare(route.Lists),
		resource.Create[form.SmartlinkBody](res, "create a smartlink"),
		resource.Put[SmartlinkPut](res, "replace a smartlink", smartlinkAnswer).WithShare(route.Lists),
		resource.Toggle(res, "pause or resume a smartlink", resource.ToggledID),
		resource.Remove(res, "delete a smartlink", answer.Deleted),
		resource.Clone(res, "copy a smartlink; the copy is paused and has a new slug", smartlinkCopied),
		res.Row("GET", "/{id}/stats", "clicks by rule and destination", route.HandleRecord((*store.Store).Smartlinks, d.smartlinkStats), missing).
			WithWindow().WithShare(route.Lists),
		res.Row("DELETE", "/{id}/stats", "irreversibly delete the clicks of the window; the smartlink itself stays",
			route.HandleRecord((*store.Store).Smartlinks, d.clearSmartlink), missing).WithWindow().Awaits(clearSmartlinkJob.Answer()),
	}
}

// countedSmartlinks is the table of smartlinks with their numbers of clicks.
type countedSmartlinks struct {
	store.Smartlinks
	reports ReportReader
}

// List returns a page of smartlinks with their numbers of clicks.
func (k countedSmartlinks) List(ctx context.Context, account uuid.UUID, p store.Page) ([]models.Smartlink, string, error) {
	list, next, err := k.Smartlinks.List(ctx, account, p)
	if err == nil {
		err = k.reports.CountSmartlinks(ctx, account, list)
	}
	return list, next, err
}

// Update saves a smartlink and returns it with its number of clicks.
func (k countedSmartlinks) Update(ctx context.Context, l models.Smartlink) (models.Smartlink, error) {
	saved, err := k.Smartlinks.Update(ctx, l)
	list := []models.Smartlink{saved}
	if err == nil {
		err = k.reports.CountSmartlinks(ctx, l.AccountID, list)
	}
	return list[0], err
}

// SmartlinkPut is the body of PUT /short-links. It replaces every field, except an is_active that is left out.
type SmartlinkPut struct {
	bind.ID
	form.SmartlinkBody
}

// Record returns the smartlink that the body describes.
func (b SmartlinkPut) Record() (models.Smartlink, error) {
	l, err := b.SmartlinkBody.Record()
	l.KeepActive = !b.IsActive.Given()
	return l, err
}

// SmartlinkRuleAnswer is a rule of a saved smartlink.
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
