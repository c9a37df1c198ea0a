// Package apitest runs the whole REST API for a test: the real router over HTTP, on a database of its own, with an
// account and its keys. The test fails if a route answers with an error code that its route.Route does not declare, or
// if an answer does not have the form that the OpenAPI document describes.
package apitest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/api"
	"switchyard/api/click/visitor"
	"switchyard/api/route"
	"switchyard/api/v1"
	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/kv"
	"switchyard/db/report"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// Options are the settings of a test server.
type Options struct {
	Plan  string // the account's plan; default scale
	V1    v1.Deps
	Extra []route.Route // additional routes
	NoKey bool          // an install without ENCRYPTION_KEY
	NoMCP bool          // an install with MCP=off
	Rates *kv.Rates     // default: on TEST_REDIS_URL under a prefix of its own
	DB    *db.DB        // default: a new database
}

var visitors = sync.OnceValues(func() (*visitor.Describer, error) { return visitor.New(visitor.Options{}) })

// init drops log lines below the level of a warning, which would hide what a failing test prints.
func init() { slog.SetLogLoggerLevel(slog.LevelWarn) }

// Server is a running API that a test can call.
type Server struct {
	t       testing.TB
	Handler http.Handler
	DB      *db.DB
	Store   *store.Store
	URL     string
	Account models.Account
	Jobs    *jobstest.Recorder // records the enqueued jobs; nil if Options.V1 has a Jobs client
	Key     string             // a full key
	ReadKey string             // a read-only key

	person bool   // calls carry a person's session, like the dashboard's calls: see SignIn
	cookie string // the cookie of the person's session
}

// New starts an API with an account.
func New(tb testing.TB, options ...Options) *Server {
	tb.Helper()
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	s := &Server{t: tb, DB: o.DB}
	if s.DB == nil {
		s.DB = dbtest.New(tb)
	}
	keys := [][]byte{bytes.Repeat([]byte{7}, 32)}
	if o.NoKey {
		keys = nil
	}
	box, err := seal.New(s.DB, keys...)
	check(tb, err)
	s.Store = store.New(s.DB, box)
	if o.Rates == nil {
		o.Rates = Rates(tb)
	}
	if o.V1.Jobs == nil {
		s.Jobs, o.V1.Jobs = jobstest.New()
	}
	if o.V1.Clicks.Conn == nil {
		o.V1.Clicks = click.Log{Conn: s.DB}
	}
	if o.V1.Visitors == nil {
		o.V1.Visitors, err = visitors()
		check(tb, err)
	}
	if o.V1.Reports == nil {
		o.V1.Reports = report.Reader{Conn: s.DB}
	}
	s.Handler = api.New(api.Deps{
		Store: s.Store, Rates: o.Rates, V1: o.V1, BaseURL: "http://localhost", Version: "test", Extra: o.Extra, NoMCP: o.NoMCP,
		Undeclared: func(r *route.Route, status int, code string) {
			tb.Errorf("%s %s answers %d %s, which its row does not declare", r.Method, r.Path, status, code)
		},
	})
	server := httptest.NewServer(s.Handler)
	tb.Cleanup(server.Close)
	s.URL = server.URL
	plan := o.Plan
	if plan == "" {
		plan = "scale"
	}
	s.Account, s.Key, s.ReadKey = s.NewAccount(plan)
	return s
}

// Rates makes a rate counter on the test Redis under a prefix of its own.
func Rates(tb testing.TB) *kv.Rates {
	tb.Helper()
	url := os.Getenv("TEST_REDIS_URL")
	if url == "" {
		tb.Fatal("TEST_REDIS_URL is not set: run `make test`")
	}
	client, err := jobs.OpenRedisTimeout(url, time.Minute) // a busy machine may answer late
	check(tb, err)
	tb.Cleanup(func() { _ = client.Close() })
	return kv.NewRates(client, "test:"+rand.Text()+":", time.Minute)
}

// NewAccount adds an account and returns it with a full and a read-only key.
func (s *Server) NewAccount(plan string) (account models.Account, full, readOnly string) {
	s.t.Helper()
	ctx := context.Background()
	account, err := s.Store.CreateAccount(ctx, "Test", plan)
	check(s.t, err)
	const forever = 0
	_, full, err = s.Store.CreateKey(ctx, account.ID, "full", models.ScopeFull, forever)
	check(s.t, err)
	_, readOnly, err = s.Store.CreateKey(ctx, account.ID, "read", models.ScopeReadOnly, forever)
	check(s.t, err)
	return account, full, readOnly
}

// In returns the same server for a subtest, so that failures count for the subtest.
func (s *Server) In(tb testing.TB) *Server {
	tb.Helper()
	other := *s
	other.t = tb
	return &other
}

// As returns the same server with another key.
func (s *Server) As(key string) *Server {
	other := *s
	other.Key = key
	return &other
}

// Answer is the response to a call.
type Answer struct {
	t       testing.TB
	Status  int
	Header  http.Header
	Raw     []byte
	Data    json.RawMessage
	Code    string // the code of the error; empty on success
	Message string
}

// Do calls a path below /api/v1. A path that begins with /app/ gets no /api/v1 in front. Body is nil, a text or bytes that are
// sent unchanged, or a value that is sent as JSON.
func (s *Server) Do(method, path string, body any, headers ...string) Answer {
	s.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	case []byte:
		r = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		check(s.t, err)
		r = bytes.NewReader(raw)
	}
	address := s.URL + "/api/v1" + path
	if strings.HasPrefix(path, "/app/") {
		address = s.URL + path
	}
	req, err := http.NewRequestWithContext(context.Background(), method, address, r)
	check(s.t, err)
	if s.person {
		s.asPage(req)
	}
	if s.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	check(s.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	check(s.t, err)
	a := Answer{t: s.t, Status: resp.StatusCode, Header: resp.Header, Raw: raw}
	a.parse()
	conforms(s.t, method, path, a)
	return a
}

func (a *Answer) parse() {
	var e struct {
		Data  json.RawMessage `json:"data"`
		Error *struct {
			Message string `json:"message"`
			Code    string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(a.Raw, &e) != nil {
		return
	}
	a.Data = e.Data
	if e.Error != nil {
		a.Code, a.Message = e.Error.Code, e.Error.Message
	}
}

// Want fails the test unless the answer has this status and error code ("" for success).
func (a Answer) Want(status int, code string) Answer {
	a.t.Helper()
	if a.Status != status || a.Code != code {
		a.t.Fatalf("got %d %q, want %d %q: %.600s", a.Status, a.Code, status, code, a.Raw)
	}
	return a
}

// Into reads data into a value.
func (a Answer) Into(v any) Answer {
	a.t.Helper()
	if err := json.Unmarshal(a.Data, v); err != nil {
		a.t.Fatalf("data is not %T: %v: %.600s", v, err, a.Raw)
	}
	return a
}

// Map returns data as an object.
func (a Answer) Map() map[string]any {
	a.t.Helper()
	var m map[string]any
	a.Into(&m)
	return m
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
