package oauth_test

import (
	"errors"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/oauth"
	"switchyard/workers/providers/oauth/oauthtest"
	"switchyard/workers/providers/rest/resttest"
)

// advertisers are ad accounts. The ids at Google have hyphens, as people write them.
var advertisers = []oauth.Advertiser{
	{Provider: models.GoogleAds, Currency: "EUR", Credentials: map[string]string{"customer_id": "123-456-7890", "login_customer_id": "999-888-7777"}},
	{Provider: models.MicrosoftAds, Credentials: map[string]string{"account_id": "176", "customer_id": "250"}},
}

// TestActions: an action is created once, and listed from then on.
func TestActions(t *testing.T) {
	t.Parallel()
	for _, a := range advertisers {
		t.Run(a.Provider, func(t *testing.T) {
			t.Parallel()
			w := oauthtest.New(t)
			c := newClient(t, w)
			token := signedIn(t, w, c, a.Provider).Tokens.Access
			if list, err := c.Actions(t.Context(), a, token); err != nil || len(list) != 0 {
				t.Fatalf("%+v, %v", list, err)
			}
			before := time.Now()
			created, err := c.CreateAction(t.Context(), a, token, "Sales")
			if err != nil || created.ID == "" || created.Name != "Sales" || created.Category == "" || created.Status == "" {
				t.Fatalf("%+v, %v", created, err)
			}
			if a.Provider == models.GoogleAds && (created.ReadyAt != nil || created.Resource != "customers/1234567890/conversionActions/"+created.ID) {
				t.Errorf("%+v", created)
			}
			if a.Provider == models.MicrosoftAds && (created.ReadyAt == nil || created.ReadyAt.Before(before.Add(2*time.Hour))) {
				t.Errorf("ready at %v", created.ReadyAt)
			}
			if currency := w.Currency(a.Provider, created.ID); currency != map[string]string{models.GoogleAds: "EUR", models.MicrosoftAds: "USD"}[a.Provider] {
				t.Errorf("in %q", currency)
			}
			again, err := c.CreateAction(t.Context(), a, token, "Sales")
			if err != nil || again.ID != created.ID || again.ReadyAt != nil || len(w.Actions(a.Provider)) != 1 {
				t.Errorf("%+v, %v: %v", again, err, w.Actions(a.Provider))
			}
			if list, err := c.Actions(t.Context(), a, token); err != nil || len(list) != 1 || list[0] != again {
				t.Errorf("%+v, %v", list, err)
			}
			if a.Provider == models.GoogleAds { // a manager tracks the conversions of its accounts
				w.SetManager("9998887777")
				for _, call := range []func() (oauth.Action, error){
					func() (oauth.Action, error) { return c.CreateAction(t.Context(), a, token, "Sales") },
					func() (oauth.Action, error) {
						list, err := c.Actions(t.Context(), a, token)
						return list[0], err
					},
				} {
					if found, err := call(); err != nil || found.Resource != "customers/9998887777/conversionActions/"+created.ID {
						t.Errorf("%+v, %v", found, err)
					}
				}
			}
			for _, fault := range []resttest.Fault{resttest.Down, resttest.Cut, resttest.Strange, resttest.Echo} {
				w.Break(fault)
				_, listed := c.Actions(t.Context(), a, token)
				_, created := c.CreateAction(t.Context(), a, token, "Other")
				for _, err := range []error{listed, created} {
					if wantNoSecret(t, err); err == nil || errors.Is(err, oauth.ErrRevoked) {
						t.Errorf("fault %d: %v", fault, err)
					}
				}
			}
			w.Break(resttest.None)
			if a.Provider == models.MicrosoftAds { // Microsoft refuses with a successful status
				if _, err := c.CreateAction(t.Context(), a, token, "Sales!"); err == nil || errors.Is(err, oauth.ErrRevoked) {
					t.Errorf("%v", err)
				}
			}
			w.Expire()
			if _, err := c.Actions(t.Context(), a, token); !errors.Is(err, oauth.ErrRevoked) {
				t.Errorf("an expired token: %v", err)
			}
		})
	}
}
