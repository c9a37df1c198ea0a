// Package networkstest has fakes of the platforms of affiliate networks. Each speaks the wire format of its platform:
// credentials, pages, words for statuses, times, and the envelope of its errors.
package networkstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Order is an order that the platforms have. Status is one of ours.
type Order struct {
	ID, Click, Goal, Status, Payout, Currency string
	At                                        time.Time
	Word                                      string // the platform's word for the status; empty: its usual one
}

// World is what all platforms have.
type World struct {
	mu     sync.Mutex
	orders []Order
	faults []Fault // of the next requests; the last one stays
	calls  int
}

// Set replaces the orders.
func (w *World) Set(orders ...Order) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders = slices.Clone(orders)
}

// Fault is how a platform fails.
type Fault int

// The faults.
const (
	None      Fault = iota
	Busy            // 429 with Retry-After: 7
	Swamped         // 429 without a time
	Down            // 500 with a page of some proxy that repeats the request's credentials
	Cut             // an answer that ends early
	Elsewhere       // a redirect to another host
	Echo            // 400 with an envelope that repeats the request, credentials and all
	Strange         // 200 with an answer of another form
)

// Fail lets the next requests fail one after another, and all further ones as the last.
func (w *World) Fail(faults ...Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = faults
}

// Calls is how many requests there were.
func (w *World) Calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

// within are the orders of [from, to), by their time.
func (w *World) within(from, to time.Time) []Order {
	var out []Order
	for _, o := range w.orders {
		if !o.At.Before(from) && o.At.Before(to) {
			out = append(out, o)
		}
	}
	return out
}

// Fake is a platform.
type Fake struct {
	credentials func() map[string]string
	serve       func(w *World, c *call)
}

// Credentials are those that the platform accepts.
func (f Fake) Credentials() map[string]string { return f.credentials() }

// and are canaries, which are found wherever they leak, beside fields that are no secrets.
func and(open map[string]string, secrets ...string) func() map[string]string {
	return func() map[string]string {
		out := maps.Clone(open)
		if out == nil {
			out = map[string]string{}
		}
		for _, f := range secrets {
			out[f] = "canary-" + f + "-Zq7"
		}
		return out
	}
}

// Fakes are the platforms, by name.
var Fakes = map[string]Fake{"everflow": everflow}

// Serve starts a server that is every fake, each below its name.
func Serve(tb testing.TB, w *World) *httptest.Server {
	tb.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(w.serve))
	tb.Cleanup(s.Close)
	return s
}

func (w *World) serve(rw http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	fake, ok := Fakes[name]
	if !ok {
		http.NotFound(rw, r)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	c := &call{ResponseWriter: rw, r: r, path: "/" + path, good: fake.Credentials()}
	fault := None
	if len(w.faults) > 0 {
		if fault = w.faults[0]; len(w.faults) > 1 {
			w.faults = w.faults[1:]
		}
	}
	if fault == None {
		fake.serve(w, c)
		return
	}
	c.fail(fault)
}

func (c *call) fail(fault Fault) {
	secrets := c.r.Header.Get("Authorization") + c.r.URL.RawQuery + fmt.Sprint(c.r.Header)
	switch fault {
	case Busy:
		c.Header().Set("Retry-After", "7")
		c.json(http.StatusTooManyRequests, object{"message": "slow down"})
	case Swamped:
		c.json(http.StatusTooManyRequests, object{"message": "slow down"})
	case Down:
		c.WriteHeader(http.StatusInternalServerError)
		_, _ = c.Write([]byte("<html>" + secrets)) //nolint:gosec // nobody renders it
	case Cut:
		c.Header().Set("Content-Length", "1000")
		_, _ = c.Write([]byte(`{"conversions": [{`))
	case Elsewhere:
		http.Redirect(c, c.r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
	case Echo:
		c.json(http.StatusBadRequest, object{"errors": []object{{"message": "cannot serve " + secrets}}})
	case Strange:
		_, _ = c.Write([]byte(`"<html>"`))
	case None:
	}
}

type object = map[string]any

// call is a request to a fake.
type call struct {
	http.ResponseWriter
	r    *http.Request
	path string            // without the platform's name
	good map[string]string // the credentials that are accepted
}

// json answers.
func (c *call) json(status int, v any) {
	c.Header().Set("Content-Type", "application/json")
	c.WriteHeader(status)
	_ = json.NewEncoder(c).Encode(v)
}

// number is a number of the query.
func (c *call) number(name string, fallback int) int {
	n, err := strconv.Atoi(c.r.URL.Query().Get(name))
	if err != nil {
		return fallback
	}
	return n
}

// paged are the items of a page, which begins with 1.
func paged[T any](items []T, page, size int) []T {
	from := min(max(page-1, 0)*size, len(items))
	return items[from:min(from+size, len(items))]
}

// at reads a time of a form, in UTC. What is no such time is the zero time.
func at(form, word string) time.Time {
	t, _ := time.Parse(form, word)
	return t
}

// word is how the platform calls an order's status.
func (o Order) word(words map[string]string) string {
	if o.Word != "" {
		return o.Word
	}
	return words[o.Status]
}
