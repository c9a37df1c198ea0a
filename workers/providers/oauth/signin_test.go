package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/oauth"
	"switchyard/workers/providers/oauth/oauthtest"
	"switchyard/workers/providers/rest/resttest"
)

const redirect = "https://track.example/api/oauth/callback"

func newClient(t *testing.T, w *oauthtest.Platforms) *oauth.Client {
	t.Helper()
	return oauth.New(oauth.Options{
		Apps:   oauth.Apps{ByProvider: oauthtest.Apps(), URL: w.URL},
		Egress: egresstest.Client(t, w.Server, egress.Options{MaxBody: 1 << 20}),
		Wait:   func(context.Context, time.Duration) error { return nil },
	})
}

var verifier = oauthtest.Canary + strings.Repeat("v", 43)

// codeOf signs in on the platform's page and returns the code.
func codeOf(t *testing.T, w *oauthtest.Platforms, provider string) string {
	t.Helper()
	address, err := oauth.Apps{ByProvider: oauthtest.Apps(), URL: w.URL}.Address(provider, "the-state", verifier, redirect)
	if err != nil || strings.Contains(address, verifier) || strings.Contains(address, oauthtest.Apps()[provider].Secret) {
		t.Fatalf("%s, %v", address, err)
	}
	redirected := w.Visit(t, address)
	if got := redirected.Query().Get("state"); got != "the-state" || !strings.HasPrefix(redirected.String(), redirect+"?") {
		t.Fatalf("sent to %s", redirected)
	}
	return redirected.Query().Get("code")
}

func signedIn(t *testing.T, w *oauthtest.Platforms, c *oauth.Client, provider string) models.OAuthGrant {
	t.Helper()
	g, err := c.Exchange(t.Context(), provider, codeOf(t, w, provider), verifier, redirect)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// each runs a test for every platform.
func each(t *testing.T, fn func(t *testing.T, w *oauthtest.Platforms, c *oauth.Client, provider string)) {
	t.Helper()
	for _, p := range models.SignInProviders {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			w := oauthtest.New(t)
			fn(t, w, newClient(t, w), p.Name)
		})
	}
}

// wantNoSecret fails the test if an error shows a secret.
func wantNoSecret(t *testing.T, err error) {
	t.Helper()
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(fmt.Sprintf("%v %+v", e, e), oauthtest.Canary) {
			t.Errorf("the error shows a secret: %v", e)
		}
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *oauthtest.Platforms, c *oauth.Client, provider string) {
		t.Helper()
		before := time.Now()
		g := signedIn(t, w, c, provider)
		if g.UserID != "u-1" || g.UserName != "jane@example.com" || g.Scopes == "" || g.Tokens.Access == "" {
			t.Errorf("the grant is for %q %q, scopes %q", g.UserID, g.UserName, g.Scopes)
		}
		if (g.Tokens.Refresh == "") != (provider == models.Meta) {
			t.Errorf("the grant has a refresh token: %v", g.Tokens.Refresh != "")
		}
		if g.ExpiresAt == nil || g.ExpiresAt.Before(before.Add(time.Hour)) {
			t.Errorf("expires at %v", g.ExpiresAt)
		}
	})
}

// TestExchangeRefused: a code is accepted once, and only with its verifier and redirect.
func TestExchangeRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *oauthtest.Platforms, c *oauth.Client, provider string) {
		t.Helper()
		used := codeOf(t, w, provider)
		if _, err := c.Exchange(t.Context(), provider, used, verifier, redirect); err != nil {
			t.Fatal(err)
		}
		for name, try := range map[string]struct{ code, verifier, redirect string }{
			"used":           {used, verifier, redirect},
			"other verifier": {codeOf(t, w, provider), verifier + "x", redirect},
			"other redirect": {codeOf(t, w, provider), verifier, redirect + "/x"},
			"made up":        {"x", verifier, redirect},
		} {
			_, err := c.Exchange(t.Context(), provider, try.code, try.verifier, try.redirect)
			if wantNoSecret(t, err); err == nil || !errors.Is(err, oauth.ErrRevoked) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *oauthtest.Platforms, c *oauth.Client, provider string) {
		t.Helper()
		first := signedIn(t, w, c, provider).Tokens
		second, err := c.Refresh(t.Context(), provider, first)
		if err != nil || second.Tokens.Access == first.Access || second.ExpiresAt == nil {
			t.Fatalf("%v, %v", second.ExpiresAt, err)
		}
		if rotated := second.Tokens.Refresh != first.Refresh; rotated != oauthtest.Rotates(provider) {
			t.Errorf("the refresh token has changed: %t, want %t", rotated, !rotated)
		}
		third, err := c.Refresh(t.Context(), provider, second.Tokens)
		if err != nil {
			t.Fatal(err)
		}
		if oauthtest.Rotates(provider) {
			if _, err := c.Refresh(t.Context(), provider, first); !errors.Is(err, oauth.ErrRevoked) {
				t.Errorf("refresh with a token that was replaced: %v", err)
			}
		}
		w.Revoke()
		_, err = c.Refresh(t.Context(), provider, third.Tokens)
		if wantNoSecret(t, err); !errors.Is(err, oauth.ErrRevoked) {
			t.Errorf("refresh with a revoked token: %v", err)
		}
	})
}

