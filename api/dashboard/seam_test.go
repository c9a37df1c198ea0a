package dashboard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"switchyard/api/apitest"
	"switchyard/api/middleware"
	"switchyard/db/dbtest"
	"switchyard/db/people"
	"switchyard/db/store"
	"switchyard/models"
)

const password = "correct horse battery"

// person is the browser of a person who may be signed in.
type person struct {
	t       *testing.T
	s       *apitest.Server
	cookie  string            // of the session
	devices map[string]string // device cookies, see device.go
	host    string
}

// answer is a response of the service.
type answer struct {
	status int
	code   string
	data   map[string]any
	header http.Header
}

func browserOf(t *testing.T, s *apitest.Server) *person {
	t.Helper()
	return &person{t: t, s: s, host: "localhost", devices: map[string]string{}}
}

func (p *person) do(method, path string, body any, headers ...string) answer {
	p.t.Helper()
	var r io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.s.URL+path, r)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Host = p.host
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set(middleware.PageHeader, "1")
	if p.cookie != "" {
		req.Header.Set("Cookie", p.cookie)
	}
	for name, value := range p.devices {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		Data  map[string]any
		Error struct{ Code string }
	}
	_ = json.NewDecoder(resp.Body).Decode(&got) // some answers are not JSON
	for _, c := range resp.Cookies() {
		if strings.HasPrefix(c.Name, "switchyard-device-") {
			p.devices[c.Name] = c.Value
		}
		if c.Name == "switchyard" {
			if p.cookie = ""; c.MaxAge >= 0 {
				p.cookie = c.Name + "=" + c.Value
			}
		}
	}
	return answer{resp.StatusCode, got.Error.Code, got.Data, resp.Header}
}

func (a answer) want(t *testing.T, status int, code string) answer {
	t.Helper()
	if a.status != status || a.code != code {
		t.Fatalf("got %d %q, want %d %q", a.status, a.code, status, code)
	}
	return a
}

// link makes a link of a kind, such as an invitation, for the account and returns its token.
func link(t *testing.T, s *apitest.Server, account models.Account, kind, email string, role models.Role) string {
	t.Helper()
	_, token, err := people.New(s.Store).CreateLink(t.Context(), models.EntryLink{Kind: kind, AccountID: account.ID, Email: email, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// signedIn returns the browser of a new person with a role, who is signed in.
func signedIn(t *testing.T, s *apitest.Server, email string, role models.Role) *person {
	t.Helper()
	p := browserOf(t, s)
	token := link(t, s, s.Account, models.LinkEntry, email, role)
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password}).want(t, 200, "")
	return p
}

// withPassword returns the browser of a person who has used an invitation.
func withPassword(t *testing.T, s *apitest.Server, email string, role models.Role) *person {
	t.Helper()
	p := browserOf(t, s)
	token := link(t, s, s.Account, models.LinkInvite, email, role)
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "name": "N", "password": password}).want(t, 200, "")
	return p
}

// TestKeyAndSessionNeverMix checks that a call is authenticated by the key or by the session.
func TestKeyAndSessionNeverMix(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := signedIn(t, s, "a@example.com", models.RoleViewer)
	p.do("GET", "/api/v1/offers", nil).want(t, 200, "")
	for name, key := range map[string]string{
		"a wrong key": "Bearer " + models.NewAPIKey(models.ScopeFull), "no key": "", "another scheme": "Basic abc",
	} {
		if got := p.do("GET", "/api/v1/offers", nil, "Authorization", key); got.status != 401 {
			t.Errorf("%s together with a session gets the status %d, want 401", name, got.status)
		}
	}
	// If a call has both, the key decides, not the role of the viewer's session.
	offer := map[string]any{"name": "o", "url": "https://shop.example/"}
	p.do("POST", "/api/v1/offers", offer).want(t, 403, "role_required")
	p.do("POST", "/api/v1/offers", offer, "Authorization", "Bearer "+s.Key).want(t, 201, "")
	// A key has no session and is not a person.
	p.do("GET", "/app/api/session", nil, "Authorization", "Bearer "+s.Key).want(t, 403, "people_only")
	p.do("GET", "/app/api/session", nil).want(t, 200, "")
	p.cookie += "; " + p.cookie
	p.do("GET", "/app/api/session", nil).want(t, 401, "unauthenticated") // with two session cookies the service refuses both
}

