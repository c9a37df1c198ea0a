// Package cloudflare calls Cloudflare's API for the install itself. The DNS accounts of customers are in package dns.
//
// Cloudflare allows a token 1200 requests in five minutes. All processes share a budget that stays within this limit.
// A caller waits for its turn only for a short time, then it gets an Error that says when to ask again.
//
// No error contains the token.
package cloudflare

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

const address = "https://api.cloudflare.com/client/v4"

// The budget that all processes share: at most Burst at once, and one more after each Interval. That is at most 1200 in
// any five minutes.
const (
	Burst    = 300
	Interval = 5 * time.Minute / (1200 - Burst)
)

// Options are the options of a Client. URL and Now may be left out.
type Options struct {
	Egress *egress.Client
	Budget rest.Pace
	Token  string
	URL    string // replaces Cloudflare's address, for tests
	Now    func() time.Time
}

// Client asks the API. Safe for concurrent use.
type Client struct {
	o       Options
	secrets *rest.Secrets
	reserve int           // requests of the budget that must stay for others
	maxWait time.Duration // how long a request may wait for its turn
}

// New makes a Client for work that a caller waits for.
func New(o Options) *Client {
	o.URL = strings.TrimSuffix(cmp.Or(o.URL, address), "/")
	if o.Now == nil {
		o.Now = time.Now
	}
	secrets := &rest.Secrets{}
	secrets.Add(o.Token)
	return &Client{o: o, secrets: secrets, maxWait: 3 * time.Second}
}

// Background returns the client for work that no caller waits for. It waits longer, and leaves a third of the burst to requests
// that callers wait for.
func (c *Client) Background() *Client {
	return &Client{o: c.o, secrets: c.secrets, reserve: Burst / 3, maxWait: 20 * time.Second}
}

// Request is a call of the API. The caller escapes the parts of Path. Body is sent as JSON, unless it is nil.
type Request struct {
	Method  string
	Path    string
	Query   url.Values
	Body    any
	Timeout time.Duration // default defaultTimeout
}

const defaultTimeout = 10 * time.Second

// Page says which part of a list an answer has.
type Page struct {
	Number int    `json:"page"`
	Pages  int    `json:"total_pages"`
	Cursor string `json:"cursor"`
}

// envelope surrounds every answer, except the answers to some deletions.
type envelope struct {
	Success *bool `json:"success"` // nil: the answer has no envelope
	Errors  []struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Chain   []struct {
			Message string `json:"message"`
		} `json:"error_chain"`
	} `json:"errors"`
	Result json.RawMessage `json:"result"`
	Info   Page            `json:"result_info"`
}

// Do sends a request and decodes the result into *into. If into is nil, the result is ignored. Each error of
// Cloudflare is an *Error.
func (c *Client) Do(ctx context.Context, r Request, into any) (Page, error) {
	for again := true; ; again = false {
		if err := c.admit(ctx); err != nil {
			return Page{}, err
		}
		answer, err := c.send(ctx, r)
		if err != nil {
			return Page{}, err
		}
		if answer.Status == http.StatusTooManyRequests {
			wait := c.pauseOf(answer.Header)
			c.o.Budget.Pause(context.WithoutCancel(ctx), wait)
			if again && wait <= c.maxWait {
				continue
			}
			return Page{}, busy(wait)
		}
		return c.read(answer, into)
	}
}

func (c *Client) admit(ctx context.Context) error {
	deadline := c.o.Now().Add(c.maxWait)
	for {
		wait := c.o.Budget.Allow(ctx, c.reserve)
		if wait <= 0 {
			return ctx.Err()
		}
		if c.o.Now().Add(wait).After(deadline) {
			return busy(wait)
		}
		if err := interval.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (c *Client) send(ctx context.Context, r Request) (out egress.Answer, err error) {
	to := c.o.URL + r.Path
	if len(r.Query) > 0 {
		to += "?" + r.Query.Encode()
	}
	var body []byte
	if r.Body != nil {
		if body, err = json.Marshal(r.Body); err != nil {
			return out, fmt.Errorf("cloudflare: request: %w", err)
		}
	}
	req, cancel, err := egress.Request(ctx, cmp.Or(r.Timeout, defaultTimeout), r.Method, to, bytes.NewReader(body))
	if err != nil {
		return out, errors.New("cloudflare: the address cannot be read")
	}
	defer cancel()
	req.Header.Set("Authorization", "Bearer "+c.o.Token)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if out, err = c.o.Egress.Do(req); err != nil {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		return out, &Error{Text: "Cloudflare did not answer: " + err.Error()}
	}
	return out, nil
}

func (c *Client) read(answer egress.Answer, into any) (Page, error) {
	var e envelope
	err := json.Unmarshal(answer.Body, &e)
	refused := answer.Status/100 != 2 || e.Success != nil && !*e.Success
	switch {
	case refused && len(e.Errors) > 0:
		texts := make([]string, 0, len(e.Errors))
		for _, failure := range e.Errors {
			texts = append(texts, failure.Message)
			for _, cause := range failure.Chain {
				texts = append(texts, cause.Message)
			}
		}
		return Page{}, &Error{Status: answer.Status, Code: e.Errors[0].Code, Text: c.secrets.Text(strings.Join(texts, "; "))}
	case refused:
		return Page{}, &Error{Status: answer.Status, Text: "Cloudflare answered " + strconv.Itoa(answer.Status)}
	case err != nil:
		return Page{}, errForm
	case into == nil:
		return e.Info, nil
	case e.Success == nil:
		e.Result = answer.Body
	}
	if json.Unmarshal(e.Result, into) != nil {
		return Page{}, errForm
	}
	return e.Info, nil
}

var errForm = &Error{Text: "Cloudflare's answer has another form than documented"}

// The bounds of a pause that Cloudflare asks for.
const (
	minPause = time.Second
	maxPause = 10 * time.Minute
)

func (c *Client) pauseOf(header http.Header) time.Duration {
	return min(max(rest.RetryAfter(header.Get("Retry-After"), c.o.Now), minPause), maxPause)
}

// WithoutSecrets returns a text of Cloudflare for a person: without secrets, in one line, not too long.
func (c *Client) WithoutSecrets(text string) string { return c.secrets.Text(text) }

// Error reports a request that Cloudflare did not carry out. Text is for a person and contains no secrets.
type Error struct {
	Status int // status of the answer; 0: no answer, or an answer that cannot be understood
	Code   int // Cloudflare's error code; 0: the answer has no code
	Text   string
	Wait   time.Duration // wait before the next request, if there were too many; else 0
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Refused reports whether Cloudflare refuses the token.
func (e *Error) Refused() bool {
	switch e.Code {
	case 10000, 9106, 9109, 6003, 6111:
		return true
	}
	return e.Status == http.StatusUnauthorized
}

// Public converts the error for a customer. Its code is edge_ with Cloudflare's error code, or else with the status or
// "unavailable".
func (e *Error) Public() *models.Error {
	switch {
	case e.Code != 0:
		return models.EdgeError(strconv.Itoa(e.Code), "%s", e.Text)
	case e.Status != 0:
		return models.EdgeError(strconv.Itoa(e.Status), "%s", e.Text)
	}
	return models.EdgeError("unavailable", "%s", e.Text)
}

// HasCode reports whether an error is an *Error with the given code.
func HasCode(err error, code int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

func busy(wait time.Duration) *Error {
	return &Error{
		Status: http.StatusTooManyRequests, Wait: wait,
		Text: fmt.Sprintf("Cloudflare gets too many requests: wait %s", wait.Round(time.Second)),
	}
}
