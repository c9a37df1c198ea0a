package oauth_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/oauth"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	dboauth "switchyard/db/oauth"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

const base = "https://track.example"

// platforms is a Platforms with a single configured app.
type platforms struct{}

func (platforms) Configured(provider string) bool { return provider == models.GoogleAds }

func (platforms) Address(provider, state, verifier, redirect string) (string, error) {
	return "https://platform.example/" + provider + "?" + url.Values{"state": {state}, "v": {verifier}, "redirect_uri": {redirect}}.Encode(), nil
}

type env struct {
	*testing.T
	*apitest.Server
	cookie string
}

type shown struct {
	status int
	header http.Header
	text   string
	cookie *http.Cookie
}

// open opens a page. The page must not redirect anywhere, and its headers must make it safe to show.
func (b *env) open(path string, query url.Values) shown {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.URL+path+"?"+query.Encode(), nil)
	if err != nil {
		b.Fatal(err)
	}
	if b.cookie != "" {
		req.Header.Set("Cookie", "switchyard_oauth="+b.cookie)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	out := shown{status: res.StatusCode, header: res.Header, text: string(raw)}
	for _, c := range res.Cookies() {
		out.cookie = c
		if b.cookie = c.Value; c.Path != "/api/oauth/" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode {
			b.Errorf("the cookie %v must be HttpOnly, Secure and SameSite=Lax, with the path /api/oauth/", c)
		}
	}
	h := res.Header
	if h.Get("Location") != "" || h.Get("Refresh") != "" || h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") || strings.Contains(out.text, "<script") {
		b.Errorf("%s redirects, has a script, or lacks a header that makes it safe to show: %v", path, h)
	}
	return out
}

func (b *env) want(s shown, status int, text string) {
	b.Helper()
	if s.status != status || !strings.Contains(s.text, text) {
		b.Fatalf("status %d, want %d and a page with %q: %s", s.status, status, text, s.text)
	}
}

func (b *env) begin() string {
	b.Helper()
	var answer struct{ URL string }
	b.Do("POST", "/oauth/google_ads/connect", nil).Want(200, "").Into(&answer)
	state, ok := strings.CutPrefix(answer.URL, base+"/api/oauth/start?state=")
	if !ok {
		b.Fatalf("the sign-in begins at %s, want the start page with a state", answer.URL)
	}
	return state
}

func newEnv(t *testing.T) *env {
	t.Helper()
	return &env{T: t, Server: apitest.New(t, apitest.Options{V1: v1.Deps{BaseURL: base, SignIn: platforms{}}})}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	dbtest.Exec(t, b.DB, `UPDATE accounts SET name = '<b>Acme' WHERE id = $1`, b.Account.ID)
	var redirect, code, verifier string
	connectionID := uuid.New()
	jobstest.Answer(b.Jobs, jobs.ExchangeOAuth, func(account uuid.UUID, args jobs.OAuthAttemptArgs) (jobs.OAuthConnected, error) {
		a, got, err := dboauth.NewAttempts(b.Store).Consume(t.Context(), account, args.ID, time.Now())
		redirect, code, verifier = a.Redirect, got, a.Verifier
		return jobs.OAuthConnected{ID: connectionID, Provider: a.Provider, UserName: "jane@example.com"}, err
	})
	state := b.begin()
	first := b.open(oauth.StartPath, url.Values{"state": {state}})
	b.want(first, 200, "&lt;b&gt;Acme")
	b.want(first, 200, "https://platform.example/google_ads?")
	if first.cookie == nil || b.cookie != state || first.cookie.MaxAge > 901 {
		t.Errorf("the start page sets the cookie %v, want the state for at most 901 seconds", first.cookie)
	}
	b.want(b.open(oauth.StartPath, url.Values{"state": {state}}), 200, "Connect Google Ads") // as if a link preview had opened the page before the person
	done := b.open(oauth.CallbackPath, url.Values{
		"state": {state}, "code": {"canary-code"}, "redirect_uri": {"https://evil.example"}, "next": {"https://evil.example"},
	})
	b.want(done, 200, "jane@example.com is connected")
	if strings.Contains(done.text, "evil") || redirect != base+"/api/oauth/callback" || code != "canary-code" || len(verifier) < 43 {
		t.Errorf("the exchange got the redirect %s and the code %s, want the service's own and canary-code; page: %s", redirect, code, done.text)
	}
	tasks := b.Jobs.Tasks(jobs.ExchangeOAuth.Kind())
	if len(tasks) != 1 || tasks[0].Payload.Account != b.Account.ID || strings.Contains(string(tasks[0].Payload.Args), "canary") {
		t.Errorf("the jobs are %+v, want one job of the account, without the code in its arguments", tasks)
	}
	if done.cookie == nil || done.cookie.MaxAge >= 0 {
		t.Errorf("the sign-in's cookie was not deleted: %v", done.cookie)
	}
	b.cookie = state
	b.want(b.open(oauth.CallbackPath, url.Values{"state": {state}, "code": {"again"}}), 400, "start it again")
	b.want(b.open(oauth.StartPath, url.Values{"state": {state}}), 400, "start it again")
}

