// Package networkstest has fakes of the platforms of affiliate networks. Each fake has the wire format of its platform. source.md
// names the documents for each fake. A fake refuses a request with a parameter that its documents do not name, and a request
// without a required parameter.
package networkstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// Order is an order at the platforms. Status is one of our statuses.
type Order struct {
	ID, Click, Goal, Status, Payout, Currency string
	At                                        time.Time
	Decided                                   time.Time // when the network decided or changed the order; zero: not decided
	Amended                                   time.Time // when the network changed the order, at platforms that have a separate date for changes
	Word                                      string    // the platform's word for the status; empty: its usual one
	TakenBack                                 string    // amount taken back later, for platforms that report this by a separate record
	Bare                                      bool      // the platform reports neither payout nor currency nor time
	Sale                                      string    // amount of the sale
}

// Platforms is the state shared by all platforms.
type Platforms struct {
	resttest.Faults

	mu     sync.Mutex
	orders []Order
	tokens int // number of the only valid token
	zone   *time.Location
	quoted bool

	unknown []string // fields that the platforms do not know
}

// Set replaces the orders.
func (p *Platforms) Set(orders ...Order) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.orders = slices.Clone(orders)
}

// SetZone sets the time zone of the platforms. Platforms that do not use UTC report days and times in this zone.
func (p *Platforms) SetZone(zone *time.Location) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.zone = zone
}

// Quote makes the platforms write all numbers as texts.
func (p *Platforms) Quote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quoted = true
}

// SetUnknown sets fields that TUNE does not know. No other platform lets a client choose fields.
func (p *Platforms) SetUnknown(fields ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unknown = fields
}

// within returns the orders whose time is in [from, to).
func (p *Platforms) within(from, to time.Time) []Order {
	return p.among(ordered, from, to)
}

// The dates by which platforms select orders.
var (
	ordered = func(o Order) time.Time { return o.At }
	decided = func(o Order) time.Time { return o.Decided }
	amended = func(o Order) time.Time { return o.Amended }
)

// among returns the orders that have a date in [from, to).
func (p *Platforms) among(date func(Order) time.Time, from, to time.Time) []Order {
	var out []Order
	for _, o := range p.orders {
		if at := date(o); !at.IsZero() && !at.Before(from) && at.Before(to) {
			out = append(out, o)
		}
	}
	return out
}

// Fake is the fake of a platform.
type Fake struct {
	// Statuses are the statuses that the platform can report in the record of the order itself; nil: approved, pending and rejected.
	Statuses          []string
	Tokens            bool // credentials are exchanged for a token
	SeparateReversals bool // reversals are separate records
	NoSale            bool // the platform does not report the amount of a sale
	Vanish            bool // an order that is reversed is no longer reported

	credentials func() map[string]string
	serve       func(p *Platforms, c *call)
	refuse      func(c *call, words string) // answers in the form of the platform's errors
	busy        int                         // the status for too many requests; 0: 429
}

// Credentials returns the credentials that the platform accepts.
func (f Fake) Credentials() map[string]string { return f.credentials() }

// withSecrets returns a function that makes credentials. The secrets are texts that a test can find wherever they leak.
func withSecrets(open map[string]string, secrets ...string) func() map[string]string {
	return func() map[string]string { return resttest.Canaries(open, secrets...) }
}

// Fakes has the platforms by name.
var Fakes = map[string]Fake{
	"admitad": admitad, "affise": affise, "awin": awin, "cake": cake, "cj": cj, "clickbank": clickbank, "digistore24": digistore24,
	"ebay": ebay, "everflow": everflow, "impact": impact, "partnerize": partnerize, "rakuten": rakuten, "tune": tune,
}

// Handler returns a handler that serves every fake below its name.
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
	c := &call{ResponseWriter: rw, r: r, path: "/" + path, credentials: fake.Credentials(), fake: fake, date: ordered}
	forms := resttest.FailureForms{Refuse: func(words string) { fake.refuse(c, words) }}
	if fake.busy != 0 {
		forms.Busy = func() { c.json(fake.busy, object{"message": "slow down"}) }
	}
	if !ok || !p.Answer(rw, r, fault, forms) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if fault == resttest.Expired {
		p.tokens++
	}
	if c.quoted, c.zone = p.quoted, p.zone; c.zone == nil {
		c.zone = time.UTC
	}
	fake.serve(p, c)
}

type object = map[string]any

// call is a request to a fake.
type call struct {
	http.ResponseWriter
	r           *http.Request
	path        string // without the platform's name
	credentials map[string]string

	zone   *time.Location // of the platform
	quoted bool           // numbers are texts
	fake   Fake
	date   func(Order) time.Time // the date that selects orders
}

