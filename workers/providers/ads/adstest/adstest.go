// Package adstest has fakes of ad platforms. Each speaks the wire format of its platform: credentials, tokens, pages, figures, and the
// envelope of its errors.
package adstest

import (
	"bytes"
	"context"
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
)

// Row is what an account spent on a day for a campaign.
type Row struct {
	Day, Campaign, Name, Spend string
	Clicks, Impressions        int
	Bare                       bool // the platform says neither spend nor clicks nor impressions
}

// Currency and Zone are those of all accounts that can tell theirs.
const (
	Currency = "EUR"
	Zone     = "America/New_York"
)

// World is what all platforms have.
type World struct {
	mu     sync.Mutex
	rows   []Row
	faults []Fault // of the next requests; the last one stays
	calls  int
	logins int
	token  int // the number of the token that is good
	quoted bool
	held   chan struct{} // requests wait until it is closed; nil: they do not
}

// Set replaces the rows.
func (w *World) Set(rows ...Row) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows = slices.Clone(rows)
}

// Quote has the platforms write all numbers as texts.
func (w *World) Quote() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quoted = true
}

// Hold has the next requests wait for release.
func (w *World) Hold() (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := make(chan struct{})
	w.held = held
	return sync.OnceFunc(func() { close(held) })
}

// Fault is how a request fails.
type Fault int

// The faults.
const (
	None      Fault = iota
	Busy            // 429, with Retry-After: 7
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

// Calls is how many requests there were, and Logins how many of them asked for a token.
func (w *World) Calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

// Logins is how many tokens were issued to credentials.
func (w *World) Logins() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logins
}

// Token implements the tokens of a sign-in.
func (w *World) Token(context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.good(), nil
}

// Renew implements the tokens of a sign-in.
func (w *World) Renew(ctx context.Context, _ string) (string, error) { return w.Token(ctx) }

// Rotating are tokens of a sign-in of which the first has expired.
type Rotating struct{ World *World }

// Token gives one that has expired.
func (Rotating) Token(context.Context) (string, error) { return "canary-token-old", nil }

// Renew gives the one that is good.
func (r Rotating) Renew(ctx context.Context, refused string) (string, error) {
	if refused != "canary-token-old" {
		return "", fmt.Errorf("%q was not refused", refused)
	}
	return r.World.Token(ctx)
}

func (w *World) good() string { return fmt.Sprintf("canary-token-%d", w.token) }

// issue makes a new token, the only one that is good.
func (w *World) issue() string {
	w.token++
	w.logins++
	return w.good()
}

// within are the rows of days, both included.
func (w *World) within(from, to string) []Row {
	var out []Row
	for _, r := range w.rows {
		if r.Day >= from && r.Day <= to {
			out = append(out, r)
		}
	}
	return out
}

// Fake is a platform.
type Fake struct {
	SignIn   bool // tokens come from a sign-in
	Tokens   bool // credentials are exchanged for a token
	Plain    bool // the currency is not told
	Paged    bool
	settings map[string]string
	secrets  []string
	serve    func(w *World, c *call)
	refuse   func(c *call, words string)
	busy     func(c *call) // too many requests; nil: 429
}

// Credentials are those that the platform accepts. Secrets are canaries, which are found wherever they leak.
func (f Fake) Credentials() map[string]string {
	out := maps.Clone(f.settings)
	if out == nil {
		out = map[string]string{}
	}
	for _, name := range f.secrets {
		out[name] = "canary-" + name + "-Zq7"
	}
	return out
}

// Fakes are the platforms, by name.
var Fakes = map[string]Fake{
	"google_ads": googleAds, "microsoft_ads": microsoftAds, "meta": meta, "tiktok": tiktok, "taboola": taboola,
	"outbrain": outbrain, "propellerads": propellerAds, "exoclick": exoClick,
}

// Handler is every fake, each below its name.
func (w *World) Handler() http.Handler { return http.HandlerFunc(w.serve) }

// Serve starts a server that is every fake.
func Serve(tb testing.TB, w *World) *httptest.Server {
	tb.Helper()
	s := httptest.NewTLSServer(w.Handler())
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
	held := w.held
	w.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	c := &call{ResponseWriter: rw, r: r, path: "/" + path, good: fake.Credentials(), quoted: w.quoted, fake: fake}
	fault := None
	if len(w.faults) > 0 {
		if fault = w.faults[0]; len(w.faults) > 1 {
			w.faults = w.faults[1:]
		}
	}
	if fault == Expired {
		w.token++
		fault = None
	}
	if fault == None {
		fake.serve(w, c)
		return
	}
	c.fail(fault)
}

type object = map[string]any

// call is a request to a fake.
type call struct {
	http.ResponseWriter
	r      *http.Request
	path   string            // without the platform's name
	good   map[string]string // the credentials that are accepted
	quoted bool              // numbers are texts
	fake   Fake
}

func (c *call) fail(fault Fault) {
	secrets := c.r.Header.Get("Authorization") + c.r.URL.RawQuery + fmt.Sprint(c.r.Header)
	switch fault {
	case Busy, Swamped:
		if fault == Busy {
			c.Header().Set("Retry-After", "7")
		}
		if c.fake.busy != nil {
			c.fake.busy(c)
			return
		}
		c.json(http.StatusTooManyRequests, object{"message": "slow down"})
	case Down:
		c.WriteHeader(http.StatusInternalServerError)
		_, _ = c.Write([]byte("<html>" + secrets))
	case Cut:
		c.Header().Set("Content-Length", "1000")
		_, _ = c.Write([]byte(`{"data": [{`))
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

// body reads the JSON of a request.
func (c *call) body() object {
	read := object{}
	_ = json.NewDecoder(c.r.Body).Decode(&read)
	return read
}

// spent is the spend of a row, as a number.
func (r Row) spent() json.Number { return json.Number(r.Spend) }

// without leaves out what a bare row lacks.
func (r Row) without(figures object, names ...string) object {
	if r.Bare {
		for _, name := range names {
			delete(figures, name)
		}
	}
	return figures
}

// paged are the items of a page, which begins with 1.
func paged[T any](items []T, page, size int) []T {
	from := min(max(page-1, 0)*size, len(items))
	return items[from:min(from+size, len(items))]
}

func pages(items, size int) int { return (items + size - 1) / size }

func (c *call) number(name string, fallback int) int {
	n, err := strconv.Atoi(c.r.URL.Query().Get(name))
	if err != nil {
		return fallback
	}
	return n
}
