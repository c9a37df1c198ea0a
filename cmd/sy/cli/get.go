package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	switchyard "switchyard/api/clients/go"
)

// kind is a kind of record that the API lists.
type kind struct {
	name, path string
	member     string   // the member of the answer that has the rows; default: rows
	columns    []string // the columns of a table
	searches   bool     // the list can be searched with q
	paused     string   // the member of the PATCH body that pauses a record: is_active, active or status
}

var figures = []string{"name", "status", "clicks", "conversions", "cost", "revenue", "profit"}

var kinds = []kind{
	{name: "campaigns", path: "/campaigns", columns: append(slices.Clone(figures), "url"), searches: true, paused: "status"},
	{name: "offers", path: "/offers", columns: figures, searches: true, paused: "is_active"},
	{name: "landers", path: "/landers", columns: figures, searches: true, paused: "is_active"},
	{name: "sources", path: "/traffic-sources", columns: figures, searches: true, paused: "is_active"},
	{name: "networks", path: "/networks", columns: figures, searches: true, paused: "is_active"},
	{name: "smartlinks", path: "/short-links", columns: []string{"name", "status", "clicks", "url"}, searches: true, paused: "is_active"},
	{name: "flows", path: "/flows", columns: []string{"name", "status", "path_count"}, searches: true, paused: "is_active"},
	{name: "rules", path: "/rules", columns: []string{"name", "condition_count", "updated_at"}, searches: true},
	{name: "copilot-rules", path: "/copilot/rules", columns: []string{"name", "is_active", "mode", "when"}, searches: true, paused: "is_active"},
	{name: "domains", path: "/domains", columns: []string{"domain", "is_verified", "ssl_status", "campaigns"}},
	{name: "sites", path: "/sites", member: "sites", columns: []string{"name", "domain", "kind", "isActive"}},
	{name: "goals", path: "/goals", member: "goals", columns: []string{"key", "name", "kind", "conversions", "revenue"}},
	{name: "bot-lists", path: "/bot-lists", columns: []string{"list_type", "attribute", "operator", "value", "blocked", "note"}},
	{name: "blocks", path: "/blocks", columns: []string{"dimension", "value", "scope", "name", "who", "created_at"}},
	{name: "alerts", path: "/alerts", member: "alerts", columns: []string{"severity", "type", "name", "message", "since"}},
	{name: "webhooks", path: "/webhooks", columns: []string{"name", "url", "active", "failingSince"}, paused: "active"},
	{name: "exports", path: "/reports/exports", columns: []string{"name", "kind", "row_count", "created_at", "download_url"}},
	{name: "jobs", path: "/jobs", columns: []string{"id", "kind", "status", "created_at", "finished_at"}},
	{name: "plans", path: "/config/plans", columns: []string{"plan_id", "state", "origin", "done", "work", "created_at"}},
}

func kindNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

func pausable() (names []string) {
	for _, k := range kinds {
		if k.paused != "" {
			names = append(names, k.name)
		}
	}
	return names
}

// kindOf finds a kind by its name, in the plural or singular.
func kindOf(name string) (kind, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name || strings.TrimSuffix(k.name, "s") == name })
	if i < 0 {
		return kind{}, fmt.Errorf("%q is not a kind of record; the kinds are %s", name, strings.Join(kindNames(), ", "))
	}
	return kinds[i], nil
}

