package linkcheck_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/linkcheck"
)

type env struct {
	*testing.T
	db      *db.DB
	store   *store.Store
	client  *jobs.Client
	account uuid.UUID
	pages   *httptest.Server
	now     atomic.Int64 // seconds since 1970
	list    *fakeList

	mu    sync.Mutex
	calls []string       // method, path and query of each request
	agent string         // user agent of the last request
	busy  map[string]int // requests under way by host
	worst int            // maximum number of concurrent requests to one host
	reply map[string]int // status by path; 200 is the default
	head  map[string]int // status by path for HEAD only
}

// LookupNetIP resolves every name to this machine.
func (w *env) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

type fakeList struct {
	mu        sync.Mutex
	threat    map[string][]string
	requested []string
}

func (f *fakeList) Name() string   { return "web_risk" }
func (f *fakeList) BatchSize() int { return 2 }

func (f *fakeList) Lookup(_ context.Context, urls []string) (map[string][]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requested = append(f.requested, urls...)
	out := map[string][]string{}
	for _, u := range urls {
		if t := f.threat[u]; t != nil {
			out[u] = t
		}
	}
	return out, nil
}

func newEnv(t *testing.T, change ...func(*linkcheck.Options)) *env {
	t.Helper()
	w := &env{
		T: t, db: dbtest.New(t), account: uuid.New(), busy: map[string]int{}, reply: map[string]int{}, head: map[string]int{},
		list: &fakeList{threat: map[string][]string{}},
	}
	w.now.Store(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).Unix())
	w.pages = httptest.NewUnstartedServer(http.HandlerFunc(w.serve))
	w.pages.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	w.pages.StartTLS()
	t.Cleanup(w.pages.Close)
	box, err := seal.New(w.db)
	if err != nil {
		t.Fatal(err)
	}
	w.store = store.New(w.db, box)
	dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', 'k')`, w.account)
	dbtest.Exec(w, w.db, `INSERT INTO webhook_endpoints (id, account_id, url, events, secret)
		VALUES ($1, $2, 'https://hooks.acme.com', '{link.broken,link.unsafe}', '')`, uuid.New(), w.account)

	out := egresstest.Client(t, w.pages, egress.Options{Resolver: w, Schemes: []string{"https", "http"}})
	r := jobstest.Redis(t)
	w.client = jobs.Connect(r)
	rt := workers.New(workers.Options{
		DB: w.db, Redis: r, Client: w.client, Grace: 4 * time.Second, Queues: []jobs.Queue{{Name: jobs.Maintenance, Weight: 1}, {Name: jobs.Interactive, Weight: 1}},
	})
	o := linkcheck.Options{
		Store: w.store, Egress: out, List: w.list, Pause: -1, Now: func() time.Time { return time.Unix(w.now.Load(), 0) },
	}
	for _, fn := range change {
		fn(&o)
	}
	linkcheck.Register(rt, o)
	jobstest.Run(t, rt.Run)
	return w
}

func (w *env) serve(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.calls = append(w.calls, r.Method+" "+r.URL.RequestURI())
	w.agent = r.UserAgent()
	w.busy[r.Host]++
	w.worst = max(w.worst, w.busy[r.Host])
	status := w.reply[r.URL.Path]
	if s, ok := w.head[r.URL.Path]; ok && r.Method == http.MethodHead {
		status = s
	}
	w.mu.Unlock()
	if status == 0 {
		status = http.StatusOK
	}
	rw.WriteHeader(status)
	w.mu.Lock()
	w.busy[r.Host]--
	w.mu.Unlock()
}

// url returns the address of a page. The same server serves all hosts.
func (w *env) url(host, path string) string {
	u, _ := url.Parse(w.pages.URL)
	return "https://" + host + ".example.com:" + u.Port() + path
}

