package oauth_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	dboauth "switchyard/db/oauth"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/oauth"
	provider "switchyard/workers/providers/oauth"
	"switchyard/workers/providers/oauth/oauthtest"
)

var logged lockedBuffer

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// TestMain fails if anything that was logged shows a secret.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	code := m.Run()
	if strings.Contains(logged.buf.String(), oauthtest.Canary) {
		fmt.Fprintln(os.Stderr, "the log shows a secret:", logged.buf.String())
		code = 1
	}
	os.Exit(code)
}

const redirect = "https://track.example/api/oauth/callback"

// env is an account and the fake platforms. startWorker adds a worker.
type env struct {
	*testing.T
	*oauthtest.Platforms
	db          *db.DB
	store       *store.Store
	account     uuid.UUID
	queue       jobs.Redis
	client      *jobs.Client
	connections *oauth.Connections

	mu  sync.Mutex
	now time.Time
}

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{T: t, Platforms: oauthtest.New(t), db: dbtest.New(t), account: uuid.New(), now: time.Now()}
	dbtest.Exec(t, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'growth', 'k')`, w.account)
	box, err := seal.New(w.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	w.store = store.New(w.db, box)
	w.connections = w.process(nil)
	return w
}

// process returns the Connections of one more process of the install.
func (w *env) process(wait func(context.Context, time.Duration) error) *oauth.Connections {
	w.Helper()
	return oauth.New(w.store, oauth.Options{
		Client: provider.New(provider.Options{
			Apps:   provider.Apps{ByProvider: oauthtest.Apps(), URL: w.URL},
			Egress: egresstest.Client(w, w.Server, egress.Options{MaxBody: 1 << 20}), Now: w.Now,
			Wait: func(context.Context, time.Duration) error { return nil },
		}),
		Now: w.Now, Wait: wait,
	})
}

func (w *env) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *env) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *env) startWorker() {
	w.Helper()
	w.queue = jobstest.Redis(w.T)
	w.client = jobs.Connect(w.queue)
	rt := workers.New(workers.Options{DB: w.db, Redis: w.queue, Client: w.client, Grace: 4 * time.Second})
	w.connections.Register(rt)
	jobstest.Run(w, rt.Run)
}

// attempt signs in on the platform's page, and stores the code of the sign-in. It returns the id and the state of the sign-in.
func (w *env) attempt(platform string) (id uuid.UUID, state string) {
	w.Helper()
	a, state, err := dboauth.NewAttempts(w.store).Begin(w.Context(), w.account, platform, redirect, w.Now())
	if err != nil {
		w.Fatal(err)
	}
	back := w.page(platform, a, state)
	if _, err = dboauth.NewAttempts(w.store).RecordCode(w.Context(), back.Query().Get("state"), back.Query().Get("code"), w.Now()); err != nil {
		w.Fatal(err)
	}
	return a.ID, state
}

func (w *env) page(platform string, a models.OAuthAttempt, state string) *url.URL {
	w.Helper()
	address, err := provider.Apps{ByProvider: oauthtest.Apps(), URL: w.URL}.Address(platform, state, a.Verifier, a.Redirect)
	if err != nil {
		w.Fatal(err)
	}
	return w.Visit(w, address)
}

func do[A, R any](w *env, job jobs.Job[A, R], args A) (R, error) {
	w.Helper()
	h, err := jobs.Submit(w.Context(), w.client, job, w.account, args)
	if err != nil {
		w.Fatal(err)
	}
	return jobs.Await(w.Context(), h)
}

// connect connects the account to a platform by a sign-in, and returns the id of the connection.
func (w *env) connect(platform string) uuid.UUID {
	w.Helper()
	client := provider.New(provider.Options{
		Apps:   provider.Apps{ByProvider: oauthtest.Apps(), URL: w.URL},
		Egress: egresstest.Client(w, w.Server, egress.Options{}), Now: w.Now,
	})
	id, _ := w.attempt(platform)
	a, code, err := dboauth.NewAttempts(w.store).Consume(w.Context(), w.account, id, w.Now())
	if err != nil {
		w.Fatal(err)
	}
	g, err := client.Exchange(w.Context(), platform, code, a.Verifier, a.Redirect)
	if err != nil {
		w.Fatal(err)
	}
	c, err := dboauth.NewConnections(w.store).Save(w.Context(), w.account, platform, g, w.Now())
	if err != nil {
		w.Fatal(err)
	}
	return c.ID
}

func (w *env) connection(id uuid.UUID) models.OAuthConnection {
	w.Helper()
	c, err := dboauth.NewConnections(w.store).Find(w.Context(), w.account, id)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// dump returns the rows of the tables for sign-ins and jobs, and the whole content of Redis, as text.
func (w *env) dump() string {
	w.Helper()
	var out strings.Builder
	for _, table := range []string{"oauth_connections", "oauth_attempts", "jobs"} {
		rows, err := db.Select[string](w.Context(), w.db, "dump", `SELECT t::text || encode(convert_to(t::text, 'UTF8'), 'escape') FROM `+table+` t`)
		if err != nil {
			w.Fatal(err)
		}
		fmt.Fprintln(&out, table, rows)
	}
	ctx := w.Context()
	for _, key := range w.queue.Keys(ctx, "*").Val() {
		raw := w.queue.Dump(ctx, key).Val()
		fmt.Fprintln(&out, key, raw, w.queue.HGetAll(ctx, key).Val(), w.queue.Get(ctx, key).Val())
	}
	return out.String()
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if e, ok := models.AsError(err); !ok || e.Code != code {
		t.Errorf("error %v, want %s", err, code)
	}
	if err != nil && strings.Contains(err.Error(), oauthtest.Canary) {
		t.Errorf("the error shows a secret: %v", err)
	}
}
