package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"switchyard/api/click"
	"switchyard/api/click/visitor"
	"switchyard/db/ingest"
	"switchyard/db/kv"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/ops/monitor"
)

// tracking has the parts of the process that serve tracking links and postbacks.
type tracking struct {
	visitors *visitor.Describer
	clicks   line
	// postbacks is a separate line, so that clicks never wait for postbacks.
	postbacks line
	// floods has the clicks of addresses that click faster than people, so that other clicks do not wait for them.
	floods  line
	caps    *kv.Caps
	lag     *ingest.Lag
	shared  *kv.Share // the counts of floods that web processes exchange
	handler *click.Handler
}

// line carries records to PostgreSQL: through a spool on disk and an ingester.
type line struct {
	spool    *spool.Spool
	ingester *ingest.Ingester
}

// openVisitors opens the describer of visitors. A process that serves only the API starts even if the geo files cannot be opened,
// because it describes only test clicks.
func (w web) openVisitors(ctx context.Context) (*visitor.Describer, error) {
	o := visitor.Options{
		TrustedProxies: w.cfg.TrustedProxies,
		CityDB:         w.cfg.GeoCityDB, ASNDB: w.cfg.GeoASNDB, AnonymousDB: w.cfg.GeoAnonymousDB,
	}
	d, err := visitor.New(o)
	if err == nil || w.only != "api" {
		return d, err
	}
	slog.WarnContext(ctx, "test clicks are described without the geo databases", "error", err)
	return visitor.New(visitor.Options{TrustedProxies: o.TrustedProxies})
}

func (w web) openTracking(ctx context.Context) (_ *tracking, err error) {
	t, d := &tracking{visitors: w.visitors}, w.pools.of(ingestPool)
	if err := os.MkdirAll(w.cfg.DataDir, 0o755); err != nil { //nolint:gosec // files with secrets have a stricter mode
		return nil, fmt.Errorf("DATA_DIR: %w", err)
	}
	t.lag = &ingest.Lag{
		Conn: d, Lag: func() time.Duration {
			return max(t.clicks.spool.Stats().Lag, t.postbacks.spool.Stats().Lag, t.floods.spool.Stats().Lag)
		},
		Strained: func() bool { return t.clicks.ingester.Strained() },
	}
	root := filepath.Join(w.cfg.DataDir, "spool")
	if t.clicks, err = w.openLine(root, spool.Options{Retry: true}, ingest.Options{MaxRest: peopleRest}); err != nil {
		return nil, err
	}
	if t.postbacks, err = w.openLine(filepath.Join(root, "postbacks"), spool.Options{Pace: postbackPace}, ingest.Options{Interval: postbackInterval, MaxRest: peopleRest}); err != nil {
		return nil, errors.Join(err, t.clicks.spool.Close())
	}
	if t.floods, err = w.openLine(filepath.Join(root, "floods"), spool.Options{Retry: true}, ingest.Options{}); err != nil {
		return nil, errors.Join(err, t.clicks.spool.Close(), t.postbacks.spool.Close())
	}
	closeSpools := func() error {
		return errors.Join(t.clicks.spool.Close(), t.postbacks.spool.Close(), t.floods.spool.Close())
	}
	counters, err := jobs.OpenRedisTimeout(w.cfg.RedisURL, kv.Timeout)
	if err != nil {
		return nil, errors.Join(err, closeSpools())
	}
	t.caps, t.shared = kv.NewCaps(counters, "", kv.Timeout), kv.NewShare(counters, "", "floods", kv.Timeout)
	records, err := openStore(w.cfg, d)
	if err != nil {
		return nil, errors.Join(err, closeSpools(), t.caps.Close())
	}
	w.readySeal(ctx, records)
	t.handler, err = click.New(ctx, click.Deps{
		DB: d, DatabaseURL: w.cfg.SessionURL(), Clicks: w.pools.reading().clicks(d), Usage: report.Reader{Conn: d},
		Spool: ingest.NewLanes(t.clicks.spool, t.floods.spool), Postbacks: t.postbacks.spool, Proofs: records, Visitors: t.visitors,
		DataDir: w.cfg.DataDir, Dashboard: w.cfg.DashboardHost(), Caps: t.caps, Privacy: w.cfg.PrivacyIP, EdgeSecret: w.cfg.EdgeSecret,
	})
	if err != nil {
		return nil, errors.Join(err, closeSpools(), t.caps.Close())
	}
	w.registry.MustRegister(t.handler.Collectors()...)
	w.registry.MustRegister(
		monitor.Counter("untrusted_proxy_requests_total", "Requests with forwarded headers from a proxy in a private network that TRUSTED_PROXIES does not name.",
			nil, func() float64 { requests, _ := t.visitors.Untrusted(); return float64(requests) }),
		monitor.Gauge("disk_free_ratio", "Free part of the volume that holds DATA_DIR, 0 to 1.", nil,
			func() float64 { return freeRatio(w.cfg.DataDir) }),
	)
	for records, l := range map[string]line{"clicks": t.clicks, "postbacks": t.postbacks, "floods": t.floods} {
		w.registry.MustRegister(spoolMetrics(records, l.spool)...)
	}
	return t, nil
}

