package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models/await"
	"switchyard/ops/config"
	"switchyard/ops/monitor"
	"switchyard/workers"
)

// TestEveryJobHasItsHandler: every kind of job that the service submits has a handler in its workers.
func TestEveryJobHasItsHandler(t *testing.T) {
	t.Parallel()
	r, err := NewRuntime(config.Config{}, Readers{}, workers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	handlers := reflect.ValueOf(r).Elem().FieldByName("handlers")
	for _, kind := range jobs.Kinds() {
		// Kinds that begin with "fault:" exist only in tests.
		if !handlers.MapIndex(reflect.ValueOf(kind)).IsValid() && !strings.HasPrefix(kind, "fault:") {
			t.Errorf("%s has no handler", kind)
		}
	}
}

// TestReadyWithSchema: a worker is not ready as long as the database lacks migrations, and its health check says what to do.
func TestReadyWithSchema(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := monitor.NewHealth(processChecks(config.Config{}, d, jobstest.Redis(t)))
	ready := func() (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w.Code, w.Body.String()
	}
	if code, body := ready(); code != http.StatusOK || !strings.Contains(body, `"schema":"ok"`) {
		t.Errorf("with the present schema the worker answers %d, want 200: %s", code, body)
	}
	dbtest.Exec(t, d, `DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`)
	if code, body := ready(); code != http.StatusServiceUnavailable || !strings.Contains(body, `"schema":"failing"`) || !strings.Contains(body, "switchyard migrate") {
		t.Errorf("while a migration is missing the worker answers %d, want 503 and the command to run: %s", code, body)
	}
	dbtest.Exec(t, d, `INSERT INTO goose_db_version (version_id, is_applied) SELECT generate_series(1, 9999), true`)
	if code, body := ready(); code != http.StatusOK {
		t.Errorf("with a database of a newer release the worker answers %d, want 200: %s", code, body)
	}
}

// TestStopThatHangs: a process that does not stop within the limit is killed.
func TestStopThatHangs(t *testing.T) {
	t.Parallel()
	ctx, tell := context.WithCancel(t.Context())
	killed := make(chan struct{})
	ended := limitStop(ctx, time.Millisecond, func() { close(killed) })
	defer ended()
	select {
	case <-killed:
		t.Fatal("the process was killed before it was asked to stop")
	default:
	}
	tell()
	await.Recv(t, killed)
}