// TestSessionIsOfOneSite: a session cannot be used by a page of another origin, or on another host of the service.
func TestSessionIsOfOneSite(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := signedIn(t, s, "a@example.com", models.RoleOwner)
	offer := map[string]any{"name": "o", "url": "https://shop.example/"}
	for _, from := range []string{"cross-site", "same-site"} {
		p.do("GET", "/api/v1/offers", nil, "Sec-Fetch-Site", from).want(t, 403, "cross_site")
		p.do("POST", "/api/v1/offers", offer, "Sec-Fetch-Site", from).want(t, 403, "cross_site")
		p.do("POST", "/app/api/session", map[string]any{"email": "a", "password": "b"}, "Sec-Fetch-Site", from).want(t, 403, "cross_site")
	}
	p.do("POST", "/api/v1/offers", offer, "Sec-Fetch-Site", "", "Origin", "https://evil.example").want(t, 403, "cross_site")
	p.do("POST", "/api/v1/offers", offer, "Sec-Fetch-Site", "", "Origin", "http://localhost").want(t, 201, "")
	p.host = "go.customer.example"
	p.do("GET", "/api/v1/offers", nil).want(t, 401, "unauthenticated")
	for _, path := range []string{"/app", "/app/", "/app/api/session", "/app/reports"} {
		if got := p.do("GET", path, nil); got.status != 404 {
			t.Errorf("%s on a tracking host gets the status %d, want 404", path, got.status)
		}
	}
}

// TestSignIn: every sign-in starts a new session, whatever cookie the browser had.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	first := p.cookie
	p.do("POST", "/app/api/session", map[string]any{"email": " ana@example.COM", "password": password}).want(t, 200, "")
	if p.cookie == first || p.cookie == "" {
		t.Error("the sign-in made no new session")
	}
	old := browserOf(t, s)
	old.cookie = first
	old.do("GET", "/app/api/session", nil).want(t, 401, "unauthenticated")
	fixed := browserOf(t, s)
	fixed.cookie = "switchyard=chosen-by-somebody-else"
	fixed.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": password}).want(t, 200, "")
	if strings.Contains(fixed.cookie, "chosen") {
		t.Error("the sign-in accepted a session token that the service had not made")
	}
	// A person can end each of their other sessions.
	list := p.do("GET", "/app/api/sessions", nil).want(t, 200, "").data["rows"].([]any)
	for _, row := range list {
		if r := row.(map[string]any); r["current"] != true {
			p.do("DELETE", "/app/api/sessions/"+r["id"].(string), nil).want(t, 200, "")
		}
	}
	fixed.do("GET", "/api/v1/offers", nil).want(t, 401, "unauthenticated")
	p.do("DELETE", "/app/api/session", nil).want(t, 200, "")
	if p.cookie != "" {
		t.Error("the cookie stays after signing out")
	}
}

// TestSignInIsLimited: attempts are limited per e-mail address. Known and unknown addresses get the same answer. Tries of link
// tokens are limited too.
func TestSignInIsLimited(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	withPassword(t, s, "ana@example.com", models.RoleOwner)
	for _, email := range []string{"ana@example.com", "nobody@example.com"} {
		p := browserOf(t, s)
		for range 5 {
			p.do("POST", "/app/api/session", map[string]any{"email": email, "password": "wrong password"}).want(t, 401, "wrong_sign_in")
		}
		got := p.do("POST", "/app/api/session", map[string]any{"email": email, "password": password}).want(t, 429, "rate_limited")
		if got.header.Get("Retry-After") == "" {
			t.Error("the answer has no Retry-After")
		}
	}
	p := browserOf(t, s)
	for n := 0; ; n++ {
		got := p.do("POST", "/app/api/links/look", map[string]any{"token": "none"})
		if got.status == 429 {
			break
		}
		if got.want(t, 404, "link_gone"); n > 40 {
			t.Fatal("a browser can try tokens of links without a limit")
		}
	}
}

