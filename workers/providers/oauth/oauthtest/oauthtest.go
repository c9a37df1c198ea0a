// Package oauthtest has fakes of the platforms at which users sign in. Each fake has the wire format of its platform. The fakes
// of Google and Microsoft also have conversion actions. One server serves all fakes, each below /PROVIDER.
package oauthtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/oauth"
	"switchyard/workers/providers/rest/resttest"
)

// Canary is the prefix of every secret that the platforms know or issue.
const Canary = "canary-"

// Apps returns the apps that the platforms know.
func Apps() map[string]oauth.App {
	apps := map[string]oauth.App{
		models.GoogleAds: {ID: "google-app", Secret: Canary + "google-secret"},
		models.MicrosoftAds: {
			ID: "microsoft-app", Secret: Canary + "microsoft-secret", DeveloperToken: Canary + "developer-token",
		},
		models.Meta: {ID: "meta-app", Secret: Canary + "meta-secret"},
	}
	for _, p := range models.SignInProviders {
		if p.Settings != "" {
			apps[p.Name] = oauth.App{ID: p.Name + "-app", Secret: Canary + p.Name + "-secret"}
		}
	}
	return apps
}

// User is the person who signs in.
type User struct{ ID, Name string }

// issued is a code or token that a platform has issued.
type issued struct {
	provider, challenge, redirect string
	user                          User
	scopes                        string
	expired                       bool
}

// Platforms is the state shared by all platforms.
type Platforms struct {
	URL    string
	Server *httptest.Server

	faults resttest.Faults

	mu            sync.Mutex
	user          User
	denied        bool
	unticked      []string // scopes that the user does not allow
	codes         map[string]issued
	access        map[string]issued
	refresh       map[string]issued
	issuedSecrets int // number of codes, tokens and conversion actions so far
	refreshes     int
	blocked       chan struct{}       // refreshes wait until it is closed; may be nil
	entered       chan struct{}       // receives a value for each refresh that begins
	ids           map[string][]string // ids of ad accounts, by provider
	actions       map[string][]action
	manager       string
	lifetime      time.Duration
}

// Make returns the platforms without a server. The user who signs in is jane@example.com. The platforms say that an access token
// is valid for an hour, but they accept it until Expire or Revoke is called.
func Make() *Platforms {
	return &Platforms{
		user: User{"u-1", "jane@example.com"}, lifetime: time.Hour, ids: map[string][]string{}, actions: map[string][]action{},
		codes: map[string]issued{}, access: map[string]issued{}, refresh: map[string]issued{}, entered: make(chan struct{}, 1000),
	}
}

// New starts the platforms of Make.
func New(tb testing.TB) *Platforms {
	tb.Helper()
	w := Make()
	w.Server = httptest.NewTLSServer(w)
	tb.Cleanup(w.Server.Close)
	w.URL = w.Server.URL
	return w
}

// SignIn sets the user who signs in next.
func (p *Platforms) SignIn(u User) { p.change(func() { p.user = u }) }

// Deny makes the user refuse on the sign-in page.
func (p *Platforms) Deny() { p.change(func() { p.denied = true }) }

// Untick makes the user leave out scopes on the sign-in page.
func (p *Platforms) Untick(scopes ...string) { p.change(func() { p.unticked = scopes }) }

// Break sets the faults of the next requests, in order. The last one stays. The sign-in page has no faults.
func (p *Platforms) Break(faults ...resttest.Fault) { p.faults.Fail(faults...) }

// SetLifetime sets the lifetime that the platforms state for further access tokens. Meta always states an hour for the first token
// of a sign-in. SetLifetime makes no token expire.
func (p *Platforms) SetLifetime(life time.Duration) { p.change(func() { p.lifetime = life }) }

// SetAdAccounts sets the ad accounts at a platform, by their ids.
func (p *Platforms) SetAdAccounts(provider string, ids ...string) {
	p.change(func() { p.ids[provider] = ids })
}

// Revoke ends all tokens that the platforms have issued so far.
func (p *Platforms) Revoke() { p.change(func() { clear(p.access); clear(p.refresh) }) }

// Expire ends only the access tokens.
func (p *Platforms) Expire() {
	p.change(func() {
		for token, i := range p.access {
			i.expired = true
			p.access[token] = i
		}
	})
}

// Refreshes returns how often a renewal of tokens was requested, even in vain.
func (p *Platforms) Refreshes() (n int) {
	p.change(func() { n = p.refreshes })
	return n
}

