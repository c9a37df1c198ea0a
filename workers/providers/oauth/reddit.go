package oauth

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// reddit signs in at Reddit, for the Ads API v3: ads-api.reddit.com/docs/v3. The refresh token does not expire. Reddit asks
// every client for a User-Agent of its own. Unverified: the field with an ad account's time zone.
var reddit = platform{ //nolint:gosec // addresses are no secrets
	name: models.Reddit, basic: true, agent: models.RedditAgent,
	authorize: "https://www.reddit.com/api/v1/authorize", token: "https://www.reddit.com/api/v1/access_token",
	base:         "https://ads-api.reddit.com/api/v3",
	scopes:       []string{"adsread", "identity"},
	signInParams: map[string]string{"duration": "permanent"}, // otherwise Reddit returns no refresh token
	user:         redditUser,
	accounts:     redditAccounts,
	denies:       func(status int, _ []byte) bool { return status == http.StatusUnauthorized },
}

var redditHead = map[string]string{"User-Agent": models.RedditAgent}

// redditUser asks Reddit's own API, because the Ads API does not name the user.
func redditUser(ctx context.Context, s *session) (id, name string, err error) {
	var answer rest.Record
	ads := s.Base
	s.Base = s.client.o.address(s.platform, "https://oauth.reddit.com/api/v1", "")
	err = s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/me", Header: redditHead}, &answer)
	s.Base = ads
	return answer.Get("id"), answer.Get("name"), err
}

// redditAccounts lists the ad accounts of the businesses that the user belongs to.
func redditAccounts(ctx context.Context, s *session) ([]Account, error) {
	businesses, err := redditList(ctx, s, "/me/businesses")
	if err != nil {
		return nil, err
	}
	var out []Account
	for _, b := range businesses {
		list, err := redditList(ctx, s, "/businesses/"+url.PathEscape(b.Get("id"))+"/ad_accounts")
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			out = append(out, Account{
				ID: a.Get("id"), Name: a.Get("name"), Currency: a.Get("currency"), TimeZone: a.Get("time_zone_id"),
				Status: strings.ToLower(a.Get("effective_status")),
			})
		}
		if len(out) > MaxAccounts {
			break
		}
	}
	return out, nil
}

// redditList reads the pages of a list until it has MaxAccounts records. Only the parameters of the next page's address are used,
// because an address in an answer could be on any host.
func redditList(ctx context.Context, s *session, path string) ([]rest.Record, error) {
	var out []rest.Record
	query := form()
	for len(out) < MaxAccounts {
		var answer struct {
			Data       []rest.Record `json:"data"`
			Pagination struct {
				Next string `json:"next_url"`
			} `json:"pagination"`
		}
		if err := s.call(ctx, rest.Request{Method: http.MethodGet, Path: path, Query: query, Header: redditHead}, &answer); err != nil {
			return nil, err
		}
		out = append(out, answer.Data...)
		if answer.Pagination.Next == "" {
			return out, nil
		}
		next, err := url.Parse(answer.Pagination.Next)
		if err != nil || len(answer.Data) == 0 || next.RawQuery == query.Encode() {
			return nil, rest.ErrForm
		}
		query = next.Query()
	}
	return out, nil
}
