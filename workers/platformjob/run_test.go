package platformjob

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db/dbtest"
	"switchyard/db/integration"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// TestRunsAreCounted checks that the end of a run is counted by kind, provider and result. All imports share the counter.
func TestRunsAreCounted(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	runtime := workers.New(workers.Options{Metrics: reg})
	d := dbtest.New(t)
	imports := &Imports[jobs.PlatformRange, jobs.None]{
		Run: models.RunNetworkSync, ChangesRun: models.RunNetworkChanges, Store: store.New(d, nil), Now: time.Now, ended: endedRuns(runtime),
		Range:       func(r *jobs.PlatformRange) *jobs.PlatformRange { return r },
		Target:      func(jobs.PlatformRange) uuid.UUID { return uuid.New() },
		Connections: func(s *store.Store) integration.Connections { return integration.NewNetworks(s).Connections },
	}
	job := models.Job{ID: uuid.New(), AccountID: uuid.NullUUID{UUID: uuid.New(), Valid: true}, Args: []byte(`{"provider":"awin","changed":true}`)}
	if err := imports.failed(t.Context(), d, job, errors.New("away")); err != nil {
		t.Fatal(err)
	}
	if err := imports.record(t.Context(), imports.Store, job, jobs.PlatformRange{Provider: "awin"}, integration.RunEnd{}, integration.Result{}, ""); err != nil {
		t.Fatal(err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "switchyard_platform_runs_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			got[strings.Join(labels, " ")] = m.GetCounter().GetValue()
		}
	}
	if want := map[string]float64{"network_changes awin failed": 1, "network_sync awin succeeded": 1}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if endedRuns(runtime) != imports.ended {
		t.Error("a second call of endedRuns returns another counter, want the same one")
	}
}
