package v1

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
	"switchyard/models/subslot"
	"switchyard/models/template"
)

// templates returns the routes of /network-templates and of the traffic sources' templates.
func templates() []route.Route {
	res := resource.Kind[store.NetworkTemplates, template.SavedNetwork, NetworkTemplateRow]{
		Group: "Network templates", Path: "/network-templates", Table: (*store.Store).NetworkTemplates,
	}
	save := res.Row("POST", "", "save one network template, or up to 1000; a template with an existing name is replaced",
		route.Handle(saveNetworkTemplates), route.Codes("400 empty too_many invalid_template"))
	save.Status, save.BodyLimit, save.Body = http.StatusCreated, route.CSVBody, NetworkTemplatesBody{}
	return []route.Route{
		res.Row("GET", "", "the account's own network templates by name, then the built-in ones",
			route.Handle(listNetworkTemplates)),
		save,
		resource.Remove(res, "delete one of the account's own network templates", answer.Deleted),
		route.New("GET", "/traffic-source-templates", "Traffic sources", "parameters, macros and postback address of each known platform",
			route.Handle(listSourceTemplates)),
	}
}

// NetworkTemplateRows is the answer of GET /network-templates.
type NetworkTemplateRows struct {
	Rows []NetworkTemplateRow `json:"rows"`
}

// NetworkTemplateRow is a network template. An own template of the account hides a built-in one with the same name.
type NetworkTemplateRow struct {
	ID      uuid.UUID `json:"id"`
	BuiltIn bool      `json:"built_in"`
	template.Network
	PostbackQuery string  `json:"postback_query" doc:"query of the postback address to give to the network"`
	CreatedAt     *string `json:"created_at" doc:"null: the template is built in"`
	UpdatedAt     *string `json:"updated_at" doc:"null: the template is built in"`
}

func networkTemplateRow(t template.SavedNetwork) NetworkTemplateRow {
	row := NetworkTemplateRow{
		ID: t.ID, BuiltIn: t.AccountID == uuid.Nil, Network: t.Network, PostbackQuery: t.Network.Query(),
	}
	if !row.BuiltIn {
		created, updated := answer.Stamp(t.CreatedAt), answer.Stamp(t.UpdatedAt)
		row.CreatedAt, row.UpdatedAt = &created, &updated
	}
	return row
}

func listNetworkTemplates(c *route.Call) (NetworkTemplateRows, error) {
	own, err := c.Store.NetworkTemplates().List(c.Context(), c.Account.ID)
	out := NetworkTemplateRows{Rows: make([]NetworkTemplateRow, 0, len(own)+len(template.Networks()))}
	hidden := map[string]bool{}
	for _, t := range own {
		hidden[strings.ToLower(t.Network.Name)] = true
		out.Rows = append(out.Rows, networkTemplateRow(t))
	}
	for _, t := range template.Networks() {
		if !hidden[strings.ToLower(t.Network.Name)] {
			out.Rows = append(out.Rows, networkTemplateRow(t))
		}
	}
	return out, err
}

// NetworkTemplatesBody is the body of POST /network-templates: a template, or a list of templates.
type NetworkTemplatesBody struct {
	Templates []template.Network `json:"templates" maxItems:"1000" doc:"the templates to save. A body without this field is itself the template to save. The names of fields may be in camelCase or in snake_case"`
	template.Network
}

// SavedTemplates is the answer of POST /network-templates.
type SavedTemplates struct {
	Saved   int                  `json:"saved"`
	Skipped int                  `json:"skipped" doc:"how many templates were not saved, because they cannot be used or because a later template in the body has the same name"`
	Rows    []NetworkTemplateRow `json:"rows" doc:"the saved templates, in the order of their names"`
}

const maxTemplatesSent = 1000

