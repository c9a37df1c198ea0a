package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/delivery"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/webhook"
)

const secret = "whsec_correct_horse_battery_staple"

type call struct {
	header http.Header
	body   []byte
}

// verify checks a signature and returns its time.
func (c call) verify(t *testing.T) (at int64) {
	t.Helper()
	var sum string
	for part := range strings.SplitSeq(c.header.Get("Switchyard-Signature"), ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			at, _ = strconv.ParseInt(value, 10, 64)
		case "v1":
			sum = value
		}
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at, c.body)
	if at == 0 || sum != hex.EncodeToString(mac.Sum(nil)) {
		t.Errorf("signature %q does not match the body", c.header.Get("Switchyard-Signature"))
	}
	return at
}

type env struct {
	t        *testing.T
	db       *db.DB
	client   *jobs.Client
	box      *seal.Box
	account  uuid.UUID
	endpoint uuid.UUID
	receiver *httptest.Server
	answer   atomic.Pointer[http.HandlerFunc]
	tick     atomic.Int64               // clock in seconds; each reading advances it by one
	addr     atomic.Pointer[netip.Addr] // the address of every name

	mu    sync.Mutex
	calls []call
}

func (w *env) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{*w.addr.Load()}, nil
}

// newEnv starts a worker. limit is the timeout of a request, if given.
func newEnv(t *testing.T, schedule []time.Duration, limit ...time.Duration) *env {
	t.Helper()
	w := &env{t: t, db: dbtest.New(t), account: uuid.New(), endpoint: uuid.New()}
	w.tick.Store(time.Now().Unix())
	w.resolve("127.0.0.1")
	w.reply(func(http.ResponseWriter, *http.Request) {})
	w.receiver = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.calls = append(w.calls, call{r.Header.Clone(), body})
		w.mu.Unlock()
		(*w.answer.Load())(rw, r)
	}))
	w.receiver.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	w.receiver.StartTLS()
	t.Cleanup(w.receiver.Close)

	box, err := seal.New(w.db, bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := box.SealForService(t.Context(), delivery.SecretPlace(w.account, w.endpoint), []byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(w.receiver.URL)
	dbtest.Exec(w.t, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', $2)`, w.account, w.account.String())
	dbtest.Exec(w.t, w.db, `INSERT INTO webhook_endpoints (id, account_id, url, events, secret) VALUES ($1, $2, $3, '{campaign.paused}', $4)`,
		w.endpoint, w.account, "https://example.com:"+u.Port()+"/hook", sealed)
	w.box = box
	w.run(box, schedule, append(limit, 0)[0])
	return w
}

func (w *env) run(box *seal.Box, schedule []time.Duration, limit time.Duration) {
	out := egresstest.Client(w.t, w.receiver, egress.Options{Resolver: w})
	r := jobstest.Redis(w.t)
	w.client = jobs.Connect(r)
	rt := workers.New(workers.Options{DB: w.db, Redis: r, Client: w.client, Grace: 4 * time.Second})
	webhook.Register(rt, store.New(w.db, box), webhook.Options{
		Egress: out, Schedule: schedule, Timeout: limit,
		Now: func() time.Time { return time.Unix(w.tick.Add(1), 0) },
	})
	jobstest.Run(w.t, rt.Run)
}

func (w *env) resolve(a string) { ip := netip.MustParseAddr(a); w.addr.Store(&ip) }

func (w *env) reply(fn http.HandlerFunc) { w.answer.Store(&fn) }

func (w *env) received() []call { w.mu.Lock(); defer w.mu.Unlock(); return w.calls }

// emit makes an event, and returns the id of its only delivery and the event.
func (w *env) emit() (uuid.UUID, models.Event) {
	w.t.Helper()
	e := models.NewEvent(w.account, models.EventCampaignPaused, time.Now(), models.CampaignPausedData{Name: "né <b>"})
	var ids []uuid.UUID
	err := db.Tx(w.t.Context(), w.db, func(c db.Conn) (err error) {
		ids, err = delivery.AddEvent(w.t.Context(), c, e)
		return err
	})
	if err != nil || len(ids) != 1 {
		w.t.Fatalf("%d deliveries, %v", len(ids), err)
	}
	w.client.DispatchFor(w.t.Context(), w.account, models.KindDeliverWebhook, ids...)
	return ids[0], e
}

type state struct {
	Status     string `db:"status"`
	Attempts   int    `db:"attempts"`
	HTTPStatus *int   `db:"http_status"`
	Error      string `db:"error"`
	Answer     string `db:"answer"`
	Job        string `db:"job"`
	Failures   int    `db:"failures"`
	Failing    bool   `db:"failing"`
}

func (w *env) read(id uuid.UUID) (s state) {
	w.t.Helper()
	err := w.db.GetContext(w.t.Context(), &s, `SELECT d.status, d.attempts, d.http_status, d.error, d.answer, j.state AS job,
		w.consecutive_failures AS failures, w.failing_since IS NOT NULL AS failing
		FROM webhook_deliveries d JOIN jobs j USING (id) JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE d.id = $1`, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *env) until(id uuid.UUID, ok func(state) bool) (s state) {
	w.t.Helper()
	await.Until(w.t, "the delivery is as awaited", func() bool { s = w.read(id); return ok(s) })
	return s
}

func (w *env) redeliver(id uuid.UUID) (jobs.WebhookAnswer, error) {
	return runJob(w, jobs.RedeliverWebhook, w.account, id)
}

func runJob(w *env, j jobs.Job[jobs.WebhookArgs, jobs.WebhookAnswer], account, id uuid.UUID) (jobs.WebhookAnswer, error) {
	w.t.Helper()
	ticket, err := jobs.Submit(w.t.Context(), w.client, j, account, jobs.WebhookArgs{ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return jobs.Await(w.t.Context(), ticket)
}

func status(code int) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(code) }
}
