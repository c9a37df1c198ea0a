package networks

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"switchyard/workers/providers/rest"
)

// hostName matches the host names that a customer may enter for a network's platform.
var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// noAddress is an address to which no request can be sent.
const noAddress = "://"

// host returns the address of a platform that has a host for each network, or noAddress if the name is not a host name.
func host(name, suffix string) string {
	name = strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "https://"), "/")
	if !hostName.MatchString(name) {
		return noAddress
	}
	return "https://" + strings.TrimSuffix(name, suffix) + suffix
}

// mentions reports whether the text of a failure contains one of the words, which are in lower case.
func mentions(f *rest.FailureError, words ...string) bool {
	complaint := strings.ToLower(f.Text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(complaint, word) })
}

// basic signs requests with a user and a password.
func (s *session) basic(user, password string) {
	s.Hide(base64.StdEncoding.EncodeToString([]byte(user + ":" + password)))
	s.Sign = rest.Basic(user, password)
}

// exchange sets s.fetch, which gets a token for the client's id and secret. The function authorized calls it.
func (s *session) exchange(path, id, secret string, form url.Values) {
	s.basic(id, secret)
	s.fetch = func(ctx context.Context) (string, error) {
		var answer struct {
			Token text `json:"access_token"`
		}
		api := s.API
		api.Sign = rest.Basic(id, secret)
		err := api.Do(ctx, rest.Request{Method: http.MethodPost, Path: path, Body: form, Repeat: true}, &answer)
		if err == nil && answer.Token == "" {
			err = rest.ErrForm
		}
		return string(answer.Token), err
	}
}

// authorized sends a GET request with a token and decodes the answer's JSON into *into. If the platform no longer accepts the
// token, the request is sent once more with a new token.
func (s *session) authorized(ctx context.Context, r rest.Request, into any) error {
	r.Method = http.MethodGet
	for fresh := false; ; {
		if s.token == "" {
			token, err := s.fetch(ctx)
			if err != nil {
				return err
			}
			s.Hide(token)
			s.token, s.Sign, fresh = token, rest.Bearer(token), true
		}
		err := s.Do(ctx, r, into)
		if fresh || !rest.HasStatus(err, http.StatusUnauthorized) {
			return err
		}
		s.token = ""
	}
}
