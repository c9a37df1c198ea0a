package monitor

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"switchyard/db"
	"switchyard/db/jobrow"
)

// NewRegistry makes a registry with the metrics of the process, the connection pool and the job rows. The rows are
// counted at each scrape. Without a database the registry has the metrics of the process only.
func NewRegistry(d *db.DB) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if d != nil {
		r.MustRegister(collectors.NewDBStatsCollector(d.DB.DB, "switchyard"), jobRows{d, make(chan struct{}, 1)})
	}
	return r
}

// BuildInfo is the metric that says which version runs: always 1, with the version in its labels.
func BuildInfo(version, revision, goVersion string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "switchyard", Name: "build_info", Help: "1, with the version that runs as labels.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "go": goVersion},
	}, func() float64 { return 1 })
}

// jobRows counts the rows of jobs at each scrape.
type jobRows struct {
	db   *db.DB
	busy chan struct{} // holds one token: the rows are being counted
}

// countTimeout is how long a scrape waits for the rows.
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

// Collect implements prometheus.Collector. While PostgreSQL does not answer, these metrics are missing and the others
// are not.
func (c jobRows) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	stats, err := c.count(ctx)
	if err != nil {
		slog.WarnContext(ctx, "figures of jobs not read", "error", err)
		return
	}
	for _, s := range stats {
		ch <- prometheus.MustNewConstMetric(rowsDesc, prometheus.GaugeValue, float64(s.Rows), s.Kind, s.State)
		ch <- prometheus.MustNewConstMetric(overdueDesc, prometheus.GaugeValue, s.OldestDue, s.Kind, s.State)
	}
}

// count counts the rows in a goroutine of its own, because a query on a server that hangs outlives its context. Only
// one runs at a time.
func (c jobRows) count(ctx context.Context) ([]jobrow.Stats, error) {
	select {
	case c.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type result struct {
		stats []jobrow.Stats
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-c.busy }()
		stats, err := jobrow.ReadStats(ctx, c.db)
		done <- result{stats, err}
	}()
	select {
	case r := <-done:
		return r.stats, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
