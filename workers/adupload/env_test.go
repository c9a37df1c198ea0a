package adupload_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/integration"
	"switchyard/db/seal"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/db/upload"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
	"switchyard/workers/adupload"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/platform"
)

// env is a service with one account and one traffic source, whose platform is a fake.
type env struct {
	*testing.T

	db       *db.DB
	client   *jobs.Client
	store    *store.Store
	clicks   click.Log
	spool    *spool.Spool
	ingester *ingest.Ingester
	account  uuid.UUID
	source   uuid.UUID
	platform *adstest.Uploads
	of       string // name of the platform
	logs     *logs
	places   *workers.Limiter[string]
}

// logs collects the log of the service.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.text.Write(p) }

func newEnv(t *testing.T, provider string, change ...func(*adupload.Options)) *env {
	t.Helper()
	queue := jobstest.Redis(t)
	w := &env{
		T: t, db: dbtest.New(t), platform: &adstest.Uploads{}, of: provider, logs: &logs{},
	}
	box, err := seal.New(w.db, bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	w.client, w.store, w.clicks = jobs.Connect(queue), store.New(w.db, box), click.Log{Conn: w.db}
	if w.spool, err = spool.Open(t.TempDir(), spool.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.spool.Close() })
	w.ingester = ingest.NewIngester(w.spool, w.db, ingest.Options{})
	w.newAccount()
	server := adstest.ServeUploads(t, w.platform)
	o := adupload.Options{
		Clicks: w.clicks, Schedule: []time.Duration{time.Millisecond, time.Millisecond},
		Tokens: func(uuid.UUID, uuid.UUID) ads.Tokens { return signedIn{w.platform} },
		Uploader: ads.NewUploader(ads.UploadOptions{Options: ads.Options{DeveloperToken: "canary-developer-Zq7", Options: platform.Options{
			Egress: egresstest.Client(t, server, egress.Options{MaxBody: 1 << 20}), URL: server.URL,
			Wait: func(context.Context, time.Duration) error { return nil },
		}}}),
	}
	for _, fn := range change {
		fn(&o)
	}
	rt := workers.New(workers.Options{DB: w.db, Redis: queue, Client: w.client, Grace: 4 * time.Second})
	w.places = rt.Platforms()
	adupload.Register(rt, w.store, o)
	jobstest.Run(t, rt.Run)
	return w
}

type signedIn struct{ platform *adstest.Uploads }

func (k signedIn) Token(context.Context) (string, error) { return k.platform.SignedIn(), nil }

func (k signedIn) Renew(context.Context, string) (string, error) { return k.platform.SignedIn(), nil }

// connect saves the connection, by default in live mode. The functions in change may replace its settings.
func (w *env) connect(change ...func(*integration.SourceConnect)) {
	w.Helper()
	p, _ := models.SourceProviderNamed(w.of)
	on, off, live, action := true, false, models.UploadsLive, adstest.UploadPlatformOf(w.of).Action
	c := integration.SourceConnect{
		Provider: p, Credentials: adstest.UploadTokens[w.of], Enabled: &off, ConversionsEnabled: &on, UploadMode: &live, ConversionAction: &action,
		Connection: &uuid.NullUUID{UUID: w.account, Valid: true}, Next: time.Now().Add(time.Hour),
	}
	for _, fn := range change {
		fn(&c)
	}
	if err := integration.NewSources(w.store).Save(w.Context(), w.account, w.source, c); err != nil {
		w.Fatal(err)
	}
}

// storeClicks stores clicks that came from the platform, with its click ids.
func (w *env) storeClicks(ids ...string) (clicks []uuid.UUID) {
	w.Helper()
	for _, id := range ids {
		c := &models.Click{
			ID: models.NewClickID(), AccountID: w.account, CampaignID: uuid.New(), SourceID: w.source, Currency: "USD", UniqueHours: 24,
			Params:  "a=1&" + adstest.UploadPlatformOf(w.of).Click + "=" + id,
			Visitor: models.Visitor{UserAgent: "Mozilla/5.0", Referrer: "https://social.example/"},
		}
		c.Destination = "https://lander.example/page?a=1&clickid=" + models.FormatClickID(c.ID)
		if err := w.spool.Append(w.Context(), spool.Record{Click: c}); err != nil {
			w.Fatal(err)
		}
		clicks = append(clicks, c.ID)
	}
	if err := w.ingester.Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
	return clicks
}

// convert gives the conversion of each click a status and a payout.
func (w *env) convert(status string, payout int64, clicks ...uuid.UUID) {
	w.Helper()
	w.convertIn("USD", status, payout, clicks...)
}

func (w *env) convertIn(currency, status string, payout int64, clicks ...uuid.UUID) {
	w.Helper()
	amount := decimal.NewFromInt(payout)
	list := db.Map(clicks, func(id uuid.UUID) conversion.Input {
		return conversion.Input{ClickID: id, ConversionID: "tx", Status: status, Payout: &amount, Currency: currency, Final: true}
	})
	err := db.Tx(w.Context(), w.db, func(c db.Conn) error {
		_, _, err := conversion.Correct(w.Context(), w.clicks, c, w.account, list, true)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

// sweep starts the jobs that send uploads, and waits until they have ended.
func (w *env) sweep() {
	w.Helper()
	w.sweepOnce()
	await.Until(w.T, "the jobs have ended", func() bool {
		return dbtest.Get[string](w, w.db, `SELECT count(*) FROM jobs WHERE kind = 'uploads:send' AND state IN ('pending', 'running')`) == "0"
	})
}

func (w *env) sweepOnce() {
	w.Helper()
	ticket, err := jobs.Submit(w.Context(), w.client, jobs.SweepUploads, uuid.Nil, jobs.Tick{})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := jobs.Await(w.Context(), ticket); err != nil {
		w.Fatal(err)
	}
}

func (w *env) results(click uuid.UUID) string {
	w.Helper()
	list := dbtest.Select[string](w, w.db, `SELECT action || ' ' || result FROM conversion_uploads WHERE click_id = $1 ORDER BY place`, click)
	return strings.Join(list, ", ")
}

func (w *env) checkUploads(click uuid.UUID, want string) {
	w.Helper()
	if got := w.results(click); got != want {
		list, _ := upload.List(w.Context(), w.db, w.account, w.source, 5)
		w.Errorf("%s, want %s: %+v", got, want, list)
	}
}

func (w *env) received(n int) []adstest.Uploaded {
	w.Helper()
	list := w.platform.Stored(w.of)
	if len(list) != n {
		w.Errorf("the platform has %d conversions, want %d", len(list), n)
	}
	return list
}

func numbered(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(prefix, i)
	}
	return out
}

// watchLogs records the log. Only a test that runs alone may call it.
func (w *env) watchLogs() {
	before := slog.Default() //nolint:forbidigo // to put it back
	slog.SetDefault(slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug})))
	w.Cleanup(func() { slog.SetDefault(before) })
}
