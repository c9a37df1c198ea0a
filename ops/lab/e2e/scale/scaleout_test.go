package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/e2e/faultworker"
	"switchyard/ops/lab/fleet"
)

// env is a service of three web processes, two workers and two clocks. It has PgBouncer in transaction mode, a replica for
// reads, and three Sentinels.
type env struct {
	*e2e.Service
	t        *testing.T
	db       *db.DB
	env      []string
	urls     []string // of the web processes
	webs     []*fleet.Process
	failOver func()
	noRead   func() // ends the replica
}

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{t: t, Service: &e2e.Service{Fleet: e2e.StartFleet(t, fleet.Options{Binary: e2e.OwnBinary(t)})}}
	var redis, read string
	redis, w.failOver = e2e.StartSentinels(t)
	read, w.noRead = e2e.StartReplica(t, w.Service)
	w.env = []string{
		"DATABASE_URL=" + dbtest.Bouncer(t, w.DatabaseURL, 20), "DATABASE_DIRECT_URL=" + w.DatabaseURL, "DATABASE_READ_URL=" + read,
		"REDIS_URL=" + redis,
	}
	w.urls, w.webs = []string{w.URL}, make([]*fleet.Process, 3)
	for _, port := range e2e.FreePorts(t, 2) {
		w.urls = append(w.urls, "http://127.0.0.1:"+strconv.Itoa(port))
	}
	for i := range w.webs {
		w.check(w.startWeb(i))
	}
	var err error
	w.db, err = db.Open(t.Context(), w.DatabaseURL, db.Options{Name: "wide"})
	w.check(err)
	t.Cleanup(func() { _ = w.db.Close() })
	_, err = w.db.ExecContext(t.Context(), faultworker.Tables)
	w.check(err)
	for range 2 {
		_, err := w.SpawnWith(w.env, "faultworker")
		w.check(err)
		_, err = w.SpawnWith(w.env, "faultclock", "--cron")
		w.check(err)
	}
	w.check(w.SetUp(t.Context()))
	return w
}

func (w *env) startWeb(i int) (err error) {
	w.webs[i], err = w.SpawnWeb(i, w.urls[i], w.env...)
	return err
}

func (w *env) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// at returns a client of the API at web process i.
func (w *env) at(i int) *client.API { return client.New(w.urls[i%len(w.urls)], w.API.Key) }

// visit follows a campaign's link at web process i. It returns the host to which the link redirects.
func (w *env) visit(via http.RoundTripper, i int, link, visitor string) (string, error) {
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.urls[i%len(w.urls)]+link, nil)
	if err != nil {
		return "", err
	}
	req.Host = w.Link.Host
	req.Header = http.Header{
		"User-Agent":      {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"},
		"Accept":          {"text/html,image/apng,*/*;q=0.8"},
		"Accept-Language": {"en-US"}, "X-Forwarded-For": {visitor},
	}
	resp, err := via.RoundTrip(req)
	if err != nil {
		return "", err
	}
	_ = resp.Body.Close()
	to, err := resp.Location()
	if err != nil || resp.StatusCode != http.StatusFound {
		return "", fmt.Errorf("%w: %d to %v", e2e.ErrWrong, resp.StatusCode, to)
	}
	return to.Host, nil
}

// campaign creates a campaign with two paths. Only the first path has a daily cap. campaign returns the part of the tracking link
// after the host.
func (w *env) campaign(name string, limit int) (link string) {
	w.t.Helper()
	to := func(host string) []any { return []any{map[string]any{"url": "https://" + host + "/?cid={clickid}"}} }
	var campaign struct{ URL string }
	w.check(w.API.Create(w.t.Context(), "/campaigns", map[string]any{"name": name, "alias": name, "source_id": w.Source, "streams": []any{
		map[string]any{"name": "first", "action": "redirect", "daily_cap": limit, "destinations": to("capped.example")},
		map[string]any{"name": "rest", "action": "redirect", "stream_type": "default", "destinations": to("open.example")},
	}}, &campaign))
	u, err := url.Parse(campaign.URL)
	w.check(err)
	return u.RequestURI()
}

func (w *env) live(link string) {
	w.t.Helper()
	for i := range w.urls {
		await.Until(w.t, "the link is live everywhere", func() bool {
			got, err := w.RequestAt(w.t.Context(), w.urls[i], http.DefaultTransport, http.MethodHead, link)
			return err == nil && got.Status == http.StatusFound
		})
	}
}

