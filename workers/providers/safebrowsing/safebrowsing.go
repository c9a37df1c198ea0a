// Package safebrowsing looks URLs up in Google's lists of unsafe addresses: Web Risk for commercial installs, and Safe
// Browsing version 5 for non-commercial installs.
//
// No error contains a key.
package safebrowsing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Names of the lists, for events and for operators.
const (
	WebRisk      = "web_risk"
	SafeBrowsing = "safe_browsing"
)

// List is a list of unsafe addresses.
type List interface {
	// Name returns WebRisk or SafeBrowsing.
	Name() string
	// BatchSize returns the maximum number of URLs of one Lookup.
	BatchSize() int
	// Lookup returns the threats of the listed URLs, by URL. URLs that are not listed are left out. An error answer is an *Error.
	Lookup(ctx context.Context, urls []string) (map[string][]string, error)
}

// Error is an error answer of a list.
type Error struct {
	HTTP    int
	Status  string // such as PERMISSION_DENIED or RESOURCE_EXHAUSTED; may be empty
	Message string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("safebrowsing: the list answered %d %s: %s", e.HTTP, e.Status, e.Message)
}

// Options configure the list. Without a key there is no list.
type Options struct {
	WebRiskKey      string // has precedence
	SafeBrowsingKey string
	URL             string // default Google's address
	Egress          *egress.Client
}

// New returns the list to use; nil without a key.
func New(o Options) List {
	switch {
	case o.WebRiskKey != "":
		return &webRisk{caller{o.Egress, cmp.Or(o.URL, webRiskURL), o.WebRiskKey}}
	case o.SafeBrowsingKey != "":
		return &lookup5{caller{o.Egress, cmp.Or(o.URL, safeBrowsingURL), o.SafeBrowsingKey}}
	}
	return nil
}

// timeout is the limit of one request.
const timeout = 15 * time.Second

// caller calls a service.
type caller struct {
	egress *egress.Client
	base   string
	key    string
}

// call sends a GET request with the key in its query. For an HTTP status other than 200 it returns an *Error with the code and the
// message that the parameter status reads from the answer.
func (c caller) call(ctx context.Context, path string, query url.Values, status func(body []byte) (code, message string)) ([]byte, error) {
	query.Set("key", c.key)
	req, cancel, err := egress.Request(ctx, timeout, http.MethodGet, c.base+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, errors.New("safebrowsing: the address of the list cannot be read")
	}
	defer cancel()
	answer, err := c.egress.Do(req)
	if err != nil {
		return nil, fmt.Errorf("safebrowsing: %w", err)
	}
	if answer.Status != http.StatusOK {
		code, message := status(answer.Body)
		secrets := &rest.Secrets{} // an answer may repeat the request's address
		secrets.Add(c.key)
		return nil, &Error{HTTP: answer.Status, Status: secrets.Text(code), Message: secrets.Text(message)}
	}
	return answer.Body, nil
}

// jsonStatus reads a google.rpc.Status in JSON.
func jsonStatus(body []byte) (code, message string) {
	return rest.Member("error.status")(body), rest.Member("error.message")(body)
}
