package oauth

import (
	"context"
	"net/http"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// pinterest signs in at Pinterest, for the API v5: github.com/pinterest/api-description. An access token is valid for 30 days. A
// refresh token is valid for 60 days, and a refresh returns the next one.
var pinterest = platform{ //nolint:gosec // addresses are no secrets
	name: models.Pinterest, basic: true,
	authorize: "https://www.pinterest.com/oauth/", token: "https://api.pinterest.com/v5/oauth/token",
	base:           "https://api.pinterest.com/v5",
	scopes:         []string{"ads:read,user_accounts:read"}, // separated by commas
	exchangeParams: map[string]string{"continuous_refresh": "true"},
	user:           pinterestUser,
	accounts:       pinterestAccounts,
	denies:         func(status int, _ []byte) bool { return status == http.StatusUnauthorized },
}

func pinterestUser(ctx context.Context, s *session) (id, name string, err error) {
	var answer rest.Record
	err = s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/user_account"}, &answer)
	return answer.Get("id"), answer.Get("username"), err
}

func pinterestAccounts(ctx context.Context, s *session) ([]Account, error) {
	query := form("page_size", "250")
	var out []Account
	for len(out) < MaxAccounts {
		var answer struct {
			Items    []rest.Record `json:"items"`
			Bookmark string        `json:"bookmark"`
		}
		if err := s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/ad_accounts", Query: query}, &answer); err != nil {
			return nil, err
		}
		for _, a := range answer.Items {
			out = append(out, Account{ID: a.Get("id"), Name: a.Get("name"), Currency: a.Get("currency")})
		}
		switch {
		case answer.Bookmark == "":
			return out, nil
		case answer.Bookmark == query.Get("bookmark"), len(answer.Items) == 0:
			return nil, rest.ErrForm
		}
		query.Set("bookmark", answer.Bookmark)
	}
	return out, nil
}
