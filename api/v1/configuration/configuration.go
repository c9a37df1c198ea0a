// Package configuration has the handlers of /config: the document of everything that an account has set up, plans that change an
// account, imports from other trackers, and the checks of imported campaigns. It also has the handlers of /old-tracker.
package configuration

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"strings"

	"switchyard/api/click"
	"switchyard/api/route"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/accountconfig"
)

// Deps are the dependencies of the handlers.
type Deps struct {
	Jobs *jobs.Client
	// Visitors describes the made-up visitors of the checks.
	Visitors click.Describer
	// EgressAllow lists private networks to which postbacks may be forwarded.
	EgressAllow []netip.Prefix
	// BaseURL is the address of the service.
	BaseURL string
	// Tracker is the target to which customers point their own domains.
	Tracker models.DomainTracker
}

const configGroup = "Configuration"

// Routes returns the routes of /config and below it.
func Routes(d Deps) []route.Route {
	row := func(method, path, summary string, handle route.Handler, codes ...string) route.Route {
		return route.New(method, "/config"+path, configGroup, summary, handle, route.Codes(codes...))
	}
	plan := row("POST", "/plan", "what a document would change in the account", route.HandleBody(d.planConfig), "400 invalid_document too_long").
		Awaits(planConfigJob.Answer()).Asks()
	plan.BodyLimit = 2 * accountconfig.MaxBytes // quotes and line breaks of the document are escaped
	export := row("GET", "", "everything that the account has set up, as one document", route.Handle(exportConfig)).WithShare(route.Reads)
	export.FileType = "application/yaml"
	read := row("POST", "/import", "read another tracker into a plan", route.HandleBody(d.importConfig), "400 required too_long").
		Awaits(importConfigJob.Answer())
	read.BodyLimit = 2 * maxDump
	history := row("POST", "/history", "read the log of clicks and conversions of another tracker", route.HandleBody(d.importHistory),
		"400 required too_long bad_range invalid_timezone", "409 not_imported not_read").Awaits(importHistoryJob.Answer())
	return append([]route.Route{
		read, history, export.WithQuery(
			route.Param{Name: "format", Doc: "yaml or json; default yaml"},
			route.Param{Name: "kinds", Doc: "only these kinds, separated by commas: domains, networks, sources, landers, offers, sites, rules, campaigns, flows, smartlinks, bot_lists, copilot_rules, bot_detection"}),
		plan,
		row("GET", "/plans", "the newest plans", route.Handle(listConfigPlans)),
		row("GET", "/plans/{id}", "a plan, and how far it is applied", route.Handle(readConfigPlan), "404 not_found"),
		row("GET", "/plans/{id}/items", "what a plan does with each record", route.Handle(listConfigItems), "404 not_found").WithQuery(
			route.Param{Name: "op", Doc: "only these operations, separated by commas: create, change, same, delete, archive, refused"},
			route.Param{Name: "position", Type: "integer", Doc: "position of the first item; default 0"},
			route.Param{Name: "limit", Type: "integer", Doc: "1 to 1000, default 100"}),
		row("POST", "/apply", "carry out a plan", route.HandleBody(d.applyConfig), "400 invalid_id", "404 not_found", "409 stale not_planned has_refused").
			Awaits(applyConfigJob.Answer()),
		row("POST", "/undo", "undo a plan that was applied", route.HandleBody(d.undoConfig), "400 invalid_id", "404 not_found", "409 not_applied").
			Awaits(applyConfigJob.Answer()),
	}, checks(d)...)
}

// exportConfig answers with a document of the account's records. A record without a key gets one, which later exports use too.
func exportConfig(c *route.Call) (route.File, error) {
	format := c.Query.Get("format")
	if format != "" && format != "yaml" && format != "json" {
		return route.File{}, models.Invalid("invalid_input", "format must be yaml or json")
	}
	kinds, err := configKinds(c.Query.Get("kinds"))
	if err != nil {
		return route.File{}, err
	}
	state, err := dbconfig.Load(c.Context(), c.Store, c.Account.ID)
	if err != nil {
		return route.File{}, err
	}
	doc := state.Records
	if len(kinds) > 0 {
		doc = accountconfig.Document{}
		for _, kind := range kinds {
			doc[kind] = state.Records[kind]
		}
	}
	var text []byte
	name, kind := "switchyard.yaml", "application/yaml"
	if format == "json" {
		name, kind = "switchyard.json", "application/json"
		text, err = json.Marshal(doc)
	} else {
		text, err = doc.YAML()
	}
	return route.File{Name: name, Type: kind, Size: int64(len(text)), Write: func(_ context.Context, w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	}}, err
}

func configKinds(text string) (kinds []accountconfig.Kind, err error) {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		kind := accountconfig.Kind(word)
		if !kind.Known() {
			return nil, models.Invalid("invalid_input", "kinds: %.40q is not a kind of record", word)
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}
