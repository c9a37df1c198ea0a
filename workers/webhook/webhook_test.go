package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
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
	"switchyard/workers/webhook"
)

const secret = "whsec_correct_horse_battery_staple"

// call is one request as the receiver saw it.
type call struct {
	header http.Header
	body   []byte
}

// verify is a receiver's own check of a signature.
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
		t.Errorf("signature %q does not fit", c.header.Get("Switchyard-Signature"))
	}
	return at
}

// world is a service with one account, one endpoint and a receiver on https.
type world struct {
	t        *testing.T
	db       *db.DB
	client   *jobs.Client
	box      *seal.Box
	account  uuid.UUID
	endpoint uuid.UUID
	receiver *httptest.Server
	answer   atomic.Pointer[http.HandlerFunc]
	tick     atomic.Int64
	addr     atomic.Pointer[netip.Addr] // what every name resolves to

	mu    sync.Mutex
	calls []call
}

// LookupNetIP implements egress.Resolver.
func (w *world) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{*w.addr.Load()}, nil
}

func newWorld(t *testing.T, schedule []time.Duration, limit ...time.Duration) *world {
	t.Helper()
	w := &world{t: t, db: dbtest.New(t), account: uuid.New(), endpoint: uuid.New()}
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
	sealed, err := box.SealOwn(t.Context(), delivery.SecretPlace(w.account, w.endpoint), []byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(w.receiver.URL)
	w.exec(`INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', $2)`, w.account, w.account.String())
	w.exec(`INSERT INTO webhook_endpoints (id, account_id, url, events, secret) VALUES ($1, $2, $3, '{campaign.paused}', $4)`,
		w.endpoint, w.account, "https://example.com:"+u.Port()+"/hook", sealed)
	w.box = box
	w.run(box, schedule, append(limit, 0)[0])
	return w
}

func (w *world) run(box *seal.Box, schedule []time.Duration, limit time.Duration) {
	ca := filepath.Join(w.t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.receiver.Certificate().Raw})
	if err := os.WriteFile(ca, cert, 0o600); err != nil {
		w.t.Fatal(err)
	}
	out, err := egress.New(egress.Options{
		CAFile: ca, Resolver: w, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	r := jobstest.Redis(w.t)
	w.client = jobs.Connect(r)
	rt := workers.New(workers.Options{DB: w.db, Redis: r, Client: w.client, Grace: 4 * time.Second})
	webhook.Register(rt, store.New(w.db, box), webhook.Options{
		Egress: out, Schedule: schedule, Timeout: limit,
		Now: func() time.Time { return time.Unix(w.tick.Add(1), 0) },
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan error, 1)
	go func() { done <- rt.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) resolve(a string)          { ip := netip.MustParseAddr(a); w.addr.Store(&ip) }
func (w *world) reply(fn http.HandlerFunc) { w.answer.Store(&fn) }
func (w *world) received() []call          { w.mu.Lock(); defer w.mu.Unlock(); return w.calls }

func (w *world) exec(q string, args ...any) {
	w.t.Helper()
	if _, err := w.db.ExecContext(w.t.Context(), q, args...); err != nil {
		w.t.Fatal(err)
	}
}

// emit makes an event as any part of the service does, and gives its one delivery.
func (w *world) emit() (uuid.UUID, models.Event) {
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

type shown struct {
	Status     string `db:"status"`
	Attempts   int    `db:"attempts"`
	HTTPStatus *int   `db:"http_status"`
	Error      string `db:"error"`
	Job        string `db:"job"`
	Failures   int    `db:"failures"`
	Failing    bool   `db:"failing"`
}

func (w *world) show(id uuid.UUID) (s shown) {
	w.t.Helper()
	err := w.db.GetContext(w.t.Context(), &s, `SELECT d.status, d.attempts, d.http_status, d.error, j.state AS job,
		w.consecutive_failures AS failures, w.failing_since IS NOT NULL AS failing
		FROM webhook_deliveries d JOIN jobs j USING (id) JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE d.id = $1`, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) until(id uuid.UUID, ok func(shown) bool) (s shown) {
	w.t.Helper()
	await.Until(w.t, "the delivery is as awaited", func() bool { s = w.show(id); return ok(s) })
	return s
}

func (w *world) redeliver(id uuid.UUID) (jobs.WebhookAnswer, error) {
	return ask(w, jobs.RedeliverWebhook, w.account, id)
}

func ask(w *world, j jobs.Job[jobs.WebhookArgs, jobs.WebhookAnswer], account, id uuid.UUID) (jobs.WebhookAnswer, error) {
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

func TestDelivered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reply(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusAccepted)
		_, _ = rw.Write(bytes.Repeat([]byte("long"), 20_000)) // more than is read
	})
	id, e := w.emit()
	s := w.until(id, func(s shown) bool { return s.Status == "delivered" })
	if s.Attempts != 1 || s.HTTPStatus == nil || *s.HTTPStatus != 202 || s.Error != "" || s.Job != models.JobDone || s.Failing {
		t.Errorf("delivery = %+v", s)
	}
	calls := w.received()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	c := calls[0]
	c.verify(t)
	for name, want := range map[string]string{
		"Switchyard-Event": "campaign.paused", "Switchyard-Delivery": id.String(), "Content-Type": "application/json",
	} {
		if got := c.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !bytes.Equal(c.body, e.Body) || c.header.Get("User-Agent") == "" {
		t.Errorf("body %s, want %s", c.body, e.Body)
	}
}

func TestRetriesKeepBytesAndSignAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, []time.Duration{0, 0})
	w.reply(status(http.StatusServiceUnavailable))
	id, e := w.emit()
	s := w.until(id, func(s shown) bool { return s.Status == "failed" })
	if s.Attempts != 3 || *s.HTTPStatus != 503 || s.Error == "" || s.Job != models.JobFailed || s.Failures != 3 || !s.Failing {
		t.Errorf("delivery = %+v", s)
	}
	seen := map[int64]bool{}
	for _, c := range w.received() {
		at := c.verify(t)
		if seen[at] || !bytes.Equal(c.body, e.Body) || c.header.Get("Switchyard-Delivery") != id.String() {
			t.Errorf("attempt at %d: seen %v, body %s", at, seen[at], c.body)
		}
		seen[at] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d attempts arrived", len(seen))
	}

	a, err := w.redeliver(id)
	if err != nil || a.Delivered || a.Status == nil || *a.Status != 503 || a.Error == "" {
		t.Errorf("redeliver to a broken endpoint: %+v, %v", a, err)
	}
	if s := w.show(id); s.Status != "failed" || s.Attempts != 4 {
		t.Errorf("after it: %+v", s)
	}
	for range 2 { // a delivered one is sent again too
		w.reply(status(http.StatusNoContent))
		a, err = w.redeliver(id)
		if err != nil || !a.Delivered || *a.Status != 204 || a.Error != "" || a.DeliveryID != id {
			t.Errorf("redeliver: %+v, %v", a, err)
		}
	}
	if s := w.show(id); s.Status != "delivered" || s.Attempts != 6 || s.Failing || s.Failures != 0 {
		t.Errorf("after it: %+v", s)
	}
	w.reply(status(http.StatusInternalServerError))
	if a, err := w.redeliver(id); err != nil || a.Delivered {
		t.Errorf("redeliver: %+v, %v", a, err)
	}
	if s := w.show(id); s.Status != "delivered" || s.Job != models.JobDone {
		t.Errorf("a failed repetition undid a delivery: %+v", s)
	}
}

func TestPendingKeepsItsScheduleWhenSentByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reply(status(http.StatusNotFound))
	id, _ := w.emit()
	w.until(id, func(s shown) bool { return s.Attempts == 1 && s.Job == models.JobPending })
	if _, err := w.redeliver(id); err != nil {
		t.Fatal(err)
	}
	var wait float64
	if err := w.db.GetContext(t.Context(), &wait,
		`SELECT extract(epoch FROM next_attempt_at - now())::float8 FROM jobs WHERE id = $1`, id); err != nil {
		t.Fatal(err)
	}
	s := w.show(id)
	if s.Status != "pending" || s.Attempts != 2 || wait < 50 || wait > 61 {
		t.Errorf("%+v, next in %f s, want the first wait of a minute", s, wait)
	}
}

func TestHostileReceivers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, []time.Duration{time.Hour}, 500*time.Millisecond)
	var redirected atomic.Int64
	target := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected.Add(1) }))
	t.Cleanup(target.Close)
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for name, fn := range map[string]http.HandlerFunc{
		"redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, target.URL, http.StatusTemporaryRedirect)
		},
		"silence": func(http.ResponseWriter, *http.Request) { <-hang },
		"slow body": func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(rw).Flush()
			<-hang
		},
		"cut body": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Length", "1000")
			_, _ = rw.Write([]byte("short"))
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		},
		"huge header": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X", strings.Repeat("x", 100_000))
		},
		"flood of 1xx": func(rw http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				rw.WriteHeader(http.StatusEarlyHints)
			}
		},
		"drip": func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(http.StatusServiceUnavailable)
			for tick := time.NewTicker(20 * time.Millisecond); r.Context().Err() == nil; <-tick.C {
				_, _ = rw.Write([]byte("x"))
				_ = http.NewResponseController(rw).Flush()
			}
		},
		"endless body": func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(http.StatusBadGateway)
			for block := make([]byte, 64<<10); r.Context().Err() == nil; {
				if _, err := rw.Write(block); err != nil {
					return
				}
			}
		},
		"moved for good": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, target.URL, http.StatusPermanentRedirect)
		},
		"see other": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, target.URL, http.StatusSeeOther)
		},
	} {
		w.reply(fn)
		id, _ := w.emit()
		s := w.until(id, func(s shown) bool { return s.Attempts == 1 && s.Job == models.JobPending })
		if s.Status != "pending" || s.Error == "" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if redirected.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

func TestPrivateAddressIsNotCalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var texts []string
	for _, a := range []string{"10.0.0.1", "::1", "169.254.169.254", "::ffff:192.168.0.1", "64:ff9b::7f00:1"} {
		w.resolve(a)
		answer, err := ask(w, jobs.TestWebhook, w.account, w.endpoint)
		if err != nil || answer.Delivered || answer.Status != nil {
			t.Errorf("%s: %+v, %v", a, answer, err)
		}
		texts = append(texts, answer.Error)
	}
	w.receiver.Close()
	w.resolve("127.0.0.1")
	refused, err := ask(w, jobs.TestWebhook, w.account, w.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if text != refused.Error || text == "" {
			t.Errorf("blocked %q, refused %q: they tell a private address", text, refused.Error)
		}
	}
	if n := len(w.received()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a, err := ask(w, jobs.TestWebhook, w.account, w.endpoint)
	if err != nil || !a.Delivered || *a.Status != 200 || a.Error != "" {
		t.Fatalf("ping: %+v, %v", a, err)
	}
	calls := w.received()
	if len(calls) != 1 || calls[0].header.Get("Switchyard-Event") != "ping" ||
		calls[0].header.Get("Switchyard-Delivery") != a.DeliveryID.String() {
		t.Errorf("calls: %+v", calls)
	}
	calls[0].verify(t)
	w.reply(status(http.StatusTeapot))
	a, err = ask(w, jobs.TestWebhook, w.account, w.endpoint)
	if s := w.show(a.DeliveryID); err != nil || a.Delivered || s.Status != "failed" || s.Attempts != 1 {
		t.Errorf("a failing ping: %+v, %+v, %v", a, s, err)
	}
	for name, job := range map[string]jobs.Job[jobs.WebhookArgs, jobs.WebhookAnswer]{
		"test": jobs.TestWebhook, "redeliver": jobs.RedeliverWebhook,
	} {
		id := map[string]uuid.UUID{"test": w.endpoint, "redeliver": a.DeliveryID}[name]
		if _, err := ask(w, job, uuid.New(), id); !errors.Is(err, models.NotFound("x")) {
			t.Errorf("%s by another account: %v", name, err)
		}
		if _, err := ask(w, job, w.account, uuid.New()); !errors.Is(err, models.NotFound("x")) {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}

func TestSwitchedOffEndpointEndsQuietly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	e := models.NewEvent(w.account, models.EventCampaignPaused, time.Now(), nil)
	ids, err := delivery.AddEvent(t.Context(), w.db, e)
	if err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE webhook_endpoints SET active = false`)
	w.client.DispatchFor(t.Context(), uuid.Nil, models.KindDeliverWebhook, ids...)
	s := w.until(ids[0], func(s shown) bool { return s.Job == models.JobDone })
	if s.Status != "failed" || s.Error == "" || s.Attempts != 0 || s.Failures != 0 || len(w.received()) != 0 {
		t.Errorf("delivery = %+v", s)
	}
}

func TestParallelRedeliver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, []time.Duration{time.Hour}, await.Timeout) // the others are all refused while the first one waits
	w.reply(status(http.StatusBadGateway))
	id, _ := w.emit()
	w.until(id, func(s shown) bool { return s.Attempts == 1 && s.Job == models.JobPending })
	begun, finish := make(chan struct{}, 64), make(chan struct{})
	w.reply(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-finish
	})
	const callers = 50
	results := make(chan error, callers)
	redeliver := func() {
		a, err := w.redeliver(id)
		if err == nil && !a.Delivered {
			err = errors.New(a.Error)
		}
		results <- err
	}
	go redeliver()
	await.Recv(t, begun)
	for range callers - 1 {
		go redeliver()
	}
	for range callers - 1 {
		if err := <-results; !errors.Is(err, models.Conflict("in_progress", "")) {
			t.Errorf("while it is being sent: %v", err)
		}
	}
	close(finish)
	if err := <-results; err != nil {
		t.Errorf("the one that ran: %v", err)
	}
	for range 2 { // each later one runs
		if a, err := w.redeliver(id); err != nil || !a.Delivered {
			t.Errorf("later: %+v, %v", a, err)
		}
	}
}
