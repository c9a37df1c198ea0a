package ads

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

type record = rest.Record

type session struct {
	platform.Session
	adapter

	name     string
	c        map[string]string // credentials
	endpoint models.CostEndpoint
	client   *Client
	account  Account

	tokens         Tokens
	token          string
	renewed        bool
	zone, currency string            // of the account; empty: not known
	names          map[string]string // names of campaigns by their ids; nil: not read yet
	meta           metaSize
	lastPage       []byte // the last answer of a custom endpoint
}

const maxNamePages = 50

// prepare reads the account and the names of its campaigns, once in a session. If there is no error, complete is false only in the
// call that reads the names, and only if the names have more than maxNamePages pages.
func (s *session) prepare(ctx context.Context, page func(ctx context.Context, s *session, cursor string) (next string, err error)) (
	complete bool, err error,
) {
	if s.names != nil {
		return true, nil
	}
	if err := s.test(ctx, s); err != nil {
		return false, err
	}
	s.names = map[string]string{}
	cursor := ""
	for range maxNamePages {
		if cursor, err = page(ctx, s, cursor); err != nil {
			s.names = nil
			return false, err
		}
		if cursor == "" {
			return true, nil
		}
	}
	return false, nil
}

func (s *session) nameOf(id rest.Text) rest.Text { return rest.Text(s.names[string(id)]) }

// host returns base, or an address that begins with Options.URL if a test has set that option. The address of a customer's own host
// is never replaced.
func (s *session) host(base string) string {
	if s.client.o.URL == "" || s.customerHost {
		return base
	}
	path := ""
	if u, err := url.Parse(base); err == nil {
		path = u.Path
	}
	return s.client.o.URL + "/" + s.name + path
}

// sendSigned sends a request, with a token if the platform uses one. It renews a refused token once in a session.
func (s *session) sendSigned(ctx context.Context, r rest.Request) (egress.Answer, error) {
	if s.tokens == nil || s.sign == nil {
		return s.Send(ctx, r)
	}
	var out egress.Answer
	err := withRenewal(ctx, s.tokens, s.token, func(token string) (stale bool, err error) {
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

// withRenewal calls `send` with the token. If the token is empty, withRenewal fetches one first. If the token is stale, withRenewal
// calls `send` once more with a new token.
func withRenewal(ctx context.Context, tokens Tokens, token string, send func(token string) (stale bool, err error)) (err error) {
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

func hasCode(f *rest.FailureError, codes []int) bool {
	code, err := strconv.Atoi(f.Code)
	return err == nil && slices.Contains(codes, code)
}

func (s *session) read(ctx context.Context, r rest.Request, into any) error {
	answer, err := s.sendSigned(ctx, r)
	if err != nil || into == nil {
		return err
	}
	return rest.Decode(answer.Body, into)
}

func (s *session) Get(ctx context.Context, path string, query url.Values, into any) error {
	return s.read(ctx, rest.Request{Method: http.MethodGet, Path: path, Query: query}, into)
}

// fetchedTokens implements Tokens by exchanging the credentials for tokens.
type fetchedTokens struct {
	s     *session
	token string
	fresh bool // the token was fetched in this session, so a new one would be refused as well
}

func (f *fetchedTokens) Token(ctx context.Context) (string, error) {
	if f.token != "" {
		return f.token, nil
	}
	return f.Renew(ctx, "")
}

func (f *fetchedTokens) Renew(ctx context.Context, _ string) (string, error) {
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
	if f.s.storesToken && f.s.account.Remember != nil {
		f.s.Hide(token)
		err = f.s.account.Remember(ctx, token)
	}
	return token, err
}

// login sends the credentials without a token. It returns the token, which is a member of the answer.
func (s *session) login(ctx context.Context, r rest.Request, name string) (token string, err error) {
	api := s.API
	if api.Sign = nil; r.Header["Authorization"] != "" {
		s.Hide(strings.TrimPrefix(r.Header["Authorization"], "Basic "))
	}
	r.Repeat = true
	var answer record
	err = api.Do(ctx, r, &answer)
	return string(answer[name]), err
}

// digits returns the digits of an id. People often write ids with hyphens.
func digits(id string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, id)
}

// begun returns the days of a range that have begun in a time zone, and whether there are any.
func (s *session) begun(period Range, zone *time.Location) (part Range, ok bool) {
	today := midnight(s.Now().In(zone), time.UTC)
	if period.To.After(today) {
		period.To = today
	}
	return period, period.First() <= period.Last()
}

// midnight returns the moment at which a day begins in a time zone.
func midnight(day time.Time, zone *time.Location) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
}
