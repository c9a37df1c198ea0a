package dashboard_test

import (
	"slices"
	"strings"
	"testing"

	"switchyard/api"
	"switchyard/api/apitest"
	"switchyard/api/dashboard"
	"switchyard/api/middleware"
	"switchyard/api/openapi"
	"switchyard/api/route"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// allRows returns all routes of the API and of the dashboard, which are the rows of their tables, with their full paths.
func allRows() []route.Route {
	rows := api.Table(api.Deps{})
	for i := range rows {
		rows[i].Path = openapi.Prefix + rows[i].Path
	}
	return append(rows, dashboard.Routes(dashboard.Deps{})...)
}

// withoutRecord returns the path of a row with ids of records that do not exist.
func withoutRecord(r route.Route) string {
	return strings.NewReplacer("{id}", "not-an-id", "{provider}", "none", "{clickId}", "x").Replace(r.Path)
}

// TestNoFormActs: no form and no link of another site can change anything with a session, at any row. A call with a key does
// not need the header that the dashboard's script sends.
func TestNoFormActs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := signedIn(t, s, "a@example.com", models.RoleOwner)
	writes := 0
	for _, r := range allRows() {
		if r.Method == "GET" {
			continue
		}
		writes++
		for _, headers := range [][]string{
			{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}, {middleware.PageHeader, ""},
		} {
			if got := p.do(r.Method, withoutRecord(r), nil, headers...); got.status != 403 || got.code != "cross_site" {
				t.Errorf("%s %s with the headers %v is answered %d %s, want 403 cross_site", r.Method, r.Path, headers, got.status, got.code)
			}
		}
	}
	if writes < 120 {
		t.Errorf("only %d rows that write were tried, want at least 120", writes)
	}
	offer := map[string]any{"name": "o", "url": "https://shop.example/"}
	p.do("POST", "/api/v1/offers", offer, middleware.PageHeader, "", "Authorization", "Bearer "+s.Key).want(t, 201, "")
}

// caller calls rows: a person with a role, a key of a scope, or neither.
type caller struct {
	name  string
	role  models.Role
	scope string
	stale bool // the person's last proof of identity is old
}

// refusal returns the code with which a row must refuse a caller, according to the row's fields.
func (c caller) refusal(r route.Route) string {
	person := c.role != ""
	switch {
	case r.Public || r.Callers == route.Anybody:
		return ""
	case !person && c.scope == "":
		return "unauthenticated"
	case !person && r.Callers == route.People:
		return "people_only"
	case !person && r.Scope == route.Write && c.scope == models.ScopeReadOnly:
		return "read_only_key"
	case person && !c.role.Includes(r.Role):
		if r.Declares(403, "buyer_only") {
			return "buyer_only"
		}
		return "role_required"
	case person && r.Confirm && c.stale:
		return "confirm"
	}
	return ""
}

var refusals = []string{
	"unauthenticated", "people_only", "read_only_key", "buyer_only", "role_required", "confirm", "cross_site",
}

// TestCallersOfEveryRow: each row of the API and of the dashboard refuses exactly the callers that its fields forbid.
func TestCallersOfEveryRow(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	callers := []caller{{name: "nobody"}, {name: "a read-only key", scope: models.ScopeReadOnly}, {name: "a full key", scope: models.ScopeFull}}
	for _, role := range models.Roles {
		callers = append(callers, caller{name: string(role), role: role})
	}
	callers = append(callers, caller{name: "stale owner", role: models.RoleOwner, stale: true})
	keys := map[string]string{models.ScopeReadOnly: s.ReadKey, models.ScopeFull: s.Key}
	seen := map[string]int{}
	for _, c := range callers {
		p, headers := browserOf(t, s), []string(nil)
		switch {
		case c.role != "":
			p = signedIn(t, s, strings.ReplaceAll(c.name, " ", "-")+"@example.com", c.role)
		case c.scope != "":
			headers = []string{"Authorization", "Bearer " + keys[c.scope]}
		}
		if c.stale {
			dbtest.Exec(t, s.DB, `UPDATE sessions SET confirmed_at = now() - interval '1 hour'`)
		}
		for _, r := range allRows() {
			want := c.refusal(r)
			if want == "" && (waitsForWorkers(r) || r.Method+r.Path == "DELETE/app/api/session") { // waits for a worker, or ends the session
				continue
			}
			got := p.do(r.Method, withoutRecord(r), nil, headers...)
			if got.code != want && (want != "" || slices.Contains(refusals, got.code)) {
				t.Errorf("%s: %s %s answers %d %q, want %q", c.name, r.Method, r.Path, got.status, got.code, want)
			}
			seen[want]++
		}
	}
	for _, code := range refusals {
		if seen[code] == 0 && code != "cross_site" {
			t.Errorf("no call was refused with the code %s", code)
		}
	}
	t.Logf("%v", seen)
}

// waitsForWorkers reports whether a call of the row, with the path that withoutRecord returns and no body, would wait for workers.
func waitsForWorkers(r route.Route) bool {
	return r.Slow != nil && !strings.Contains(r.Path, "{") && (r.Body == nil || r.BodyOptional)
}
