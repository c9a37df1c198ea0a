package monitor

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"switchyard/db"
	"switchyard/db/clickcopy"
	"switchyard/db/jobrow"
)

// NewRegistry makes a registry with the metrics of the process, the connection pool and the rows of jobs. It counts the rows at
// each scrape. If d is nil, the registry has only the metrics of the process.
func NewRegistry(d *db.DB) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if d != nil {
		r.MustRegister(collectors.NewDBStatsCollector(d.DB.DB, "switchyard"), jobRows{d, make(chan struct{}, 1)})
	}
	return r
}

// BuildInfo returns the metric that identifies the running version. Its value is always 1, and the version is in its labels.
func BuildInfo(version, revision, goVersion string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "switchyard", Name: "build_info", Help: "1, with the version that runs as labels.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "go": goVersion},
	}, func() float64 { return 1 })
}

// jobRows counts the rows of jobs at each scrape.
type jobRows struct {
	db   *db.DB
	busy chan struct{} // full while the rows are being counted
}

// countTimeout limits how long a scrape waits for figures from PostgreSQL.
const countTimeout = 3 * time.Second

var (
	rowsDesc = prometheus.NewDesc("switchyard_job_rows", "Row jobs that are not done, by kind and state.",
		[]string{"kind", "state"}, nil)
	overdueDesc = prometheus.NewDesc("switchyard_job_overdue_seconds",
		"How long the longest waiting due row waits, by kind and state.",
		[]string{"kind", "state"}, nil)
)

// Describe implements prometheus.Collector.
func (jobRows) Describe(ch chan<- *prometheus.Desc) {
	ch <- rowsDesc
	ch <- overdueDesc
}

// Collect implements prometheus.Collector. If PostgreSQL does not answer in time, it sends no metrics. Other collectors are not
// affected.
func (c jobRows) Collect(ch chan<- prometheus.Metric) {
	stats, ok := count(c.db, c.busy, "jobs", jobrow.ReadStats)
	if !ok {
		return
	}
	for _, s := range stats {
		ch <- prometheus.MustNewConstMetric(rowsDesc, prometheus.GaugeValue, float64(s.Rows), s.Kind, s.State)
		ch <- prometheus.MustNewConstMetric(overdueDesc, prometheus.GaugeValue, s.OldestDue, s.Kind, s.State)
	}
}

// clickCopy counts at each scrape the changes of clicks that wait for ClickHouse.
type clickCopy struct {
	db   *db.DB
	busy chan struct{} // as in jobRows
}

// ClickCopy returns the metrics of the changes of clicks that wait for ClickHouse.
func ClickCopy(d *db.DB) prometheus.Collector { return clickCopy{d, make(chan struct{}, 1)} }

var (
	waitingDesc = prometheus.NewDesc("switchyard_click_copy_waiting", "Changes of clicks and conversions that wait for ClickHouse.", nil, nil)
	waitedDesc  = prometheus.NewDesc("switchyard_click_copy_age_seconds", "How long the oldest change of a click waits for ClickHouse.", nil, nil)
)

// Describe implements prometheus.Collector.
func (clickCopy) Describe(ch chan<- *prometheus.Desc) {
	ch <- waitingDesc
	ch <- waitedDesc
}

// Collect implements prometheus.Collector. If PostgreSQL does not answer in time, it sends no metrics, like jobRows.
func (c clickCopy) Collect(ch chan<- prometheus.Metric) {
	if w, ok := count(c.db, c.busy, "changes of clicks", clickcopy.ReadWaiting); ok {
		ch <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(w.Changes))
		ch <- prometheus.MustNewConstMetric(waitedDesc, prometheus.GaugeValue, w.Age.Seconds())
	}
}

// count reads figures in a separate goroutine, because a query to a server that hangs continues after its context ends. busy
// allows only one such goroutine at a time. If the figures cannot be read in time, ok is false and a warning is logged.
func count[T any](d *db.DB, busy chan struct{}, of string, read func(context.Context, db.Conn) (T, error)) (figures T, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	type result struct {
		figures T
		err     error
	}
	done := make(chan result, 1)
	select {
	case busy <- struct{}{}:
		go func() {
			defer func() { <-busy }()
			figures, err := read(ctx, d)
			done <- result{figures, err}
		}()
	case <-ctx.Done():
	}
	r := result{err: context.DeadlineExceeded}
	select {
	case r = <-done:
	case <-ctx.Done():
	}
	if r.err != nil {
		slog.WarnContext(ctx, "figures not read", "of", of, "error", r.err)
	}
	return r.figures, r.err == nil
}
