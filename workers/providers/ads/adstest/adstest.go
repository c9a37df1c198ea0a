// Package adstest has fakes of ad platforms, each in the wire format of its platform.
package adstest

import (
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

	"switchyard/workers/providers/rest/resttest"
)

// Row is the spend of an account on one day for one campaign.
type Row struct {
	Day, Campaign, Name, Spend string
	Clicks, Impressions        int
	Bare                       bool // the platform reports neither spend nor clicks nor impressions
}

// Currency and Zone are the values of most accounts whose platforms report them.
const (
	Currency = "EUR"
	Zone     = "America/New_York"
)

// Platforms is the state that all platforms share.
type Platforms struct {
	resttest.Faults

	mu     sync.Mutex
	rows   []Row
	logins int
	token  int
	quoted bool
}

// Set replaces the rows.
func (p *Platforms) Set(rows ...Row) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows = slices.Clone(rows)
}

// Quote makes the platforms write all numbers as texts, and ExoClick leave out the line with the names of the columns.
func (p *Platforms) Quote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quoted = true
}

// Logins returns the number of tokens that were issued for credentials.
func (p *Platforms) Logins() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logins
}

// SignedIn returns the valid access token of a sign-in.
func (p *Platforms) SignedIn() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.validToken()
}

// Token returns the valid token.
func (p *Platforms) Token(context.Context) (string, error) { return p.SignedIn(), nil }

// Renew returns the valid token. With Token and Renew, Platforms implements ads.Tokens for a sign-in.
func (p *Platforms) Renew(ctx context.Context, _ string) (string, error) { return p.Token(ctx) }

// Rotating implements ads.Tokens for a sign-in whose first token has expired.
type Rotating struct{ Platforms *Platforms }

// Token returns an expired token.
func (Rotating) Token(context.Context) (string, error) { return "canary-token-old", nil }

// Renew returns the valid token.
func (r Rotating) Renew(ctx context.Context, refused string) (string, error) {
	if refused != "canary-token-old" {
		return "", fmt.Errorf("%q was not refused", refused)
	}
	return r.Platforms.Token(ctx)
}

func (p *Platforms) validToken() string { return fmt.Sprintf("canary-token-%d", p.token) }

// issue makes a new token.
func (p *Platforms) issue() string {
	p.token++
	p.logins++
	return p.validToken()
}

// within returns the rows from one day to another, both included.
func (p *Platforms) within(from, to string) []Row {
	var out []Row
	for _, r := range p.rows {
		if r.Day >= from && r.Day <= to {
			out = append(out, r)
		}
	}
	return out
}

// Fake is the fake of a platform.
type Fake struct {
	SignIn   bool // tokens come from a sign-in
	Tokens   bool // credentials are exchanged for a token
	Plain    bool // the platform does not report the currency
	Paged    bool
	Amounts  bool   // each row has an amount, so a row without one is an error
	Zone     string // the time zone that the platform reports; empty: it reports none
	settings map[string]string
	secrets  []string
	serve    func(p *Platforms, c *call)
	refuse   func(c *call, words string)
	busy     func(c *call) // answers that there were too many requests; nil: the answer is 429
}

// Credentials returns the credentials that the platform accepts. The secrets are canaries: texts that a test can find wherever
// they leak.
func (f Fake) Credentials() map[string]string {
	return resttest.Canaries(f.settings, f.secrets...)
}

// Fakes has the platforms by name.
var Fakes = map[string]Fake{
	"google_ads": googleAds, "microsoft_ads": microsoftAds, "meta": meta, "tiktok": tiktok, "taboola": taboola,
	"outbrain": outbrain, "propellerads": propellerAds, "exoclick": exoClick,
	"mgid": mgid, "revcontent": revcontent, "trafficstars": trafficStars,
	"snapchat": snapchat, "pinterest": pinterest, "reddit": reddit, "openai_ads": openAI,
}

// Handler returns a handler that serves each fake at the paths that begin with its name.
func (p *Platforms) Handler() http.Handler { return http.HandlerFunc(p.serve) }

// Serve starts a server with all fakes.
func Serve(tb testing.TB, p *Platforms) *httptest.Server {
	tb.Helper()
	s := httptest.NewTLSServer(p.Handler())
	tb.Cleanup(s.Close)
	return s
}

func (p *Platforms) serve(rw http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	fake, ok := Fakes[name]
	if !ok {
		http.NotFound(rw, r)
		return
	}
	fault, ok := p.Next(r)
	c := &call{ResponseWriter: rw, r: r, path: "/" + path, credentials: fake.Credentials(), fake: fake}
	if !ok || !p.Answer(rw, r, fault, c.failureForms()) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if fault == resttest.Expired {
		p.token++
	}
	c.quoted = p.quoted
	fake.serve(p, c)
}

type object = map[string]any

// call is a request to a fake.
type call struct {
	http.ResponseWriter
	r           *http.Request
	path        string // without the platform's name
	credentials map[string]string
	quoted      bool // numbers are texts
	fake        Fake
}

func (c *call) failureForms() resttest.FailureForms {
	forms := resttest.FailureForms{Refuse: func(words string) { c.fake.refuse(c, words) }}
	if c.fake.busy != nil {
		forms.Busy = func() { c.fake.busy(c) }
	}
	return forms
}

func (c *call) json(status int, v any) {
	if c.quoted {
		v = resttest.Quoted(v)
	}
	resttest.JSON(c, status, v)
}

func (c *call) body() object {
	read := object{}
	_ = json.NewDecoder(c.r.Body).Decode(&read)
	return read
}

// unknownParam returns a parameter of the query that is not among the names, or an empty text.
func (c *call) unknownParam(names ...string) string { return unknownKey(c.r.URL.Query(), names...) }

// unknownKey returns a key that is not among the names, or an empty text.
func unknownKey[V any](values map[string]V, names ...string) string {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

func (r Row) spent() json.Number { return json.Number(r.Spend) }

// without removes the named figures if the row is bare.
func (r Row) without(figures object, names ...string) object {
	if r.Bare {
		for _, name := range names {
			delete(figures, name)
		}
	}
	return figures
}

func firstByCampaign(rows []Row) []Row {
	var out []Row
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.Campaign] {
			out = append(out, r)
		}
		seen[r.Campaign] = true
	}
	return out
}

func pages(items, size int) int { return (items + size - 1) / size }

func (c *call) number(name string, fallback int) int {
	n, err := strconv.Atoi(c.r.URL.Query().Get(name))
	if err != nil {
		return fallback
	}
	return n
}
