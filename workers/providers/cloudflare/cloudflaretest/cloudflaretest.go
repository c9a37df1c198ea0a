// Package cloudflaretest has a fake of Cloudflare's API with its wire format and its documented limits.
package cloudflaretest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The token, zone and account that the fake accepts. The token is a canary: a text that a test can find wherever it leaks.
const (
	Token   = "canary-cloudflare-token-Zq7" //nolint:gosec // no real token
	Zone    = "023e105f4ecef8ad9ca31a8372d0c353"
	Account = "372e67954025e0ba6aaa6d586b9e0b59"
)

// A token may send at most Limit requests in a Window.
const (
	Limit  = 1200
	Window = 5 * time.Minute
)

// Fault is a way in which the API fails.
type Fault int

// The faults.
const (
	None   Fault = iota
	Broken       // 502 with a proxy's HTML page that repeats the request's credentials
	Echo         // 400 with an error that repeats the request's credentials
	Drop         // the API carries out the request and closes the connection without an answer
	Hang         // the API carries out the request and never answers
)

// Fake is the API. Safe for concurrent use.
type Fake struct {
	Server *httptest.Server

	mu       sync.Mutex
	now      func() time.Time
	fault    Fault
	refusal  *refusal
	requests []time.Time // the times of the requests in the last Window
	blocked  time.Time   // the fake answers 429 until this time
	limit    int
	quota    int
	counts   map[string]int // requests, by their method and the pattern of their path
	refused  int            // number of requests that were answered 429
	hosts    map[string]*hostname
	sequence int
	kv       namespace
}

type refusal struct {
	status, code int
	text         string
}

// Serve starts a fake.
func Serve(tb testing.TB) *Fake {
	tb.Helper()
	f := &Fake{now: time.Now, limit: Limit, quota: 50_000, counts: map[string]int{}, hosts: map[string]*hostname{}}
	mux := http.NewServeMux()
	f.tokenRoutes(mux)
	f.hostnameRoutes(mux)
	f.kvRoutes(mux)
	f.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answered := f.handle(mux, w, r); !answered {
			<-r.Context().Done()
		}
	}))
	tb.Cleanup(f.Server.Close)
	return f
}

// handle answers a request. With the fault Hang it does not answer, and returns false.
func (f *Fake) handle(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) (answered bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, pattern := mux.Handler(r)
	if pattern == "" {
		pattern = "unknown"
	}
	f.counts[pattern]++
	switch {
	case !f.admit(w, r):
	case f.fault == Hang:
		mux.ServeHTTP(httptest.NewRecorder(), r)
		return false
	default:
		f.serve(mux, w, r)
	}
	return true
}

// Fail makes every request fail with a fault.
func (f *Fake) Fail(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// Refuse makes every request fail with a code; 0 ends this.
func (f *Fake) Refuse(status, code int, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refusal = nil
	if code != 0 {
		f.refusal = &refusal{status, code, text}
	}
}

// Block makes the fake answer 429 from now on, for the given time by its own clock.
func (f *Fake) Block(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blocked = f.now().Add(d)
}

// SetNow changes the clock.
func (f *Fake) SetNow(now func() time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = now
}

// SetLimit changes the number of requests that are allowed in a Window.
func (f *Fake) SetLimit(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limit = n
}

// SetQuota changes the maximum number of hostnames.
func (f *Fake) SetQuota(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.quota = n
}

// Count returns the number of requests to a route, such as "POST /zones/{zone}/custom_hostnames". An empty pattern counts all
// requests.
func (f *Fake) Count(pattern string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if pattern != "" {
		return f.counts[pattern]
	}
	all := 0
	for _, n := range f.counts {
		all += n
	}
	return all
}

// Refused returns the number of requests that were answered 429.
func (f *Fake) Refused() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}

// admit answers a request without the token, above the limit or during a block, and then returns false.
func (f *Fake) admit(w http.ResponseWriter, r *http.Request) bool {
	now := f.now()
	for len(f.requests) > 0 && now.Sub(f.requests[0]) >= Window {
		f.requests = f.requests[1:]
	}
	f.requests = append(f.requests, now)
	if len(f.requests) > f.limit && !f.blocked.After(now) {
		f.blocked = now.Add(Window)
	}
	reset := max(f.blocked.Sub(now), 0)
	w.Header().Set("Ratelimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, f.limit, Window/time.Second))
	w.Header().Set("Ratelimit", fmt.Sprintf(`"default";r=%d;t=%d`, max(f.limit-len(f.requests), 0), Window/time.Second))
	if reset > 0 {
		f.refused++
		w.Header().Set("Retry-After", strconv.Itoa(int((reset+time.Second-1)/time.Second)))
		fail(w, http.StatusTooManyRequests, 971, "Please wait and consider throttling your request speed")
		return false
	}
	switch {
	case r.Header.Get("Authorization") == "Bearer "+Token:
		return true
	case r.URL.Path == "/user/tokens/verify":
		fail(w, http.StatusUnauthorized, 1000, "Invalid API Token")
	default:
		fail(w, http.StatusUnauthorized, 10000, "Authentication error")
	}
	return false
}

func (f *Fake) serve(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	switch {
	case f.fault == Broken:
		w.WriteHeader(http.StatusBadGateway)
		_, _ = fmt.Fprintf(w, "<html>%v", r.Header) //nolint:gosec // no browser renders it
	case f.fault == Echo:
		fail(w, http.StatusBadRequest, 1400, fmt.Sprint("cannot serve ", r.Header))
	case f.fault == Drop:
		mux.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case f.refusal != nil:
		fail(w, f.refusal.status, f.refusal.code, f.refusal.text)
	default:
		_, pattern := mux.Handler(r)
		if pattern == "" {
			fail(w, http.StatusNotFound, 7003, "Could not route to "+r.URL.Path+", perhaps your object identifier is invalid?")
			return
		}
		if words := flaw(pattern, r); words != "" {
			fail(w, http.StatusBadRequest, 9207, "Request body is invalid: "+words)
			return
		}
		mux.ServeHTTP(w, r)
	}
}

func (f *Fake) tokenRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /user/tokens/verify", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, object{"id": "f267e341f3dd4697bd3b9f71dd96247f", "status": "active"}, nil)
	})
}

type object = map[string]any

// answer writes a result in the envelope. info is the result_info of a list; nil: the result is not a list.
func answer(w http.ResponseWriter, status int, result any, info object) {
	out := object{"success": true, "errors": []any{}, "messages": []any{}, "result": result}
	if info != nil {
		out["result_info"] = info
	}
	write(w, status, out)
}

func fail(w http.ResponseWriter, status, code int, text string) {
	failure := object{"code": code, "message": text}
	if code == 6003 {
		failure["error_chain"] = []object{{"code": 6111, "message": "Invalid format for Authorization header"}}
	}
	write(w, status, object{"success": false, "errors": []object{failure}, "messages": []any{}, "result": nil})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
