package sourcepostback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/db/click"
	"switchyard/db/sourcepostback"
	"switchyard/models"
	"switchyard/models/token"
	"switchyard/workers/egress"
)

// stopStatus asks for no further attempts.
const stopStatus = http.StatusGone

// longestRetryAfter limits Retry-After.
const longestRetryAfter = time.Hour

type message struct {
	id     string
	origin string // scheme, host and port
	models.SentRequest

	masked  models.SentRequest // without secrets
	secrets []string           // an answer may repeat them
}

// message reads names that the tokens need, such as the campaign's, and fills the tokens.
func (s *sender) message(ctx context.Context, t sourcepostback.Target, click *click.StoredClick) (message, error) {
	url, _ := t.URLFor(t.Goal, t.Status)
	v := &values{target: &t, click: click}
	if err := s.name(ctx, v, token.CompilePostback(url)); err != nil {
		return message{}, err
	}
	return message{
		id: t.ID.String(), origin: token.Origin(url),
		SentRequest: request(t.PostbackMethod, url, v), masked: request(t.PostbackMethod, token.Masked(url), v),
		secrets: token.Secrets(url),
	}, nil
}

// request expands the tokens. For POST it moves the query to the body, as a form.
func request(method, url string, v *values) models.SentRequest {
	v.reset()
	text, _, _ := strings.Cut(string(token.CompilePostback(url).Expand(nil, v)), "#")
	r := models.SentRequest{Method: method, URL: text}
	if method == http.MethodPost {
		r.URL, r.Body, _ = strings.Cut(text, "?")
	}
	return r
}

// call sends the request once. A 2xx status is a success, even if the answer is too long to be read. later is the wait that the
// source demands. The error is stored in the job's row.
func (s *sender) call(ctx context.Context, m message) (a sourcepostback.Attempt, later time.Duration, err error) {
	a = sourcepostback.Attempt{At: time.Now(), Origin: m.origin, Request: m.masked}
	req, cancel, err := egress.Request(ctx, s.o.Timeout, m.Method, m.URL, strings.NewReader(m.Body))
	if err != nil {
		a.Error = "the address cannot be read"
		return a, 0, err
	}
	defer cancel()
	req.Header.Set("User-Agent", "Switchyard-Postbacks/1.0")
	req.Header.Set("Switchyard-Delivery", m.id)
	if m.Method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := s.o.Egress.Deliver(req, "source")
	a.Took, a.Status, a.Accepted = time.Since(a.At), answer.StatusOrNil(), err == nil
	a.Answer = bytes.TrimSpace(answer.Body)
	for _, secret := range m.secrets {
		a.Answer = bytes.ReplaceAll(a.Answer, []byte(secret), []byte("***"))
	}
	if err == nil {
		return a, 0, nil
	}
	a.Error, err = err.Error(), fmt.Errorf("source: %w", err)
	if _, noAnswer := errors.AsType[*egress.Error](err); !noAnswer { // the source has refused
		a.Stopped, later = answer.Status == stopStatus, retryAfter(answer.Header, a.At)
	}
	return a, later, err
}

// retryAfter returns the wait that the header Retry-After demands, but at most longestRetryAfter. The header has a number of
// seconds or a time.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	wait := time.Duration(0)
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), longestRetryAfter)
}