// TestFaults: after a failure of the platform the sign-in is still valid, and no error shows a secret.
func TestFaults(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *oauthtest.Platforms, c *oauth.Client, provider string) {
		t.Helper()
		tokens := signedIn(t, w, c, provider).Tokens
		for _, fault := range []resttest.Fault{resttest.Swamped, resttest.Down, resttest.Cut, resttest.Strange, resttest.Echo} {
			w.Break(fault)
			_, exchanged := c.Exchange(t.Context(), provider, oauthtest.Canary+"code", verifier, redirect)
			_, refreshed := c.Refresh(t.Context(), provider, tokens)
			_, listed := c.Accounts(t.Context(), provider, tokens.Access)
			for what, err := range map[string]error{"exchange": exchanged, "refresh": refreshed, "accounts": listed} {
				if wantNoSecret(t, err); err == nil || errors.Is(err, oauth.ErrRevoked) {
					t.Errorf("fault %d: %s: %v", fault, what, err)
				}
			}
		}
		w.Break(resttest.None)
		if _, err := c.Refresh(t.Context(), provider, tokens); err != nil {
			t.Error(err)
		}
	})
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *oauthtest.Platforms, c *oauth.Client, provider string) {
		t.Helper()
		token := signedIn(t, w, c, provider).Tokens.Access
		if list, err := c.Accounts(t.Context(), provider, token); err != nil || len(list) != 0 {
			t.Fatalf("%v, %v, want none", list, err)
		}
		ids := make([]string, 250) // three pages at Microsoft, and more pages at Meta
		for i := range ids {
			ids[i] = strconv.Itoa(1000000000 + i)
		}
		w.SetAdAccounts(provider, ids...)
		w.Break(resttest.Swamped, resttest.Down, resttest.None)
		list, err := c.Accounts(t.Context(), provider, token)
		if err != nil {
			t.Fatal(err)
		}
		if provider == models.GoogleAds {
			if list[0] != (oauth.Account{ID: oauthtest.Unreachable}) {
				t.Errorf("%+v, want the account that cannot be asked", list[0])
			}
			list = list[1:]
		}
		var got []string
		for i, a := range list {
			got = append(got, a.ID)
			if a.Name != "Shop "+a.ID || a.Currency == "" || (a.TimeZone == "" || a.Status == "") != oauthtest.Sparse(provider) || a.Manager != (provider == models.GoogleAds && i == 0) {
				t.Errorf("%+v", a)
			}
			if want := map[string]string{models.MicrosoftAds: "250", models.GoogleAds: ids[0]}[provider]; i > 0 && a.ParentID != want {
				t.Errorf("the parent of %s is %q, want %q", a.ID, a.ParentID, want)
			}
		}
		if !slices.Equal(got, ids) {
			t.Errorf("%d accounts, want %d", len(got), len(ids))
		}
		w.Expire()
		_, err = c.Accounts(t.Context(), provider, token)
		if wantNoSecret(t, err); !errors.Is(err, oauth.ErrRevoked) {
			t.Errorf("an expired token: %v", err)
		}
	})
}

func TestNotConfigured(t *testing.T) {
	t.Parallel()
	w := oauthtest.New(t)
	apps := oauthtest.Apps()
	bare := apps[models.MicrosoftAds]
	bare.DeveloperToken = ""
	incomplete := oauth.Apps{ByProvider: map[string]oauth.App{models.MicrosoftAds: bare, models.Meta: {ID: "x"}}, URL: w.URL}
	c := oauth.New(oauth.Options{Apps: incomplete, Egress: egresstest.Client(t, w.Server, egress.Options{})})
	token := signedIn(t, w, c, models.MicrosoftAds).Tokens.Access
	_, without := c.Accounts(t.Context(), models.MicrosoftAds, token)
	_, missing := incomplete.Address(models.GoogleAds, "s", verifier, redirect)
	_, half := c.Exchange(t.Context(), models.Meta, "x", verifier, redirect)
	for what, err := range map[string]error{"developer token": without, "no app": missing, "no secret": half} {
		if e, ok := models.AsError(err); !ok || e.Code != "not_configured" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if !incomplete.Configured(models.MicrosoftAds) || incomplete.Configured(models.Meta) || incomplete.Configured("x") {
		t.Error("Configured is true for an app without a secret or an unknown platform, or false for an app with an id and a secret")
	}
}

// TestAddresses: if Apps.URL is empty, people sign in at the platforms' own addresses, by https.
func TestAddresses(t *testing.T) {
	t.Parallel()
	hosts := map[string]string{
		models.GoogleAds: "accounts.google.com", models.MicrosoftAds: "login.microsoftonline.com", models.Meta: "www.facebook.com",
	}
	for _, p := range models.SignInProviders {
		provider := p.Name
		address, err := oauth.Apps{ByProvider: oauthtest.Apps(), MetaVersion: "v99.0"}.Address(provider, "s&t", verifier, redirect)
		u, bad := url.Parse(address)
		if err != nil || bad != nil || u.Scheme != "https" || u.Host == "" || hosts[provider] != "" && u.Host != hosts[provider] || u.Query().Get("state") != "s&t" ||
			u.Query().Get("redirect_uri") != redirect || strings.Contains(address, "version}") {
			t.Errorf("%s, %v", address, err)
		}
		if provider == models.Meta && u.Path != "/v99.0/dialog/oauth" {
			t.Errorf("path %s", u.Path)
		}
	}
}