// list returns the rows of all pages.
func (k kind) list(ctx context.Context, c *switchyard.Client, query url.Values) (rows []record, err error) {
	rows = []record{}
	if k.member != "" {
		var raw json.RawMessage
		if err := c.Do(ctx, http.MethodGet, "/api/v1"+k.path, query, nil, &raw); err != nil {
			return nil, err
		}
		var whole map[string]json.RawMessage
		if err := json.Unmarshal(raw, &whole); err != nil {
			return nil, err
		}
		return rows, decode(whole[k.member], &rows)
	}
	for raw, err := range switchyard.Rows[json.RawMessage](ctx, c, "/api/v1"+k.path, query) {
		if err != nil {
			return nil, err
		}
		var r record
		if err := decode(raw, &r); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// label returns the name of a record or, if the record has no name, its domain, key or id.
func label(r record) string {
	for _, member := range []string{"name", "domain", "key", "id"} {
		if text := cell(r[member]); text != "" {
			return text
		}
	}
	return ""
}

// find returns the only record with the given id, or else with the given name, alias or slug, or else with the given name in another
// case.
func (k kind) find(ctx context.Context, c *switchyard.Client, wanted string) (record, error) {
	rows, err := k.list(ctx, c, nil)
	if err != nil {
		return nil, err
	}
	for _, same := range []func(record) bool{
		func(r record) bool { return cell(r["id"]) == wanted || cell(r["plan_id"]) == wanted },
		func(r record) bool {
			return label(r) == wanted || cell(r["alias"]) == wanted || cell(r["slug"]) == wanted
		},
		func(r record) bool { return strings.EqualFold(label(r), wanted) },
	} {
		var found []record
		for _, r := range rows {
			if same(r) {
				found = append(found, r)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			ids := make([]string, len(found))
			for i, r := range found {
				ids[i] = cell(r["id"])
			}
			return nil, fmt.Errorf("%d %s are called %q: say which by its id, %s", len(found), k.name, wanted, strings.Join(ids, " or "))
		}
	}
	return nil, exitError{exitRefused, fmt.Sprintf("none of the %s is called %q; `sy get %s` lists them", k.name, wanted, k.name)}
}

// getCmd lists records or shows one.
type getCmd struct {
	Kind    string   `arg:"" predictor:"kind" help:"Kind of record, in the singular or plural: ${kinds}."`
	Name    string   `arg:"" optional:"" help:"Name or id of one record."`
	Query   string   `short:"q" help:"Only records whose name contains this."`
	Status  string   `help:"Only records with this status: active or paused."`
	Group   string   `help:"Only records of this group."`
	Tag     string   `help:"Only records with this tag."`
	From    string   `help:"First day of the figures: a date, today, yesterday or -7d."`
	To      string   `help:"Last day of the figures."`
	Columns []string `help:"Columns of the table or of the CSV."`
}

// Run implements the command.
func (c *getCmd) Run(ctx context.Context, e *env) error {
	k, err := kindOf(c.Kind)
	if err != nil {
		return err
	}
	client, err := e.client()
	if err != nil {
		return err
	}
	if c.Name != "" {
		r, err := k.find(ctx, client, c.Name)
		if err != nil {
			return err
		}
		return e.printOne(r)
	}
	query := url.Values{}
	from, to, err := e.window(c.From, c.To)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"q": c.Query, "status": c.Status, "group": c.Group, "tag": c.Tag, "from": from, "to": to} {
		if value != "" {
			query.Set(name, value)
		}
	}
	rows, err := k.list(ctx, client, query)
	if err != nil {
		return err
	}
	if len(c.Columns) > 0 && e.Output == "csv" {
		return e.printCSV(rows, c.Columns)
	}
	if len(c.Columns) > 0 {
		k.columns = c.Columns
	}
	return e.print(rows, k.columns)
}

type switchCmd struct {
	Kind   string   `arg:"" predictor:"pausable" help:"Kind of record: ${pausable}."`
	Names  []string `arg:"" help:"Names or ids."`
	DryRun bool     `help:"Show what would be done, and do nothing."`
}

// pauseCmd pauses records.
type pauseCmd struct{ switchCmd }

// Run implements the command.
func (c *pauseCmd) Run(ctx context.Context, e *env) error { return c.turn(ctx, e, false) }

// resumeCmd ends the pause of records.
type resumeCmd struct{ switchCmd }

// Run implements the command.
func (c *resumeCmd) Run(ctx context.Context, e *env) error { return c.turn(ctx, e, true) }

// turn pauses or resumes records. It finds all of them before it changes the first one.
func (c *switchCmd) turn(ctx context.Context, e *env, on bool) error {
	k, err := kindOf(c.Kind)
	if err != nil {
		return err
	}
	if k.paused == "" {
		return fmt.Errorf("%s cannot be paused, but these can: %s", k.name, strings.Join(pausable(), ", "))
	}
	client, err := e.client()
	if err != nil {
		return err
	}
	found := []record{}
	for _, name := range c.Names {
		r, err := k.find(ctx, client, name)
		if err != nil {
			return err
		}
		found = append(found, r)
	}
	status := map[bool]string{true: "active", false: "paused"}[on]
	rows := []record{}
	for _, r := range found {
		path, body := "/api/v1"+k.path, record{"id": r["id"], k.paused: on}
		if k.paused == "status" {
			path, body = path+"/"+cell(r["id"]), record{"status": status}
		}
		if !c.DryRun {
			if err := client.Do(ctx, http.MethodPatch, path, nil, body, nil); err != nil {
				return fmt.Errorf("%s: %w", label(r), err)
			}
		}
		rows = append(rows, record{"id": r["id"], "name": label(r), "status": status, "dry_run": c.DryRun})
	}
	return e.print(rows, []string{"name", "status", "dry_run"})
}
