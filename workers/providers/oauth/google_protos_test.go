package oauth_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/parttest"
	"switchyard/workers/providers/oauth/oauthtest"
	"switchyard/workers/providers/rest/prototest"
)

// TestGoogleProtos: the requests for ad accounts and conversion actions of Google, and the fake's answers, have the fields and types of
// Google's protocol buffers.
func TestGoogleProtos(t *testing.T) {
	parttest.Clients.Only(t)
	t.Parallel()
	w := oauthtest.Make()
	p := &prototest.Tap{Fake: w}
	w.Server = httptest.NewTLSServer(p)
	t.Cleanup(w.Server.Close)
	w.URL = w.Server.URL
	w.SetAdAccounts(models.GoogleAds, "1234567890", "2234567890")
	c := newClient(t, w)
	token := signedIn(t, w, c, models.GoogleAds).Tokens.Access
	if list, err := c.Accounts(t.Context(), models.GoogleAds, token); err != nil || len(list) < 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := c.CreateAction(t.Context(), advertisers[0], token, "Sales"); err != nil {
		t.Fatal(err)
	}
	wrong := advertisers[0]
	wrong.Currency = "EURO"
	if _, err := c.CreateAction(t.Context(), wrong, token, "Leads"); err == nil {
		t.Fatal("a currency of four letters is accepted")
	}
	if list, err := c.Actions(t.Context(), advertisers[0], token); err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	var calls []prototest.Exchange
	for _, x := range p.Exchanges() {
		if !strings.HasSuffix(x.Call, "authorize") && x.Call != "token" {
			calls = append(calls, x)
		}
	}
	prototest.CheckGoogle(t, calls, "customers:listAccessibleCustomers", "googleAds:searchStream", "googleAds:searchStream fails",
		"conversionActions:mutate", "conversionActions:mutate fails")
}
