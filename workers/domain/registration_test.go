package domain_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/models"
)

// registry is a fake registry with RDAP (RFC 9083), and the list that names its address (RFC 9224).
type registry struct {
	server *httptest.Server

	mu      sync.Mutex
	until   map[string]string // the end of each registration, by name; an empty text if the registry reports no date
	down    bool
	queries []string
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{until: map[string]string{}}
	r.server = httptest.NewTLSServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *registry) listURL(t *testing.T) *url.URL {
	t.Helper()
	u, err := url.Parse(r.server.URL + "/list/")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (r *registry) set(name, until string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until[name] = until
}

// queried returns the names that were asked for since the last call.
func (r *registry) queried() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := r.queries
	r.queries = nil
	slices.Sort(asked)
	return asked
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if req.URL.Path == "/list/dns.json" {
		_, _ = fmt.Fprintf(w, `{"version": "1.0", "publication": "2026-01-01T00:00:00Z", "description": "", "services": [
			[["example", "com"], ["http://127.0.0.1:1/", %q]]]}`, r.server.URL+"/rdap/")
		return
	}
	name := strings.TrimPrefix(req.URL.Path, "/rdap/domain/")
	r.queries = append(r.queries, name)
	until, known := r.until[name]
	w.Header().Set("Content-Type", "application/rdap+json")
	switch {
	case r.down:
		w.WriteHeader(http.StatusTooManyRequests)
	case !known:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"errorCode": 404, "title": "Not Found"}`)
	case until == "":
		_, _ = fmt.Fprintf(w, `{"objectClassName": "domain", "ldhName": %q}`, strings.ToUpper(name))
	default:
		_, _ = fmt.Fprintf(w, `{"rdapConformance": ["rdap_level_0"], "objectClassName": "domain", "ldhName": %q, "events": [
			{"eventAction": "registration", "eventDate": "2001-01-01T00:00:00Z"},
			{"eventAction": "registrar expiration", "eventDate": "2001-01-02T00:00:00Z"},
			{"eventAction": "expiration", "eventDate": %q}]}`, strings.ToUpper(name), until)
	}
}

// TestRegistrations: registries are asked for the expiry dates of verified domains, once per registered name for all hosts below it.
func TestRegistrations(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	soon := time.Now().AddDate(0, 0, 9).UTC().Truncate(time.Second)
	w.names.set("shop.example", soon.Format(time.RFC3339))
	w.names.set("far.example", "2099-01-01T00:00:00Z")
	w.names.set("silent.example", "")
	add := func(account uuid.UUID, hosts ...string) {
		t.Helper()
		added, _, err := w.store.Domains().Add(t.Context(), account, hosts, models.DomainSettings{DomainFields: models.DomainFields{Crawlers: "disallow"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range added {
			if _, err := w.store.Domains().SetVerified(t.Context(), account, d.ID, !strings.HasPrefix(d.Host, "new.")); err != nil {
				t.Fatal(err)
			}
		}
	}
	// No registry is listed for other.test, and new.shop.com is not verified.
	add(w.account, "go.shop.example", "shop.example", "www.far.example", "silent.example", "unknown.example", "other.test", "new.shop.com")
	add(w.other, "c.shop.example")
	sweep := func() {
		t.Helper()
		if _, err := run(w, jobs.SweepRegistrations, uuid.Nil, jobs.Tick{}); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	if got := w.names.queried(); !slices.Equal(got, []string{"far.example", "shop.example", "silent.example", "unknown.example"}) {
		t.Errorf("the registry was asked for %q", got)
	}
	ending := func(account uuid.UUID) string {
		t.Helper()
		found, err := w.store.Domains().Ending(t.Context(), account, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var hosts []string
		for _, d := range found {
			hosts = append(hosts, d.Host+" "+d.Until.UTC().Format(time.DateOnly))
		}
		slices.Sort(hosts)
		return strings.Join(hosts, " ")
	}
	day := soon.Format(time.DateOnly)
	if got := ending(w.other); got != "c.shop.example "+day {
		t.Errorf("the alerts of the other account are %q", got)
	}
	if got := ending(w.account); got != "go.shop.example "+day+" shop.example "+day {
		t.Errorf("the alerts of the first account are %q", got)
	}
	sweep()
	if got := w.names.queried(); len(got) > 0 {
		t.Errorf("the registry was asked again for %q", got)
	}
	makeDue := func() {
		t.Helper()
		dbtest.Exec(t, w.db, `UPDATE domain_checks SET registration_due_at = now()`)
	}
	w.names.mu.Lock()
	w.names.down = true
	w.names.mu.Unlock()
	makeDue()
	sweep()
	if got := ending(w.other); got != "c.shop.example "+day {
		t.Errorf("the alerts while the registry refuses are %q, want them unchanged", got)
	}
	w.names.mu.Lock()
	w.names.down = false
	w.names.mu.Unlock()
	w.names.set("shop.example", soon.Add(models.RegistrationEndsSoon).Format(time.RFC3339))
	makeDue()
	sweep()
	if got := ending(w.account) + ending(w.other); got != "" {
		t.Errorf("after the registration was renewed the alerts are %q, want none", got)
	}
	far, err := w.store.Domains().Find(t.Context(), w.account, w.id("www.far.example"))
	if err != nil || far.RegisteredUntil == nil || far.RegisteredUntil.Year() != 2099 {
		t.Errorf("%+v, %v", far, err)
	}
}

func (w *env) id(host string) uuid.UUID {
	w.Helper()
	return dbtest.Get[uuid.UUID](w, w.db, `SELECT id FROM domains WHERE account_id = $1 AND host = $2`, w.account, host)
}
