package v1

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
	"switchyard/models/template"
)

// SourceTemplateFile is a file with which accounts share the template of a traffic source.
type SourceTemplateFile struct {
	Kind     string          `json:"kind" required:"true" bad:"invalid_template" enum:"traffic_source"`
	Version  int             `json:"version" required:"true" bad:"invalid_template" min:"1" max:"1"`
	Template template.Source `json:"template"`
}

// NetworkTemplateFile is a file with which accounts share the template of an affiliate network.
type NetworkTemplateFile struct {
	Kind     string           `json:"kind" required:"true" bad:"invalid_template" enum:"network"`
	Version  int              `json:"version" required:"true" bad:"invalid_template" min:"1" max:"1"`
	Template template.Network `json:"template"`
}

// sourceTemplateFiles returns the routes of the template files of traffic sources.
func sourceTemplateFiles(res resource.Kind[store.Sources, models.TrafficSource, SourceAnswer]) []route.Route {
	load := resource.Create[SourceTemplateFile](res, "create a traffic source from a template file")
	load.Path += "/import"
	load.Codes = route.Codes("400 required invalid_template too_long invalid_url", "402 plan_limit", "409 duplicate_name")
	return []route.Route{load, res.Row("GET", "/{id}/template", "a traffic source as a template file for other accounts",
		route.HandleRecord((*store.Store).Sources, exportSource), answer.IDCodes, route.Codes("400 invalid_template"))}
}

// networkTemplateFiles returns the routes of the template files of networks.
func (d Deps) networkTemplateFiles(res resource.Kind[store.Networks, models.Network, NetworkAnswer]) []route.Route {
	load := res.Row("POST", "/import", "create an affiliate network from a template file",
		route.HandleBody(addNetwork[NetworkTemplateFile](d)),
		route.Codes("400 required invalid_template too_long invalid_url out_of_range", "402 plan_limit", "409 duplicate_name")).Creates()
	return []route.Route{load, res.Row("GET", "/{id}/template", "an affiliate network as a template file for other accounts",
		route.HandleRecord((*store.Store).Networks, exportNetwork), answer.IDCodes, route.Codes("400 invalid_template"))}
}

func exportSource(_ *route.Call, o models.TrafficSource) (SourceTemplateFile, error) {
	t := template.ShareSource(o)
	return SourceTemplateFile{template.KindSource, template.FileVersion, t}, t.Check(time.Now())
}

func exportNetwork(_ *route.Call, n models.Network) (NetworkTemplateFile, error) {
	t := template.FromNetwork(n).Share()
	return NetworkTemplateFile{template.KindNetwork, template.FileVersion, t}, t.Check(time.Now())
}

// Record returns the traffic source that the file describes. A postback address with placeholders for values of the account is
// put into the notes.
func (f SourceTemplateFile) Record() (models.TrafficSource, error) {
	t := f.Template
	t.Key, t.CostModel = cmp.Or(t.Key, "custom"), cmp.Or(t.CostModel, "cpc")
	if err := t.Check(time.Now()); err != nil {
		return models.TrafficSource{}, err
	}
	notes := originLine(t.Origin)
	if !t.WorksUnchanged() {
		notes += "Postback address: replace YOUR_... in " + t.PostbackURL + "\n"
		t.PostbackURL = ""
	}
	var b form.SourceBody
	if err := decodeTemplate(t, notes, &b); err != nil {
		return models.TrafficSource{}, err
	}
	return b.Record()
}

// Record returns the network that the file describes.
func (f NetworkTemplateFile) Record() (models.Network, error) {
	if err := f.Template.Check(time.Now()); err != nil {
		return models.Network{}, err
	}
	var b form.NetworkBody
	if err := decodeTemplate(f.Template, originLine(f.Template.Origin)+f.Template.Notes, &b); err != nil {
		return models.Network{}, err
	}
	return b.Record()
}

// originLine returns a line for the notes: the page with the facts of a template, and the day on which it was read.
func originLine(o template.Origin) string {
	if o.Page == "" {
		return ""
	}
	return fmt.Sprintf("Template read on %s: %s\n", o.ReadOn, o.Page)
}

// decodeTemplate decodes a template into the body of a new record, with the checks for a client's body.
func decodeTemplate(t any, notes string, into any) error {
	raw, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("v1: template: %w", err)
	}
	fields, err := bind.Object(raw)
	if err != nil {
		return err
	}
	fields["notes"], _ = json.Marshal(notes)
	if raw, err = json.Marshal(fields); err != nil {
		return fmt.Errorf("v1: template: %w", err)
	}
	return bind.Decode(raw, into)
}

type networkRecord interface {
	Record() (models.Network, error)
}

func addNetwork[B networkRecord](d Deps) func(*route.Call, B) (NetworkAnswer, error) {
	return func(c *route.Call, b B) (NetworkAnswer, error) {
		n, err := b.Record()
		if err != nil {
			return NetworkAnswer{}, err
		}
		n.SetOwner(c.Account.ID, uuid.Nil)
		if n, err = c.Store.Networks().Create(c.Context(), n); err != nil {
			return NetworkAnswer{}, err
		}
		return d.networkAnswer(c, n)
	}
}