// TestScaleOut: with many processes, daily caps, unique visitors, calls with one Idempotency-Key and the rate limit are exact.
// The loss of the primary Redis and of a web process loses no answered click. Reports work without the replica. No tick is carried
// out twice.
func TestScaleOut(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	w := newEnv(t)
	w.ticks(func() {
		w.capsExact("before-it")
		w.uniqueExact()
		w.idempotent()
		w.rateLimited()
		w.clicksThrough(func() {
			w.failOver()
			w.webs[1].Kill()
			w.check(w.startWeb(1))
		})
		w.capsExact("after-it")
		w.reportsByReplica()
	})
}

// ticks runs fn while the two clocks fire a tick every second. It fails the test if a tick was carried out twice.
func (w *env) ticks(fn func()) {
	w.t.Helper()
	carried := func() int {
		return dbtest.Get[int](w.t, w.db, `SELECT count(DISTINCT at) FROM fault_ticks WHERE kind = $1`, faultworker.Tick.Kind())
	}
	more := func() {
		before := carried()
		await.Until(w.t, "ticks are carried out", func() bool { return carried() > before+2 })
	}
	more()
	fn()
	more()
	if n := dbtest.Get[int](w.t, w.db, `SELECT count(*) FROM (SELECT FROM fault_ticks GROUP BY kind, at HAVING count(*) > 1) d`); n > 0 {
		w.t.Errorf("%d ticks were carried out twice", n)
	}
	w.t.Logf("%d ticks", carried())
}

// capsExact sends 240 visits to a campaign whose first path takes exactly 100 a day.
func (w *env) capsExact(name string) {
	w.t.Helper()
	const limit, visits = 100, 240
	link := w.campaign(name, limit)
	w.live(link)
	var capped, other atomic.Int64
	w.each(visits, func(via http.RoundTripper, i int) error {
		host, err := w.visit(via, i, link, fmt.Sprintf("81.2.%d.%d", 100+i/200, 1+i%200))
		switch {
		case err != nil:
			return err
		case host == "capped.example":
			capped.Add(1)
		case host == "open.example":
			other.Add(1)
		}
		return nil
	})
	if capped.Load() != limit || other.Load() != visits-limit {
		w.t.Errorf("%s: a path with a cap of %d a day took %d visits, the next path %d", name, limit, capped.Load(), other.Load())
	}
}