func saveNetworkTemplates(c *route.Call) (SavedTemplates, error) {
	sent, err := sentTemplates(c.Body)
	if err != nil {
		return SavedTemplates{}, err
	}
	usable := make([]template.Network, 0, len(sent))
	var lastErr error
	for _, raw := range sent {
		t, err := parseNetworkTemplate(raw)
		if err != nil {
			lastErr = err
			continue
		}
		usable = append(usable, t)
	}
	if len(usable) == 0 {
		return SavedTemplates{}, models.Invalid("invalid_template", "no template can be used. The error of the last one: %s", lastErr)
	}
	saved, err := c.Store.NetworkTemplates().Save(c.Context(), c.Account.ID, usable)
	return SavedTemplates{len(saved), len(sent) - len(saved), answer.Each(saved, networkTemplateRow)}, err
}

// sentTemplates returns the templates in the body.
func sentTemplates(body []byte) ([]json.RawMessage, error) {
	fields, err := bind.Object(body)
	if err != nil {
		return nil, err
	}
	raw, ok := fields["templates"]
	if !ok || string(raw) == "null" {
		delete(fields, "templates")
		if len(fields) == 0 {
			return nil, models.Invalid("empty", "there are no templates")
		}
		return []json.RawMessage{body}, nil
	}
	var list []json.RawMessage
	err = json.Unmarshal(raw, &list)
	switch {
	case err != nil:
		return nil, models.Invalid("invalid_template", "templates must be a list")
	case len(list) == 0:
		return nil, models.Invalid("empty", "there are no templates")
	case len(list) > maxTemplatesSent:
		return nil, models.Invalid("too_many", "a call takes at most %d templates", maxTemplatesSent)
	}
	return list, nil
}

// parseNetworkTemplate parses a template and checks it like a network. A secret in the template is ignored.
func parseNetworkTemplate(raw json.RawMessage) (template.Network, error) {
	fields, err := bind.Object(raw)
	if err != nil {
		return template.Network{}, models.Invalid("invalid_template", "a template must be an object")
	}
	fields = snakeKeys(fields)
	for _, name := range []string{"postback_params", "macros", "status_map"} {
		var inner map[string]json.RawMessage
		if json.Unmarshal(fields[name], &inner) == nil && inner != nil {
			fields[name], _ = json.Marshal(snakeKeys(inner)) // valid JSON always marshals
		}
	}
	delete(fields, "postback_secret")
	if err := checkFieldNames(fields); err != nil {
		return template.Network{}, err
	}
	plain, _ := json.Marshal(fields)
	var b form.NetworkBody
	if err := bind.Decode(plain, &b); err != nil {
		return template.Network{}, err
	}
	n, err := b.Record()
	return template.FromNetwork(n), err
}

// templateFields are the field names of a template in bodies and answers.
var templateFields = bind.KeysOf(form.NetworkBody{}, NetworkTemplateRow{}).Names()

// checkFieldNames refuses an unknown name that resembles a template's field. Other unknown names are ignored: they may come from
// another tracker.
func checkFieldNames(fields map[string]json.RawMessage) error {
	for name := range fields {
		if !slices.Contains(templateFields, name) && models.Nearest(name, templateFields) != "" {
			return bind.Unknown(name, name, templateFields)
		}
	}
	return nil
}

// snakeKeys converts the names of fields to snake_case. If two names become equal, the name that was in snake_case wins.
func snakeKeys(fields map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(fields))
	for name, v := range fields {
		if snake := snakeCase(name); snake == name || fields[snake] == nil {
			out[snake] = v
		}
	}
	return out
}

// snakeCase converts a name to snake_case: clickParam and ClickParam to click_param, postbackURL to postback_url.
func snakeCase(name string) string {
	runes := []rune(name)
	var out strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '_' &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// SourceTemplateRows is the answer of GET /traffic-source-templates.
type SourceTemplateRows struct {
	Rows []SourceTemplateRow `json:"rows"`
}

// SourceTemplateRow is the template of a traffic platform.
type SourceTemplateRow struct {
	template.Source
	Subs models.SubSlots `json:"subs" doc:"the sub-parameters that a source made from this template fills"`
}

func listSourceTemplates(*route.Call) (SourceTemplateRows, error) {
	return SourceTemplateRows{answer.Each(template.Sources(), func(t template.Source) SourceTemplateRow {
		return SourceTemplateRow{t, subslot.Filled(t.Link())}
	})}, nil
}
