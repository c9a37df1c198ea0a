package issuer_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/kv"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/issuer"
	issuercloudflare "switchyard/workers/issuer/cloudflare"
	"switchyard/workers/providers/cloudflare"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
)

// env has two accounts, a fake of Cloudflare and a clock that the test advances.
type env struct {
	*testing.T
	fake    *cloudflaretest.Fake
	db      *db.DB
	store   *store.Store
	redis   jobs.Redis
	client  *jobs.Client
	figures *prometheus.Registry
	account uuid.UUID
	other   uuid.UUID

	mu  sync.Mutex
	now time.Time
}

func newEnv(t *testing.T, change ...func(*cloudflare.Options)) *env {
	t.Helper()
	w := newEnvWithoutWorker(t)
	o := cloudflare.Options{
		Egress: egresstest.Client(t, w.fake.Server, egress.Options{MaxBody: 1 << 20}), Token: cloudflaretest.Token, URL: w.fake.Server.URL,
		Budget: kv.NewBudget(kv.BudgetOptions{
			Client: w.redis, Name: "cloudflare", Burst: 1000, Interval: time.Millisecond, Timeout: time.Minute,
		}),
		Now: w.clock,
	}
	for _, c := range change {
		c(&o)
	}
	by := issuercloudflare.New(cloudflare.New(o), cloudflaretest.Zone)
	w.start(issuer.Options{Issuer: by, Background: by.Background(), TrustsAll: true})
	return w
}

func newEnvWithoutWorker(t *testing.T) *env {
	t.Helper()
	w := &env{
		T: t, fake: cloudflaretest.Serve(t), db: dbtest.New(t), account: uuid.New(), other: uuid.New(), redis: jobstest.Redis(t),
		now: time.Now().UTC().Truncate(time.Millisecond), figures: prometheus.NewRegistry(),
	}
	w.fake.SetNow(w.clock)
	for _, id := range []uuid.UUID{w.account, w.other} {
		dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'scale', $2)`, id, id.String())
	}
	box, err := seal.New(w.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	w.store, w.client = store.New(w.db, box), jobs.Connect(w.redis)
	return w
}

func (w *env) start(o issuer.Options) {
	w.Helper()
	o.Now, o.Rest = w.clock, -1 // no answer of the issuer is reused
	rt := workers.New(workers.Options{DB: w.db, Redis: w.redis, Client: w.client, Grace: 4 * time.Second, Metrics: w.figures})
	issuer.Register(rt, w.store, o)
	jobstest.Run(w, rt.Run)
}

func (w *env) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// advance moves the clock on and sweeps.
func (w *env) advance(d time.Duration) {
	w.Helper()
	w.mu.Lock()
	w.now = w.now.Add(d)
	w.mu.Unlock()
	w.sweep()
}

func (w *env) sweep() {
	w.Helper()
	if _, err := run(w, jobs.SweepCertificates, uuid.Nil, jobs.Tick{}); err != nil {
		w.Fatal(err)
	}
}

// until waits for the effect of a job. While it waits, it runs the reconciler, which starts due jobs.
func (w *env) until(what string, ok func() bool) {
	w.Helper()
	await.Until(w.T, what, func() bool {
		if _, err := run(w, jobs.Reconcile, uuid.Nil, jobs.Tick{}); err != nil {
			w.Fatal(err)
		}
		return ok()
	})
}

const verified = true

func (w *env) domain(account uuid.UUID, host string, verified bool) uuid.UUID {
	w.Helper()
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, $4)`, id, account, host, verified)
	return id
}

func run[A, R any](w *env, job jobs.Job[A, R], account uuid.UUID, args A) (R, error) {
	w.Helper()
	ticket, err := jobs.Submit(w.Context(), w.client, job, account, args)
	if err != nil {
		w.Fatal(err)
	}
	return jobs.Await(w.Context(), ticket)
}

func (w *env) request(account, domain uuid.UUID) (jobs.Certificate, error) {
	w.Helper()
	return run(w, jobs.RequestCertificate, account, jobs.CertificateArgs{Domain: domain})
}

func (w *env) read(account, domain uuid.UUID) (jobs.Certificate, error) {
	w.Helper()
	return run(w, jobs.ReadCertificate, account, jobs.CertificateArgs{Domain: domain})
}

func (w *env) release(account, domain uuid.UUID) (jobs.ReleasedCertificate, error) {
	w.Helper()
	return run(w, jobs.ReleaseCertificate, account, jobs.CertificateArgs{Domain: domain})
}

func (w *env) stored(account, domain uuid.UUID) models.Certificate {
	w.Helper()
	c, err := w.store.Certificates().Find(w.Context(), account, domain)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (w *env) count(what string) int {
	return w.fake.Count(what + " /zones/{zone}/custom_hostnames")
}

func (w *env) wantCode(err error, code string) {
	w.Helper()
	if e, ok := models.AsError(err); !ok || e.Code != code {
		w.Errorf("%v, want %s", err, code)
	}
}

// logged is all log output of the tests.
var logged struct {
	sync.Mutex
	bytes.Buffer
}

type logWriter struct{}

func (logWriter) Write(b []byte) (int, error) {
	logged.Lock()
	defer logged.Unlock()
	return logged.Write(b)
}

func TestMain(m *testing.M) {
	flag.Parse()
	slog.SetDefault(slog.New(slog.NewJSONHandler(logWriter{}, &slog.HandlerOptions{Level: slog.LevelDebug})))
	code := m.Run()
	if all := flag.Lookup("test.run").Value.String() == ""; all && !strings.Contains(logged.String(), "certificate changes") {
		fmt.Fprintln(os.Stderr, "no change of a certificate was logged: the test looks at the wrong place")
		code = 1
	}
	if text := leaked(logged.String()); text != "" {
		fmt.Fprintln(os.Stderr, "the log has the token:", text)
		code = 1
	}
	os.Exit(code)
}

// leaked looks for the token, in plain text or in hexadecimal digits, and returns the text around it. It returns "" if there is no
// token.
func leaked(text string) string {
	for _, form := range []string{"canary-cloudflare", hex.EncodeToString([]byte("canary-cloudflare"))} {
		if i := strings.Index(text, form); i >= 0 {
			return text[max(0, i-100):min(len(text), i+100)]
		}
	}
	return ""
}
