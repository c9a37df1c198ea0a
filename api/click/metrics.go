package click

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"switchyard/models/flow"
)

// metrics holds the counters and the histogram of the click path.
type metrics struct {
	clicks, late, unrecorded, postbacks, events, unmatched, limited, traps, overBudget, eventsRefused prometheus.Counter

	seconds            prometheus.Histogram
	redirected         [flow.ViaDestination + 1]prometheus.Counter // a counter for each flow.Via
	refusedGoals, edge *prometheus.CounterVec
	all                []prometheus.Collector
}

func (m *metrics) observe(took time.Duration) {
	m.seconds.Observe(took.Seconds())
}

func register[C prometheus.Collector](m *metrics, c C) C {
	m.all = append(m.all, c)
	return c
}

func newMetrics() (m metrics) {
	counter := func(name, help string) prometheus.Counter {
		return register(&m, prometheus.NewCounter(prometheus.CounterOpts{Namespace: "switchyard", Name: name, Help: help}))
	}
	vector := func(name, help, label string) *prometheus.CounterVec {
		return register(&m, prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "switchyard", Name: name, Help: help}, []string{label}))
	}
	for via := range m.redirected {
		m.redirected[via] = register(&m, prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "switchyard", Name: "redirects_total", Help: "Answered tracking links of campaigns, by what decided the destination.",
			ConstLabels: prometheus.Labels{"outcome": flow.Via(via).String()},
		}))
	}
	m.clicks = counter("clicks_total", "Clicks and click-outs on stable storage.")
	m.late = counter("clicks_late_total", "Clicks and click-outs whose visitor was sent on before they were recorded.")
	m.unrecorded = counter("clicks_unrecorded_total", "Clicks, click-outs, postbacks and site events that could not be stored anywhere.")
	m.postbacks = counter("postbacks_total", "Postbacks on stable storage.")
	m.events = counter("site_events_total", "Events of pages and servers on stable storage. An event that is sent again counts again.")
	m.unmatched = counter("postbacks_unmatched_total", "Postbacks that name no click. Only samples of them are stored, except for accounts that move from another tracker.")
	m.limited = counter("postbacks_limited_total", "Postbacks and messages of pages that were refused because the sender had sent, or the receiver had received, too many.")
	m.eventsRefused = counter("site_events_refused_total", "Messages of pages that were refused as a whole or in part.")
	m.traps = counter("hidden_links_followed_total", "Recorded requests for the links that the page tag hides from people.")
	m.overBudget = counter("routing_over_budget_total", "Decisions that took too many steps and ended at the fallback.")
	m.refusedGoals = vector("goals_refused_total",
		"Goals and messages of servers that were refused, by the code of the answer. Samples with the codes unknown_goal and wrong_secret are stored.", "code")
	m.edge = vector("edge_clicks_total",
		"Clicks that the edge has reported, by result: stored, repeated, or dropped because the campaign is gone or the report is malformed.", "result")
	m.seconds = register(&m, prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "switchyard", Name: "redirect_seconds",
		Help:    "Time to answer a tracking link.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .015, .025, .05, .1, .25, .5, 1},
	}))
	return m
}

// Collectors returns the metrics of the click path, for the process to register.
func (h *Handler) Collectors() []prometheus.Collector {
	return append(h.metrics.all[:len(h.metrics.all):len(h.metrics.all)],
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "switchyard", Name: "routing_campaigns",
			Help: "Campaigns in the routing snapshot.",
		},
			func() float64 { return float64(h.routes.Current().Campaigns()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "switchyard", Name: "routing_unusable",
			Help: "Campaigns, saved rules and smartlinks that cannot be used as they were saved.",
		}, func() float64 { return float64(h.routes.Current().CountUnusable()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: "switchyard", Name: "routing_changes_total",
			Help: "Routing snapshots made.",
		}, func() float64 { return float64(h.routes.Changes()) }),
	)
}