func (c *call) json(status int, v any) {
	if c.quoted {
		v = resttest.Quoted(v)
	}
	resttest.JSON(c, status, v)
}

// params reports whether the query has all required parameters, and none besides them and the optional ones.
func (c *call) params(required, optional string) bool {
	q := c.r.URL.Query()
	known := strings.Fields(required + " " + optional)
	for name := range q {
		if !slices.Contains(known, name) {
			return false
		}
	}
	return !slices.ContainsFunc(strings.Fields(required), func(name string) bool { return q.Get(name) == "" })
}

// body reads the JSON of a request into v. It refuses unknown members, and anything after the JSON.
func (c *call) body(v any) bool {
	dec := json.NewDecoder(c.r.Body)
	dec.DisallowUnknownFields()
	return dec.Decode(v) == nil && !dec.More()
}

// row returns the given row of an order, without the members in `lacks` if the order is Bare.
func (o Order) row(row object, lacks ...string) object {
	if o.Bare {
		for _, name := range lacks {
			delete(row, name)
		}
	}
	return row
}

// days returns the orders between two days of the query, both included, in the platform's time zone.
func (c *call) days(p *Platforms, form, from, to string) []Order {
	q := c.r.URL.Query()
	first, err1 := time.ParseInLocation(form, q.Get(from), c.zone)
	last, err2 := time.ParseInLocation(form, q.Get(to), c.zone)
	if err1 != nil || err2 != nil {
		return nil
	}
	return p.within(first, last.AddDate(0, 0, 1))
}

// span returns the orders between two times of the query, both included. The times may be at most maxDays days
// apart; 0: no limit. ok is false if the query has no such times.
func (c *call) span(p *Platforms, form, from, to string, maxDays int) (orders []Order, ok bool) {
	q := c.r.URL.Query()
	first, err1 := time.Parse(form, q.Get(from))
	last, err2 := time.Parse(form, q.Get(to))
	if err1 != nil || err2 != nil || maxDays > 0 && last.Sub(first) > time.Duration(maxDays)*24*time.Hour {
		return nil, false
	}
	return p.among(c.date, first, last.Add(time.Second)), true
}

// rename gives the parameter `name` of the query the name `other`. A request with this parameter selects orders by the given date.
func (c *call) rename(name, other string, date func(Order) time.Time) {
	if q := c.r.URL.Query(); q.Has(name) {
		q.Set(other, q.Get(name))
		q.Del(name)
		c.r.URL.RawQuery, c.date = q.Encode(), date
	}
}

// token issues a token to the known client and refuses all others.
func (p *Platforms) token(c *call, scope string) {
	id, secret, _ := c.r.BasicAuth()
	if c.r.Method != http.MethodPost || c.r.FormValue("grant_type") != "client_credentials" || c.r.FormValue("scope") != scope ||
		id != c.credentials["client_id"] || secret != c.credentials["client_secret"] {
		c.json(http.StatusUnauthorized, object{"error": "invalid_client", "error_description": "the client is not known"})
		return
	}
	p.tokens++
	c.json(http.StatusOK, object{
		"access_token": p.validToken(), "refresh_token": "canary-refresh", "token_type": "bearer", "expires_in": 3600, "scope": scope,
	})
}

func (p *Platforms) validToken() string { return fmt.Sprintf("canary-token-%d", p.tokens) }

func (p *Platforms) bearer(c *call) bool {
	return c.r.Header.Get("Authorization") == "Bearer "+p.validToken()
}

// number returns a number of the query, or fallback.
func (c *call) number(name string, fallback int) int {
	n, err := strconv.Atoi(c.r.URL.Query().Get(name))
	if err != nil {
		return fallback
	}
	return n
}

// at parses a time of the given form, in UTC. Any other text gives the zero time.
func at(form, word string) time.Time {
	t, _ := time.Parse(form, word)
	return t
}

// word returns the platform's word for an order's status.
func (o Order) word(words map[string]string) string {
	if o.Word != "" {
		return o.Word
	}
	return words[o.Status]
}

func (o Order) payout() string {
	if o.Payout == "" {
		return "0"
	}
	return o.Payout
}

func (o Order) sale() json.Number {
	if o.Sale == "" {
		return "0"
	}
	return json.Number(o.Sale)
}

func (c *call) plain(status int, words string) {
	c.Header().Set("Content-Type", "text/plain")
	c.WriteHeader(status)
	_, _ = c.Write([]byte(words))
}
