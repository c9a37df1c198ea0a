package workers

import (
	"context"
	"errors"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	attempts *prometheus.HistogramVec
	running  *prometheus.GaugeVec
	repairs  prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	factory := promauto.With(reg)
	return &metrics{
		attempts: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "switchyard_job_attempt_seconds", Help: "Duration of the attempts of jobs, by kind and outcome.",
			Buckets: []float64{.005, .025, .1, .5, 1, 2.5, 5, 10, 30, 120},
		}, []string{"kind", "outcome"}),
		running: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "switchyard_jobs_running", Help: "Running jobs, by kind.",
		}, []string{"kind"}),
		repairs: factory.NewCounter(prometheus.CounterOpts{
			Name: "switchyard_job_repairs_total", Help: "Rows whose task was lost and was enqueued again.",
		}),
	}
}

// NewCounter makes a counter and registers it if metrics are published. Callers that use the same name share it.
func (r *Runtime) NewCounter(name, help string, labels ...string) *prometheus.CounterVec {
	counter := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	if r.o.Metrics == nil {
		return counter
	}
	err := r.o.Metrics.Register(counter)
	if known, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		return known.ExistingCollector.(*prometheus.CounterVec)
	}
	if err != nil {
		panic(err)
	}
	return counter
}

func (r *Runtime) measure(ctx context.Context, t task, h handler) error {
	running := r.metrics.running.WithLabelValues(t.Kind)
	running.Inc()
	defer running.Dec()
	begin := time.Now()
	err := h(ctx, t)
	outcome := "done"
	if l, ok := errors.AsType[*retryLaterError](err); ok {
		outcome = "postponed"
		if l.failure {
			outcome = "retried"
		}
	} else if errors.Is(err, asynq.SkipRetry) {
		outcome = "failed"
	}
	r.metrics.attempts.WithLabelValues(t.Kind, outcome).Observe(time.Since(begin).Seconds())
	return err
}
