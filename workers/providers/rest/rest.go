// Package rest calls the HTTP APIs of providers with the credentials of an account. A provider may repeat credentials in its
// errors, so show or store only the result of API.PublicError.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"switchyard/models/interval"
	"switchyard/workers/egress"
)

// timeout is the limit of one request, unless API.Timeout is set.
const timeout = 10 * time.Second

// API is the HTTP API of a provider, called with the credentials of one account.
type API struct {
	Out  *egress.Client
	Base string // address, without a slash at the end
	Now  func() time.Time
	// Sign adds the credentials to a request.
	Sign Signer
	// Failed returns the provider's text of a failure, or "". It is called for a successful status, and for other answers in
	// which Complaint finds no text. nil: a successful status is always a success.
	Failed func(body []byte) string
	// Coded returns the provider's code of a failure; may be nil.
	Coded func(body []byte) string
	// Busy reports whether a failure with a status other than 429 asks for fewer requests; nil: only 429 does.
	Busy func(f *FailureError) bool
	// Denied reports whether a failure with a status other than 401 and 403 refuses the credentials; nil: only 401 and 403 do.
	Denied func(f *FailureError) bool
	// Explain says why the provider fails if its own words mislead, or returns ""; may be nil.
	Explain func(f *FailureError) string
	// Final reports whether a request is not tried again after a failure, because it would fail again; nil: never.
	Final func(f *FailureError) bool
	// RetryTime is the longest total wait of a request, for Pace and between tries; 0: one try without a wait.
	RetryTime time.Duration
	// Pace limits the rate of requests over all processes; nil: there is no limit.
	Pace Pace
	// Requested is called before each try of a request. It may be nil.
	Requested func()
	// Wait waits for d, or until the context ends; nil: a timer is used.
	Wait func(ctx context.Context, d time.Duration) error
	// Timeout returns the timeout of the next request; nil: ten seconds.
	Timeout func() time.Duration

	secrets *Secrets
}

// Pace limits the requests of an account over all processes.
type Pace interface {
	// Allow takes one request from the budget, leaving at least the given number to others. wait is 0, or the time after which
	// to try again.
	Allow(ctx context.Context, leave int) (wait time.Duration)
	// Pause allows no request for the given time.
	Pause(ctx context.Context, d time.Duration)
}

// WithSecrets returns a copy of the API whose PublicError and WithoutSecrets hide the secrets in list.
func (a API) WithSecrets(list ...string) API {
	a.secrets = &Secrets{}
	a.secrets.Add(list...)
	return a
}

// Hide adds a secret that PublicError and WithoutSecrets hide.
func (a API) Hide(secret string) { a.secrets.Add(secret) }

// HideWords hides the value of a header and its words of at least leastSecret bytes, such as the token of "Bearer ...".
func (a API) HideWords(value string) {
	a.Hide(value)
	for _, word := range strings.Fields(value) {
		if len(word) >= leastSecret {
			a.Hide(word)
		}
	}
}

// leastSecret is the shortest length of a header's word that counts as secret. Names of authorization schemes are mostly shorter.
const leastSecret = 8

// WithoutSecrets converts a text for a person: without secrets, in one line, not too long.
func (a API) WithoutSecrets(text string) string { return a.secrets.Text(text) }

// PublicError converts an error for a person: without secrets, in one line, not too long. It keeps ErrRefused and ErrBusy.
func (a API) PublicError(err error) error { return a.secrets.publicError(err) }

// Request is a call of an API. Body is nil, url.Values, []byte, or a value that is sent as JSON.
type Request struct {
	Method string
	Path   string
	Query  url.Values
	Body   any
	Kind   string // content type of a []byte
	Header map[string]string
	// Repeat says that the request may be sent again without harm, although its method is not GET.
	Repeat bool
}

// Get sends a GET request to a path and decodes the answer's JSON into *into.
func (a API) Get(ctx context.Context, path string, query url.Values, into any) error {
	return a.Do(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, into)
}

// Post sends JSON and decodes the answer's JSON into *into. If into is nil, the answer is ignored.
func (a API) Post(ctx context.Context, path string, body, into any) error {
	return a.Do(ctx, Request{Method: http.MethodPost, Path: path, Body: body}, into)
}

// Do sends a request and decodes the answer's JSON into *into. If into is nil, the answer is ignored. If the answer reports a failure, the
// error is a *FailureError.
func (a API) Do(ctx context.Context, r Request, into any) error {
	answer, err := a.Send(ctx, r)
	if err != nil || into == nil {
		return err
	}
	return Decode(answer.Body, into)
}

// Decode decodes the JSON of an answer. It returns ErrForm if this fails.
func Decode(body []byte, into any) error {
	if json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), into) != nil {
		return ErrForm
	}
	return nil
}

// ErrForm says that an answer cannot be read.
var ErrForm = errors.New("the provider's answer has another form than documented")

// Send sends a request and returns a successful answer. It tries again if shouldRetry allows it and enough of RetryTime is left.
func (a API) Send(ctx context.Context, r Request) (out egress.Answer, err error) {
	if left := a.RetryTime; left > 0 {
		for try := 0; ; try++ {
			if out, err = a.once(ctx, r, &left); err == nil {
				return out, nil
			}
			again, wait := r.shouldRetry(err, try)
			if !again || wait > left || endsWithin(ctx, wait) || a.isFinal(err) {
				return out, err
			}
			left -= wait
			if a.Sleep(ctx, wait) != nil {
				return out, err
			}
		}
	}
	return a.once(ctx, r, new(time.Duration))
}

