package monitor_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/ops/monitor"
)

const password = "open sesame"

// get sends a request to the pages. With a header, it sends a POST.
func get(h http.Handler, path, pass string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "127.0.0.1:8081"
	if len(header) > 0 {
		r.Method = http.MethodPost
		r.Header.Set(header[0], header[1])
	}
	if pass != "" {
		r.SetBasicAuth("anyone", pass)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func router(o monitor.Options) http.Handler {
	return monitor.New(o)
}

// TestQueuesPage: the page of the queues needs the password, loads nothing from other hosts and runs only its own scripts.
func TestQueuesPage(t *testing.T) {
	t.Parallel()
	r := jobstest.Redis(t)
	// LostRows makes the queue known to asynqmon.
	if _, err := jobs.Connect(r).LostRows(t.Context(), models.JobRef{Kind: jobs.DeliverWebhook.Kind()}); err != nil {
		t.Fatal(err)
	}
	h := router(monitor.Options{Redis: r, Password: password})
	for _, c := range []struct {
		path, pass string
		want       int
	}{
		{"/ops", "", 401},
		{"/ops/", "", 401},
		{"/ops/queues", "", 401},
		{"/ops", password, 302},
		{"/ops/", password, 302},
		{"/ops/queues/api/queues", "", 401},
		{"/ops/queues/api/queues", "wrong", 401},
		{"/ops/queues", password, 200},
		{"/ops/queues/", password, 200},
		{"/ops/queues/queues/webhooks", password, 200},
		{"/ops/queues/api/queues", password, 200},
		{"/ops/queues/api/queues/webhooks/pending_tasks", password, 200},
		{"/ops/queues/api/servers", password, 200},
		{"/ops/queues/api/redis_info", password, 200},
	} {
		if w := get(h, c.path, c.pass); w.Code != c.want {
			t.Errorf("%s with %q: %d, want %d", c.path, c.pass, w.Code, c.want)
		}
	}
	if w := get(h, "/ops/queues/api/queues", password); !strings.Contains(w.Body.String(), `"webhooks"`) {
		t.Errorf("the list of queues lacks webhooks: %s", w.Body)
	}
	shown := get(h, "/ops/queues/", password)
	page := shown.Body.String()
	if strings.Contains(page, "https://") || strings.Contains(page, "http://") {
		t.Errorf("the page names URLs of other hosts: %s", page)
	}
	if policy := shown.Header().Get("Content-Security-Policy"); strings.Count(policy, "'sha256-") != 2 ||
		!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src 'self' 'unsafe") {
		t.Errorf("the page of the queues has the policy %q", policy)
	}
	_, script, _ := strings.Cut(page, `src="`)
	script, _, _ = strings.Cut(script, `"`)
	if !strings.HasPrefix(script, "/ops/queues/") {
		t.Fatalf("the script of the page is %q, want a path below /ops/queues/", script)
	}
	if w := get(h, script, password); w.Code != 200 || w.Body.Len() < 1000 {
		t.Errorf("%s: %d, %d bytes", script, w.Code, w.Body.Len())
	}
	if w := get(h, "/ops/queues/api/queues/webhooks:pause", password, "Sec-Fetch-Site", "cross-site"); w.Code != 403 {
		t.Errorf("a button pressed from another site: status %d, want 403", w.Code)
	}
	if w := get(h, "/ops/queues/api/queues/webhooks:pause", password, "Sec-Fetch-Site", "same-origin"); w.Code != 204 {
		t.Errorf("a button pressed from the page itself: status %d, want 204", w.Code)
	}
	if w := get(router(monitor.Options{Redis: r}), "/ops/queues", password); w.Code != 404 {
		t.Errorf("the page of the queues, if no password is set: status %d, want 404", w.Code)
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	fine := func(context.Context) error { return nil }
	broken := func(context.Context) error { return errors.New("secret detail") }
	for name, c := range map[string]struct {
		checks []monitor.Check
		want   int
	}{
		"none":     {nil, 200},
		"fine":     {[]monitor.Check{{Name: "db", Run: fine}, {Name: "redis", Run: fine}}, 200},
		"broken":   {[]monitor.Check{{Name: "db", Run: broken}, {Name: "redis", Run: fine}}, 503},
		"optional": {[]monitor.Check{{Name: "db", Run: broken, Optional: true}, {Name: "spool", Run: fine}}, 200},
	} {
		h := router(monitor.Options{Checks: c.checks})
		if w := get(h, "/readyz", ""); w.Code != c.want || strings.Contains(w.Body.String(), "detail") {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, c.want)
		}
		if w := get(h, "/healthz", ""); w.Code != 200 {
			t.Errorf("%s: /healthz: status %d, want 200", name, w.Code)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/readyz", nil)); w.Code != c.want {
			t.Errorf("%s: HEAD %d, want %d", name, w.Code, c.want)
		}
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	broken := func(context.Context) error { return errors.New("secret detail") }
	fine := func(context.Context) error { return nil }
	h := router(monitor.Options{Checks: []monitor.Check{
		{Name: "proxies", Run: broken, Optional: true, Advice: "set TRUSTED_PROXIES"},
		{Name: "other", Run: fine, Advice: "nothing to do"},
	}})
	const want = `{"advice":{"proxies":"set TRUSTED_PROXIES"},"checks":{"other":"ok","proxies":"failing"},"ready":true}`
	if w := get(h, "/readyz", ""); w.Code != 200 || w.Body.String() != want {
		t.Errorf("/readyz: status %d %s, want 200 %s", w.Code, w.Body, want)
	}
}

// TestFigures: /metrics has the number of rows of jobs, and needs the password.
func TestFigures(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	dbtest.Exec(t, d, `INSERT INTO jobs (id, kind) VALUES (gen_random_uuid(), 'x:y')`)
	reg := monitor.NewRegistry(d)
	h := router(monitor.Options{Password: password, Registry: reg})
	if w := get(h, "/metrics", ""); w.Code != 401 {
		t.Errorf("metrics without the password: status %d, want 401", w.Code)
	}
	w := get(h, "/metrics", password)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `switchyard_job_rows{kind="x:y",state="pending"} 1`) {
		t.Errorf("the metrics lack the row of the job: status %d %.300s", w.Code, w.Body)
	}
	open := router(monitor.Options{Registry: reg})
	if w := get(open, "/metrics", ""); w.Code != 404 { // httptest calls from 192.0.2.1
		t.Errorf("metrics for another machine, if no password is set: status %d, want 404", w.Code)
	}
}

func TestQueueFigures(t *testing.T) {
	t.Parallel()
	r := jobstest.Redis(t)
	err := jobs.Connect(r).DispatchRows(t.Context(), models.JobRef{Kind: jobs.DeliverWebhook.Kind(), ID: uuid.New()})
	if err != nil {
		t.Fatal(err)
	}
	w := get(router(monitor.Options{Redis: r, Password: password, Registry: monitor.NewRegistry(nil)}), "/metrics", password)
	for _, line := range []string{
		`switchyard_queue_tasks{queue="webhooks",state="pending"} 1`, `switchyard_queue_tasks{queue="bulk",state="pending"} 0`,
		`switchyard_queue_oldest_seconds{queue="webhooks"} `, `switchyard_queue_paused{queue="webhooks"} 0`,
	} {
		if !strings.Contains(w.Body.String(), line) {
			t.Errorf("%s is missing: %d", line, w.Code)
		}
	}
}
