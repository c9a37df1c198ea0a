package assistants_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/api/assistants"
	"switchyard/db/assistant"
	"switchyard/db/dbtest"
	"switchyard/db/people"
	"switchyard/models"
)

// TestRefusedExchanges: a refused exchange gives no tokens and does not use up the code. A second use of a code ends the tokens
// of the first use.
func TestRefusedExchanges(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client, other := e.register(), e.register()
	code := e.codeFor(e.s.SignIn(models.RoleOwner), client, models.RightsRead)
	for name, change := range map[string][]string{ // member, value and error
		"wrong verifier": {"code_verifier", strings.Repeat("x", 50), "invalid_grant"}, "no verifier": {"code_verifier", "", "invalid_grant"},
		"another redirect": {"redirect_uri", "http://127.0.0.1:7777/other", "invalid_grant"}, "another client": {"client_id", other, "invalid_grant"},
		"another resource": {"resource", "https://other.example/mcp", "invalid_target"}, "unknown code": {"code", "sy_ac_x", "invalid_grant"},
		"another grant type": {"grant_type", "password", "unsupported_grant_type"}, "no grant type": {"grant_type", "", "invalid_request"},
		"no client": {"client_id", "", "invalid_request"},
	} {
		f := codeForm(client, code)
		f.Set(change[0], change[1])
		a := e.form(assistants.TokenPath, f)
		if a.status != http.StatusBadRequest || a.data["error"] != change[2] || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the exchange gets the status %d with %v, want 400 with the case's error", name, a.status, a.data)
		}
	}
	twice := codeForm(client, code)
	twice.Add("code", code)
	e.want(e.form(assistants.TokenPath, twice), http.StatusBadRequest, "invalid_request")
	e.want(e.form(assistants.TokenPath, codeForm(client, code), "Authorization", "Basic eDp5"), http.StatusUnauthorized, "invalid_client")
	raw, _ := json.Marshal(codeForm(client, code))
	e.want(e.send(http.MethodPost, assistants.TokenPath, "application/json", string(raw)), http.StatusBadRequest, "invalid_request")
	first := tokensOf(e.want(e.form(assistants.TokenPath, codeForm(client, code)), http.StatusOK, ""))
	e.toolsOf(first.access)
	e.want(e.form(assistants.TokenPath, codeForm(client, code)), http.StatusBadRequest, "invalid_grant")
	if a := e.call(first.access, "tools/list", "{}"); a.status != http.StatusUnauthorized {
		t.Errorf("after the second use of the code, the token from its first use gets the status %d, want 401", a.status)
	}
	e.want(e.form(assistants.TokenPath, refreshForm(client, first.refresh)), http.StatusBadRequest, "invalid_grant")
}

// TestRefresh: a refresh token is replaced at each use. If an old refresh token is used again, the assistant is disconnected, and
// its access tokens end too.
func TestRefresh(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client, owner := e.register(), e.s.SignIn(models.RoleOwner)
	first := e.connect(owner, client, models.RightsChange)
	answer := e.want(e.form(assistants.TokenPath, refreshForm(client, first.refresh)), http.StatusOK, "")
	second := tokensOf(answer)
	if answer.data["scope"] != "read propose change" || answer.data["expires_in"] != 600.0 || answer.data["token_type"] != "Bearer" || second.refresh == first.refresh {
		t.Errorf("the answer to a refresh is %v, want all rights, ten minutes and a new refresh token", answer.data)
	}
	e.toolsOf(first.access)
	e.toolsOf(second.access)
	e.want(e.form(assistants.TokenPath, refreshForm(client, first.refresh)), http.StatusBadRequest, "invalid_grant")
	for _, token := range []string{first.access, second.access} {
		if a := e.call(token, "tools/list", "{}"); a.status != http.StatusUnauthorized {
			t.Errorf("after a second use of the refresh token, an access token gets the status %d, want 401", a.status)
		}
	}
	e.want(e.form(assistants.TokenPath, refreshForm(client, second.refresh)), http.StatusBadRequest, "invalid_grant")
	if rows := connected(owner); len(rows) != 0 {
		t.Errorf("after a second use of the refresh token, the assistants %+v are connected, want none", rows)
	}
}

// TestRefreshAtOnce: if a refresh token is used twice at the same time, one use gets tokens, and the other disconnects the
// assistant.
func TestRefreshAtOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client := e.register()
	old := e.connect(e.s.SignIn(models.RoleOwner), client, models.RightsRead)
	var answers [2]answer
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = e.form(assistants.TokenPath, refreshForm(client, old.refresh)) })
	}
	group.Wait()
	slices.SortFunc(answers[:], func(a, b answer) int { return a.status - b.status })
	e.want(answers[0], http.StatusOK, "")
	e.want(answers[1], http.StatusBadRequest, "invalid_grant")
	if a := e.call(tokensOf(answers[0]).access, "tools/list", "{}"); a.status != http.StatusUnauthorized {
		t.Errorf("after both uses, the new token gets the status %d, want 401", a.status)
	}
}

