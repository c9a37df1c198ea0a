// Package networkstest has fakes of the platforms of affiliate networks. Each speaks the wire format of its platform:
// credentials, pages, words for statuses, times, and the envelope of its errors.
package networkstest

import (
	"bytes"
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
	Back                                      string // what was taken back later, of a platform that tells it by a record of its own
	Bare                                      bool   // the platform says neither payout nor currency nor time
}

// World is what all platforms have.
type World struct {
	mu     sync.Mutex
	orders []Order
	faults []Fault // of the next requests; the last one stays
	calls  int
	tokens int // how many were issued or ended; only the last one is good
	zone   *time.Location
	quoted bool
}

// Set replaces the orders.
func (w *World) Set(orders ...Order) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders = slices.Clone(orders)
}

// Live has the platforms live in a time zone: they tell times in it, if not in UTC, and mean its days.
func (w *World) Live(zone *time.Location) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.zone = zone
}

// Quote has the platforms write all numbers as texts.
func (w *World) Quote() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quoted = true
}

// Fault is how a platform fails.
type Fault int

// The faults.
const (
	None      Fault = iota
	Busy            // the platform's status for too many requests, with Retry-After: 7
	Swamped         // the same without a time
	Down            // 500 with a page of some proxy that repeats the request's credentials
	Cut             // an answer that ends early
	Elsewhere       // a redirect to another host
	Echo            // 400 with an envelope that repeats the request, credentials and all
	Strange         // 200 with an answer of another form
	Refusal         // the platform's own error, with Words
	Expired         // tokens are no longer good
)

// Words are what a platform says when it refuses.
const Words = "the report is being rebuilt"

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
	// Statuses are those that the platform can tell by one record; nil: approved, pending and rejected.
	Statuses []string
	Tokens   bool // credentials are exchanged for a token
	Backs    bool // reversals are records of their own

	credentials func() map[string]string
	serve       func(w *World, c *call)
	refuse      func(c *call, words string) // in the envelope of the platform's errors
	busy        int                         // the status for too many requests; 0: 429
}

func (f Fake) tooMany() int {
	if f.busy != 0 {
		return f.busy
	}
	return http.StatusTooManyRequests
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
var Fakes = map[string]Fake{
	"admitad": admitad, "affise": affise, "awin": awin, "cake": cake, "cj": cj, "clickbank": clickbank, "everflow": everflow,
	"impact": impact, "partnerize": partnerize, "rakuten": rakuten, "tune": tune,
}

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
	c := &call{ResponseWriter: rw, r: r, path: "/" + path, good: fake.Credentials(), zone: w.zone, quoted: w.quoted, fake: fake}
	if c.zone == nil {
		c.zone = time.UTC
	}
	fault := None
	if len(w.faults) > 0 {
		if fault = w.faults[0]; len(w.faults) > 1 {
			w.faults = w.faults[1:]
		}
	}
	if fault == Expired {
		w.tokens++
		fault = None
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
	case Busy, Swamped:
		if fault == Busy {
			c.Header().Set("Retry-After", "7")
		}
		c.json(c.fake.tooMany(), object{"message": "slow down"})
	case Down:
		c.WriteHeader(http.StatusInternalServerError)
		_, _ = c.Write([]byte("<html>" + secrets))
	case Cut:
		c.Header().Set("Content-Length", "1000")
		_, _ = c.Write([]byte(`{"conversions": [{`))
	case Elsewhere:
		http.Redirect(c, c.r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
	case Echo:
		c.json(http.StatusBadRequest, object{"errors": []object{{"message": "cannot serve " + secrets}}})
	case Strange:
		_, _ = c.Write([]byte(`"<html>"`))
	case Refusal:
		c.fake.refuse(c, Words)
	case None, Expired:
	}
}

type object = map[string]any

// call is a request to a fake.
type call struct {
	http.ResponseWriter
	r    *http.Request
	path string            // without the platform's name
	good map[string]string // the credentials that are accepted

	zone   *time.Location // of the platform
	quoted bool           // numbers are texts
	fake   Fake
}

// json answers.
func (c *call) json(status int, v any) {
	c.Header().Set("Content-Type", "application/json")
	c.WriteHeader(status)
	if c.quoted {
		var read any
		raw, _ := json.Marshal(v)
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		_ = dec.Decode(&read)
		v = quote(read)
	}
	_ = json.NewEncoder(c).Encode(v)
}

// quote makes texts of all numbers.
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

// row is a record of an order, without the members that a bare order lacks.
func (o Order) row(row object, lacks ...string) object {
	if o.Bare {
		for _, name := range lacks {
			delete(row, name)
		}
	}
	return row
}

// days are the orders of days of the query, both included, in the platform's zone.
func (c *call) days(w *World, form, from, to string) []Order {
	q := c.r.URL.Query()
	first, err1 := time.ParseInLocation(form, q.Get(from), c.zone)
	last, err2 := time.ParseInLocation(form, q.Get(to), c.zone)
	if err1 != nil || err2 != nil {
		return nil
	}
	return w.within(first, last.AddDate(0, 0, 1))
}

// span are the orders between times of the query, both included, which may be so many days apart; 0: any number. ok is
// false if the query has no such times.
func (c *call) span(w *World, form, from, to string, days int) (orders []Order, ok bool) {
	q := c.r.URL.Query()
	first, err1 := time.Parse(form, q.Get(from))
	last, err2 := time.Parse(form, q.Get(to))
	if err1 != nil || err2 != nil || days > 0 && last.Sub(first) > time.Duration(days)*24*time.Hour {
		return nil, false
	}
	return w.within(first, last.Add(time.Second)), true
}

// token issues a token to a client, and refuses others.
func (w *World) token(c *call, scope string) {
	id, secret, _ := c.r.BasicAuth()
	if c.r.Method != http.MethodPost || c.r.FormValue("grant_type") != "client_credentials" || c.r.FormValue("scope") != scope ||
		id != c.good["client_id"] || secret != c.good["client_secret"] {
		c.json(http.StatusUnauthorized, object{"error": "invalid_client", "error_description": "the client is not known"})
		return
	}
	w.tokens++
	c.json(http.StatusOK, object{
		"access_token": w.goodToken(), "refresh_token": "canary-refresh", "token_type": "bearer", "expires_in": 3600, "scope": scope,
	})
}

func (w *World) goodToken() string { return fmt.Sprintf("canary-token-%d", w.tokens) }

// bearer reports whether a request has the token that is good.
func (w *World) bearer(c *call) bool {
	return c.r.Header.Get("Authorization") == "Bearer "+w.goodToken()
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

// payout is the amount, as a number.
func (o Order) payout() string {
	if o.Payout == "" {
		return "0"
	}
	return o.Payout
}

// plain answers with text.
func (c *call) plain(status int, words string) {
	c.Header().Set("Content-Type", "text/plain")
	c.WriteHeader(status)
	_, _ = c.Write([]byte(words))
}
