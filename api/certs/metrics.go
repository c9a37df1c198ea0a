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
		Help: "TLS handshakes that began, by the name that they ask for: served, unknown to this install, or missing (known, but without a certificate).",
	}, []string{"name"})}
	m.served, m.unknown, m.missing = m.handshakes.WithLabelValues("served"), m.handshakes.WithLabelValues("unknown"),
		m.handshakes.WithLabelValues("missing")
	m.challenges = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "switchyard", Name: "acme_challenges_answered_total", Help: "Challenges of certificate authorities that were answered.",
	})
	return m
}

// Collectors returns the metrics for the process to register.
func (c *Certificates) Collectors(g *Guard) []prometheus.Collector {
	all := []prometheus.Collector{
		c.metrics.handshakes, c.metrics.challenges,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "switchyard", Name: "tls_certificates", Help: "Certificates that this process serves.",
		}, func() float64 { return float64(c.Len()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: "switchyard", Name: "tls_connections_closed_total",
			Help: "Connections closed by a limit: too many connections were open, or too many of them had not sent a request.",
		}, g.Closed),
	}
	for _, host := range c.options.OwnHosts {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "switchyard", Name: "tls_own_certificate_left", ConstLabels: prometheus.Labels{"host": host},
			Help: "Remaining share of the lifetime of the certificate of one of the install's own hosts, from 1 (new) to 0 (expired or missing).",
		}, func() float64 { return c.lifetimeLeft(host, time.Now()) }))
	}
	return all
}