// TestClock: codes end after a minute, access tokens after ten minutes, and refresh tokens after 30 days without use.
func TestClock(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client, owner := e.register(), e.s.SignIn(models.RoleOwner)
	code := e.codeFor(owner, client, models.RightsRead)
	now, a := time.Now(), assistant.New(e.s.Store)
	x := assistant.Exchange{Client: client, Redirect: redirect, Verifier: verifier}
	if _, err := a.RedeemCode(t.Context(), code, x, now.Add(time.Minute)); err == nil {
		t.Error("a code is valid after a minute")
	}
	issued, err := a.RedeemCode(t.Context(), code, x, now.Add(50*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	for after, valid := range map[time.Duration]bool{10 * time.Minute: true, 10*time.Minute + 51*time.Second: false} {
		if _, err := a.Authenticate(t.Context(), issued.Access, base+"/mcp", now.Add(after)); (err == nil) != valid {
			t.Errorf("after %s, want an access token to be valid: %t, error %v", after, valid, err)
		}
	}
	if _, err := a.Authenticate(t.Context(), issued.Access, "https://other.example/mcp", now.Add(time.Minute)); err == nil {
		t.Error("a token is valid at another resource")
	}
	late := now.Add(models.RefreshTokenLife + time.Minute)
	if _, err := a.Refresh(t.Context(), issued.Refresh, x, late); err == nil {
		t.Error("a refresh token is valid after 30 days")
	}
	if _, err := a.Refresh(t.Context(), issued.Refresh, x, now.Add(models.RefreshTokenLife)); err != nil {
		t.Error(err)
	}
	e.codeFor(owner, client, models.RightsRead) // is never exchanged
	if n, err := a.DeleteExpired(t.Context(), now.Add(2*models.RefreshTokenLife+time.Hour)); err != nil || n < 5 {
		t.Errorf("%d expired rows were deleted, want at least 5; error %v", n, err)
	}
	var left int
	if err := e.s.DB.GetContext(t.Context(), &left, `SELECT count(*) FROM assistant_tokens`); err != nil || left != 0 {
		t.Errorf("%d tokens are left, want none; error %v", left, err)
	}
}

// TestWhereTokensAreValid: an access token works at /mcp and in the calls of its tools, but not at the REST API.
func TestWhereTokensAreValid(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	owner := e.s.SignIn(models.RoleOwner)
	got := e.connect(owner, e.register(), models.RightsChange)
	for _, token := range []string{got.access, got.refresh} {
		e.s.As(token).Do("GET", "/offers", nil).Want(http.StatusUnauthorized, "unauthenticated")
	}
	if a := e.call(got.refresh, "tools/list", "{}"); a.status != http.StatusUnauthorized {
		t.Errorf("a refresh token at /mcp gets the status %d, want 401", a.status)
	}
	a := e.call(got.access, "tools/call", `{"name":"add_note","arguments":{"text":"a note"}}`)
	if raw, _ := json.Marshal(a.data); a.status != http.StatusOK || strings.Contains(string(raw), `"isError":true`) {
		t.Fatalf("adding a note gets the status %d with %s, want 200 without an error", a.status, raw)
	}
	var entry struct {
		Who, Via, Client, Tool string
		Person, Key            bool
	}
	err := e.s.DB.GetContext(t.Context(), &entry, `SELECT email AS who, via, client, tool, user_id IS NOT NULL AS person, key_id IS NOT NULL AS key
		FROM audit WHERE tool <> ''`)
	if err != nil || entry.Via != "mcp" || entry.Client != "Test Client" || entry.Tool != "add_note" || !entry.Person || !entry.Key || !strings.HasSuffix(entry.Who, "@example.com") {
		t.Errorf("the entry of the audit log is %+v, want the person, the key and the tool; error %v", entry, err)
	}
	keys := string(owner.Do("GET", "/app/api/keys", nil).Want(http.StatusOK, "").Data)
	id := connected(owner)[0].ID
	if strings.Contains(keys, id) {
		t.Error("the assistant is among the keys")
	}
	owner.Do("POST", "/app/api/keys/"+id+"/rotate", nil).Want(http.StatusNotFound, "not_found")
	owner.Do("DELETE", "/app/api/keys/"+id, nil).Want(http.StatusNotFound, "not_found")
}

// TestPropose: an assistant with the right to propose stores a proposal and changes nothing else.
func TestPropose(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client, owner := e.register(), e.s.SignIn(models.RoleOwner)
	var offer struct{ ID string }
	e.s.Do("POST", "/offers", map[string]any{"name": "o", "url": "https://shop.example/"}).Want(http.StatusCreated, "").Into(&offer)
	propose := `{"name":"propose_change","arguments":{"reason":"it loses","op":"pause_offer","offer_id":"` + offer.ID + `"}}`
	use := func(token, params string) string {
		t.Helper()
		raw, _ := json.Marshal(e.call(token, "tools/call", params).data)
		return string(raw)
	}
	reader, proposer := e.connect(owner, client, models.RightsRead).access, e.connect(owner, client, models.RightsPropose).access
	for token, want := range map[string]int{reader: 0, proposer: 1} {
		dbtest.Exec(t, e.s.DB, `DELETE FROM copilot_proposals`)
		text, n := use(token, propose), 0
		if err := e.s.DB.GetContext(t.Context(), &n, `SELECT count(*) FROM copilot_proposals`); err != nil || n != want {
			t.Errorf("%d proposals are stored, want %d; error %v, answer %s", n, want, err, text)
		}
	}
	for _, params := range []string{
		`{"name":"add_note","arguments":{"text":"x"}}`, `{"name":"set_active","arguments":{"kind":"offer","id":"` + offer.ID + `","active":false}}`,
	} {
		if text := use(proposer, params); !strings.Contains(text, "unknown tool") {
			t.Errorf("%s is answered with %s, want an unknown tool", params, text)
		}
	}
	if text := use(proposer, `{"name":"whoami","arguments":{}}`); !strings.Contains(text, "read_only") {
		t.Errorf("whoami answers %s, want the right read_only", text)
	}
}

// TestRoles: at each call, an assistant may do only what the person's present role permits.
func TestRoles(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client, owner := e.register(), e.s.SignIn(models.RoleOwner)
	viewer, member := e.s.SignIn(models.RoleViewer), e.s.SignIn(models.RoleMember)
	viewer.Do("POST", "/app/api/assistants", with(request(client), "rights", "change")).Want(http.StatusForbidden, "role_required")
	viewer.Do("POST", "/app/api/assistants", with(request(client), "rights", "all")).Want(http.StatusBadRequest, "invalid_rights")
	var page struct {
		Rights []string
		Asked  string
	}
	viewer.Do("GET", "/app/api/assistants/request?"+queryOf(request(client)), nil).Want(http.StatusOK, "").Into(&page)
	if fmt.Sprintf("%v %s", page.Rights, page.Asked) != "[read] read" {
		t.Errorf("the page offers a viewer the rights %v and shows the requested right %s, want only read in both", page.Rights, page.Asked)
	}
	reads := len(e.toolsOf(e.connect(viewer, client, models.RightsRead).access))
	token := e.connect(member, client, models.RightsChange)
	if n := len(e.toolsOf(token.access)); n <= reads {
		t.Errorf("an assistant that may change has %d tools, want more than the %d of one that may only read", n, reads)
	}
	rows := connected(owner)
	if len(rows) != 2 || len(connected(member)) != 1 {
		t.Fatalf("the owner sees %+v, want both assistants; the member must see one", rows)
	}
	i := slices.IndexFunc(rows, func(r row) bool { return r.Rights == "change" })
	setRole := func(role models.Role) {
		t.Helper()
		owner.Do("PATCH", "/app/api/team/"+rows[i].Person.ID, map[string]any{"role": role}).Want(http.StatusOK, "")
	}
	setRole(models.RoleViewer)
	if n := len(e.toolsOf(token.access)); n != reads {
		t.Errorf("the assistant of a new viewer has %d tools, want %d", n, reads)
	}
	fresh := e.want(e.form(assistants.TokenPath, refreshForm(client, token.refresh)), http.StatusOK, "")
	if fresh.data["scope"] != "read" {
		t.Errorf("the assistant of a new viewer has the scope %v, want read", fresh.data["scope"])
	}
	setRole(models.RoleMember)
	if n := len(e.toolsOf(token.access)); n <= reads {
		t.Errorf("the assistant of a new member has %d tools, want more than %d", n, reads)
	}
	viewer.Do("DELETE", "/app/api/assistants/"+rows[i].ID, nil).Want(http.StatusNotFound, "not_found") // of another person
	owner.Do("DELETE", "/app/api/team/"+rows[i].Person.ID, nil).Want(http.StatusOK, "")
	if a := e.call(token.access, "tools/list", "{}"); a.status != http.StatusUnauthorized {
		t.Errorf("the assistant of a removed member gets the status %d, want 401", a.status)
	}
	e.want(e.form(assistants.TokenPath, refreshForm(client, tokensOf(fresh).refresh)), http.StatusBadRequest, "invalid_grant")
	if id, _ := models.ParseID(rows[i].Person.ID); people.New(e.s.Store).Join(t.Context(), e.s.Account.ID, id, models.RoleMember) != nil {
		t.Fatal("the member cannot come back")
	}
	if a := e.call(token.access, "tools/list", "{}"); a.status != http.StatusUnauthorized {
		t.Errorf("the assistant of a member who came back gets the status %d, want 401", a.status)
	}
}

// TestEnds: an assistant cannot work while its account has assistants switched off, and it ends when its client revokes a token.
// Other accounts and other clients cannot end it.
func TestEnds(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client, owner := e.register(), e.s.SignIn(models.RoleOwner)
	token := e.connect(owner, client, models.RightsRead)
	id := connected(owner)[0].ID
	stranger := *e.s
	stranger.Account, _, _ = e.s.NewAccount("scale")
	foreign := stranger.SignIn(models.RoleOwner)
	foreign.Do("DELETE", "/app/api/assistants/"+id, nil).Want(http.StatusNotFound, "not_found")
	if rows := connected(foreign); len(rows) != 0 {
		t.Errorf("another account sees %+v, want no assistants", rows)
	}
	e.s.Do("PATCH", "/settings", map[string]any{"assistants": false}).Want(http.StatusOK, "")
	if a := e.call(token.access, "tools/list", "{}"); a.status != http.StatusForbidden {
		t.Errorf("while the account has assistants switched off, an assistant gets the status %d, want 403", a.status)
	}
	e.want(e.form(assistants.TokenPath, refreshForm(client, token.refresh)), http.StatusBadRequest, "invalid_grant")
	owner.Do("POST", "/app/api/assistants", with(request(client), "rights", "read")).Want(http.StatusForbidden, "mcp_off")
	owner.Do("GET", "/app/api/assistants/request?"+queryOf(request(client)), nil).Want(http.StatusForbidden, "mcp_off")
	e.s.Do("PATCH", "/settings", map[string]any{"assistants": true}).Want(http.StatusOK, "")
	e.toolsOf(token.access)
	token = tokensOf(e.want(e.form(assistants.TokenPath, refreshForm(client, token.refresh)), http.StatusOK, ""))

	other := e.register()
	e.want(e.form(assistants.RevokePath, url.Values{"client_id": {other}, "token": {token.refresh}}), http.StatusOK, "")
	e.toolsOf(token.access) // the token is still valid: another client cannot revoke it
	e.want(e.form(assistants.RevokePath, url.Values{"client_id": {client}, "token": {token.refresh}}), http.StatusOK, "")
	if a := e.call(token.access, "tools/list", "{}"); a.status != http.StatusUnauthorized {
		t.Errorf("after the client revoked its refresh token, its access token gets the status %d, want 401", a.status)
	}
	owner.Do("DELETE", "/app/api/assistants/"+id, nil).Want(http.StatusNotFound, "not_found") // has ended
	var ended int
	if err := e.s.DB.GetContext(t.Context(), &ended, `SELECT count(*) FROM audit WHERE record = $1`, id); err != nil || ended != 2 {
		t.Errorf("the audit log has %d entries of the assistant, want its beginning and its end: %v", ended, err)
	}
}

// TestRequests checks which requests the consent page refuses.
func TestRequests(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	client, person := e.register(), e.s.SignIn(models.RoleViewer)
	for name, c := range map[string]struct {
		member, value, code string
	}{
		"unknown client":       {"client_id", "sy_client_x", "invalid_client"},
		"another redirect":     {"redirect_uri", "https://evil.example/callback", "invalid_redirect"},
		"another path":         {"redirect_uri", redirect + "/x", "invalid_redirect"},
		"another host here":    {"redirect_uri", "http://localhost:7777/callback", "invalid_redirect"},
		"user in the redirect": {"redirect_uri", "http://127.0.0.1:7777@evil.example/callback", "invalid_redirect"},
		"fragment":             {"redirect_uri", redirect + "#x", "invalid_redirect"},
		"token at once":        {"response_type", "token", "invalid_request"},
		"plain challenge":      {"code_challenge_method", "plain", "invalid_request"},
		"no challenge":         {"code_challenge", "", "invalid_request"},
		"another service":      {"resource", "https://other.example/mcp", "invalid_request"},
	} {
		r := with(request(client), c.member, c.value)
		if got := person.Do("GET", "/app/api/assistants/request?"+queryOf(r), nil); got.Code != c.code {
			t.Errorf("%s: the page answers %d %s, want %s", name, got.Status, got.Code, c.code)
		}
		if got := person.Do("POST", "/app/api/assistants", with(r, "rights", "read")); got.Code != c.code {
			t.Errorf("%s: the decision answers %d %s, want %s", name, got.Status, got.Code, c.code)
		}
	}
	for _, fits := range []string{"http://127.0.0.1:1/callback", "http://127.0.0.1/callback"} { // another port of this machine
		person.Do("GET", "/app/api/assistants/request?"+queryOf(with(request(client), "redirect_uri", fits)), nil).Want(http.StatusOK, "")
	}
	var decided struct{ Redirect string }
	person.Do("POST", "/app/api/assistants", with(request(client), "refused", true, "resource", "")).Want(http.StatusOK, "").Into(&decided)
	if q := (url.Values{"error": {"access_denied"}, "state": {"a state"}, "iss": {base}}); decided.Redirect != redirect+"?"+q.Encode() {
		t.Errorf("a person's refusal redirects to %s, want access_denied with the state", decided.Redirect)
	}
	var n int
	if err := e.s.DB.GetContext(t.Context(), &n, `SELECT count(*) FROM assistant_grants`); err != nil || n != 0 {
		t.Errorf("%d assistants are connected, want none; error %v", n, err)
	}
	person.Do("POST", "/app/api/assistants", with(request(client), "rights", "read"), "X-Switchyard-Page", "").Want(http.StatusForbidden, "cross_site")
}

// TestRegistration checks what a program may state about itself, and how often it may register.
func TestRegistration(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	register := func(body string) answer {
		return e.send(http.MethodPost, assistants.RegisterPath, "application/json", body)
	}
	for body, code := range map[string]string{
		`{"client_name":"x"}`:                          "invalid_redirect_uri",
		`{"redirect_uris":["javascript:alert(1)"]}`:    "invalid_redirect_uri",
		`{"redirect_uris":["http://a.example/"]}`:      "invalid_redirect_uri",
		`{"redirect_uris":["https://*.example/"]}`:     "invalid_redirect_uri",
		`{"redirect_uris":["https://a.example/#x"]}`:   "invalid_redirect_uri",
		`{"redirect_uris":["https://u:p@a.example/"]}`: "invalid_redirect_uri",
		`[]`: "invalid_client_metadata",
		`{"redirect_uris":["https://a.example/"],"grant_types":["password"]}`: "invalid_client_metadata",
		`{"redirect_uris":["https://a.example/"],"response_types":["token"]}`: "invalid_client_metadata",
	} {
		e.want(register(body), http.StatusBadRequest, code)
	}
	e.want(register(`{"x":"`+strings.Repeat("x", 20<<10)+`"}`), http.StatusRequestEntityTooLarge, "invalid_request")
	good := `{"client_name":"` + strings.Repeat("n", 200) + `","redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"client_secret_basic"}`
	made := e.want(register(good), http.StatusCreated, "")
	if made.data["token_endpoint_auth_method"] != "none" || made.data["client_secret"] != nil || len(made.data["client_name"].(string)) != 80 {
		t.Errorf("the registration is %v, want a client without a secret, with a name of 80 bytes", made.data)
	}
	for range 19 {
		e.want(register(good), http.StatusCreated, "")
	}
	if a := e.want(register(good), http.StatusTooManyRequests, "temporarily_unavailable"); a.header.Get("Retry-After") == "" {
		t.Error("there is no Retry-After")
	}
	dbtest.Exec(t, e.s.DB, `INSERT INTO assistant_clients (id, kind, name, redirect_uris, read_at, used_at)
		SELECT 'filler ' || n, 'registered', 'x', '{}', now(), now() FROM generate_series(1, 9980) n`)
	a := assistant.New(e.s.Store)
	client := models.AssistantClient{ID: "sy_client_full", Kind: models.ClientRegistered, RedirectURIs: []string{redirect}}
	if err := a.StoreClient(t.Context(), client, time.Now()); err == nil {
		t.Error("a client was stored although 10,000 unused clients exist, want an error")
	}
	if n, err := a.DeleteExpired(t.Context(), time.Now().Add(25*time.Hour)); err != nil || n != 10_000 {
		t.Errorf("%d unused clients were deleted, want 10,000; error %v", n, err)
	}
	if err := a.StoreClient(t.Context(), client, time.Now()); err != nil {
		t.Error(err)
	}
}
