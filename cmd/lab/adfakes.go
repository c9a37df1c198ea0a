package main

import (
	"net/http"
	"strings"

	"switchyard/ops/lab/smoke"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/oauth/oauthtest"
)

// adFakes returns a function that creates the fake of an ad platform. All fakes share the sign-ins and the uploads.
func adFakes() func(platform string) smoke.AdFake {
	signIn, uploads := oauthtest.Make(), &adstest.Uploads{}
	uploads.DecideAtOnce()
	return func(platform string) smoke.AdFake {
		spend := &adstest.Platforms{}
		app := oauthtest.Apps()[platform]
		credentials := adstest.Fakes[platform].Credentials()
		for name, value := range adstest.UploadPlatformOf(platform).Credentials {
			credentials[name] = value
		}
		signIn.SetAdAccounts(platform, accountOf(credentials))
		below := func(h http.Handler, token func() string) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if token != nil && signIn.HasToken(r, platform) {
					r.Header.Set("Authorization", "Bearer "+token())
				}
				r.URL.Path = "/" + platform + r.URL.Path
				h.ServeHTTP(rw, r)
			})
		}
		return smoke.AdFake{
			ClientID: app.ID, ClientSecret: app.Secret, Credentials: credentials, Account: accountOf(credentials),
			Currency: adstest.Currency, Zone: adstest.Fakes[platform].Zone,
			SignIn: below(signIn, nil), Uploads: below(uploads, uploads.SignedIn),
			Spend: below(spend.Handler(), spend.SignedIn), SetSpend: func(rows []smoke.AdSpend) {
				list := make([]adstest.Row, len(rows))
				for i, row := range rows {
					list[i] = adstest.Row{Day: row.Day, Campaign: row.Campaign, Name: row.Campaign, Spend: row.Amount, Clicks: row.Clicks}
				}
				spend.Set(list...)
			},
		}
	}
}

// accountOf returns the id of the ad account in the credentials, as the list of ad accounts shows it.
func accountOf(credentials map[string]string) string {
	if id := credentials["customer_id"]; id != "" {
		return strings.ReplaceAll(id, "-", "")
	}
	return credentials["ad_account_id"]
}
