package sourcepostback_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/seal"
	dbpostback "switchyard/db/sourcepostback"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/sourcepostback"
)

type call struct {
	method, uri, body, kind, delivery string
}

type env struct {
	*testing.T
	db       *db.DB
	client   *jobs.Client
	store    *store.Store
	clicks   click.Log
	spool    *spool.Spool
	ingester *ingest.Ingester
	registry *prometheus.Registry
	account  uuid.UUID
	source   uuid.UUID
	receiver *httptest.Server
	answer   atomic.Pointer[http.HandlerFunc]

	mu    sync.Mutex
	calls []call
}

// newEnv takes the source's path at the receiver, such as "/pb?e={external_id}".
func newEnv(t *testing.T, path string, schedule ...time.Duration) *env {
	t.Helper()
	queue := jobstest.Redis(t)
	w := &env{T: t, db: dbtest.New(t), account: uuid.New(), source: uuid.New(), registry: prometheus.NewRegistry()}
	w.reply(status(http.StatusOK))
	w.receiver = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.calls = append(w.calls, call{
			r.Method, r.URL.RequestURI(), string(body), r.Header.Get("Content-Type"), r.Header.Get("Switchyard-Delivery"),
		})
		w.mu.Unlock()
		(*w.answer.Load())(rw, r)
	}))
	t.Cleanup(w.receiver.Close)
	box, err := seal.New(w.db)
	if err != nil {
		t.Fatal(err)
	}
	w.client, w.store, w.clicks = jobs.Connect(queue), store.New(w.db, box), click.Log{Conn: w.db}
	if w.spool, err = spool.Open(t.TempDir(), spool.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.spool.Close() })
	w.ingester = ingest.NewIngester(w.spool, w.db, ingest.Options{})
	dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key, timezone) VALUES ($1, 'a', 'pro', $2, 'Asia/Tokyo')`, w.account,
		w.account.String())
	dbtest.Exec(w, w.db, `INSERT INTO traffic_sources (id, account_id, name, postback_url) VALUES ($1, $2, 'Push & Pop', $3)`, w.source,
		w.account, w.receiver.URL+path)
	w.run(queue, schedule)
	return w
}

func (w *env) run(queue jobs.Redis, schedule []time.Duration) {
	w.Helper()
	out, err := egress.New(egress.Options{
		Schemes: []string{"http", "https"}, Allow: egresstest.Loopback, MaxBody: 4 << 10,
	})
	if err != nil {
		w.Fatal(err)
	}
	rt := workers.New(workers.Options{DB: w.db, Redis: queue, Client: w.client, Grace: 4 * time.Second, Metrics: w.registry})
	sourcepostback.Register(rt, w.store, sourcepostback.Options{Egress: out, Clicks: w.clicks, Schedule: schedule})
	jobstest.Run(w, rt.Run)
}

func (w *env) reply(fn http.HandlerFunc) { w.answer.Store(&fn) }

func (w *env) received() []call { w.mu.Lock(); defer w.mu.Unlock(); return w.calls }

func (w *env) set(column string, value any) {
	w.Helper()
	dbtest.Exec(w, w.db, `UPDATE traffic_sources SET `+column+` = $2 WHERE id = $1`, w.source, value)
}

func (w *env) click() *models.Click {
	w.Helper()
	c := w.newClick()
	w.put(c)
	return c
}

func (w *env) newClick() *models.Click {
	c := &models.Click{
		ID: models.NewClickID(), AccountID: w.account, CampaignID: uuid.New(), SourceID: w.source, ExternalID: "e/1",
		Visitor: models.Visitor{Country: "DE"}, Params: "a=1&land=de%26en&Land=2&raw=%7Braw%7D", Currency: "USD", UniqueHours: 24, Cost: decimal.RequireFromString("0.5"),
	}
	c.Subs[0] = "zone 7"
	return c
}

func (w *env) put(c *models.Click) {
	w.Helper()
	if err := w.spool.Append(w.Context(), spool.Record{Click: c}); err != nil {
		w.Fatal(err)
	}
	if err := w.ingester.Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// convert records statuses of a conversion and returns the ids of its postbacks.
func (w *env) convert(c *models.Click, statuses ...string) (ids []uuid.UUID) {
	w.Helper()
	return w.record(db.Map(statuses, func(status string) conversion.Input {
		payout := decimal.NewFromInt(10)
		return conversion.Input{ClickID: c.ID, ConversionID: "tx 1", Status: status, Payout: &payout, Currency: "USD"}
	})...)
}

func (w *env) record(list ...conversion.Input) (ids []uuid.UUID) {
	w.Helper()
	var tell []models.JobRef
	err := db.Tx(w.Context(), w.db, func(c db.Conn) (err error) {
		_, tell, err = conversion.Correct(w.Context(), w.clicks, c, w.account, list, true)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	w.client.Dispatch(w.Context(), tell...)
	return db.Map(tell, func(r models.JobRef) uuid.UUID { return r.ID })
}

type state struct {
	dbpostback.Target
	job string
}

func (w *env) read(id uuid.UUID) (s state) {
	w.Helper()
	var err error
	if s.Target, err = dbpostback.Find(w.Context(), w.db, id); err != nil {
		w.Fatal(err)
	}
	if err := w.db.GetContext(w.Context(), &s.job, `SELECT state FROM jobs WHERE id = $1`, id); err != nil {
		w.Fatal(err)
	}
	return s
}

func (w *env) until(id uuid.UUID, ok func(state) bool) (s state) {
	w.Helper()
	await.Until(w.T, "the postback is as awaited", func() bool { s = w.read(id); return ok(s) })
	return s
}

func (w *env) ends(id uuid.UUID, result string) state {
	w.Helper()
	return w.until(id, func(s state) bool { return s.Result == result })
}

func (w *env) resend(account, id uuid.UUID) (jobs.PostbackAnswer, error) {
	w.Helper()
	ticket, err := jobs.Submit(w.Context(), w.client, jobs.ResendPostback, account, jobs.PostbackArgs{ID: id})
	if err != nil {
		w.Fatal(err)
	}
	return jobs.Await(w.Context(), ticket)
}

// counted counts sent postbacks by result.
func (w *env) counted() map[string]int {
	w.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.Fatal(err)
	}
	out := map[string]int{}
	for _, f := range families {
		if f.GetName() == "switchyard_source_postbacks_total" {
			for _, m := range f.GetMetric() {
				out[m.GetLabel()[0].GetValue()] = int(m.GetCounter().GetValue())
			}
		}
	}
	return out
}

func status(code int) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(code) }
}

func document(v any) string {
	var b strings.Builder
	_ = json.NewEncoder(&b).Encode(v)
	return b.String()
}
