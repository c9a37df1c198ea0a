// Package resttest has the common parts of the fakes of providers.
package resttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
)

// Fault is a way in which a request fails.
type Fault int

// The faults.
const (
	None      Fault = iota
	Busy            // too many requests, with Retry-After: 7
	Swamped         // too many requests, without Retry-After
	Down            // 500 with a proxy's HTML page that repeats the request's credentials
	Cut             // an answer that ends early
	Elsewhere       // a redirect to another host
	Echo            // 400 with an error that repeats the request, including its credentials
	Strange         // 200 with an answer of another form
	Slow            // no answer; the connection ends when the client has given up, or when Fail is called again
	Refusal         // an error in the provider's own form, with RefusalText
	Expired         // tokens are no longer valid; the fake decides how it answers
)

// RefusalText is the error text of a provider that refuses a request.
const RefusalText = "the report is being rebuilt"

// RequestID is the provider's id of a failed request.
const RequestID = "request-4711"

// Faults decides how the requests of a fake fail. With the zero Faults no request fails.
type Faults struct {
	mu      sync.Mutex
	list    []Fault // faults of the next requests; the last one stays
	calls   int
	blocked chan struct{} // requests wait until it is closed; may be nil
	changed chan struct{} // closed when Fail is called; may be nil
}

// Fail sets the faults of the next requests, in order. The last one stays.
func (f *Faults) Fail(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.list = faults; f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Block makes the next requests wait until release is called.
func (f *Faults) Block() (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	held := make(chan struct{})
	f.blocked = held
	return sync.OnceFunc(func() { close(held) })
}

// Calls returns the number of requests, including requests that still wait for an answer.
func (f *Faults) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// Next counts a request and returns its fault. After Block, it waits for the call of release before it returns. ok is false if the
// client has given up.
func (f *Faults) Next(r *http.Request) (fault Fault, ok bool) {
	// A server notices that a client has given up only after the body is read.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return None, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.mu.Lock()
	f.calls++
	held := f.blocked
	if len(f.list) > 0 {
		if fault = f.list[0]; len(f.list) > 1 {
			f.list = f.list[1:]
		}
	}
	f.mu.Unlock()
	if held != nil && !wait(r, held) {
		return None, false
	}
	return fault, true
}

// block waits until the client has given up or Fail is called again.
func (f *Faults) block(r *http.Request) {
	f.mu.Lock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	changed := f.changed
	f.mu.Unlock()
	wait(r, changed)
}

func wait(r *http.Request, until <-chan struct{}) (ok bool) {
	select {
	case <-until:
		return true
	case <-r.Context().Done():
		return false
	}
}

// FailureForms writes failures in a provider's own form. If Busy or Echo is nil, its failure has the usual form.
type FailureForms struct {
	Busy   func() // too many requests
	Refuse func(words string)
	Echo   func(words string) // an error that repeats words of the request
}

// Answer answers a request with a fault. ok is true if the provider must still serve the request.
func (f *Faults) Answer(w http.ResponseWriter, r *http.Request, fault Fault, forms FailureForms) (ok bool) {
	secrets := Repeated(r)
	if fault != None && fault != Expired {
		w.Header().Set("X-Request-Id", RequestID)
	}
	switch fault {
	case Busy, Swamped:
		if fault == Busy {
			w.Header().Set("Retry-After", "7")
		}
		if forms.Busy != nil {
			forms.Busy()
			return false
		}
		JSON(w, http.StatusTooManyRequests, map[string]any{"message": "slow down"})
	case Down:
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, "<html>"+secrets)
	case Cut:
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"data": [{`)
	case Elsewhere:
		http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
	case Echo:
		if forms.Echo != nil {
			forms.Echo("cannot serve " + secrets)
			return false
		}
		JSON(w, http.StatusBadRequest, map[string]any{"errors": []any{map[string]any{"message": "cannot serve " + secrets}}})
	case Strange:
		_, _ = io.WriteString(w, `"<html>"`)
	case Slow:
		f.block(r)
		// An empty answer could reach the client before its timeout.
		panic(http.ErrAbortHandler)
	case Refusal:
		forms.Refuse(RefusalText)
	case None, Expired:
		return true
	}
	return false
}

// Repeated returns the parts of a request that a careless provider may repeat. They may contain credentials.
func Repeated(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return fmt.Sprint(r.Header.Get("Authorization"), " ", r.URL.RawQuery, " ", r.Header, " ", string(body))
}

// JSON answers with JSON.
func JSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// Quoted returns a JSON value with all its numbers written as texts.
func Quoted(v any) any {
	var read any
	raw, _ := json.Marshal(v)
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	_ = dec.Decode(&read)
	return quote(read)
}

func quote(v any) any {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case []any:
		for i := range v {
			v[i] = quote(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = quote(v[name])
		}
	}
	return v
}

// Canaries returns credentials: the open values, and for each secret a text that a test can find if it leaks.
func Canaries(open map[string]string, secrets ...string) map[string]string {
	out := maps.Clone(open)
	if out == nil {
		out = map[string]string{}
	}
	for _, name := range secrets {
		out[name] = "canary-" + name + "-Zq7"
	}
	return out
}

// Page returns the items of a page. The first page is 1.
func Page[T any](items []T, page, size int) []T {
	from := min(max(page-1, 0)*size, len(items))
	return items[from:min(from+size, len(items))]
}