// each calls fn n times, up to twelve at the same time.
func (w *env) each(n int, fn func(via http.RoundTripper, i int) error) {
	w.t.Helper()
	var all sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: 8, ResponseHeaderTimeout: await.Timeout}
	defer transport.CloseIdleConnections()
	var next atomic.Int64
	for range 12 {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := fn(transport, i); err != nil {
					w.t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// uniqueExact sends 40 visitors six times each, to all web processes. Only one click of each may be unique.
func (w *env) uniqueExact() {
	w.t.Helper()
	const visitors, times = 40, 6
	link := w.campaign("unique-once", 1)
	w.live(link)
	w.each(visitors*times, func(via http.RoundTripper, i int) error {
		_, err := w.visit(via, i/visitors, link, fmt.Sprintf("81.3.1.%d", 1+i%visitors))
		return err
	})
	const q = `SELECT count(*) FROM clicks c JOIN campaigns p ON p.id = c.campaign_id WHERE p.name = 'unique-once'`
	await.Until(w.t, "all clicks are stored", func() bool { return dbtest.Get[int](w.t, w.db, q) == visitors*times })
	if n := dbtest.Get[int](w.t, w.db, q+` AND c.is_unique`); n != visitors {
		w.t.Errorf("%d visitors made %d unique clicks, want one each", visitors, n)
	}
}

// idempotent sends 24 calls with the same Idempotency-Key to all web processes. They must create only one offer.
func (w *env) idempotent() {
	w.t.Helper()
	body := map[string]any{"name": "made once", "url": "https://once.example/"}
	var mu sync.Mutex
	ids := map[string]int{}
	w.each(24, func(_ http.RoundTripper, i int) error {
		for {
			a, err := w.at(i).Once(w.t.Context(), http.MethodPost, "/offers", body, "Idempotency-Key", "scale-out-1")
			if err != nil {
				return err
			}
			if a.Status == http.StatusConflict { // the first call still runs
				continue
			}
			var made struct{ ID string }
			if err := json.Unmarshal(a.Data, &made); err != nil || made.ID == "" {
				return fmt.Errorf("status %d: %.200s", a.Status, a.Body)
			}
			mu.Lock()
			ids[made.ID]++
			mu.Unlock()
			return nil
		}
	})
	if len(ids) != 1 || dbtest.Get[int](w.t, w.db, `SELECT count(*) FROM offers WHERE name = 'made once'`) != 1 {
		w.t.Errorf("calls with one Idempotency-Key made the offers %v, want one offer", ids)
	}
}

// rateLimited calls the API as another account, whose plan has 300 calls a minute over all web processes.
func (w *env) rateLimited() {
	w.t.Helper()
	const limit = 300
	_, api, err := w.Account(w.t.Context(), "Limited", "growth")
	w.check(err)
	var mu sync.Mutex
	remaining := map[string]int{}
	began := time.Now()
	w.each(limit+30, func(_ http.RoundTripper, i int) error {
		a, err := client.New(w.urls[i%len(w.urls)], api.Key).Once(w.t.Context(), http.MethodGet, "/plan", nil)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if a.Status == http.StatusOK {
			remaining[a.Header.Get("RateLimit-Remaining")]++
		}
		return nil
	})
	minutes := 1 + int(time.Since(began)/(50*time.Second)) // minutes in which calls can have been made; more than 1 only if the machine is slow
	answered := 0
	for left, n := range remaining {
		answered += n
		if n > minutes {
			w.t.Errorf("%d answers said that %s calls remain, want at most one such answer in each of the %d minutes", n, left, minutes)
		}
	}
	if answered < limit || answered > minutes*limit {
		w.t.Errorf("%d calls were answered in %d minutes, want %d a minute", answered, minutes, limit)
	}
}

// clicksThrough sends clicks to all web processes while fn stops parts of the service. Every answered click must be stored.
func (w *env) clicksThrough(fn func()) {
	w.t.Helper()
	const more = 200
	var clicks e2e.Tally[uuid.UUID]
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	transport := &http.Transport{MaxIdleConnsPerHost: 16, ResponseHeaderTimeout: await.Timeout}
	var visitors sync.WaitGroup
	for n := range 12 {
		visitors.Go(func() {
			for i := n; ctx.Err() == nil; i++ {
				asked := time.Now()
				id, err := w.ClickAt(ctx, transport, w.urls[i%len(w.urls)])
				switch {
				case err == nil:
					clicks.Add(id, asked)
				case errors.Is(err, e2e.ErrWrong):
					clicks.Fail(err)
					return
				default: // that process is down, so the click was not answered
					e2e.Pause(ctx, 20*time.Millisecond)
				}
			}
		})
	}
	err := clicks.WaitFor(ctx, more)
	fn()
	err = errors.Join(err, clicks.WaitFor(ctx, clicks.Len()+more))
	stop()
	visitors.Wait()
	w.check(errors.Join(append(clicks.Errs, err)...))
	_, err = w.WaitStored(w.t.Context(), &clicks, &e2e.Tally[string]{})
	w.check(err)
	w.check(w.WaitLedger(w.t.Context()))
	w.t.Logf("%d clicks answered and stored", clicks.Len())
}

// reportsByReplica reads reports from the replica and, after the replica has ended, from the primary.
func (w *env) reportsByReplica() {
	w.t.Helper()
	answeredBy := func(server string) {
		w.t.Helper()
		figure := regexp.MustCompile(`(?m)^switchyard_reads_total\{server="` + server + `"\} (\d+)$`)
		reads := func() int {
			found := figure.FindSubmatch(e2e.Metrics(w.t, w.Fleet))
			if found == nil {
				w.t.Fatal("the metrics do not count the reads of this server")
			}
			n, _ := strconv.Atoi(string(found[1]))
			return n
		}
		before := reads()
		await.Until(w.t, "the "+server+" is read", func() bool {
			var overview struct {
				Clicks int `json:"clicks"`
			}
			w.check(w.at(0).Get(w.t.Context(), "/stats/overview", &overview))
			return overview.Clicks > 0 && reads() > before
		})
	}
	answeredBy("replica")
	w.noRead()
	answeredBy("primary")
}