func (w *env) add(table, name, to string) uuid.UUID {
	w.Helper()
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO `+table+` (id, account_id, name, url) VALUES ($1, $2, $3, $4)`, id, w.account, name, to)
	return id
}

func (w *env) sweep() []string { return w.hour(jobs.SweepLinks) }

func (w *env) hour(job jobs.Job[jobs.Tick, jobs.None]) []string {
	w.Helper()
	w.now.Add(3600)
	w.mu.Lock()
	w.calls = nil
	w.mu.Unlock()
	w.run(job)
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(slices.Values(w.calls))
}

func (w *env) run(job jobs.Job[jobs.Tick, jobs.None]) {
	w.Helper()
	ticket, err := jobs.Submit(w.Context(), w.client, job, uuid.Nil, jobs.Tick{})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := jobs.Await(w.Context(), ticket); err != nil {
		w.Fatal(err)
	}
}

func (w *env) set(path string, status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reply[path] = status
}

// events returns the payloads of the events of a type, one for each delivery.
func (w *env) events(kind string) []map[string]any {
	w.Helper()
	var bodies [][]byte
	err := w.db.SelectContext(w.Context(), &bodies, `SELECT e.body FROM events e JOIN webhook_deliveries d ON d.event_id = e.id
		JOIN jobs j ON j.id = d.id WHERE e.type = $1 ORDER BY e.created_at, e.id`, kind)
	if err != nil {
		w.Fatal(err)
	}
	var out []map[string]any
	for _, b := range bodies {
		var e struct{ Data map[string]any }
		if err := json.Unmarshal(b, &e); err != nil {
			w.Fatal(err)
		}
		out = append(out, e.Data)
	}
	return out
}

// TestSweep checks that each address of an active record is checked once, by HEAD if that is enough.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.head["/nohead"], w.head["/refused"] = 405, 403
	w.reply["/refused"], w.reply["/moved"] = 403, 302
	w.add("offers", "A", w.url("a", "/p?c={clickid}&g={country}"))
	w.add("offers", "B", w.url("a", "/p?c={clickid}&g={country}"))
	w.add("landers", "C", w.url("a", "/nohead"))
	w.add("landers", "D", w.url("b", "/refused"))
	w.add("offers", "E", w.url("b", "/moved"))
	off := w.add("offers", "F", w.url("b", "/paused"))
	dbtest.Exec(w, w.db, `UPDATE offers SET is_active = false WHERE id = $1`, off)
	want := []string{
		"GET /nohead", "GET /refused", "HEAD /moved", "HEAD /nohead", "HEAD /p?c=0000000000000000000000&g=US", "HEAD /refused",
	}
	if got := w.sweep(); !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
	if w.agent != "Switchyard-LinkCheck/1.0" || w.worst != 1 {
		t.Errorf("the user agent is %q and a host got %d requests at once, want Switchyard-LinkCheck/1.0 and 1", w.agent, w.worst)
	}
	w.sweep()
	if e := w.events(models.EventLinkBroken); len(e) != 0 {
		t.Errorf("events %v although every link works", e)
	}
	w.now.Add(60)
	w.run(jobs.SweepLinks) // a minute later, as if a second clock process started another sweep
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.calls) != len(want) {
		t.Errorf("%d requests of a sweep and of another sweep a minute later, want %d", len(w.calls), len(want))
	}
	services, err := w.store.Links().Services(t.Context())
	if err != nil || len(services) != 1 || services[0].Status != models.ServiceOK {
		t.Errorf("services %+v, %v", services, err)
	}
}

// TestBroken checks that the second failure in a row is announced, but not the failures after it, until the link has worked again.
// A link with a changed URL is not broken, and the states of inactive and deleted records are deleted.
func TestBroken(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	offer := w.add("offers", "Shop", w.url("a", "/gone?c={clickid}"))
	w.add("landers", "Well", w.url("a", "/well"))
	for i, c := range []struct{ status, events int }{
		{404, 0}, {200, 0}, {500, 0}, {410, 1}, {503, 1}, {404, 1}, {200, 1}, {404, 1}, {404, 2}, {404, 2},
	} {
		w.set("/gone", c.status)
		w.sweep()
		if e := w.events(models.EventLinkBroken); len(e) != c.events {
			t.Fatalf("after check %d: %d events, want %d", i, len(e), c.events)
		}
	}
	first := w.events(models.EventLinkBroken)[0]
	want := map[string]any{
		"kind": "offer", "id": offer.String(), "name": "Shop", "url": w.url("a", "/gone?c={clickid}"), "status": 410.0,
		"error": "the page answered 410", "failures": 2.0, "failing_since": "2026-03-01T13:00:00.000Z",
		"checked_at": "2026-03-01T14:00:00.000Z",
	}
	for k, v := range want {
		if first[k] != v {
			t.Errorf("%s is %v, want %v", k, first[k], v)
		}
	}
	broken, err := w.store.Links().Broken(t.Context(), w.account)
	if err != nil || len(broken) != 1 || broken[0].ID != offer {
		t.Errorf("broken %+v, %v", broken, err)
	}
	dbtest.Exec(w, w.db, `UPDATE offers SET url = $2 WHERE id = $1`, offer, w.url("a", "/well?2"))
	if broken, err = w.store.Links().Broken(t.Context(), w.account); err != nil || len(broken) != 0 {
		t.Errorf("broken %+v, %v", broken, err)
	}
	dbtest.Exec(w, w.db, `UPDATE offers SET is_active = false`)
	dbtest.Exec(w, w.db, `DELETE FROM landers`)
	w.sweep()
	var left int
	if err := w.db.GetContext(t.Context(), &left, `SELECT count(*) FROM link_checks`); err != nil || left != 0 {
		t.Errorf("%d states are left, want none: %v", left, err)
	}
}

// TestBrokenTwice checks that a repeated result and a result for another URL do not count.
func TestBrokenTwice(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add("offers", "A", w.url("a", "/x"))
	at := time.Unix(w.now.Load(), 0)
	links, err := w.store.Links().Unchecked(t.Context(), at, 9)
	if err != nil || len(links) != 1 {
		t.Fatal(links, err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r := models.LinkResult{At: at, Error: "no"}
			if _, err := w.store.Links().RecordCheck(context.WithoutCancel(t.Context()), links[0], r); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if e := w.events(models.EventLinkBroken); len(e) != 0 {
		t.Errorf("one check recorded eight times made %d events, want none", len(e))
	}
	links, err = w.store.Links().Unchecked(t.Context(), at.Add(time.Hour), 9)
	if err != nil || len(links) != 1 {
		t.Fatal(links, err)
	}
	other := links[0]
	other.URL = w.url("a", "/old")
	for range 3 {
		all.Go(func() {
			for _, l := range []models.Link{other, links[0]} {
				r := models.LinkResult{At: at.Add(time.Hour), Error: "no"}
				if _, err := w.store.Links().RecordCheck(context.WithoutCancel(t.Context()), l, r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if e := w.events(models.EventLinkBroken); len(e) != 1 {
		t.Errorf("two checks made %d events, want 1", len(e))
	}
}

// TestGuard checks that links into private networks are not requested.
func TestGuard(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add("offers", "A", "http://10.0.0.1/x")
	w.add("offers", "B", "http://169.254.169.254/latest")
	w.sweep()
	w.sweep()
	e := w.events(models.EventLinkBroken)
	if len(e) != 2 || e[0]["error"] != "could not connect" || e[0]["status"] != nil {
		t.Errorf("events %v", e)
	}
}

// TestOffline checks that no link is reported as broken when none of five hosts answers, because the fault is then probably ours.
func TestOffline(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	for _, h := range []string{"a", "b", "c", "d", "e"} {
		w.add("offers", h, w.url(h, "/x"))
	}
	w.pages.Close()
	for range 3 {
		w.now.Add(3600)
		ticket, err := jobs.Submit(t.Context(), w.client, jobs.SweepLinks, uuid.Nil, jobs.Tick{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jobs.Await(t.Context(), ticket); err == nil {
			t.Error("the sweep succeeded although no host answered")
		}
	}
	services, err := w.store.Links().Services(t.Context())
	if e := w.events(models.EventLinkBroken); err != nil || len(e) != 0 || services[0].Status != models.ServiceFailing {
		t.Errorf("events %v, services %+v, %v", e, services, err)
	}
}

// TestFewHostsOffline checks that links are reported as broken if only two hosts are checked and neither answers.
func TestFewHostsOffline(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add("offers", "a", w.url("a", "/x"))
	status := func() models.LinkService {
		services, err := w.store.Links().Services(t.Context())
		if err != nil || len(services) != 1 {
			t.Fatal(services, err)
		}
		return services[0]
	}
	w.add("landers", "b", w.url("b", "/x"))
	w.sweep()
	if s := status(); s.Status != models.ServiceOK || s.Message != "" {
		t.Errorf("the status is %+v although both hosts answer", s)
	}
	w.pages.Close()
	w.sweep()
	w.sweep()
	if s := status(); s.Status != models.ServiceFailing || !strings.HasPrefix(s.Message, "No link could be reached") {
		t.Errorf("the status is %+v although no host answers", s)
	}
	if e := w.events(models.EventLinkBroken); len(e) != 2 {
		t.Errorf("%d events, want 2", len(e))
	}
}

// TestUnsafe checks that a link is announced once while it is on a list of unsafe addresses.
func TestUnsafe(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add("offers", "A", "https://bad.example.com/?c={clickid}")
	w.add("landers", "B", "https://good.example.com/")
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'go.acme.com', true),
		($3, $2, 'new.acme.com', false), ($4, NULL, 'shared.acme.com', true)`, uuid.New(), w.account, uuid.New(), uuid.New())
	bad, domain := "https://bad.example.com/?c=0000000000000000000000", "http://go.acme.com/"
	threats := []string{"MALWARE"}
	for i, c := range []struct {
		listed map[string][]string
		events int
	}{
		{nil, 0},
		{map[string][]string{bad: threats}, 1},
		{map[string][]string{bad: threats, domain: threats}, 2},
		{map[string][]string{domain: threats}, 2},
		{map[string][]string{bad: threats, domain: threats}, 3},
	} {
		w.list.mu.Lock()
		w.list.threat, w.list.requested = c.listed, nil
		w.list.mu.Unlock()
		w.now.Add(5 * 3600)
		w.hour(jobs.ScreenLinks)
		if e := w.events(models.EventLinkUnsafe); len(e) != c.events {
			t.Fatalf("after look-up %d: %d events, want %d", i, len(e), c.events)
		}
		slices.Sort(w.list.requested)
		if want := []string{domain, bad, "https://good.example.com/"}; !slices.Equal(w.list.requested, want) {
			t.Fatalf("asked for %q, want %q", w.list.requested, want)
		}
	}
	e := w.events(models.EventLinkUnsafe)
	if e[0]["kind"] != "offer" || e[0]["list"] != "web_risk" || e[1]["kind"] != "domain" || e[1]["name"] != "go.acme.com" {
		t.Errorf("events %v", e)
	}
	unsafe, err := w.store.Links().Unsafe(t.Context(), w.account)
	if err != nil || len(unsafe) != 2 || len(unsafe[0].Threats) != 1 {
		t.Errorf("unsafe %+v, %v", unsafe, err)
	}
}

// TestNoList checks that an install without a key for a list reports that the service is off.
func TestNoList(t *testing.T) {
	t.Parallel()
	w := newEnv(t, func(o *linkcheck.Options) { o.List = nil })
	w.hour(jobs.ScreenLinks)
	services, err := w.store.Links().Services(t.Context())
	if err != nil || len(services) != 1 || services[0].Status != models.ServiceOff {
		t.Errorf("services %+v, %v", services, err)
	}
}
