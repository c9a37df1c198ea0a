package oauth

import (
	"context"
	"net/http"
	"strings"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// snapchat signs in at Snapchat, for the Marketing API: developers.snap.com/api/marketing-api/Ads-API/authentication. An access
// token is valid for an hour. Unverified: whether a refresh returns a new refresh token.
var snapchat = platform{ //nolint:gosec // addresses are no secrets
	name:      models.Snapchat,
	authorize: "https://accounts.snapchat.com/login/oauth2/authorize", token: "https://accounts.snapchat.com/login/oauth2/access_token",
	base:     "https://adsapi.snapchat.com/v1",
	scopes:   []string{"snapchat-marketing-api"},
	user:     snapchatUser,
	accounts: snapchatAccounts,
	denies:   func(status int, _ []byte) bool { return status == http.StatusUnauthorized },
}

func snapchatUser(ctx context.Context, s *session) (id, name string, err error) {
	var answer struct {
		Me rest.Record `json:"me"`
	}
	err = s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/me"}, &answer)
	return answer.Me.Get("id"), answer.Me.Get("email", "display_name"), err
}

// snapchatAccounts lists the ad accounts of the organizations that the user belongs to.
func snapchatAccounts(ctx context.Context, s *session) ([]Account, error) {
	var answer struct {
		Organizations []struct {
			Organization struct {
				Accounts []rest.Record `json:"ad_accounts"`
			} `json:"organization"`
		} `json:"organizations"`
	}
	err := s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/me/organizations", Query: form("with_ad_accounts", "true")}, &answer)
	var out []Account
	for _, o := range answer.Organizations {
		for _, a := range o.Organization.Accounts {
			out = append(out, Account{
				ID: a.Get("id"), Name: a.Get("name"), Currency: a.Get("currency"), TimeZone: a.Get("timezone"), Status: strings.ToLower(a.Get("status")),
			})
		}
	}
	return out, err
}
