package certs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the counters of handshakes and of answered challenges.
type metrics struct {
	handshakes               *prometheus.CounterVec
	served, unknown, missing prometheus.Counter
	challenges               prometheus.Counter
}

func newMetrics() metrics {
	m := metrics{handshakes: prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "switchyard", Name: "tls_handshakes_total",
		Help: "TLS handshakes begun, by what is known of the name: served, unknown, or missing its certificate.",
	}, []string{"name"})}
	m.served, m.unknown, m.missing = m.handshakes.WithLabelValues("served"), m.handshakes.WithLabelValues("unknown"),
		m.handshakes.WithLabelValues("missing")
	m.challenges = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "switchyard", Name: "acme_challenges_answered_total", Help: "Challenges of certificate authorities that were answered.",
	})
	return m
}

// Collectors returns the metrics for the process to register. g is the guard of the listener.
func (c *Certificates) Collectors(g *Guard) []prometheus.Collector {
	all := []prometheus.Collector{
		c.metrics.handshakes, c.metrics.challenges,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "switchyard", Name: "tls_certificates", Help: "Certificates that this process serves.",
		}, func() float64 { return float64(c.Len()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: "switchyard", Name: "tls_connections_closed_total",
			Help: "Connections closed because too many were open, or had sent no request yet.",
		}, g.Closed),
	}
	for _, host := range c.options.Own {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "switchyard", Name: "tls_own_certificate_left", ConstLabels: prometheus.Labels{"host": host},
			Help: "How much of the life of the certificate of a host of the install is left, of 1. 0: it has expired, or there is none.",
		}, func() float64 { return c.lifetimeLeft(host, time.Now()) }))
	}
	return all
}
