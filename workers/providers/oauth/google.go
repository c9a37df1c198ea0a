package oauth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// google signs in at Google, for the Google Ads and Data Manager APIs. These no longer require a developer token. Not
// verified: the form of id tokens. The e-mail address is taken from the id token if there is one.
var google = platform{ //nolint:gosec // names of settings are no secrets
	name: models.GoogleAds, settings: "GOOGLE_ADS_CLIENT_ID and GOOGLE_ADS_CLIENT_SECRET",
	authorize: "https://accounts.google.com/o/oauth2/v2/auth", token: "https://oauth2.googleapis.com/token",
	base: "https://googleads.googleapis.com",
	scopes: []string{
		"openid", "email", models.GoogleAdsScope, models.GoogleUploadsScope,
	},
	signInParams: map[string]string{"access_type": "offline", "prompt": "consent"}, // otherwise Google returns no refresh token
	accounts:     googleAccounts,
	denies:       func(status int, _ []byte) bool { return status == http.StatusUnauthorized },
}

const (
	maxGoogleLogins = 40 // maximum number of calls of googleBelow
	googleAtOnce    = 6  // maximum number of these calls at the same time
)

const googleClients = "SELECT customer_client.id, customer_client.descriptive_name, customer_client.currency_code, " +
	"customer_client.time_zone, customer_client.manager, customer_client.status, customer_client.level " +
	"FROM customer_client WHERE customer_client.level <= 1"

// googleAccounts lists the accounts that the token reaches, and the accounts one level below the first maxGoogleLogins of them. An
// account that no call of googleBelow lists has no name.
func googleAccounts(ctx context.Context, s *session) ([]Account, error) {
	var reached struct {
		Names []string `json:"resourceNames"`
	}
	if err := s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/customers:listAccessibleCustomers"}, &reached); err != nil {
		return nil, err
	}
	var out []Account
	at := map[string]int{}
	add := func(a Account) {
		i, known := at[a.ID]
		switch {
		case !known:
			at[a.ID] = len(out)
			out = append(out, a)
		case out[i].ParentID != "" && a.ParentID == "", out[i].Name == "": // the new entry says more
			out[i] = a
		}
	}
	below := make([][]Account, min(len(reached.Names), maxGoogleLogins))
	errs := make([]error, len(below))
	places := make(chan struct{}, googleAtOnce)
	var all sync.WaitGroup
	for n := range below {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			below[n], errs[n] = googleBelow(ctx, s, googleID(reached.Names[n]))
		})
	}
	all.Wait()
	for n, name := range reached.Names {
		add(Account{ID: googleID(name)})
		if n >= len(below) {
			continue
		}
		if errors.Is(errs[n], ErrRevoked) {
			return nil, errs[n]
		}
		for _, a := range below[n] {
			add(a)
		}
	}
	return out, ctx.Err()
}

func googleID(name string) string { return strings.TrimPrefix(name, "customers/") }

// googleBelow lists an account and the accounts one level below it.
func googleBelow(ctx context.Context, s *session, login string) ([]Account, error) {
	var chunks []struct {
		Results []struct {
			Client rest.Record `json:"customerClient"`
		} `json:"results"`
	}
	err := s.call(ctx, rest.Request{
		Method: http.MethodPost, Path: "/customers/" + login + "/googleAds:searchStream", Repeat: true,
		Body: map[string]string{"query": googleClients}, Header: map[string]string{"login-customer-id": login},
	}, &chunks)
	var out []Account
	for _, chunk := range chunks {
		for _, r := range chunk.Results {
			a := Account{
				ID: r.Client.Get("id"), Name: r.Client.Get("descriptiveName"), Currency: r.Client.Get("currencyCode"),
				TimeZone: r.Client.Get("timeZone"), Status: strings.ToLower(r.Client.Get("status")), Manager: r.Client["manager"] == "true",
			}
			if a.ID != login {
				a.ParentID = login
			}
			out = append(out, a)
		}
	}
	return out, err
}
