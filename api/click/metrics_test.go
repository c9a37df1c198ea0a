package click

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// counter gives the value of a metric without labels.
func counter(tb testing.TB, h *Handler, name string) float64 {
	tb.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(h.Collectors()...)
	families, err := reg.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue() + f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	tb.Fatalf("there is no metric %s", name)
	return 0
}
