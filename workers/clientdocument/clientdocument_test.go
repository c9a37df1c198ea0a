package clientdocument_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/assistant"
	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/clientdocument"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
)

// env is a worker and a server that publishes documents.
type env struct {
	*testing.T

	store  *store.Store
	client *jobs.Client
	server *httptest.Server
	now    atomic.Int64
	answer atomic.Value // the http.HandlerFunc of the server
}

// newEnv starts a worker. If guarded is true, the worker uses the client of production, which reaches no private address.
func newEnv(t *testing.T, guarded bool) *env {
	t.Helper()
	e := &env{T: t}
	e.now.Store(time.Now().Unix())
	e.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { e.answer.Load().(http.HandlerFunc)(w, r) }))
	e.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	e.server.StartTLS()
	t.Cleanup(e.server.Close)
	d := dbtest.New(t)
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	e.store = store.New(d, box)
	o := egress.Options{MaxBody: clientdocument.MaxBody}
	out := egresstest.Client(t, e.server, o)
	if guarded {
		o.CAFile = egresstest.CAFile(t, e.server)
		if out, err = egress.New(o); err != nil {
			t.Fatal(err)
		}
	}
	redis := jobstest.Redis(t)
	e.client = jobs.Connect(redis)
	runtime := workers.New(workers.Options{
		DB: d, Redis: redis, Client: e.client, Grace: 4 * time.Second, Queues: []jobs.Queue{{Name: jobs.Interactive, Weight: 1}},
	})
	clientdocument.Register(runtime, clientdocument.Options{Store: e.store, Egress: out, Now: func() time.Time { return time.Unix(e.now.Load(), 0) }})
	jobstest.Run(t, runtime.Run)
	return e
}

func (e *env) id() string { return e.server.URL + "/client.json" }

func (e *env) respond(status int, contentType, body string) {
	e.answer.Store(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Location", "https://other.example/client.json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
}

func (e *env) document(id, name string) string {
	return fmt.Sprintf(`{"client_id":%q,"client_name":%q,"redirect_uris":["https://a.example/cb","app://cb"],"token_endpoint_auth_method":"none"}`, id, name)
}

func (e *env) read(id string) error {
	e.Helper()
	h, err := jobs.Submit(e.Context(), e.client, jobs.ReadClient, uuid.New(), jobs.ReadClientArgs{ID: id})
	if err != nil {
		e.Fatal(err)
	}
	_, err = jobs.Await(e.Context(), h)
	return err
}

// TestRead checks that a document is stored, and that a later version replaces it.
func TestRead(t *testing.T) {
	t.Parallel()
	e := newEnv(t, false)
	for _, name := range []string{"Acme", "Acme Assistant"} {
		e.now.Add(3600)
		e.respond(http.StatusOK, "application/json; charset=utf-8", e.document(e.id(), name))
		if err := e.read(e.id()); err != nil {
			t.Fatal(err)
		}
		c, ok, err := assistant.New(e.store).FindClient(t.Context(), e.id())
		if err != nil || !ok || c.Name != name || c.Kind != models.ClientDocument || c.ReadAt.Unix() != e.now.Load() || len(c.RedirectURIs) != 1 {
			t.Errorf("%+v, %v, %v", c, ok, err)
		}
	}
}

// TestRefusedDocuments checks that nothing of an invalid document is stored.
func TestRefusedDocuments(t *testing.T) {
	t.Parallel()
	e := newEnv(t, false)
	good := e.document(e.id(), "Acme")
	for name, c := range map[string]struct {
		status     int
		media      string
		body, says string
	}{
		"another client_id":               {200, "application/json", e.document("https://other.example/client.json", "Acme"), "another client_id"},
		"name without visible characters": {200, "application/json", e.document(e.id(), "\u202e"), "no client_name"},
		"redirect without https":          {200, "application/json", strings.Replace(good, "https://a.example/cb", "http://a.example/cb", 1), "redirect_uris"},
		"client with a secret":            {200, "application/json", strings.Replace(good, `"none"`, `"client_secret_post"`, 1), "secret"},
		"no JSON":                         {200, "application/json", "<html>", "JSON"},
		"HTML page":                       {200, "text/html", good, "JSON"},
		"status 404":                      {404, "application/json", good, "404"},
		"status 302":                      {302, "application/json", good, "302"},
		"too large":                       {200, "application/json", good + strings.Repeat(" ", clientdocument.MaxBody), "too large"},
	} {
		e.respond(c.status, c.media, c.body)
		err := e.read(e.id())
		if shown, ok := models.AsError(err); !ok || shown.Code != "invalid_client" || !strings.Contains(shown.Message, c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, ok, err := assistant.New(e.store).FindClient(t.Context(), e.id()); ok || err != nil {
		t.Errorf("a client is stored, %v", err)
	}
}

// TestGuard checks that the reader does not connect to a private address, and that it refuses URLs that a client's document
// cannot have.
func TestGuard(t *testing.T) {
	t.Parallel()
	e := newEnv(t, true)
	e.answer.Store(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a private address was reached") }))
	for _, id := range []string{
		e.id(), "https://127.0.0.1/client.json", "https://[::1]/client.json", "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/x",
		"http://a.example/client.json", "https://a.example", "https://user@a.example/x", "https://a.example/../x",
	} {
		err := e.read(id)
		if shown, ok := models.AsError(err); !ok || shown.Code != "invalid_client" {
			t.Errorf("%s: %v", id, err)
		}
	}
}
