package chat_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/chat"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ai"
	"switchyard/workers/providers/ai/aitest"
)

// env is an account, and fake AI providers whose models give the answers that the test sets.
type env struct {
	*testing.T
	*aitest.Providers

	db      *db.DB
	store   *store.Store
	client  *jobs.Client
	account models.Account
}

func newEnv(t *testing.T, change func(*chat.Options)) *env {
	t.Helper()
	w := &env{T: t, Providers: &aitest.Providers{}, db: dbtest.New(t)}
	box, err := seal.New(w.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	w.store = store.New(w.db, box)
	if w.account, err = w.store.CreateAccount(t.Context(), "A", "scale"); err != nil {
		t.Fatal(err)
	}
	queue := jobstest.Redis(t)
	w.client = jobs.Connect(queue)
	rt := workers.New(workers.Options{DB: w.db, Redis: queue, Client: w.client, Grace: 4 * time.Second})
	server := aitest.Serve(t, w.Providers)
	o := chat.Options{Client: ai.New(ai.Options{
		Egress: egresstest.Client(t, server, egress.Options{MaxBody: 1 << 20}), URL: server.URL,
		Wait: func(context.Context, time.Duration) error { return nil },
	})}
	if change != nil {
		change(&o)
	}
	chat.Register(rt, w.store, o)
	jobstest.Run(t, rt.Run)
	return w
}

func do[A, R any](w *env, job jobs.Job[A, R], account uuid.UUID, args A) (out R, err error) {
	w.Helper()
	h, err := jobs.Submit(w.Context(), w.client, job, account, args)
	if err != nil {
		w.Fatal(err)
	}
	return jobs.Await(w.Context(), h)
}

func (w *env) connect(account uuid.UUID, provider string) {
	w.Helper()
	if _, err := do(w, jobs.ConnectAI, account, jobs.ConnectAIArgs{
		Action: models.AIConnect, Provider: provider, Key: w.sealed(account, aitest.Key),
	}); err != nil {
		w.Fatal(err)
	}
}

func (w *env) sealed(account uuid.UUID, key string) []byte {
	w.Helper()
	sealed, err := copilot.NewAIConnections(w.store).Seal(account, key)
	if err != nil {
		w.Fatal(err)
	}
	return sealed
}

// logged records everything that is logged until the test ends. Tests that call it must not run in parallel with others.
func logged(t *testing.T) *buffer {
	t.Helper()
	b := &buffer{}
	old := slog.Default() //nolint:forbidigo // to put it back
	slog.SetDefault(slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(old) })
	return b
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