func (a API) isFinal(err error) bool {
	f, ok := errors.AsType[*FailureError](err)
	return ok && a.Final != nil && a.Final(f)
}

// Sleep waits for d, or until the context ends.
func (a API) Sleep(ctx context.Context, d time.Duration) error {
	if a.Wait != nil {
		return a.Wait(ctx, d)
	}
	return interval.Sleep(ctx, d)
}

// firstWait is the wait before the second try of a request. The wait doubles with each further try, up to 64 seconds. A provider can
// ask for a longer wait.
const firstWait = time.Second

// shouldRetry reports whether a request may be tried again after an error, and how long to wait before the next try.
func (r Request) shouldRetry(err error, try int) (yes bool, wait time.Duration) {
	wait = firstWait << min(try, 6)
	var f *FailureError
	var lost *egress.Error
	switch {
	case errors.As(err, &f):
		return f.Busy || r.isRepeatable() && f.Status >= 500, max(wait, f.After)
	case errors.As(err, &lost):
		return r.isRepeatable() && slices.Contains([]egress.Class{egress.Timeout, egress.Connect, egress.DNS, egress.Protocol}, lost.Class), wait
	}
	return false, 0
}

func (r Request) isRepeatable() bool { return r.Method == http.MethodGet || r.Repeat }

// once waits until Pace allows a request, and sends the request once. The wait is subtracted from *left, the rest of RetryTime.
func (a API) once(ctx context.Context, r Request, left *time.Duration) (out egress.Answer, err error) {
	if err := a.awaitTurn(ctx, left); err != nil {
		return out, err
	}
	req, cancel, err := a.request(ctx, r)
	if err != nil {
		return out, err
	}
	defer cancel()
	if a.Requested != nil {
		a.Requested()
	}
	if out, err = a.Out.Do(req); err != nil {
		return out, err
	}
	err = a.refusal(out)
	if f, refused := errors.AsType[*FailureError](err); refused {
		if f.RequestID != "" {
			slog.InfoContext(ctx, "provider failed a request", "host", req.URL.Host, "status", out.Status, "provider_request", a.secrets.Text(f.RequestID))
		}
		if a.Pace != nil && f.Busy && f.After > 0 {
			a.Pace.Pause(context.WithoutCancel(ctx), f.After)
		}
	}
	return out, err
}

// endsWithin reports whether the deadline of a context comes before the end of a wait. Its callers then return a *FailureError or
// *egress.Error at once, which says more than the error of the context.
func endsWithin(ctx context.Context, wait time.Duration) bool {
	end, ok := ctx.Deadline()
	return ok && time.Until(end) < wait
}

// awaitTurn waits until Pace allows the next request, and subtracts the wait from *left. It returns a *FailureError at once if
// the wait would be too long for *left or the context.
func (a API) awaitTurn(ctx context.Context, left *time.Duration) error {
	for a.Pace != nil {
		wait := a.Pace.Allow(ctx, 0)
		if wait <= 0 {
			return nil
		}
		busy := &FailureError{Status: http.StatusTooManyRequests, Busy: true, After: wait}
		if endsWithin(ctx, wait) {
			busy.Text = fmt.Sprintf("try again in %.0f seconds", math.Ceil(wait.Seconds()))
		}
		if wait > *left || busy.Text != "" {
			return busy
		}
		*left -= wait
		if err := a.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}

func (a API) request(ctx context.Context, r Request) (*http.Request, context.CancelFunc, error) {
	to := a.Base + r.Path
	if len(r.Query) > 0 {
		to += "?" + r.Query.Encode()
	}
	body, kind, err := encoded(r)
	if err != nil {
		return nil, nil, err
	}
	limit := timeout
	if a.Timeout != nil {
		limit = a.Timeout()
	}
	req, cancel, err := egress.Request(ctx, limit, r.Method, to, bytes.NewReader(body))
	if err != nil {
		return nil, nil, errors.New("the provider's address cannot be read")
	}
	req.Header.Set("Accept", "application/json")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if a.Sign != nil {
		a.Sign(req, body)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	return req, cancel, nil
}

func encoded(r Request) (body []byte, kind string, err error) {
	switch b := r.Body.(type) {
	case nil:
		return nil, "", nil
	case []byte:
		return b, r.Kind, nil
	case url.Values:
		return []byte(b.Encode()), "application/x-www-form-urlencoded", nil
	default:
		body, err = json.Marshal(b)
		return body, "application/json", err
	}
}

// Signer adds credentials to a request.
type Signer = func(r *http.Request, body []byte)

// Header returns a Signer that sets a header.
func Header(name, value string) Signer {
	return func(r *http.Request, _ []byte) { r.Header.Set(name, value) }
}

// Bearer returns a Signer that sends a bearer token.
func Bearer(token string) Signer {
	return Header("Authorization", "Bearer "+token)
}

// Basic returns a Signer that sends a user and a password by HTTP Basic authentication.
func Basic(user, password string) Signer {
	return func(r *http.Request, _ []byte) { r.SetBasicAuth(user, password) }
}
