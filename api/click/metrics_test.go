package click

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// counter gives the value of a metric without labels.
func counter(t testing.TB, h *Handler, name string) float64 {
	t.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(h.Collectors()...)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue() + f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}
