package v1

import (
	"encoding/json"
	"strings"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/reporting"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
	"switchyard/models/netguard"
	"switchyard/models/subslot"
	"switchyard/models/template"
	"switchyard/models/token"
)

// sources returns the routes of /traffic-sources.
func sources(d Deps, reportingDeps reporting.Deps) []route.Route {
	res := resource.Kind[store.Sources, models.TrafficSource, SourceAnswer]{
		Group: "Traffic sources", Path: "/traffic-sources", Table: (*store.Store).Sources,
		Filters: resource.UseFilters,
		Answer:  sourceAnswer,
		Check:   func(o models.TrafficSource) error { return d.checkPostback(o.SourcePostback) },
		Codes: route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_value", "402 plan_limit",
			"409 duplicate_name"),
	}
	post := resource.Create[SourceCreate](res, "create a traffic source, from the template of its platform")
	post.Echoes = []any{template.Source{}} // a client may send a template unchanged
	return append([]route.Route{
		resource.ListFigures(d.Reports, res, "traffic sources with figures for the window", "source_id", sourceRows),
		post,
		resource.Put[SourcePut](res, "replace a traffic source", resource.IDOf),
		resource.Toggle(res, "pause or resume a traffic source; is_active true also restores a deactivated source",
			resource.ToggledStatus, resource.RestoreCodes...),
		resource.RemoveUsed(res, "deactivate a traffic source", resource.DeactivatedWith),
		reporting.TrySource(reportingDeps),
		reporting.SourceSubs(reportingDeps),
	}, sourceTemplateFiles(res)...)
}

// checkPostback checks the postback settings of a traffic source. It refuses addresses with the placeholder of a template, which
// stands for a value that the account finds only at the source.
func (d Deps) checkPostback(p models.SourcePostback) error {
	for _, url := range p.URLs() {
		if word := models.Placeholder(url); word != "" {
			return models.Invalid("invalid_url", "postback_url has the placeholder %.100s: put the value that the source shows in its place, "+
				"or leave postback_url out", word)
		}
		if err := d.checkCalledURL(url); err != nil {
			return err
		}
	}
	return p.Check()
}

// checkCalledURL checks the text of an address that the service calls for a customer. It may have tokens after its host, and may
// be empty.
func (d Deps) checkCalledURL(text string) error {
	if text == "" {
		return nil
	}
	p := netguard.Policy{Schemes: []string{"https", "http"}, Allow: d.EgressAllow, Reserved: true}
	return p.Check(strings.ToLower(token.Origin(text)))
}

// SourceCreate is the body of POST /traffic-sources. Fields that are left out come from the template of the platform.
type SourceCreate struct{ form.SourceBody }

// Fill adds the values of the platform's template. It leaves out a postback address with a placeholder for a value of the
// account.
func (SourceCreate) Fill(c *route.Call) error {
	t, ok := template.FindSource(textMember(c.Body, "platform"))
	if !ok {
		return nil
	}
	if !t.WorksUnchanged() {
		t.PostbackURL = ""
	}
	return c.FillBody(t)
}

// textMember returns a text field of a body, or an empty text if the field is missing or the body is invalid.
func textMember(body []byte, name string) (text string) {
	if fields, err := bind.Object(body); err == nil {
		_ = json.Unmarshal(fields[name], &text)
	}
	return text
}

// SourcePut is the body of PUT /traffic-sources. It replaces every field.
type SourcePut struct {
	bind.ID
	form.SourceBody
	Name string `json:"name" required:"true" trim:"true" maxLength:"255"`
}

// SourceAnswer is a saved traffic source.
type SourceAnswer struct {
	models.TrafficSource
	SubNames        map[string]string `json:"sub_names" doc:"names of sub1 to {lastSub} for people: the name that was chosen, or else the parameter or its macro. Sub-parameters without a name are left out"`
	PostbackExample string            `json:"postback_example" doc:"an example for postback_url, from the template of the platform. Replace each YOUR_... in it with the value that the source shows. Empty: the platform has no template address"`
}

func sourceAnswer(o models.TrafficSource) SourceAnswer {
	t, _ := template.FindSource(o.Platform)
	return SourceAnswer{o, subslot.Names(o.SourceLink), t.PostbackURL}
}

// SourceRow is a traffic source in the list, with figures.
type SourceRow struct {
	SourceAnswer
	answer.Figures
	ClickLoss *answer.ClickLoss `json:"click_loss" doc:"covers the days of the window for which the source reported its clicks; null: it reported no clicks"`
}
