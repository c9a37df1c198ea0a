package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/models"
)

func (a answer) rowsOf(t *testing.T) (out []map[string]any) {
	t.Helper()
	rows, ok := a.data["rows"].([]any)
	if !ok {
		t.Fatalf("no rows: %v", a.data)
	}
	for _, row := range rows {
		out = append(out, row.(map[string]any))
	}
	return out
}

// TestKeysOfThePage: a key made in the page works immediately, and the list shows when it was used. After it is replaced, it works
// until it is deleted.
func TestKeysOfThePage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	made := p.do("POST", "/app/api/keys", map[string]any{"name": "ours", "scope": "read_only", "days": 30}).want(t, 201, "").data
	key, id := made["key"].(string), made["id"].(string)
	keyRow := func() map[string]any {
		t.Helper()
		for _, row := range p.do("GET", "/app/api/keys", nil).want(t, 200, "").rowsOf(t) {
			if row["key"] != nil {
				t.Error("the list shows a key")
			}
			if row["id"] == id {
				return row
			}
		}
		t.Fatal("the key is not in the list")
		return nil
	}
	if row := keyRow(); row["used_at"] != nil || row["state"] != "active" || row["expires_at"] == nil {
		t.Errorf("a new key is listed as %v, want it active, unused and with an end", row)
	}
	program := browserOf(t, s)
	offersBy := func(key string) answer {
		return program.do("GET", "/api/v1/offers", nil, "Authorization", "Bearer "+key)
	}
	offersBy(key).want(t, 200, "")
	if row := keyRow(); row["used_at"] == nil {
		t.Errorf("a used key is listed as %v, want the time of its use", row)
	}
	offer := map[string]any{"name": "o", "url": "https://shop.example/"}
	program.do("POST", "/api/v1/offers", offer, "Authorization", "Bearer "+key).want(t, 403, "read_only_key")
	fresh := p.do("POST", "/app/api/keys/"+id+"/rotate", nil).want(t, 200, "").data
	offersBy(key).want(t, 200, "")
	offersBy(fresh["key"].(string)).want(t, 200, "")
	p.do("POST", "/app/api/keys/"+id+"/rotate", nil).want(t, 409, "not_active")
	p.do("DELETE", "/app/api/keys/"+id, nil).want(t, 200, "")
	offersBy(key).want(t, 401, "unauthenticated")
	offersBy(fresh["key"].(string)).want(t, 200, "")
}

// TestOtherSessionsEnd: the call that ends all other sessions does so immediately, and so does a new password.
func TestOtherSessionsEnd(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleViewer)
	signIn := func(password string) *person {
		browser := browserOf(t, s)
		browser.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": password}).want(t, 200, "")
		return browser
	}
	first, stranger := signIn(password), withPassword(t, s, "ben@example.com", models.RoleViewer)
	p.do("DELETE", "/app/api/sessions", nil).want(t, 200, "")
	first.do("GET", "/api/v1/offers", nil).want(t, 401, "unauthenticated")
	stranger.do("GET", "/api/v1/offers", nil).want(t, 200, "")
	if rows := p.do("GET", "/app/api/sessions", nil).want(t, 200, "").rowsOf(t); len(rows) != 1 || rows[0]["current"] != true {
		t.Errorf("the sessions are %v, want only the current one", rows)
	}
	second := signIn(password)
	p.do("POST", "/app/api/me/password", map[string]any{"password": "another good one"}).want(t, 200, "")
	second.do("GET", "/api/v1/offers", nil).want(t, 401, "unauthenticated")
	signIn("another good one")
	id := stranger.do("GET", "/app/api/sessions", nil).want(t, 200, "").rowsOf(t)[0]["id"].(string)
	p.do("DELETE", "/app/api/sessions/"+id, nil).want(t, 404, "not_found")
	stranger.do("GET", "/api/v1/offers", nil).want(t, 200, "")
}

