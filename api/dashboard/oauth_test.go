package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/oauth"
	"switchyard/api/v1"
	"switchyard/db/dbtest"
	dboauth "switchyard/db/oauth"
	"switchyard/db/people"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// platforms implements oauth.Platforms. People can sign in only at Google Ads.
type platforms struct{}

func (platforms) Configured(provider string) bool { return provider == models.GoogleAds }

func (platforms) Address(provider, state, verifier, redirect string) (string, error) {
	return "https://platform.example/" + provider + "?" + url.Values{"state": {state}, "v": {verifier}, "redirect_uri": {redirect}}.Encode(), nil
}

func withPlatforms(t *testing.T) *apitest.Server {
	t.Helper()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{SignIn: platforms{}}})
	jobstest.Answer(s.Jobs, jobs.ExchangeOAuth, func(account uuid.UUID, args jobs.OAuthAttemptArgs) (jobs.OAuthConnected, error) {
		a, code, err := dboauth.NewAttempts(s.Store).Consume(t.Context(), account, args.ID, time.Now())
		return jobs.OAuthConnected{ID: a.ID, Provider: a.Provider, UserName: code}, err
	})
	return s
}

func (p *person) connect() string {
	p.t.Helper()
	begun := p.do("POST", "/app/api/oauth/google_ads", nil).want(p.t, 200, "")
	at, err := url.Parse(begun.data["url"].(string))
	if err != nil {
		p.t.Fatal(err)
	}
	q := at.Query()
	if at.Host != "platform.example" || len(q.Get("v")) < 43 || !strings.HasSuffix(q.Get("redirect_uri"), oauth.CallbackPath) {
		p.t.Errorf("the sign-in begins at the wrong address %s", at)
	}
	return q.Get("state")
}

func (p *person) end(state, code, refused string) answer {
	p.t.Helper()
	return p.do("POST", "/app/api/oauth", map[string]any{"state": state, "code": code, "error": refused})
}

// TestOAuthEndsInItsSession checks that only the session that began a sign-in can end it, and only once.
func TestOAuthEndsInItsSession(t *testing.T) {
	t.Parallel()
	s := withPlatforms(t)
	p := signedIn(t, s, "ana@example.com", models.RoleMember)
	state := p.connect()
	for who, other := range map[string]*person{
		"another session of the person": signedIn(t, s, "ana@example.com", models.RoleMember), "another person": signedIn(t, s, "bob@example.com", models.RoleOwner),
	} {
		for _, refused := range []string{"", "access_denied"} {
			if got := other.end(state, "stolen", refused); got.status != 400 {
				t.Errorf("a sign-in ended by %s is answered %d %s, want 400", who, got.status, got.code)
			}
		}
	}
	viewer := signedIn(t, s, "v@example.com", models.RoleViewer)
	viewer.end(state, "stolen", "").want(t, 403, "role_required")
	viewer.do("POST", "/app/api/oauth/google_ads", nil).want(t, 403, "role_required")
	for _, wrong := range []string{"x", state + "A", strings.TrimPrefix(state, models.OAuthSessionState), p.connect()[:12]} {
		p.end(wrong, "code", "").want(t, 400, "signin_expired")
	}
	if n := len(s.Jobs.Tasks("")); n != 0 {
		t.Errorf("%d jobs were submitted, want none", n)
	}
	done := p.end(state, "the code", "").want(t, 200, "")
	if done.data["user_name"] != "the code" || done.data["label"] != "Google Ads" {
		t.Errorf("the sign-in is answered %v, want the name of the person and the label of the provider", done.data)
	}
	p.end(state, "the code", "").want(t, 400, "signin_expired")
	if n := len(s.Jobs.Tasks(jobs.ExchangeOAuth.Kind())); n != 1 {
		t.Errorf("the code was exchanged %d times, want once", n)
	}
}

// TestOAuthRefused: a sign-in ends if the platform refuses or if it takes too long.
func TestOAuthRefused(t *testing.T) {
	t.Parallel()
	s := withPlatforms(t)
	p := signedIn(t, s, "ana@example.com", models.RoleMember)
	p.do("POST", "/app/api/oauth/meta", nil).want(t, 400, "not_configured")
	p.do("POST", "/app/api/oauth/tiktok", nil).want(t, 404, "unsupported")
	p.end("", "code", "").want(t, 400, "required")
	state := p.connect()
	p.end(state, "", "access_denied").want(t, 400, "signin_refused")
	p.end(state, "code", "").want(t, 400, "signin_expired")
	late := p.connect()
	dbtest.Exec(t, s.DB, `UPDATE oauth_attempts SET expires_at = now()`)
	p.end(late, "code", "").want(t, 400, "signin_expired")
	// While the session is on another account, the sign-in connects to neither account.
	moved := p.connect()
	other, _, _ := s.NewAccount("scale")
	id, err := uuid.Parse(p.do("GET", "/app/api/session", nil).want(t, 200, "").data["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if err := people.New(s.Store).Join(t.Context(), other.ID, id, models.RoleOwner); err != nil {
		t.Fatal(err)
	}
	p.do("POST", "/app/api/session/account", map[string]any{"account": other.ID}).want(t, 200, "")
	p.end(moved, "code", "").want(t, 400, "signin_expired")
	p.do("POST", "/app/api/session/account", map[string]any{"account": s.Account.ID}).want(t, 200, "")
	p.end(moved, "code", "").want(t, 200, "")
}

// TestOAuthCallback checks the page that platforms redirect back to. If the sign-in began in the dashboard, the page passes the
// code and the state on in the fragment of the address, which no server sees, and drops all other parameters.
func TestOAuthCallback(t *testing.T) {
	t.Parallel()
	s := withPlatforms(t)
	p := signedIn(t, s, "ana@example.com", models.RoleMember)
	state := p.connect()
	p.cookie = "" // a redirect from another site does not send it, because it is SameSite=Strict
	got := p.do("GET", oauth.CallbackPath+"?"+url.Values{"state": {state}, "code": {"a b&c=d"}, "next": {"https://evil.example"}}.Encode(), nil)
	at, err := url.Parse(got.header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	handed, err := url.ParseQuery(at.EscapedFragment())
	if err != nil || got.status != http.StatusSeeOther || at.Path != oauth.DashboardPath || at.RawQuery != "" || handed.Get("state") != state ||
		handed.Get("code") != "a b&c=d" || strings.Contains(at.String(), "evil") || got.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the provider's answer is passed on with %d %v, want a redirect to the dashboard with the code and the state, error %v",
			got.status, got.header, err)
	}
	p.do("GET", oauth.StartPath+"?state="+state, nil).want(t, 400, "") // this sign-in can begin only in the dashboard
}
