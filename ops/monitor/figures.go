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

// NewRegistry makes a registry with the metrics of the process. Unless d is nil, it also has metrics of the connection pool and
// the rows of jobs.
func NewRegistry(d *db.DB) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if d != nil {
		r.MustRegister(collectors.NewDBStatsCollector(d.DB.DB, "switchyard"), jobRows(d))
	}
	return r
}

// BuildInfo returns the metric that identifies the running version, in its labels.
func BuildInfo(version, revision, goVersion string) prometheus.Collector {
	labels := prometheus.Labels{"version": version, "revision": revision, "go": goVersion}
	return Gauge("build_info", "Always 1. The labels name the version that is running.", labels, func() float64 { return 1 })
}

// Gauge returns a metric that may rise and fall. It calls read at each scrape. labels may be nil.
func Gauge(name, help string, labels prometheus.Labels, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "switchyard", Name: name, Help: help, ConstLabels: labels}, read)
}

// Counter returns a metric that only rises. It calls read at each scrape. labels may be nil.
func Counter(name, help string, labels prometheus.Labels, read func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "switchyard", Name: name, Help: help, ConstLabels: labels}, read)
}

// countTimeout limits how long a scrape waits for figures from PostgreSQL.
const countTimeout = 3 * time.Second

// collector is a prometheus.Collector that reads its metrics at each scrape.
type collector struct {
	descs   []*prometheus.Desc
	collect func(send sender)
}

// sender sends one value to Prometheus, with the labels in the order of the description.
type sender func(d *prometheus.Desc, value float64, labels ...string)

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect implements prometheus.Collector. Metrics that cannot be read are left out.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	c.collect(func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	})
}

func jobRows(d *db.DB) prometheus.Collector {
	rows := prometheus.NewDesc("switchyard_job_rows", "Jobs stored in PostgreSQL that are not done, by kind and state.", []string{"kind", "state"}, nil)
	overdue := prometheus.NewDesc("switchyard_job_overdue_seconds",
		"Seconds since the first pending job was due, or since the first lease of a running job ended, by kind and state.", []string{"kind", "state"}, nil)
	busy := make(chan struct{}, 1)
	return collector{[]*prometheus.Desc{rows, overdue}, func(send sender) {
		stats, _ := count(d, busy, "jobs", jobrow.ReadStats)
		for _, s := range stats {
			send(rows, float64(s.Rows), s.Kind, s.State)
			send(overdue, s.OldestDue, s.Kind, s.State)
		}
	}}
}

// ClickCopy returns the metrics of the changes of clicks and conversions that wait for ClickHouse.
func ClickCopy(d *db.DB) prometheus.Collector {
	waiting := prometheus.NewDesc("switchyard_click_copy_waiting", "Changes of clicks and conversions that wait for ClickHouse.", nil, nil)
	age := prometheus.NewDesc("switchyard_click_copy_age_seconds", "How long the oldest change of a click or a conversion has waited for ClickHouse.", nil, nil)
	busy := make(chan struct{}, 1)
	return collector{[]*prometheus.Desc{waiting, age}, func(send sender) {
		if w, ok := count(d, busy, "changes of clicks", clickcopy.ReadWaiting); ok {
			send(waiting, float64(w.Changes))
			send(age, w.Age.Seconds())
		}
	}}
}

// count reads figures in a separate goroutine, because a query to a server that hangs continues after its context ends. busy has
// room for one value, so only one such goroutine runs at a time.
func count[T any](d *db.DB, busy chan struct{}, what string, read func(context.Context, db.Conn) (T, error)) (figures T, ok bool) {
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
		slog.WarnContext(ctx, "figures not read", "of", what, "error", r.err)
	}
	return r.figures, r.err == nil
}
