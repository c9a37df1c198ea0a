// Package switchyard is the client of Switchyard's API. Its types and calls are generated from the description of the API.
//
//	c := switchyard.New("https://track.example.com", os.Getenv("SWITCHYARD_KEY"))
//	for campaign, err := range c.AllCampaigns(ctx, switchyard.ListCampaignsParams{Status: "active"}) {
//		...
//	}
//
// Each POST carries an idempotency key, so a repeated POST is carried out only once. A call that the service refuses for now is
// repeated after the time in Retry-After, if that is at most Longest. If a call continues as a job, the client waits for the job.
package switchyard

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client calls the API with a key.
type Client struct {
	URL       string // of the service, such as https://track.example.com
	Key       string
	HTTP      *http.Client  // default http.DefaultClient
	UserAgent string        // default switchyard-go
	Tries     int           // maximum number of requests for one call; default 4
	Longest   time.Duration // longest wait before a call is repeated; default one minute
}

// New returns a client with the defaults.
func New(address, key string) *Client { return &Client{URL: address, Key: key} }

// APIError is a refusal of the API. Programs branch on Code.
type APIError struct {
	Status        int
	Code, Message string
	RetryAfter    time.Duration // 0 unless the service said when to try again
}

// Error implements error.
func (e *APIError) Error() string {
	if e.Code == "" {
		return e.Message
	}
	return e.Message + " (" + e.Code + ")"
}

// Code returns the code of a refusal by the API, and "" for another error.
func Code(err error) string {
	if e, ok := errors.AsType[*APIError](err); ok {
		return e.Code
	}
	return ""
}

// Option changes the request of one call.
type Option func(http.Header)

// Header sets a header, such as If-Match.
func Header(name, value string) Option { return func(h http.Header) { h.Set(name, value) } }

// IdempotencyKey names a POST: within 24 hours the same key with the same request gets the first answer.
func IdempotencyKey(key string) Option { return Header("Idempotency-Key", key) }

// Do calls a path such as /api/v1/offers. The body is sent as JSON. answer is a pointer to the value that receives the answer's
// data, or to a []byte if the path returns a file. body and answer may be nil.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body, answer any, options ...Option) error {
	var sent []byte
	header := http.Header{}
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return fmt.Errorf("switchyard: body: %w", err)
		}
		header.Set("Content-Type", "application/json")
	}
	if method == http.MethodPost {
		header.Set("Idempotency-Key", rand.Text())
	}
	for _, o := range options {
		o(header)
	}
	address := strings.TrimSuffix(c.URL, "/") + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	again := method == http.MethodGet || method == http.MethodPost
	for try := 1; ; try++ {
		status, raw, err := c.once(ctx, method, address, sent, header)
		if wait, ok := c.putOff(err, again, try); ok {
			if err := pause(ctx, wait); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if status == http.StatusAccepted {
			if raw, err = c.await(ctx, raw); err != nil {
				return err
			}
		}
		return into(answer, raw)
	}
}

func (c *Client) once(ctx context.Context, method, address string, sent []byte, header http.Header) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(sent))
	if err != nil {
		return 0, nil, fmt.Errorf("switchyard: %w", err)
	}
	req.Header = header.Clone()
	req.Header.Set("User-Agent", orElse(c.UserAgent, "switchyard-go"))
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	resp, err := orElse(c.HTTP, http.DefaultClient).Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("switchyard: %w", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil, fmt.Errorf("switchyard: answer: %w", err)
	}
	if resp.StatusCode < 300 {
		return resp.StatusCode, raw, nil
	}
	refused := &APIError{Status: resp.StatusCode, Message: "the service answers " + resp.Status, RetryAfter: retryAfter(resp.Header)}
	var a struct {
		Error *struct{ Code, Message string }
	}
	if json.Unmarshal(raw, &a) == nil && a.Error != nil {
		refused.Code, refused.Message = a.Error.Code, a.Error.Message
	}
	return resp.StatusCode, nil, refused
}

// putOff reports whether a failed call is repeated, and after which wait.
func (c *Client) putOff(err error, again bool, try int) (time.Duration, bool) {
	if err == nil || try >= orElse(c.Tries, 4) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return 0, false
	}
	wait := time.Second << (try - 1)
	if e, refused := errors.AsType[*APIError](err); refused {
		later := e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable || e.Code == "idempotency_in_progress"
		if e.RetryAfter > 0 {
			wait = e.RetryAfter
		}
		return wait, later && wait <= orElse(c.Longest, time.Minute)
	}
	return wait, again
}

// retryAfter returns the wait that the header Retry-After asks for, as a number of seconds or as a date.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// await polls a job until it has ended. It returns the answer of the call that began the job, in the same form as other answers.
func (c *Client) await(ctx context.Context, begun []byte) ([]byte, error) {
	var ref JobRef
	if err := into(&ref, begun); err != nil {
		return nil, err
	}
	for wait := time.Second / 2; ; wait = min(2*wait, 5*time.Second) {
		if err := pause(ctx, wait); err != nil {
			return nil, fmt.Errorf("the job %s goes on: %w", ref.Job.ID, err)
		}
		var job struct {
			Status string
			Result json.RawMessage
			Error  *struct{ Code, Message string }
		}
		if err := c.Do(ctx, http.MethodGet, "/api/v1/jobs/"+url.PathEscape(ref.Job.ID), nil, nil, &job); err != nil {
			return nil, err
		}
		if job.Error != nil {
			return nil, &APIError{Code: job.Error.Code, Message: job.Error.Message}
		}
		if job.Status == "done" {
			return json.Marshal(map[string]any{"data": job.Result})
		}
	}
}

func into(answer any, raw []byte) error {
	if file, ok := answer.(*[]byte); ok {
		*file = raw
		return nil
	}
	if answer == nil || len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, &struct {
		Data any `json:"data"`
	}{answer}); err != nil {
		return fmt.Errorf("switchyard: answer: %w", err)
	}
	return nil
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func orElse[T comparable](value, other T) T {
	var zero T
	if value == zero {
		return other
	}
	return value
}
