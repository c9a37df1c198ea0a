package monitor_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"switchyard/models"
	"switchyard/models/apiversion"
	"switchyard/ops/monitor"
)

// TestAPIVersions: the metric, the log and /readyz follow the version that a setting chooses.
func TestAPIVersions(t *testing.T) { // not parallel: it replaces the default logger
	var logged bytes.Buffer
	before := slog.Default() //nolint:forbidigo // to put it back
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	now := func() time.Time { return time.Date(2027, 1, 24, 0, 0, 0, 0, time.UTC) } // 30 days before the end of v25.0
	for named, want := range map[string]struct {
		days float64 // of Meta's version; 0 means that the metric is missing
		soon bool
		log  string
	}{
		"":      {},
		"v25.0": {days: 30, soon: true, log: "days_left=30"},
		"v99.0": {log: "does not know"},
	} {
		logged.Reset()
		used := apiversion.Used(map[string]string{models.Meta: named})
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(monitor.APIVersions(used, now))
		days := 0.0
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range families[0].GetMetric() {
			if m.GetLabel()[0].GetValue() == models.Meta && m.GetLabel()[1].GetValue() == named {
				days = m.GetGauge().GetValue()
			}
		}
		if families[0].GetName() != "switchyard_api_version_days_left" || days != want.days {
			t.Errorf("META_VERSION=%q: %s is %v", named, families[0].GetName(), days)
		}
		if (logged.Len() > 0) != (want.log != "") || !strings.Contains(logged.String(), want.log) {
			t.Errorf("META_VERSION=%q logs %s", named, logged.String())
		}
		h := monitor.NewHealth([]monitor.Check{monitor.APIVersionsCheck(used, now)})
		if w := get(h, "/readyz", ""); w.Code != 200 || strings.Contains(w.Body.String(), `"api_versions":"failing"`) != want.soon {
			t.Errorf("META_VERSION=%q: %d %s", named, w.Code, w.Body)
		}
	}
}

// TestAPIVersionsCheck: the check names every version that ends soon.
func TestAPIVersionsCheck(t *testing.T) {
	t.Parallel()
	used := apiversion.Used(map[string]string{models.Meta: "v25.0", models.GoogleAds: "v23"})
	now := func() time.Time { return time.Date(2027, 1, 24, 0, 0, 0, 0, time.UTC) }
	err := monitor.APIVersionsCheck(used, now).Run(t.Context())
	for _, want := range []string{"google_ads v23 ends on 2027-02-01", "meta v25.0 ends on 2027-02-23"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
