// Package safebrowsing asks Google's lists of unsafe addresses: Web Risk, which commercial installs may use, and Safe
// Browsing version 4, which is for non-commercial ones. Both give the same answers in different forms.
//
// A key never leaves this package: it is in no error.
package safebrowsing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"switchyard/workers/egress"
)

// Names of the lists, as events and operators see them.
const (
	WebRisk      = "web_risk"
	SafeBrowsing = "safe_browsing"
)

// List is one of the lists.
type List interface {
	// Name is one of the constants above.
	Name() string
	// AtOnce is how many URLs one Lookup takes.
	AtOnce() int
	// Lookup gives the threats of those of the URLs that are listed. An error is *Error when the list answered it.
	Lookup(ctx context.Context, urls []string) (map[string][]string, error)
}

// Error is what a list answered instead of a verdict.
type Error struct {
	HTTP    int
	Status  string // such as PERMISSION_DENIED or RESOURCE_EXHAUSTED
	Message string
}

// Error is for operators.
func (e *Error) Error() string {
	return fmt.Sprintf("safebrowsing: the list answered %d %s: %s", e.HTTP, e.Status, e.Message)
}

// Options choose a list. With neither key there is none.
type Options struct {
	WebRiskKey      string // has precedence
	SafeBrowsingKey string
	URL             string // instead of Google's address
	Egress          *egress.Client
}

// New gives the list to ask, nil if the install has no key.
func New(o Options) List {
	switch {
	case o.WebRiskKey != "":
		return &webRisk{caller{o.Egress, base(o.URL, webRiskURL), o.WebRiskKey}}
	case o.SafeBrowsingKey != "":
		return &lookup4{caller{o.Egress, base(o.URL, safeBrowsingURL), o.SafeBrowsingKey}}
	}
	return nil
}

func base(given, usual string) string {
	if given != "" {
		return given
	}
	return usual
}

// limit is for one call.
const limit = 15 * time.Second

// caller sends requests and reads answers; both services say what went wrong in the same form.
type caller struct {
	egress *egress.Client
	base   string
	key    string
}

// call adds the key to the query.
func (c caller) call(ctx context.Context, method, path string, query url.Values, body []byte, into any) error {
	query.Set("key", c.key)
	req, cancel, err := egress.Request(ctx, limit, method, c.base+path+"?"+query.Encode(), bytes.NewReader(body))
	if err != nil {
		return errors.New("safebrowsing: the address of the list cannot be read")
	}
	defer cancel()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.egress.Do(req)
	if err != nil {
		return fmt.Errorf("safebrowsing: %w", err)
	}
	if answer.Status != http.StatusOK {
		var told struct {
			Error struct {
				Message string `json:"message"`
				Status  string `json:"status"`
			} `json:"error"`
		}
		_ = json.Unmarshal(answer.Body, &told) // an answer of another form has no message
		return &Error{HTTP: answer.Status, Status: told.Error.Status, Message: told.Error.Message}
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		return fmt.Errorf("safebrowsing: answer: %w", err)
	}
	return nil
}