// freeRatio returns the free part of the volume of a directory. It is NaN if the volume cannot be measured.
func freeRatio(dir string) float64 {
	free, size, err := spool.Volume(dir)
	if err != nil || size == 0 {
		return math.NaN()
	}
	return float64(free) / float64(size)
}

const (
	// lowDisk is the free part of a volume below which the disk check fails.
	lowDisk = 0.05
	// refusedFor is how long a refused write makes the disk check fail, unless a later write succeeds.
	refusedFor = time.Minute

	diskAdvice = "The volume of DATA_DIR is nearly full or refuses writes: free space on it. Clicks that cannot be written wait in memory, so do not restart the process."
)

// checkDisk returns an error if the disk has refused the last write of clicks or of postbacks less than refusedFor ago, or if the disk
// is nearly full.
func (t *tracking) checkDisk(dir string) error {
	for _, l := range []line{t.clicks, t.postbacks} {
		if time.Since(l.spool.Stats().RefusedAt) < refusedFor {
			return errors.New("the disk refuses writes")
		}
	}
	if freeRatio(dir) < lowDisk {
		return errors.New("the disk is nearly full")
	}
	return nil
}

// untrustedFor is how long the readiness check "proxies" fails after the last request through an untrusted proxy.
const untrustedFor = time.Hour

// checks returns the readiness checks of a process that serves tracking links.
func (t *tracking) checks(dataDir string) []monitor.Check {
	return []monitor.Check{{Name: "disk", Optional: true, Advice: diskAdvice, Run: func(context.Context) error {
		return t.checkDisk(dataDir)
	}}, {Name: "routing", Run: func(context.Context) error {
		if !t.handler.Ready() {
			return errors.New("the data for routing has not been read yet")
		}
		return nil
	}}, {Name: "proxies", Optional: true, Advice: visitor.UntrustedAdvice, Run: func(context.Context) error {
		if _, last := t.visitors.Untrusted(); time.Since(last) < untrustedFor {
			return errors.New("a proxy is not trusted")
		}
		return nil
	}}}
}

// readySeal reads the key that encrypts secrets. Without ENCRYPTION_KEY, this key is in PostgreSQL. If PostgreSQL cannot be
// reached, each postback with a secret tries again until the key is read.
func (w web) readySeal(ctx context.Context, records *store.Store) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := records.Box().Ready(ctx); err != nil {
		slog.WarnContext(ctx, "postbacks with a secret are refused until PostgreSQL answers: there is no ENCRYPTION_KEY",
			"error", err)
	}
}

// postbackPace is the minimum time between two writes of postbacks. It leaves more of the disk to clicks, and delays the answer to
// an affiliate network by at most this time.
const postbackPace = 10 * time.Millisecond

// postbackInterval is the minimum time between two batches of postbacks. It is short, because the job of a postback starts
// only after the batch with this postback is stored.
const postbackInterval = 25 * time.Millisecond

// peopleRest is the longest pause after a batch of clicks or postbacks while redirects wait for a processor. The line of
// floods may pause for longer.
const peopleRest = 250 * time.Millisecond