// BlockRefreshes makes refreshes wait until release is called. entered receives a value for each refresh that begins, also for
// earlier ones.
func (p *Platforms) BlockRefreshes() (entered <-chan struct{}, release func()) {
	gate := make(chan struct{})
	p.change(func() { p.blocked = gate })
	return p.entered, sync.OnceFunc(func() { close(gate) })
}

func (p *Platforms) change(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
}

func (p *Platforms) secret(kind string) string {
	p.issuedSecrets++
	return fmt.Sprintf("%s%s-%d", Canary, kind, p.issuedSecrets)
}

// Visit opens the address of a sign-in page as a browser does. It returns the address of the redirect.
func (p *Platforms) Visit(tb testing.TB, address string) *url.URL {
	tb.Helper()
	client := *p.Server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, address, nil)
	if err != nil {
		tb.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	_ = res.Body.Close()
	to, err := res.Location()
	if err != nil {
		tb.Fatalf("the sign-in page answers %d: %v", res.StatusCode, err)
	}
	return to
}

// ServeHTTP implements http.Handler.
func (p *Platforms) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	provider, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if path == "authorize" {
		p.authorize(rw, r, provider)
		return
	}
	refuses := func(words string) { refuse(rw, provider, http.StatusBadRequest, "invalid_request", words) }
	fault, ok := p.faults.Next(r)
	if !ok || !p.faults.Answer(rw, r, fault, resttest.FailureForms{Refuse: refuses, Echo: refuses}) {
		return
	}
	_ = r.ParseForm()
	if strings.HasSuffix(path, "token") {
		if flaw := tokenFlaw(r, provider); flaw != "" {
			refuses(flaw)
			return
		}
	}
	switch {
	case path == "token" && provider != models.Meta:
		p.token(rw, r, provider)
	case path == "oauth/access_token" && provider == models.Meta:
		p.metaToken(rw, r)
	default:
		p.api(rw, r, provider, path)
	}
}

func refuse(rw http.ResponseWriter, provider string, status int, code, words string) {
	if provider == models.Meta {
		number := map[string]int{"invalid_grant": 190}[code]
		resttest.JSON(rw, status, map[string]any{"error": map[string]any{"message": words, "type": "OAuthException", "code": number, "fbtrace_id": "A1"}})
		return
	}
	resttest.JSON(rw, status, map[string]string{"error": code, "error_description": words})
}

// authorize serves the sign-in page. The user allows access at once, or refuses after Deny.
func (p *Platforms) authorize(rw http.ResponseWriter, r *http.Request, provider string) {
	q := r.URL.Query()
	app := Apps()[provider]
	to, err := url.Parse(q.Get("redirect_uri"))
	switch {
	case q.Get("client_id") != app.ID || q.Get("response_type") != "code" || q.Get("scope") == "" || q.Get("state") == "" || err != nil || to.Host == "":
		http.Error(rw, "the request is not complete", http.StatusBadRequest)
		return
	case q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256":
		http.Error(rw, "no challenge", http.StatusBadRequest)
		return
	case unknownParam(q, standardPage, pageParams[provider]) != "":
		http.Error(rw, "unknown parameter "+unknownParam(q, standardPage, pageParams[provider]), http.StatusBadRequest)
		return
	case provider == models.GoogleAds && q.Get("access_type") != "offline":
		http.Error(rw, "no refresh token would be given", http.StatusBadRequest)
		return
	}
	query := to.Query()
	query.Set("state", q.Get("state"))
	p.change(func() {
		if p.denied {
			query.Set("error", "access_denied")
			return
		}
		code := p.secret("code")
		p.codes[code] = issued{
			provider: provider, challenge: q.Get("code_challenge"), redirect: q.Get("redirect_uri"), user: p.user,
			scopes: strings.Join(slices.DeleteFunc(strings.Fields(q.Get("scope")), func(s string) bool { return slices.Contains(p.unticked, s) }), " "),
		}
		query.Set("code", code)
	})
	to.RawQuery = query.Encode()
	http.Redirect(rw, r, to.String(), http.StatusFound) //nolint:gosec // no browser comes here
}

// consumeCode makes the code of a request invalid and returns what was issued, or false for a wrong request.
func (p *Platforms) consumeCode(r *http.Request, provider string) (issued, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	code := r.Form.Get("code")
	i, ok := p.codes[code]
	delete(p.codes, code)
	sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
	ok = ok && i.provider == provider && i.redirect == r.Form.Get("redirect_uri") &&
		i.challenge == base64.RawURLEncoding.EncodeToString(sum[:])
	return i, ok
}

