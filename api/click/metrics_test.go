package click

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// counter returns the value of a metric, summed over all its labels.
func counter(tb testing.TB, h *Handler, name string) (sum float64) {
	tb.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(h.Collectors()...)
	families, err := reg.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
			return sum
		}
	}
	tb.Fatalf("there is no metric %s", name)
	return 0
}
