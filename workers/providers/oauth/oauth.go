package oauth

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"switchyard/models"
)

// tokenTime is the time limit of one request for tokens.
const tokenTime = 10 * time.Second

// oauthContext makes the OAuth library use our HTTP client.
func (s *session) oauthContext(ctx context.Context) context.Context {
	client := s.client.o.Egress.HTTP(tokenTime)
	if s.agent != "" {
		client.Transport = named{client.Transport, s.agent}
	}
	return context.WithValue(ctx, oauth2.HTTPClient, client)
}

// named adds a User-Agent to requests.
type named struct {
	http.RoundTripper
	agent string
}

func (n named) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", n.agent)
	return n.RoundTripper.RoundTrip(r)
}

// exchange exchanges a code for tokens as OAuth 2 specifies.
func exchange(ctx context.Context, s *session, code, verifier, redirect string) (models.OAuthGrant, error) {
	options := []oauth2.AuthCodeOption{oauth2.VerifierOption(verifier)}
	for name, value := range s.exchangeParams {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	t, err := s.client.o.config(s.platform, s.app, redirect).Exchange(s.oauthContext(ctx), code, options...)
	if err != nil {
		return models.OAuthGrant{}, failure(err)
	}
	return s.grant(t), nil
}

// refresh renews tokens as OAuth 2 specifies. Without a new refresh token, the previous one stays.
func refresh(ctx context.Context, s *session, t models.OAuthTokens) (models.OAuthGrant, error) {
	fresh, err := s.client.o.config(s.platform, s.app, "").TokenSource(s.oauthContext(ctx), &oauth2.Token{RefreshToken: t.Refresh}).Token()
	if err != nil {
		return models.OAuthGrant{}, failure(err)
	}
	return s.grant(fresh), nil
}

// revokedCodes are the OAuth errors after which the user has to sign in again.
var revokedCodes = []string{"invalid_grant", "interaction_required", "consent_required", "login_required"}

// failure converts the error of a request for tokens. From the platform's answer the result has only the status, or the code and
// the description of the error.
func failure(err error) error {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return err
	case refusal.ErrorCode == "":
		return fmt.Errorf("the platform answered %d", refusal.Response.StatusCode)
	}
	text := strings.TrimSuffix(refusal.ErrorCode+": "+refusal.ErrorDescription, ": ")
	if slices.Contains(revokedCodes, refusal.ErrorCode) {
		return fmt.Errorf("%w: %s", ErrRevoked, text)
	}
	return fmt.Errorf("the platform refused: %s", text)
}

func (s *session) grant(t *oauth2.Token) models.OAuthGrant {
	g := models.OAuthGrant{Tokens: models.OAuthTokens{Access: t.AccessToken, Refresh: t.RefreshToken}}
	g.Scopes, _ = t.Extra("scope").(string)
	if t.ExpiresIn > 0 {
		g.ExpiresAt = s.after(t.ExpiresIn)
	}
	if signed, _ := t.Extra("id_token").(string); signed != "" {
		g.UserID, g.UserName = identity(signed)
	}
	return g
}

// maxLifetime is the longest lifetime of a token that is accepted from a platform, in seconds.
const maxLifetime = 366 * 24 * 3600

// after adds a lifetime in seconds to the present time. A lifetime over maxLifetime is shortened to maxLifetime.
func (s *session) after(seconds int64) *time.Time {
	at := s.Now().Add(time.Duration(min(seconds, maxLifetime)) * time.Second)
	return &at
}

// identity returns the id and name of the user who signed in. It does not check the signature of the id token, because the
// token came from the platform itself by TLS.
func identity(idToken string) (id, name string) {
	parts := strings.Split(idToken, ".")
	if len(parts) != 3 {
		return "", ""
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Subject  string `json:"sub"`
		Email    string `json:"email"`
		UserName string `json:"preferred_username"`
		Name     string `json:"name"`
	}
	if err != nil || json.Unmarshal(raw, &claims) != nil {
		return "", ""
	}
	return claims.Subject, cmp.Or(claims.Email, claims.UserName, claims.Name)
}