// knowsClient reports whether a request has the app's id and secret in the right place.
func (p *Platforms) knowsClient(r *http.Request, provider string) bool {
	app := Apps()[provider]
	id, secret, basic := r.BasicAuth()
	if fakes[provider].basic != basic {
		return false
	}
	if !basic {
		id, secret = r.Form.Get("client_id"), r.Form.Get("client_secret")
	}
	return id == app.ID && secret == app.Secret
}

// token serves the token endpoint of all platforms except Meta.
func (p *Platforms) token(rw http.ResponseWriter, r *http.Request, provider string) {
	if r.Method != http.MethodPost || !p.knowsClient(r, provider) {
		refuse(rw, provider, http.StatusUnauthorized, "invalid_client", "the client is not known")
		return
	}
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		i, ok := p.consumeCode(r, provider)
		if !ok {
			refuse(rw, provider, http.StatusBadRequest, "invalid_grant", "the code is not good")
			return
		}
		p.grant(rw, i, "")
	case "refresh_token":
		p.renew(rw, r, provider)
	default:
		refuse(rw, provider, http.StatusBadRequest, "unsupported_grant_type", "")
	}
}

func (p *Platforms) renew(rw http.ResponseWriter, r *http.Request, provider string) {
	p.waitIfBlocked()
	old := r.PostForm.Get("refresh_token")
	var i issued
	var ok bool
	p.change(func() {
		i, ok = p.refresh[old]
		p.refreshes++
		if Rotates(provider) {
			delete(p.refresh, old) // stricter than Microsoft, which still accepts the previous token for a while
		}
	})
	if !ok || i.provider != provider {
		refuse(rw, provider, http.StatusBadRequest, "invalid_grant", "AADSTS70000: the token "+old+" was revoked")
		return
	}
	p.grant(rw, i, old)
}

func (p *Platforms) waitIfBlocked() {
	var gate chan struct{}
	p.change(func() { gate = p.blocked })
	p.entered <- struct{}{}
	if gate != nil {
		<-gate
	}
}

// grant issues tokens. old is the refresh token that is renewed; empty: the user has signed in. Only Google and Microsoft issue
// an id token.
func (p *Platforms) grant(rw http.ResponseWriter, i issued, old string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	access := p.secret("access")
	p.access[access] = i
	claims, _ := json.Marshal(map[string]string{"sub": i.user.ID, "email": i.user.Name})
	out := map[string]any{"access_token": access, "expires_in": int(p.lifetime.Seconds()), "token_type": "Bearer", "scope": i.scopes}
	if i.provider == models.GoogleAds || i.provider == models.MicrosoftAds {
		out["id_token"] = "e30." + base64.RawURLEncoding.EncodeToString(claims) + ".c2ln"
	}
	if old == "" || Rotates(i.provider) {
		fresh := p.secret("refresh")
		p.refresh[fresh] = i
		out["refresh_token"] = fresh
	}
	resttest.JSON(rw, http.StatusOK, out)
}

// metaToken serves Meta's token endpoint, which exchanges a code or an access token for a new access token.
func (p *Platforms) metaToken(rw http.ResponseWriter, r *http.Request) {
	if !p.knowsClient(r, models.Meta) {
		refuse(rw, models.Meta, http.StatusBadRequest, "invalid_client", "Error validating client secret.")
		return
	}
	var i issued
	var ok bool
	life := time.Hour
	if old := r.Form.Get("fb_exchange_token"); r.Form.Get("grant_type") == "fb_exchange_token" {
		p.waitIfBlocked()
		p.change(func() {
			i, ok = p.access[old]
			ok = ok && !i.expired
			p.refreshes++
			life = p.lifetime
		})
	} else {
		i, ok = p.consumeCode(r, models.Meta)
	}
	if !ok || i.provider != models.Meta {
		refuse(rw, models.Meta, http.StatusBadRequest, "invalid_grant", "Error validating access token: "+r.Form.Encode())
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	access := p.secret("access")
	p.access[access] = i
	resttest.JSON(rw, http.StatusOK, map[string]any{"access_token": access, "token_type": "bearer", "expires_in": int(life.Seconds())})
}

func (p *Platforms) adAccounts(provider string) (ids []string) {
	p.change(func() { ids = slices.Clone(p.ids[provider]) })
	return ids
}

// HasToken reports whether a request has a valid access token of a platform.
func (p *Platforms) HasToken(r *http.Request, provider string) bool {
	_, ok := p.userOf(r, provider)
	return ok
}

// userOf returns the user of a request's access token, if the token is valid.
func (p *Platforms) userOf(r *http.Request, provider string) (u User, ok bool) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.change(func() {
		i, known := p.access[token]
		u, ok = i.user, known && !i.expired && i.provider == provider
	})
	return u, ok
}
