package ads

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// session is the state of a connection while requests are made.
type session struct {
	rest.API
	platform

	name     string
	c        map[string]string // credentials
	endpoint models.CostEndpoint
	used     *Usage
	client   *Client
	account  Account

	tokens         Tokens
	token          string
	renewed        bool
	zone, currency string // of the account, if known
}

// host returns an address of the platform, or the tests' address in its place, with the same path.
func (s *session) host(base string) string {
	if s.client.o.URL == "" || s.own {
		return base
	}
	path := ""
	if u, err := url.Parse(base); err == nil {
		path = u.Path
	}
	return s.client.o.URL + "/" + s.name + path
}

// shown is an error for a person.
func (s *session) shown(err error) error {
	if _, ours := models.AsError(err); ours {
		return err
	}
	return s.Shown(err)
}

// ask sends a request with a token, if the platform takes one. A token that it refuses is renewed, once.
func (s *session) ask(ctx context.Context, r rest.Request) (egress.Answer, error) {
	if s.tokens == nil || s.sign == nil {
		return s.Send(ctx, r)
	}
	var out egress.Answer
	err := renewing(ctx, s.tokens, s.token, func(token string) (stale bool, err error) {
		if token != s.token {
			s.use(token)
		}
		out, err = s.Send(ctx, r)
		stale = !s.renewed && s.isStale(err)
		s.renewed = s.renewed || stale
		return stale, err
	})
	return out, err
}

// renewing sends with a token, and once more with another one if the platform no longer takes it. An empty token is got first.
func renewing(ctx context.Context, tokens Tokens, token string, send func(token string) (stale bool, err error)) (err error) {
	if token == "" {
		if token, err = tokens.Token(ctx); err != nil {
			return err
		}
	}
	stale, err := send(token)
	if !stale {
		return err
	}
	if token, err = tokens.Renew(ctx, token); err != nil {
		return err
	}
	_, err = send(token)
	return err
}

func (s *session) use(token string) {
	s.Hide(token)
	s.token, s.Sign = token, s.sign(token)
}

func (s *session) isStale(err error) bool {
	var f *rest.FailureError
	if !errors.As(err, &f) {
		return false
	}
	return f.Status == http.StatusUnauthorized || s.stale != nil && s.stale(f)
}

// read is ask, and reads the answer's JSON.
func (s *session) read(ctx context.Context, r rest.Request, into any) error {
	answer, err := s.ask(ctx, r)
	if err != nil || into == nil {
		return err
	}
	return rest.Decode(answer.Body, into)
}

// fetched are tokens that the credentials are exchanged for.
type fetched struct {
	s     *session
	token string
	fresh bool // it was fetched now: another one would be refused as well
}

// Token implements Tokens.
func (f *fetched) Token(ctx context.Context) (string, error) {
	if f.token != "" {
		return f.token, nil
	}
	return f.Renew(ctx, "")
}

// Renew implements Tokens.
func (f *fetched) Renew(ctx context.Context, _ string) (string, error) {
	if f.fresh {
		return "", &rest.FailureError{Refused: true, Text: "a token that was issued just now"}
	}
	token, err := f.s.fetch(ctx, f.s)
	if err == nil && token == "" {
		err = rest.ErrForm
	}
	if err != nil {
		return "", err
	}
	f.token, f.fresh = token, true
	if f.s.kept && f.s.account.Remember != nil {
		f.s.Hide(token)
		err = f.s.account.Remember(ctx, token)
	}
	return token, err
}

// login posts credentials without a token and reads the token of the answer.
func (s *session) login(ctx context.Context, r rest.Request, into any) error {
	api := s.API
	if api.Sign = nil; r.Header["Authorization"] != "" {
		s.Hide(strings.TrimPrefix(r.Header["Authorization"], "Basic "))
	}
	r.Repeat = true
	return api.Do(ctx, r, into)
}

// digits are the digits of an id, which people write with hyphens.
func digits(id string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, id)
}
