package assistants_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/api/assistants"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// list returns what the page of connected assistants shows to a person.
func list(person *apitest.Server) (enabled bool, rows int) {
	var got struct {
		Enabled bool
		Rows    []row
	}
	person.Do("GET", "/app/api/assistants", nil).Want(http.StatusOK, "").Into(&got)
	return got.Enabled, len(got.Rows)
}

// count returns the number of rows of the tables of assistants.
func (e *env) count() int {
	e.Helper()
	return dbtest.Get[int](e, e.s.DB, `SELECT (SELECT count(*) FROM assistant_clients) + (SELECT count(*) FROM assistant_grants) +
		(SELECT count(*) FROM assistant_tokens)`)
}

// TestInstallOff: an install with MCP=off refuses all calls of assistants, and people cannot connect an assistant. People can
// still see and end the assistants that were connected before.
func TestInstallOff(t *testing.T) {
	t.Parallel()
	on := newEnv(t)
	client, owner := on.register(), on.s.SignIn(models.RoleOwner)
	token, second := on.connect(owner, client, models.RightsChange), on.connect(owner, client, models.RightsRead)
	code := on.codeFor(owner, client, models.RightsRead)

	off := newEnv(t, apitest.Options{DB: on.s.DB, NoMCP: true})
	off.s.Account, off.s.Key = on.s.Account, on.s.Key
	person := off.s.SignIn(models.RoleOwner)
	before := off.count()
	gone := func(what string, a answer) {
		t.Helper()
		if a.status != http.StatusNotFound || a.header.Get("Location") != "" || a.data["access_token"] != nil || a.data["client_id"] != nil {
			t.Errorf("%s gets the status %d, want 404 without a token: %v", what, a.status, a.data)
		}
	}
	for _, path := range assistants.Paths {
		gone("GET "+path, off.send(http.MethodGet, path+"?"+queryOf(request(client)), "", ""))
	}
	gone("register", off.send(http.MethodPost, assistants.RegisterPath, "application/json", `{"redirect_uris":["`+redirect+`"]}`))
	gone("code", off.form(assistants.TokenPath, codeForm(client, code)))
	gone("refresh", off.form(assistants.TokenPath, refreshForm(client, token.refresh)))
	gone("revoke", off.form(assistants.RevokePath, url.Values{"client_id": {client}, "token": {token.refresh}}))
	gone("a key at /mcp", off.call(on.s.Key, "tools/list", "{}"))
	if a := off.call(token.access, "tools/list", "{}"); a.status != http.StatusUnauthorized || strings.Contains(a.header.Get("WWW-Authenticate"), "resource_metadata") {
		t.Errorf("an access token at /mcp gets the status %d, want 401 without resource_metadata in the headers %v", a.status, a.header)
	}
	person.Do("GET", "/app/api/assistants/request?"+queryOf(request(client)), nil).Want(http.StatusForbidden, "mcp_off")
	person.Do("POST", "/app/api/assistants", with(request(client), "rights", "read")).Want(http.StatusForbidden, "mcp_off")
	if after := off.count(); after != before {
		t.Errorf("the tables of assistants have %d rows, want %d as before", after, before)
	}
	if a := off.send(http.MethodGet, "/app/connect?"+queryOf(request(client)), "", ""); a.status == http.StatusFound {
		t.Errorf("the page on which people connect an assistant redirects: %v", a.header)
	}
	if enabled, rows := list(person); enabled || rows != 2 {
		t.Errorf("%d assistants are listed, want 2; enabled is %v, want false", rows, enabled)
	}

	on.toolsOf(token.access)
	on.want(on.form(assistants.TokenPath, codeForm(client, code)), http.StatusOK, "")
	for _, r := range connected(person) {
		person.Do("DELETE", "/app/api/assistants/"+r.ID, nil).Want(http.StatusOK, "")
	}
	for _, ended := range []tokens{token, second} {
		if a := on.call(ended.access, "tools/list", "{}"); a.status != http.StatusUnauthorized {
			t.Errorf("an assistant that was ended while MCP was off gets the status %d, want 401", a.status)
		}
	}
}

// TestAccountOff: while an account has assistants switched off, its assistants get no tokens and their calls are refused. People
// cannot connect a new assistant, but can see and end the connected ones.
func TestAccountOff(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client, owner := e.register(), e.s.SignIn(models.RoleOwner)
	token, code := e.connect(owner, client, models.RightsChange), e.codeFor(owner, client, models.RightsRead)
	if enabled, rows := list(owner); !enabled || rows != 1 {
		t.Errorf("%d assistants are listed, want 1; enabled is %v, want true", rows, enabled)
	}
	e.s.Do("PATCH", "/settings", map[string]any{"assistants": false}).Want(http.StatusOK, "")
	before := e.count()
	for _, credential := range []string{e.s.Key, e.s.ReadKey, token.access} {
		for _, method := range []string{"initialize", "tools/list", "prompts/list", "resources/list"} {
			if a := e.call(credential, method, "{}"); a.status != http.StatusForbidden {
				t.Errorf("%s gets the status %d, want 403: %v", method, a.status, a.data)
			}
		}
	}
	e.want(e.form(assistants.TokenPath, codeForm(client, code)), http.StatusBadRequest, "invalid_grant")
	e.want(e.form(assistants.TokenPath, refreshForm(client, token.refresh)), http.StatusBadRequest, "invalid_grant")
	owner.Do("GET", "/app/api/assistants/request?"+queryOf(request(client)), nil).Want(http.StatusForbidden, "mcp_off")
	owner.Do("POST", "/app/api/assistants", with(request(client), "rights", "read")).Want(http.StatusForbidden, "mcp_off")
	owner.Do("POST", "/app/api/assistants", with(request(client), "refused", true)).Want(http.StatusForbidden, "mcp_off")
	if after := e.count(); after != before {
		t.Errorf("the tables of assistants have %d rows, want %d as before", after, before)
	}
	if enabled, rows := list(owner); enabled || rows != 1 {
		t.Errorf("%d assistants are listed, want 1; enabled is %v, want false", rows, enabled)
	}
	e.want(e.send(http.MethodGet, assistants.ServerAbout, "", ""), http.StatusOK, "")
	e.register()
	owner.Do("DELETE", "/app/api/assistants/"+connected(owner)[0].ID, nil).Want(http.StatusOK, "")
	e.s.Do("PATCH", "/settings", map[string]any{"assistants": true}).Want(http.StatusOK, "")
	if a := e.call(token.access, "tools/list", "{}"); a.status != http.StatusUnauthorized {
		t.Errorf("an assistant that was ended while assistants were off gets the status %d, want 401", a.status)
	}
	e.want(e.form(assistants.TokenPath, codeForm(client, code)), http.StatusOK, "")
}