// TestAuditFilters: the log is filtered by person, by kind of record and by window.
func TestAuditFilters(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	p.do("POST", "/api/v1/offers", map[string]any{"name": "o", "url": "https://shop.example/"}).want(t, 201, "")
	p.do("POST", "/app/api/keys", map[string]any{"name": "k", "scope": "full"}).want(t, 201, "")
	s.Do("POST", "/offers", map[string]any{"name": "by a key", "url": "https://shop.example/"}).Want(201, "")
	me := p.do("GET", "/app/api/session", nil).want(t, 200, "").data["id"].(string)
	for query, want := range map[string]int{ // the number of rows
		"": 4, "?what=offers": 2, "?what=keys": 1, "?what=offers&who=" + me: 1, "?who=" + me: 3, "?what=links": 1, "?what=none": 0,
		"?from=2020-01-01&to=2020-01-02": 0, "?who=00000000-0000-7000-8000-000000000001": 0,
	} {
		if rows := p.do("GET", "/app/api/audit"+query, nil).want(t, 200, "").rowsOf(t); len(rows) != want {
			t.Errorf("%q: %d rows, want %d", query, len(rows), want)
		}
	}
	p.do("GET", "/app/api/audit?who=ana", nil).want(t, 400, "invalid_id")
	p.do("GET", "/app/api/audit?whom=x", nil).want(t, 400, "invalid_input")
	page := p.do("GET", "/app/api/audit?limit=1", nil).want(t, 200, "")
	cursor := page.data["next_cursor"].(string)
	p.do("GET", "/app/api/audit?what=keys&limit=1&cursor="+cursor, nil).want(t, 400, "invalid_input")
}

// TestAuditOfContributors: a contributor sees what they did themselves and nothing of others.
func TestAuditOfContributors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner := withPassword(t, s, "ana@example.com", models.RoleOwner)
	owner.do("POST", "/api/v1/offers", map[string]any{"name": "o", "url": "https://shop.example/"}).want(t, 201, "")
	ben := withPassword(t, s, "ben@example.com", models.RoleContributor)
	offer := ben.do("POST", "/api/v1/offers", map[string]any{"name": "p", "url": "https://shop.example/"}).want(t, 201, "").data["id"]
	change := ben.do("POST", "/api/v1/offers/bulk", map[string]any{"ids": []any{offer}, "group_name": "g"}).want(t, 200, "").data["change_id"]
	id := func(p *person) string {
		return p.do("GET", "/app/api/session", nil).want(t, 200, "").data["id"].(string)
	}
	rows := ben.do("GET", "/app/api/audit", nil).want(t, 200, "").rowsOf(t)
	for _, row := range rows {
		if row["email"] != "ben@example.com" {
			t.Errorf("a contributor sees the entry %v of %v, want only own entries", row["operation"], row["email"])
		}
	}
	if len(rows) < 2 || !strings.Contains(fmt.Sprint(rows[0]["changes"]), fmt.Sprint(change)) {
		t.Errorf("the contributor's own change is not in the log: %v", rows)
	}
	if own := ben.do("GET", "/app/api/audit?who="+id(ben), nil).want(t, 200, "").rowsOf(t); len(own) != len(rows) {
		t.Errorf("with the contributor's own id as filter the log has %d rows, want %d", len(own), len(rows))
	}
	ben.do("GET", "/app/api/audit?who="+id(owner), nil).want(t, 403, "role_required")
	ben.do("POST", fmt.Sprintf("/api/v1/changes/%s/undo", change), nil).want(t, 200, "")
	withPassword(t, s, "eve@example.com", models.RoleViewer).do("GET", "/app/api/audit", nil).want(t, 403, "role_required")
}

// TestNoSessionOnTrackingHosts checks that hosts for visitors offer no sign-in and set no cookie.
func TestNoSessionOnTrackingHosts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	withPassword(t, s, "ana@example.com", models.RoleOwner)
	p := browserOf(t, s)
	p.host = "go.customer.example"
	for path, body := range map[string]map[string]any{
		"/app/api/session":   {"email": "ana@example.com", "password": password},
		"/app/api/links/use": {"token": link(t, s, s.Account, models.LinkEntry, "b@example.com", models.RoleViewer), "password": password},
	} {
		got := p.do("POST", path, body)
		if got.status != http.StatusNotFound || len(got.header.Values("Set-Cookie")) != 0 {
			t.Errorf("%s on a tracking host gets the status %d, want 404 without a cookie: %v", path, got.status, got.header)
		}
	}
}

// TestLanguageAndTheme checks that a person's language and theme are stored and set as cookies for the next visit.
func TestLanguageAndTheme(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleViewer)
	if me := p.do("GET", "/app/api/session", nil).want(t, 200, "").data; me["language"] != "" || me["letter_keys"] != true {
		t.Errorf("a new person is answered %v, want letter keys and no language", me)
	}
	p.do("PATCH", "/app/api/me", map[string]any{"name": "Ana", "language": "xx"}).want(t, 400, "invalid_input")
	got := p.do("PATCH", "/app/api/me", map[string]any{"name": "Ana", "language": "de", "theme": "dark", "letter_keys": false}).want(t, 200, "")
	if got.data["language"] != "de" || got.data["letter_keys"] != false || len(got.header.Values("Set-Cookie")) != 2 {
		t.Errorf("the change is answered %v with the headers %v, want German, no letter keys and two cookies", got.data, got.header)
	}
}
