// Package safebrowsingtest has fakes of Web Risk and of Safe Browsing version 5. source.md says which documents they follow.
package safebrowsingtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"

	"switchyard/workers/providers/rest/resttest"
)

// Key is the key that both services accept.
const Key = "AIza-secret"

// Bad is an address that both services list. Safe Browsing lists the whole host.
const Bad = "http://a.example/?x=1&y=ä b"

// Status is an error of either service.
type Status struct {
	HTTP int
	Code int
	Name string
	Text string
}

// Errors of the services.
var (
	Wrong     = Status{http.StatusBadRequest, 3, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."}
	Forbidden = Status{http.StatusForbidden, 7, "PERMISSION_DENIED", "Safe Browsing API has not been used in project 1 before or it is disabled."}
	Quota     = Status{http.StatusTooManyRequests, 8, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Queries'."}
	Down      = Status{http.StatusServiceUnavailable, 14, "UNAVAILABLE", "The service is currently unavailable."}
)

// Services is both services.
type Services struct{ fail atomic.Pointer[Status] }

// Fail makes all requests fail. nil ends this.
func (all *Services) Fail(s *Status) { all.fail.Store(s) }

// ServeHTTP implements http.Handler.
func (all *Services) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var refuse func(s Status)
	switch r.URL.Path {
	case "/v1/uris:search":
		refuse = func(s Status) {
			resttest.JSON(rw, s.HTTP, map[string]any{"error": map[string]any{"code": s.HTTP, "message": s.Text, "status": s.Name}})
		}
	case "/v5/urls:search":
		refuse = func(s Status) {
			answer(rw, s.HTTP, protowire.AppendString(protowire.AppendTag(
				protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(s.Code)), 2, protowire.BytesType), s.Text)) //nolint:gosec // small
		}
	default:
		http.NotFound(rw, r)
		return
	}
	invalid := func(words string) { refuse(Status{http.StatusBadRequest, 3, "INVALID_ARGUMENT", words}) }
	failed := all.fail.Load()
	switch {
	case failed != nil:
		refuse(*failed)
	case r.Method != http.MethodGet:
		refuse(Status{http.StatusNotFound, 5, "NOT_FOUND", "Method not found."})
	case q.Get("key") == "":
		refuse(Status{http.StatusForbidden, 7, "PERMISSION_DENIED", "Method doesn't allow unregistered callers. Please use API Key."})
	case q.Get("key") != Key:
		refuse(Status{Wrong.HTTP, Wrong.Code, Wrong.Name, "API key not valid: " + r.URL.String()}) // the text repeats the key
	case r.ContentLength > 0:
		invalid("Invalid value at 'body'.")
	case r.URL.Path == "/v1/uris:search":
		webRisk(rw, r, invalid)
	default:
		search(rw, r, invalid)
	}
}

// unknown returns the text of the error for an unknown parameter, or "".
func unknown(r *http.Request, known ...string) string {
	for name := range r.URL.Query() {
		if !slices.Contains(append(known, "key"), name) {
			return fmt.Sprintf("Invalid JSON payload received. Unknown name %q: Cannot bind query parameter. Field %q could not be found in request message.", name, name)
		}
	}
	return ""
}

func webRisk(rw http.ResponseWriter, r *http.Request, invalid func(string)) {
	q := r.URL.Query()
	known := []string{"MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE", "SOCIAL_ENGINEERING_EXTENDED_COVERAGE"}
	words := unknown(r, "uri", "threatTypes")
	switch {
	case words != "":
		invalid(words)
	case len(q["uri"]) != 1 || q.Get("uri") == "":
		invalid("uri must be set.")
	case len(q["threatTypes"]) == 0 || slices.ContainsFunc(q["threatTypes"], func(t string) bool { return !slices.Contains(known, t) }):
		invalid("Invalid value at 'threat_types'.")
	case q.Get("uri") == Bad:
		resttest.JSON(rw, http.StatusOK, map[string]any{"threat": map[string]any{
			"threatTypes": []string{"MALWARE"}, "expireTime": "2026-11-08T00:00:00.123456Z",
		}})
	default:
		resttest.JSON(rw, http.StatusOK, map[string]any{})
	}
}

// search answers in binary form only. The answer names the listed expression, which may differ from the requested address.
func search(rw http.ResponseWriter, r *http.Request, invalid func(string)) {
	q := r.URL.Query()
	switch {
	case q.Get("alt") == "json" || q.Get("$alt") == "json":
		invalid("Unsupported Output Format.")
		return
	case unknown(r, "urls", "alt", "$alt") != "":
		invalid(unknown(r, "urls", "alt", "$alt"))
		return
	case len(q["urls"]) == 0 || len(q["urls"]) > 50:
		invalid("The number of URLs must be between 1 and 50.")
		return
	}
	var body []byte
	if slices.ContainsFunc(q["urls"], func(u string) bool { return strings.HasPrefix(u, "http://a.example/") }) {
		threat := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "a.example/")
		threat = protowire.AppendBytes(protowire.AppendTag(threat, 2, protowire.BytesType), []byte{1, 2}) // packed
		body = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), threat)
	}
	duration := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 300)
	answer(rw, http.StatusOK, protowire.AppendBytes(protowire.AppendTag(body, 2, protowire.BytesType), duration))
}

func answer(rw http.ResponseWriter, status int, body []byte) {
	rw.Header().Set("Content-Type", "application/x-protobuf")
	rw.WriteHeader(status)
	_, _ = rw.Write(body)
}
