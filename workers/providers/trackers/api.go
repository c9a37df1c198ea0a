package trackers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"switchyard/models/interval"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// API asks another tracker, one request after the other. After each answer it rests for as long as the answer took, at most
// maxRest, but never for less than Every. The tracker is often a small server that also routes visitors.
type API struct {
	Client *http.Client
	Base   string      // address, without a slash at the end
	Header http.Header // with the credentials
	Query  url.Values  // credentials that belong in the address
	// Explain says what a refusal means at this tracker, or returns "". It may be nil.
	Explain func(status int) string
	// Every is the least time between two requests, for a tracker that allows few; 0: no minimum.
	Every time.Duration
	// Wait waits for d, or until the context ends; nil: a timer is used.
	Wait func(ctx context.Context, d time.Duration) error

	secrets rest.Secrets
	rest    time.Duration
	asked   bool
}

// FailureError says why a request to a tracker failed. It contains no credential.
type FailureError struct {
	Status int // 0: there was no answer
	Text   string

	final bool // the same request would fail again
}

func (f *FailureError) Error() string { return f.Text }

// Away reports whether the same request may succeed later.
func (f *FailureError) Away() bool {
	return !f.final && (f.Status == 0 || f.Status == http.StatusTooManyRequests || f.Status >= http.StatusInternalServerError)
}

const (
	tries     = 5
	firstWait = 250 * time.Millisecond
	maxRest   = time.Second
	maxAnswer = 256 << 20
)

// Base returns the address of a tracker from the text that a person has entered. Without a scheme, the address gets https. Path
// and query are left out.
func Base(address string) (base, host string, err error) {
	address = strings.TrimSpace(address)
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", "", errors.New("the address of the tracker cannot be read")
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), strings.ToLower(u.Hostname()), nil
}

// Hide keeps secrets out of errors.
func (a *API) Hide(secrets ...string) { a.secrets.Add(secrets...) }

// Get reads the JSON of a path into the given value.
func (a *API) Get(ctx context.Context, path string, query url.Values, into any) error {
	return a.Do(ctx, http.MethodGet, path, query, nil, into)
}

// Do sends a request and reads the JSON of its answer into the given value. It tries again when the tracker is busy or fails.
func (a *API) Do(ctx context.Context, method, path string, query url.Values, body, into any) error {
	wait := firstWait
	for try := 1; ; try++ {
		after, err := a.once(ctx, method, path, query, body, into)
		var f *FailureError
		if again := errors.As(err, &f) && f.Away(); err == nil || !again || try == tries || ctx.Err() != nil {
			return err
		}
		if a.sleep(ctx, max(wait, after)) != nil {
			return err
		}
		wait *= 2
	}
}

func (a *API) sleep(ctx context.Context, d time.Duration) error {
	if a.Wait != nil {
		return a.Wait(ctx, d)
	}
	return interval.Sleep(ctx, d)
}

func (a *API) once(ctx context.Context, method, path string, query url.Values, body, into any) (after time.Duration, err error) {
	if pause := max(min(a.rest, maxRest), a.Every); a.asked && pause > 0 {
		if err := a.sleep(ctx, pause); err != nil {
			return 0, err
		}
	}
	a.asked = true
	req, err := a.request(ctx, method, path, query, body)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	res, err := a.Client.Do(req)
	if err != nil {
		return 0, a.unanswered(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	a.rest = time.Since(began)
	if err != nil {
		return 0, a.unanswered(ctx, err)
	}
	if res.StatusCode != http.StatusOK {
		return min(rest.RetryAfter(res.Header.Get("Retry-After"), time.Now), time.Minute), a.refused(res.StatusCode, answer)
	}
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(answer, []byte("\ufeff"))))
	dec.UseNumber()
	if dec.Decode(into) != nil {
		return 0, &FailureError{Status: res.StatusCode, Text: "the answer to " + path + " has another form than documented", final: true}
	}
	return 0, nil
}

func (a *API) request(ctx context.Context, method, path string, query url.Values, body any) (*http.Request, error) {
	to := a.Base + path
	all := url.Values{}
	for _, list := range []url.Values{a.Query, query} {
		for name, values := range list {
			all[name] = values
		}
	}
	if len(all) > 0 {
		to += "?" + all.Encode()
	}
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, to, content)
	if err != nil {
		return nil, errors.New("the address of the tracker cannot be read")
	}
	for name, values := range a.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// unanswered returns the error of a request without an answer. It leaves out the address, which may contain credentials.
func (a *API) unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	f := &FailureError{Text: a.secrets.Text("the tracker does not answer: " + err.Error())}
	if e, ok := errors.AsType[*egress.Error](err); ok {
		f.final = slices.Contains([]egress.Class{egress.Blocked, egress.TooLarge, egress.LongURL}, e.Class)
	}
	return f
}

func (a *API) refused(status int, answer []byte) error {
	text := ""
	if a.Explain != nil {
		text = a.Explain(status)
	}
	switch {
	case text != "":
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		text = "the tracker does not accept the key"
	case status == http.StatusTooManyRequests:
		text = "the tracker asks for fewer requests"
	case status/100 == 3:
		text = "the tracker redirects to another address: enter the tracker's own address"
	default:
		text = fmt.Sprintf("the tracker answered %d", status)
	}
	if words := rest.Complaint(answer[:min(len(answer), 64<<10)]); words != "" {
		text += ": " + words
	}
	return &FailureError{Status: status, Text: a.secrets.Text(text)}
}
