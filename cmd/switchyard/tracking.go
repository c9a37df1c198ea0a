package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/api/click"
	"switchyard/api/click/visitor"
	"switchyard/db/clicklog"
	"switchyard/db/kv"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/config"
)

// tracking has the parts of the process that serve tracking links and postbacks.
type tracking struct {
	visitors *visitor.Describer
	spool    *spool.Spool
	ingester *clicklog.Ingester
	caps     *kv.Caps
	handler  *click.Handler
}

func (w web) openTracking(ctx context.Context) (_ *tracking, err error) {
	t := &tracking{}
	t.visitors, err = visitor.New(visitor.Options{
		TrustedProxies: w.cfg.TrustedProxies,
		CityDB:         w.cfg.GeoCityDB, ASNDB: w.cfg.GeoASNDB, AnonymousDB: w.cfg.GeoAnonymousDB,
	})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(w.cfg.DataDir, 0o755); err != nil { //nolint:gosec // what is secret has a mode of its own
		return nil, fmt.Errorf("DATA_DIR: %w", err)
	}
	t.spool, err = spool.Open(filepath.Join(w.cfg.DataDir, "spool"),
		spool.Options{AckPostgres: w.cfg.ClickAck == config.AckPostgres})
	if err != nil {
		return nil, err
	}
	t.ingester = clicklog.NewIngester(t.spool, w.db, clicklog.IngestOptions{
		Redirects: func() clicklog.Redirects { return t.handler.Redirects() },
		OnPostbacks: func(ctx context.Context, ids []uuid.UUID) {
			w.client.Dispatch(ctx, models.KindRecordConversion, ids...)
		},
	})
	counters, err := jobs.OpenRedisTimeout(w.cfg.RedisURL, kv.Timeout)
	if err != nil {
		return nil, errors.Join(err, t.spool.Close())
	}
	t.caps = kv.NewCaps(counters, "", kv.Timeout)
	t.handler, err = click.New(ctx, click.Deps{
		DB: w.db, DatabaseURL: w.cfg.DatabaseURL, Clicks: clicklog.Log{Conn: w.db}, Usage: report.Reader{Conn: w.db},
		Spool: t.spool, Visitors: t.visitors, DataDir: w.cfg.DataDir, TrustedProxies: w.cfg.TrustedProxies, Caps: t.caps,
	})
	if err != nil {
		return nil, errors.Join(err, t.spool.Close(), t.caps.Close())
	}
	w.registry.MustRegister(t.handler.Collectors()...)
	w.registry.MustRegister(spoolFigures(t.spool)...)
	return t, nil
}

// start runs the ingester and the handler's background work. They do not end with the context, because requests are
// still finished then; stop ends them.
func (t *tracking) start(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	var ingestErr, routeErr error
	all.Go(func() { ingestErr = t.ingester.Run(ctx) })
	all.Go(func() { routeErr = t.handler.Run(ctx) })
	return func() error {
		cancel()
		all.Wait()
		return errors.Join(ingestErr, routeErr)
	}
}

// drainTimeout is how long a stopping process writes waiting clicks to PostgreSQL. The rest stays on disk for the next
// process with the same DATA_DIR.
const drainTimeout = 4 * time.Second

func (t *tracking) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if err := t.ingester.Drain(ctx); err != nil {
		slog.WarnContext(ctx, "clicks wait on disk", "bytes", t.spool.Stats().PendingBytes, "error", err)
	}
	return errors.Join(t.spool.Close(), t.visitors.Close(), t.caps.Close())
}

// spoolFigures are the metrics of the spool.
func spoolFigures(s *spool.Spool) []prometheus.Collector {
	figure := func(name, help string, read func(spool.Stats) float64) prometheus.Collector {
		opts := prometheus.GaugeOpts{Namespace: "switchyard", Subsystem: "spool", Name: name, Help: help}
		return prometheus.NewGaugeFunc(opts, func() float64 { return read(s.Stats()) })
	}
	return []prometheus.Collector{
		figure("appended", "Records made durable since the start.",
			func(st spool.Stats) float64 { return float64(st.Appended) }),
		figure("failed", "Records that the disk refused since the start.",
			func(st spool.Stats) float64 { return float64(st.Failed) }),
		figure("dropped", "Damaged stretches skipped when reading since the start.",
			func(st spool.Stats) float64 { return float64(st.Dropped) }),
		figure("rejected", "Records that PostgreSQL refused since the start, kept in the spool's file rejected.",
			func(st spool.Stats) float64 { return float64(st.Rejected) }),
		figure("pending_bytes", "Bytes on disk that are not in PostgreSQL yet.",
			func(st spool.Stats) float64 { return float64(st.PendingBytes) }),
		figure("lag_seconds", "How far PostgreSQL is behind the spool.",
			func(st spool.Stats) float64 { return st.Lag.Seconds() }),
	}
}
