package v1_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/v1"
	apialerts "switchyard/api/v1/alerts"
	"switchyard/db/dbtest"
	"switchyard/db/oauth"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// signIns is an install that is set up for sign-ins at Google Ads only.
type signIns struct{}

func (signIns) Configured(provider string) bool { return provider == models.GoogleAds }

func (signIns) Address(provider, state, _, _ string) (string, error) {
	return "https://platform.example/" + provider + "?state=" + state, nil
}

func signedIn(t *testing.T, s *apitest.Server, account uuid.UUID, provider, user string) models.OAuthConnection {
	t.Helper()
	expires := time.Now().Add(time.Hour)
	c, err := oauth.NewConnections(s.Store).Save(t.Context(), account, provider, models.OAuthGrant{
		UserID: user, UserName: user + "@example.com", Scopes: "openid ads", ExpiresAt: &expires,
		Tokens: models.OAuthTokens{Access: "canary-access", Refresh: "canary-refresh"},
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOAuthConnections(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{SignIn: signIns{}}})
	stranger, _, _ := s.NewAccount("growth")
	first, second := signedIn(t, s, s.Account.ID, models.GoogleAds, "a"), signedIn(t, s, s.Account.ID, models.GoogleAds, "b")
	foreign := signedIn(t, s, stranger.ID, models.Meta, "c")
	get := func() (out v1.OAuthList) {
		a := s.Do("GET", "/oauth/connections", nil).Want(200, "")
		if strings.Contains(string(a.Raw), "canary") {
			t.Error("the list shows tokens")
		}
		a.Into(&out)
		return out
	}
	list := get()
	signIns := 0
	for _, p := range models.SourceProviders {
		if p.SignIn {
			signIns++
		}
	}
	if len(list.Providers) != signIns || !list.Providers[0].Configured || list.Providers[1].Configured || !list.EncryptionAvailable {
		t.Errorf("want every platform with a sign-in, and only the first one configured: %+v", list)
	}
	if c := list.Providers[0].Connections; len(c) != 2 || c[0].ID != first.ID || c[1].ID != second.ID || c[0].UserName != "a@example.com" ||
		c[0].Status != "active" || len(c[0].Scopes) != 2 || c[0].ExpiresAt == nil || c[0].Error != nil {
		t.Errorf("want the account's two connections, oldest first: %+v", c)
	}
	if n := len(list.Providers[2].Connections); n != 0 {
		t.Errorf("the list has %d connections of the third provider, want 0: they belong to another account", n)
	}
	s.Do("DELETE", "/oauth/connections?id="+foreign.ID.String(), nil).Want(404, "not_found")
	s.Do("DELETE", "/oauth/connections?id=x", nil).Want(400, "invalid_id")
	s.As(s.ReadKey).Do("DELETE", "/oauth/connections?id="+first.ID.String(), nil).Want(403, "read_only_key")
	s.Do("DELETE", "/oauth/connections?id="+first.ID.String(), nil).Want(200, "")
	if c := get().Providers[0].Connections; len(c) != 1 || c[0].ID != second.ID {
		t.Errorf("want only the second connection after the first was deleted: %+v", c)
	}

	s.Do("POST", "/oauth/tiktok/connect", nil).Want(404, "unsupported")
	s.Do("POST", "/oauth/meta/connect", nil).Want(400, "not_configured")
	s.As(s.ReadKey).Do("POST", "/oauth/google_ads/connect", nil).Want(403, "read_only_key")
	for i := range models.MaxOAuthConnections - 1 {
		signedIn(t, s, s.Account.ID, models.Meta, strings.Repeat("x", i+1))
	}
	s.Do("POST", "/oauth/google_ads/connect", nil).Want(400, "too_many")
}

// TestOAuthNoKey: without an encryption key no sign-in can begin.
func TestOAuthNoKey(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{NoKey: true, V1: v1.Deps{SignIn: signIns{}}})
	s.Do("POST", "/oauth/google_ads/connect", nil).Want(400, "no_encryption_key")
}

