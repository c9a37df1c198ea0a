// Package client calls the REST API of a running service, as a customer's program would.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"switchyard/models/interval"
)

// API calls the REST API with one key.
type API struct {
	Base string // with /api/v1
	Key  string
	// Checks is called with every answer that has the API's form. An error that it returns fails the call. Checks may be nil.
	Checks func(Answer) error
	client *http.Client
}

// Answer is the answer to a call.
type Answer struct {
	Status  int
	Header  http.Header
	Body    []byte
	Data    json.RawMessage
	Code    string
	Message string
}

// New makes a client of the service at url, which has no slash at its end.
func New(url, key string) *API {
	return &API{Base: url + "/api/v1", Key: key, client: &http.Client{Timeout: 60 * time.Second}}
}

// Call sends a request and reads the answer's envelope {data, error}. headers are pairs of a name and a value. A refusal by the
// API is an Answer, not an error. A call over the rate limit is repeated after the time in Retry-After. If the header is missing
// or names more than a minute, Call returns an error.
func (a *API) Call(ctx context.Context, method, path string, body any, headers ...string) (Answer, error) {
	for {
		answer, err := a.Once(ctx, method, path, body, headers...)
		if err != nil || answer.Status != http.StatusTooManyRequests {
			return answer, err
		}
		wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		if err != nil || wait < 0 || wait > 60 {
			return answer, fmt.Errorf("%s %s: 429 with Retry-After %q", method, path, answer.Header.Get("Retry-After"))
		}
		if err := interval.Sleep(ctx, time.Duration(max(wait, 1))*time.Second); err != nil {
			return answer, err
		}
	}
}

// Once does the same as Call, but never repeats a call.
func (a *API) Once(ctx context.Context, method, path string, body any, headers ...string) (Answer, error) {
	req, err := a.request(ctx, method, path, body)
	if err != nil {
		return Answer{}, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Status: resp.StatusCode, Header: resp.Header}
	answer.Body, err = io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return Answer{}, err
	}
	if err := answer.open(); err != nil {
		return answer, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if a.Checks != nil {
		if err := a.Checks(answer); err != nil {
			return answer, fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	return answer, nil
}

// A []byte is sent unchanged, and any other body is sent as JSON.
func (a *API) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var payload io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		payload = bytes.NewReader(body)
	default:
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		payload = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.Base+path, payload)
	if err != nil {
		return nil, err
	}
	if a.Key != "" {
		req.Header.Set("Authorization", "Bearer "+a.Key)
	}
	if payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// The envelope must have exactly data and error. error must be null if the status is below 300, and otherwise data must be null.
// The OpenAPI document has no envelope and is not checked.
func (a *Answer) open() error {
	var envelope map[string]json.RawMessage
	if err := json.Unmarshal(a.Body, &envelope); err != nil {
		return fmt.Errorf("status %d: not an envelope: %.200s", a.Status, a.Body)
	}
	if _, bare := envelope["openapi"]; bare {
		return nil
	}
	data, hasData := envelope["data"]
	fault, hasError := envelope["error"]
	if !hasData || !hasError || len(envelope) != 2 {
		return fmt.Errorf("status %d: the envelope is not {data, error}: %.200s", a.Status, a.Body)
	}
	failed := string(fault) != "null"
	if failed == (a.Status < 300) || failed && string(data) != "null" {
		return fmt.Errorf("status %d does not fit the envelope: %.200s", a.Status, a.Body)
	}
	a.Data = data
	if !failed {
		return nil
	}
	var e struct{ Message, Code string }
	if err := json.Unmarshal(fault, &e); err != nil || e.Code == "" || e.Message == "" {
		return fmt.Errorf("status %d: the error has no code or message: %.200s", a.Status, a.Body)
	}
	a.Code, a.Message = e.Code, e.Message
	return nil
}

// Do sends a request, checks that the answer has the status `want`, and reads the answer's data into `out`, if `out` is not
// nil.
func (a *API) Do(ctx context.Context, want int, method, path string, body, out any, headers ...string) error {
	answer, err := a.Call(ctx, method, path, body, headers...)
	if err != nil {
		return err
	}
	if answer.Status != want {
		return fmt.Errorf("%s %s: status %d instead of %d: %.400s", method, path, answer.Status, want, answer.Body)
	}
	if out == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(answer.Data))
	dec.UseNumber()
	if err := dec.Decode(out); err != nil {
		return fmt.Errorf("%s %s: answer: %w: %.400s", method, path, err, answer.Data)
	}
	return nil
}

// Get is Do for a GET that must succeed.
func (a *API) Get(ctx context.Context, path string, out any) error {
	return a.Do(ctx, http.StatusOK, http.MethodGet, path, nil, out)
}

// Create is Do for a POST that must answer 201.
func (a *API) Create(ctx context.Context, path string, body, out any) error {
	return a.Do(ctx, http.StatusCreated, http.MethodPost, path, body, out)
}

// Poll calls `done` immediately, and then again after each interval, until `done` returns true or an error.
func Poll(ctx context.Context, every time.Duration, done func() (bool, error)) error {
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if err := interval.Sleep(ctx, every); err != nil {
			return err
		}
	}
}