// openLine opens a line with a spool in a directory. Only the spools of clicks retry a refused write: a visitor does not click
// again, but a network sends a refused postback again.
func (w web) openLine(dir string, o spool.Options, options ingest.Options) (line, error) {
	o.AckPostgres = w.cfg.ClickAck == config.AckPostgres
	s, err := spool.Open(dir, o)
	if err != nil {
		return line{}, err
	}
	options.Copy = w.pools.copied
	options.OnPostbacks = func(ctx context.Context, rows []models.JobRef) { w.client.Dispatch(ctx, rows...) }
	return line{s, ingest.NewIngester(s, w.pools.of(ingestPool), options)}, nil
}

// start runs the ingesters and the background work until stop is called. They continue after the end of the context, so that running
// requests can be finished.
func (t *tracking) start(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	var clicksErr, postbacksErr, floodsErr, routeErr error
	all.Go(func() { clicksErr = t.clicks.ingester.Run(ctx) })
	all.Go(func() { postbacksErr = t.postbacks.ingester.Run(ctx) })
	all.Go(func() { floodsErr = t.floods.ingester.Run(ctx) })
	all.Go(func() { routeErr = t.handler.Run(ctx) })
	all.Go(func() { t.visitors.Run(ctx) })
	all.Go(func() { t.lag.Run(ctx) })
	all.Go(func() { t.shareFloods(ctx) })
	return func() error {
		cancel()
		all.Wait()
		return errors.Join(clicksErr, postbacksErr, floodsErr, routeErr)
	}
}

// shareFloods makes the ingesters of all web processes count floods together. Without Redis, each process counts only its own
// clicks.
func (t *tracking) shareFloods(ctx context.Context) {
	lines := []*ingest.Ingester{t.clicks.ingester, t.floods.ingester}
	t.shared.Run(ctx, func() [][]byte { return ingest.FloodMessages(lines...) }, func(m []byte) { ingest.CountFloods(m, lines...) })
}

// drainTimeout is the longest time in which a stopping process writes waiting records to PostgreSQL. The records that it does not
// write stay on disk for the next process with the same DATA_DIR.
const drainTimeout = 4 * time.Second

func (t *tracking) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() { t.clicks.drain(ctx) })
	all.Go(func() { t.postbacks.drain(ctx) })
	all.Go(func() { t.floods.drain(ctx) })
	all.Wait()
	return errors.Join(t.clicks.spool.Close(), t.postbacks.spool.Close(), t.floods.spool.Close(), t.caps.Close())
}

func (l line) drain(ctx context.Context) {
	if err := l.ingester.Drain(ctx); err != nil {
		slog.WarnContext(ctx, "records wait on disk", "bytes", l.spool.Stats().PendingBytes, "error", err)
	}
}

func spoolMetrics(records string, s *spool.Spool) []prometheus.Collector {
	labels := prometheus.Labels{"records": records}
	gauge := func(name, help string, read func(spool.Stats) float64) prometheus.Collector {
		return monitor.Gauge("spool_"+name, help, labels, func() float64 { return read(s.Stats()) })
	}
	count := func(name, help string, read func(spool.Stats) float64) prometheus.Collector {
		return monitor.Counter("spool_"+name, help, labels, func() float64 { return read(s.Stats()) })
	}
	return []prometheus.Collector{
		count("appended_total", "Records made durable since the start.",
			func(st spool.Stats) float64 { return float64(st.Appended) }),
		count("failed_total", "Records since the start that were not stored, because the disk refused them.",
			func(st spool.Stats) float64 { return float64(st.Failed) }),
		gauge("waiting", "Records in memory that are not on disk yet. They are lost if the process is killed.",
			func(st spool.Stats) float64 { return float64(st.Waiting) }),
		count("dropped_total", "Damaged parts of the spool that reading has skipped since the start.",
			func(st spool.Stats) float64 { return float64(st.Skipped) }),
		count("rejected_total", "Records that PostgreSQL has refused since the start. They are in the spool's file named rejected.",
			func(st spool.Stats) float64 { return float64(st.Rejected) }),
		gauge("pending_bytes", "Bytes on disk that are not in PostgreSQL yet.",
			func(st spool.Stats) float64 { return float64(st.PendingBytes) }),
		gauge("lag_seconds", "How far PostgreSQL is behind the spool.",
			func(st spool.Stats) float64 { return st.Lag.Seconds() }),
	}
}