// TestLinkWorksOnce: a link works once, even if it is used several times at the same time.
func TestLinkWorksOnce(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	token := link(t, s, s.Account, models.LinkInvite, "b@example.com", models.RoleMember)
	p := browserOf(t, s)
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": "short"}).want(t, 400, "weak_password")
	use := map[string]any{"token": token, "name": "B", "password": password}
	status := make(chan int, 4)
	for range cap(status) {
		go func() { status <- browserOf(t, s).do("POST", "/app/api/links/use", use).status }()
	}
	worked := 0
	for range cap(status) {
		if <-status == 200 {
			worked++
		}
	}
	if worked != 1 {
		t.Errorf("the link worked %d times, want once", worked)
	}
	p.do("POST", "/app/api/links/look", map[string]any{"token": token}).want(t, 404, "link_gone")
	late := link(t, s, s.Account, models.LinkEntry, "c@example.com", models.RoleViewer)
	dbtest.Exec(t, s.DB, `UPDATE entry_links SET expires_at = now()`)
	p.do("POST", "/app/api/links/use", map[string]any{"token": late}).want(t, 404, "link_gone")
}

// TestInvitationOpensNoOtherAccount: an invited person who already works on another account must prove their identity with the
// existing password.
func TestInvitationOpensNoOtherAccount(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	withPassword(t, s, "known@example.com", models.RoleOwner)
	signedIn(t, s, "bare@example.com", models.RoleOwner)
	mine, _, _ := s.NewAccount("scale")
	p := browserOf(t, s)
	token := link(t, s, mine, models.LinkInvite, "known@example.com", models.RoleViewer)
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": "another password"}).want(t, 401, "wrong_sign_in")
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": password}).want(t, 200, "")
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE users SET password = '' WHERE email = 'bare@example.com'`); err != nil { // as for a person who joined before entry links asked for a password
		t.Fatal(err)
	}
	token = link(t, s, mine, models.LinkInvite, "bare@example.com", models.RoleViewer)
	p.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": "another password"}).want(t, 401, "wrong_sign_in")
	p.do("POST", "/app/api/session/account", map[string]any{"account": s.Account.ID}).want(t, 200, "")
	stranger := signedIn(t, s, "only@example.com", models.RoleOwner)
	stranger.do("POST", "/app/api/session/account", map[string]any{"account": mine.ID}).want(t, 404, "not_found")
}

// TestCodes checks that a person who has set up an authenticator app cannot sign in without a code. Each code of the app and each
// recovery code works once.
func TestCodes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	secret := p.do("POST", "/app/api/me/totp", nil).want(t, 200, "").data["secret"].(string)
	p.do("PUT", "/app/api/me/totp", map[string]any{"code": "000"}).want(t, 400, "wrong_code")
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	codes := p.do("PUT", "/app/api/me/totp", map[string]any{"code": code}).want(t, 200, "").data["codes"].([]any)
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes were given, want 10", len(codes))
	}
	other := browserOf(t, s)
	signIn := func(code any) answer {
		body := map[string]any{"email": "ana@example.com", "password": password, "code": code}
		return other.do("POST", "/app/api/session", body)
	}
	signIn("").want(t, 401, "code_required")
	signIn(code).want(t, 401, "wrong_sign_in") // the code was used to confirm the app
	signIn(codes[0]).want(t, 200, "")
	signIn(codes[0]).want(t, 401, "wrong_sign_in")
	// A link for a new password also asks for a code.
	reset := link(t, s, s.Account, models.LinkReset, "ana@example.com", models.RoleOwner)
	use := map[string]any{"token": reset, "password": "a new password"}
	other.do("POST", "/app/api/links/use", use).want(t, 401, "code_required")
	use["code"] = codes[1]
	other.do("POST", "/app/api/links/use", use).want(t, 200, "")
	p.do("GET", "/app/api/session", nil).want(t, 401, "unauthenticated") // all sessions have ended
}

// TestConfirm: calls that give other people access ask for the password again if the person's last proof of identity is old.
func TestConfirm(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	key := map[string]any{"name": "k", "scope": "full"}
	p.do("POST", "/app/api/keys", key).want(t, 201, "")
	dbtest.Exec(t, s.DB, `UPDATE sessions SET confirmed_at = now() - interval '1 hour'`)
	p.do("POST", "/app/api/keys", key).want(t, 403, "confirm")
	p.do("POST", "/app/api/session/confirm", map[string]any{"password": "wrong password"}).want(t, 401, "wrong_sign_in")
	p.do("POST", "/app/api/session/confirm", map[string]any{"password": password}).want(t, 200, "")
	p.do("POST", "/app/api/keys", key).want(t, 201, "")
}

// TestTeam checks that an owner can remove a person from the account, that the removed person's session ends immediately, and that
// the last owner stays.
func TestTeam(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner := signedIn(t, s, "owner@example.com", models.RoleOwner)
	url := owner.do("POST", "/app/api/team", map[string]any{"email": "m@example.com", "role": "member"}).want(t, 200, "").data["url"].(string)
	_, token, _ := strings.Cut(url, "#")
	m := browserOf(t, s)
	m.do("POST", "/app/api/links/use", map[string]any{"token": token, "name": "M", "password": password}).want(t, 200, "")
	ids := map[string]string{}
	for _, row := range owner.do("GET", "/app/api/team", nil).want(t, 200, "").data["rows"].([]any) {
		r := row.(map[string]any)
		ids[r["email"].(string)] = r["id"].(string)
	}
	owner.do("PATCH", "/app/api/team/"+ids["m@example.com"], map[string]any{"role": "viewer"}).want(t, 200, "")
	m.do("POST", "/api/v1/offers", map[string]any{"name": "o", "url": "https://shop.example/"}).want(t, 403, "role_required")
	owner.do("DELETE", "/app/api/team/"+ids["owner@example.com"], nil).want(t, 409, "last_owner")
	owner.do("DELETE", "/app/api/team/"+ids["m@example.com"], nil).want(t, 200, "")
	m.do("GET", "/api/v1/offers", nil).want(t, 401, "unauthenticated")
	// An owner of another account cannot reach the people and keys of this one.
	other, _, _ := s.NewAccount("scale")
	stranger := browserOf(t, s)
	entry := link(t, s, other, models.LinkEntry, "x@example.com", models.RoleOwner)
	stranger.do("POST", "/app/api/links/use", map[string]any{"token": entry, "password": password}).want(t, 200, "")
	stranger.do("DELETE", "/app/api/team/"+ids["owner@example.com"], nil).want(t, 404, "not_found")
	list, err := s.Store.ListKeys(t.Context(), s.Account.ID)
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	stranger.do("DELETE", "/app/api/keys/"+list[0].ID.String(), nil).want(t, 404, "not_found")
	stranger.do("POST", "/app/api/keys/"+list[0].ID.String()+"/rotate", nil).want(t, 404, "not_found")
}

// TestAudit checks that changes by people and by keys are recorded with their author, and that failed calls are not recorded.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	offer := map[string]any{"name": "by a person", "url": "https://shop.example/"}
	made := p.do("POST", "/api/v1/offers", offer).want(t, 201, "").data["id"].(string)
	p.do("POST", "/api/v1/offers", offer).want(t, 409, "duplicate_name")
	offer["name"] = "by a key"
	s.Do("POST", "/offers", offer, "Idempotency-Key", "k1").Want(201, "")
	s.Do("POST", "/offers", offer, "Idempotency-Key", "k1").Want(201, "")
	entries, _, err := s.Store.Audit(t.Context(), s.Account.ID, store.AuditFilter{What: "offers"}, store.Page{Limit: 10})
	if err != nil || len(entries) != 2 {
		t.Fatalf("the log has the entries %+v, want two; error %v", entries, err)
	}
	byKey, byPerson := entries[0], entries[1]
	if byKey.Who != "full" || !byKey.KeyID.Valid || byKey.UserID.Valid {
		t.Errorf("the entry of the key is %+v, want the key named full as its author, and no person", byKey)
	}
	if byPerson.Who != "N" || byPerson.Email != "ana@example.com" || byPerson.Record != made || byPerson.Route != "POST /offers" ||
		strings.Join(byPerson.Fields, " ") != "name url" || byPerson.Address != "127.0.0.1" {
		t.Errorf("the entry of the person is %+v, want ana@example.com, the record, the fields name and url, and the address", byPerson)
	}
	rows := p.do("GET", "/app/api/audit?what=offers", nil).want(t, 200, "").rowsOf(t)
	if len(rows) != 2 || rows[0]["email"] != nil || rows[1]["email"] != "ana@example.com" {
		t.Errorf("the rows are %v, want that of the key without an e-mail and that of ana@example.com", rows)
	}
}

// TestAuditChanges: the log has the values of a sent field before and after a change, if the record has this field and the values
// are short and not secret. A deletion is logged as a change of the name to null.
func TestAuditChanges(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	p := withPassword(t, s, "ana@example.com", models.RoleOwner)
	bo := withPassword(t, s, "bo@example.com", models.RoleViewer).do("GET", "/app/api/session", nil).want(t, 200, "").data["id"].(string)
	create := func(path string, body map[string]any) string {
		t.Helper()
		return p.do("POST", "/api/v1"+path, body).want(t, 201, "").data["id"].(string)
	}
	offer := create("/offers", map[string]any{"name": "one", "url": "https://shop.example/", "payout": 1})
	hook := create("/webhooks", map[string]any{"url": "https://hooks.acme.com/", "events": []string{"link.broken"}})
	if err := store.EnsureSharedDomains(t.Context(), s.DB, []string{"links.example.com"}); err != nil {
		t.Fatal(err)
	}
	campaign := create("/campaigns", map[string]any{"name": "c", "alias": "spring", "destination_url": "https://a.example/"})
	long := "https://shop.example/?" + strings.Repeat("x", 600)
	for _, change := range []struct {
		method, path string
		body         map[string]any
		want         string
	}{
		{"PUT", "/api/v1/offers", map[string]any{"id": offer, "name": "two", "url": long, "payout": 1}, `name "one" "two"`},
		{"PATCH", "/api/v1/offers", map[string]any{"id": offer, "is_active": false}, ""},
		{"DELETE", "/api/v1/offers?id=" + offer, nil, `name "two" null`},
		{"PATCH", "/api/v1/webhooks", map[string]any{"id": hook, "active": false}, `active true false`},
		{"PATCH", "/api/v1/campaigns/" + campaign, map[string]any{"status": "paused", "name": "c"}, `status "active" "paused"`},
		{"PATCH", "/api/v1/settings", map[string]any{"currency": "USD", "time_format": "12h"}, `time_format "24h" "12h"`},
		{"PUT", "/api/v1/bot-detection", map[string]any{"threshold": 70, "days": 0}, `threshold 60 70`},
		{"PATCH", "/app/api/team/" + bo, map[string]any{"role": "member"}, `role "viewer" "member"`},
		{"DELETE", "/app/api/team/" + bo, nil, `name "N" null`},
	} {
		if got := p.do(change.method, change.path, change.body); got.status >= 300 {
			t.Fatalf("%s %s is answered %d %v, want success", change.method, change.path, got.status, got.data)
		}
		row := p.do("GET", "/app/api/audit?limit=1", nil).want(t, 200, "").rowsOf(t)[0]
		var got []string
		for _, c := range row["changes"].([]any) {
			c := c.(map[string]any)
			got = append(got, fmt.Sprint(c["field"], " ", c["before"], " ", c["after"]))
		}
		if strings.Join(got, "; ") != change.want {
			t.Errorf("%s %s %v: %q, want %q", change.method, change.path, change.body, got, change.want)
		}
	}
}

// TestStarterHasADashboard: a plan without the API refuses only keys.
func TestStarterHasADashboard(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "starter"})
	s.Do("GET", "/offers", nil).Want(402, "plan_limit")
	signedIn(t, s, "a@example.com", models.RoleViewer).do("GET", "/api/v1/offers", nil).want(t, 200, "")
}
