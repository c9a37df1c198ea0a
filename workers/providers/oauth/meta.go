package oauth

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// meta signs in at Facebook, for Meta's Graph API. Facebook gives no refresh token. A token is valid for about sixty days and is
// exchanged for the next one before it expires. Not verified: the numbers of account_status.
var meta = platform{
	name: models.Meta, settings: "META_APP_ID and META_APP_SECRET",
	authorize: "https://www.facebook.com/{version}/dialog/oauth", base: "https://graph.facebook.com/{version}",
	scopes:   []string{"ads_read", "ads_management", "business_management"},
	exchange: metaExchange,
	refresh: func(ctx context.Context, s *session, t models.OAuthTokens) (models.OAuthGrant, error) {
		return metaLong(ctx, s, t.Access)
	},
	accounts: metaAccounts,
	denies:   metaDenies,
}

func metaToken(ctx context.Context, s *session, query url.Values) (models.OAuthGrant, error) {
	var answer struct {
		Token   string `json:"access_token"`
		Expires int64  `json:"expires_in"`
	}
	query.Set("client_id", s.app.ID)
	query.Set("client_secret", s.app.Secret)
	err := s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/oauth/access_token", Query: query}, &answer)
	if err != nil {
		return models.OAuthGrant{}, err
	}
	if answer.Token == "" {
		return models.OAuthGrant{}, rest.ErrForm
	}
	s.Hide(answer.Token)
	g := models.OAuthGrant{Tokens: models.OAuthTokens{Access: answer.Token}, Scopes: strings.Join(s.scopes, " ")}
	if answer.Expires > 0 {
		g.ExpiresAt = s.after(answer.Expires)
	}
	return g, nil
}

// metaLong exchanges a token for a long-lived one.
func metaLong(ctx context.Context, s *session, token string) (models.OAuthGrant, error) {
	return metaToken(ctx, s, form("grant_type", "fb_exchange_token", "fb_exchange_token", token))
}

func metaExchange(ctx context.Context, s *session, code, verifier, redirect string) (g models.OAuthGrant, err error) {
	short, err := metaToken(ctx, s, form("code", code, "redirect_uri", redirect, "code_verifier", verifier))
	if err != nil {
		return g, err
	}
	if g, err = metaLong(ctx, s, short.Tokens.Access); err != nil {
		return g, err
	}
	var user rest.Record
	s.Sign = rest.Bearer(g.Tokens.Access)
	err = s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/me", Query: form("fields", "id,name")}, &user)
	g.UserID, g.UserName = user.Get("id"), user.Get("name")
	return g, err
}

// metaStatuses maps the numbers of account_status to words.
var metaStatuses = map[rest.Text]string{"1": "active", "2": "disabled", "3": "unsettled"}

func metaAccounts(ctx context.Context, s *session) ([]Account, error) {
	query := form("fields", "id,account_id,name,currency,account_status,timezone_name", "limit", "200")
	var out []Account
	for len(out) < MaxAccounts {
		var answer struct {
			Data   []rest.Record `json:"data"`
			Paging struct {
				Cursors struct {
					After string `json:"after"`
				} `json:"cursors"`
				Next string `json:"next"`
			} `json:"paging"`
		}
		if err := s.call(ctx, rest.Request{Method: http.MethodGet, Path: "/me/adaccounts", Query: query}, &answer); err != nil {
			return nil, err
		}
		for _, a := range answer.Data {
			out = append(out, Account{
				ID: a.Get("account_id"), Name: a.Get("name"), Currency: a.Get("currency"), TimeZone: a.Get("timezone_name"),
				Status: metaStatuses[a["account_status"]],
			})
		}
		// The next page is requested by its cursor, because an address in an answer could be on any host.
		after := answer.Paging.Cursors.After
		switch {
		case answer.Paging.Next == "":
			return out, nil
		case after == "", after == query.Get("after"), len(answer.Data) == 0:
			return nil, rest.ErrForm
		}
		query.Set("after", after)
	}
	return out, nil
}

// metaDenies reads the code of an error: 190 is a token that has expired or was revoked, 102 a session that has ended.
func metaDenies(_ int, body []byte) bool {
	code := rest.Member("error.code")(body)
	return code == "190" || code == "102"
}