// TestOtherBrowser: only the browser that began a sign-in can complete it. Requests of another browser do not end the sign-in.
func TestOtherBrowser(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	state, other := b.begin(), b.begin()
	for _, cookie := range []string{"", other, "x", strings.ToLower(state)} {
		b.cookie = cookie
		b.want(b.open(oauth.CallbackPath, url.Values{"state": {state}, "code": {"stolen"}}), 400, "has not begun this sign-in")
		b.cookie = cookie
		b.want(b.open(oauth.CallbackPath, url.Values{"state": {state}, "error": {"access_denied"}}), 400, "has not begun this sign-in")
	}
	if n := len(b.Jobs.Tasks("")); n != 0 {
		t.Errorf("%d jobs were submitted, want none", n)
	}
	b.want(b.open(oauth.StartPath, url.Values{"state": {state}}), 200, "Connect")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	for _, query := range []url.Values{
		{}, {"state": {""}}, {"state": {"x"}}, {"state": {strings.Repeat("A", 27)}}, {"state": {strings.Repeat("\x00", 26)}},
	} {
		b.want(b.open(oauth.StartPath, query), 400, "not complete")
		b.want(b.open(oauth.CallbackPath, query), 400, "not complete")
	}
	b.want(b.open(oauth.StartPath, url.Values{"state": {strings.Repeat("A", 26)}}), 400, "start it again")
	for what, query := range map[string]url.Values{
		"refused": {"error": {"access_denied"}, "error_description": {"<script>"}}, "no code": {}, "long": {"code": {strings.Repeat("x", 9000)}},
	} {
		state := b.begin()
		b.open(oauth.StartPath, url.Values{"state": {state}})
		query.Set("state", state)
		b.want(b.open(oauth.CallbackPath, query), 400, "gave no access")
		if b.open(oauth.StartPath, url.Values{"state": {state}}).status != 400 {
			t.Errorf("%s: the start page still accepts the state, although the sign-in was refused", what)
		}
	}
	state := b.begin()
	b.cookie = state
	jobstest.Answer(b.Jobs, jobs.ExchangeOAuth, func(uuid.UUID, jobs.OAuthAttemptArgs) (jobs.OAuthConnected, error) {
		return jobs.OAuthConnected{}, models.Invalid("signin_refused", "the platform refused: invalid_client")
	})
	b.want(b.open(oauth.CallbackPath, url.Values{"state": {state}, "code": {"x"}}), 400, "invalid_client")
	late := b.begin()
	dbtest.Exec(t, b.DB, `UPDATE oauth_attempts SET expires_at = now()`)
	b.cookie = late
	b.want(b.open(oauth.CallbackPath, url.Values{"state": {late}, "code": {"x"}}), 400, "start it again")
}