func TestAdAccounts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	stranger, _, _ := s.NewAccount("growth")
	for _, p := range models.SignInProviders {
		path := "/oauth/" + p.Name + "/accounts"
		s.Do("GET", path, nil).Want(400, "not_connected")
		first := signedIn(t, s, s.Account.ID, p.Name, "a")
		second, foreign := signedIn(t, s, s.Account.ID, p.Name, "b"), signedIn(t, s, stranger.ID, p.Name, "c")
		s.Do("GET", path+"?connection="+foreign.ID.String(), nil).Want(400, "not_connected")
		s.Do("GET", path+"?connection=x", nil).Want(400, "invalid_input")
		for _, code := range []string{"credentials", "not_configured", "not_connected", p.Refused} {
			jobstest.Answer(s.Jobs, jobs.ListAdAccounts, func(uuid.UUID, jobs.OAuthAccountsArgs) ([]jobs.AdAccount, error) {
				return nil, models.Invalid(code, "no")
			})
			s.Do("GET", path, nil).Want(400, code)
		}
		var asked uuid.UUID
		jobstest.Answer(s.Jobs, jobs.ListAdAccounts, func(account uuid.UUID, a jobs.OAuthAccountsArgs) ([]jobs.AdAccount, error) {
			if asked = a.Connection; account != s.Account.ID {
				t.Errorf("the job is for the account %s, want %s", account, s.Account.ID)
			}
			return []jobs.AdAccount{{ID: "1", ParentID: "2", Name: "Shop", Manager: true}, {ID: "3"}}, nil
		})
		var out v1.AdAccounts
		s.Do("GET", path, nil).Want(200, "").Into(&out)
		if asked != first.ID || len(out.Accounts) != 2 || out.Accounts[0].ID != "1" || *out.Accounts[0].ParentID != "2" || out.Accounts[1].ParentID != nil {
			t.Errorf("the accounts of connection %s are %+v", asked, out)
		}
		s.As(s.ReadKey).Do("GET", path+"?connection="+second.ID.String(), nil).Want(200, "")
		if asked != second.ID {
			t.Errorf("the accounts of the connection %s were requested, want %s", asked, second.ID)
		}
	}
	google := signedIn(t, s, s.Account.ID, models.GoogleAds, "a")
	s.Do("GET", "/oauth/meta/accounts?connection="+google.ID.String(), nil).Want(400, "not_connected")
	s.Do("GET", "/oauth/tiktok/accounts", nil).Want(404, "unsupported")
}

func TestOAuthAlerts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	c := signedIn(t, s, s.Account.ID, models.MicrosoftAds, "a")
	fail := func(revoked bool, since time.Time) {
		t.Helper()
		holder := uuid.New()
		if ok, err := oauth.NewConnections(s.Store).ClaimRefresh(t.Context(), c, holder, time.Minute); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if err := oauth.NewConnections(s.Store).SetFailed(t.Context(), c, holder, "it broke", revoked, since, nil); err != nil {
			t.Fatal(err)
		}
	}
	alerts := func() []apialerts.Alert {
		var out apialerts.AlertList
		s.Do("GET", "/alerts", nil).Want(200, "").Into(&out)
		return out.Alerts
	}
	dbtest.Exec(t, s.DB, `UPDATE oauth_connections SET failing_since = NULL`)
	fail(false, time.Now())
	if got := alerts(); len(got) != 0 {
		t.Errorf("a first failure raises the alerts %+v, want none", got)
	}
	dbtest.Exec(t, s.DB, `UPDATE oauth_connections SET failing_since = now() - interval '1 hour'`)
	if got := alerts(); len(got) != 1 || got[0].Type != "oauth.failing" || got[0].ID != c.ID.String() || got[0].Name != "Microsoft Advertising a@example.com" {
		t.Errorf("want the alert oauth.failing after an hour of failures: %+v", got)
	}
	fail(true, time.Now())
	if got := alerts(); len(got) != 1 || got[0].Type != "oauth.revoked" || got[0].Severity != "critical" || !strings.Contains(got[0].Message, "it broke") {
		t.Errorf("want the critical alert oauth.revoked: %+v", got)
	}
}
