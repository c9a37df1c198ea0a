package click

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"switchyard/models/flow"
)

// metrics are the counters of the click path.
type metrics struct {
	clicks, late, unrecorded, postbacks, events, unmatched, limited, traps, overBudget, eventsRefused prometheus.Counter
	seconds                                                                                           prometheus.Histogram
	redirected                                                                                        [flow.ViaDestination + 1]prometheus.Counter
	refusedGoals, edge                                                                                *prometheus.CounterVec
}

// observe records the time that a tracking link took, of a campaign or of a smartlink.
func (m *metrics) observe(took time.Duration) {
	m.seconds.Observe(took.Seconds())
}

// newRedirected returns a counter for each flow.Via, the way in which a destination was decided.
func newRedirected() (all [flow.ViaDestination + 1]prometheus.Counter) {
	for via := range all {
		all[via] = prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "switchyard", Name: "redirects_total", Help: "Answered tracking links of campaigns by what decided where they lead.",
			ConstLabels: prometheus.Labels{"outcome": flow.Via(via).String()},
		})
	}
	return all
}

func newMetrics() metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "switchyard", Name: name, Help: help})
	}
	return metrics{
		redirected: newRedirected(),
		refusedGoals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "switchyard", Name: "goals_refused_total",
			Help: "Goals and messages of servers that were refused, by the code of the answer. Some of them are stored.",
		}, []string{"code"}),
		edge: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "switchyard", Name: "edge_clicks_total",
			Help: "Clicks that the edge has reported: stored, repeated, or dropped because their campaign is gone or they are not understood.",
		}, []string{"result"}),
		clicks:        counter("clicks_total", "Clicks and click-outs on stable storage."),
		late:          counter("clicks_late_total", "Clicks and click-outs whose visitor was sent on before they were recorded."),
		unrecorded:    counter("clicks_unrecorded_total", "Clicks, click-outs, postbacks and site events that no storage took."),
		postbacks:     counter("postbacks_total", "Postbacks on stable storage."),
		events:        counter("site_events_total", "Events of pages and servers of accounts on stable storage. One that is sent again counts again."),
		unmatched:     counter("postbacks_unmatched_total", "Postbacks that name no click. Some of them are stored."),
		limited:       counter("postbacks_limited_total", "Postbacks and messages of pages refused because their sender or addressee had too many."),
		eventsRefused: counter("site_events_refused_total", "Messages of pages that were refused, or some of whose events were."),
		traps:         counter("hidden_links_followed_total", "Requests for the link that the page tag hides from people, of clicks that may exist."),
		overBudget:    counter("routing_over_budget_total", "Decisions that took too many steps and ended at the fallback."),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "switchyard", Name: "redirect_seconds",
			Help:    "Time to answer a tracking link.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .015, .025, .05, .1, .25, .5, 1},
		}),
	}
}

// Collectors returns the metrics of the click path, for the process to register.
func (h *Handler) Collectors() []prometheus.Collector {
	all := []prometheus.Collector{
		h.metrics.clicks, h.metrics.late, h.metrics.unrecorded, h.metrics.postbacks, h.metrics.events, h.metrics.eventsRefused, h.metrics.refusedGoals, h.metrics.edge,
		h.metrics.unmatched, h.metrics.limited, h.metrics.traps, h.metrics.overBudget, h.metrics.seconds,
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
	}
	for _, c := range h.metrics.redirected {
		all = append(all, c)
	}
	return all
}
