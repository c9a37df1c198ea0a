package click

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click/visitor"
	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
)

const (
	chrome     = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
	sharedHost = "go.example.test"
	ownHost    = "links.example.test"
)

var describer = sync.OnceValues(func() (*visitor.Describer, error) {
	return visitor.New(visitor.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
})

// memorySpool is a spool in memory.
type memorySpool struct {
	mu      sync.Mutex
	records []spool.Record
	full    bool // Append fails
}

func (s *memorySpool) Append(_ context.Context, r spool.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return errors.New("the disk is full")
	}
	if r.Click != nil { // the handler reuses its click
		r.Click = copyOf(r.Click)
	}
	s.records = append(s.records, r)
	return nil
}

func copyOf(c *models.Click) *models.Click {
	copied := *c
	return &copied
}

func (s *memorySpool) clicks() (list []*models.Click) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Click != nil {
			list = append(list, r.Click)
		}
	}
	return list
}

func (s *memorySpool) last() *models.Click {
	list := s.clicks()
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// env is a handler on a database with an account, a traffic source, a shared domain and a domain of the account.
type env struct {
	testing.TB
	db        *db.DB
	url       string
	h         *Handler
	spool     *memorySpool
	account   uuid.UUID
	source    uuid.UUID
	shared    uuid.UUID
	ownDomain uuid.UUID
}

func newEnv(tb testing.TB) *env {
	tb.Helper()
	d, url := dbtest.NewURL(tb)
	w := &env{TB: tb, db: d, url: url, spool: &memorySpool{}, shared: uuid.New(), ownDomain: uuid.New()}
	w.account = w.newAccount()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, host, is_verified) VALUES ($1, $2, true)`, w.shared, sharedHost)
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified, index_page, crawlers)
		VALUES ($1, $2, $3, true, 'https://www.example.test/', 'allow')`, w.ownDomain, w.account, ownHost)
	w.source = uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO traffic_sources (id, account_id, name, token_macros, cost_param, external_id_param)
		VALUES ($1, $2, 'Push', '{"zone": "{zoneid}", "sub2": "{b}"}', 'bid', 'vid')`, w.source, w.account)
	w.h = w.handler(w.spool, "")
	return w
}

func (w *env) newAccount() uuid.UUID {
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2)`, id, id.String())
	return id
}

func (w *env) handler(s Recorder, dir string) *Handler {
	w.Helper()
	v, err := describer()
	if err != nil {
		w.Fatal(err)
	}
	d := depsOn(w.db, s, v, dir)
	d.DatabaseURL = w.url
	d.Timeout = time.Minute // so that a busy machine is not taken for an outage
	h, err := New(w.Context(), d)
	if err != nil {
		w.Fatal(err)
	}
	return h
}

func (w *env) network() uuid.UUID {
	w.Helper()
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO networks (id, account_id, name, click_param, postback_params) VALUES ($1, $2, 'n ' || gen_random_uuid(), 'clk', '{"click_id": "myclick"}')`,
		id, w.account)
	return id
}

func (w *env) offer(url string, network uuid.UUID) uuid.UUID {
	w.Helper()
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO offers (id, account_id, name, url, network_id) VALUES ($1, $2, 'n ' || gen_random_uuid(), $3, $4)`, id, w.account, url,
		uuid.NullUUID{UUID: network, Valid: network != uuid.Nil})
	return id
}

func (w *env) lander(url string) uuid.UUID {
	w.Helper()
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO landers (id, account_id, name, url) VALUES ($1, $2, 'n ' || gen_random_uuid(), $3)`, id, w.account, url)
	return id
}

type m = map[string]any

func path(action string, extra m, destinations ...m) m {
	p := m{"id": uuid.NewString(), "action": action, "destinations": destinations}
	for k, v := range extra {
		p[k] = v
	}
	return p
}

// to returns a destination of a path: the offer or landing page with an id.
func to(id uuid.UUID) m { return m{"id": id, "weight": 100} }

// campaign creates an active campaign on the shared domain, and then sets the given columns of its row.
func (w *env) campaign(alias string, columns m, paths ...m) uuid.UUID {
	w.Helper()
	if paths == nil {
		paths = []m{}
	}
	streams, err := json.Marshal(paths)
	if err != nil {
		w.Fatal(err)
	}
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, source_id, streams) VALUES ($1, $2, 'n ' || gen_random_uuid(), $3, $4, $5, $6)`,
		id, w.account, alias, w.shared, w.source, string(streams))
	for name, value := range columns {
		dbtest.Exec(w, w.db, fmt.Sprintf(`UPDATE campaigns SET %s = $2 WHERE id = $1`, name), id, value)
	}
	return id
}

// reload makes the handler read changed records, as a notification from PostgreSQL would.
func (w *env) reload() *env {
	w.Helper()
	if err := w.h.routes.Reload(w.Context()); err != nil {
		w.Fatal(err)
	}
	return w
}

// edit changes a request before it is sent.
type edit func(*http.Request)

func header(name, value string) edit { return func(r *http.Request) { r.Header.Set(name, value) } }
func host(name string) edit          { return func(r *http.Request) { r.Host = name } }
func peer(addr string) edit          { return func(r *http.Request) { r.RemoteAddr = addr } }
func withCookies(cookies []*http.Cookie) edit {
	return func(r *http.Request) {
		for _, c := range cookies {
			r.AddCookie(c)
		}
	}
}

func (w *env) send(method, target, body string, edits ...edit) *http.Response {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), method, target, strings.NewReader(body))
	r.Host, r.RemoteAddr = sharedHost, "8.8.8.8:4000"
	r.Header.Set("User-Agent", chrome)
	r.Header.Set("Accept-Language", "en-US,en;q=0.9")
	for _, e := range edits {
		e(r)
	}
	r.Header.Set("Accept", visitor.Accept(r.UserAgent()))
	rec := httptest.NewRecorder()
	w.h.ServeHTTP(rec, r)
	return rec.Result()
}

func (w *env) get(target string, edits ...edit) *http.Response {
	w.Helper()
	return w.send(http.MethodGet, target, "", edits...)
}

func (w *env) location(target string, edits ...edit) string {
	w.Helper()
	res := w.get(target, edits...)
	if res.StatusCode != http.StatusFound {
		w.Fatalf("%s gets the status %d, want 302", target, res.StatusCode)
	}
	return res.Header.Get("Location")
}
