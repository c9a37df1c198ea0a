package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/api"
	"switchyard/api/assistants"
	"switchyard/api/click/visitor"
	v1 "switchyard/api/v1"
	"switchyard/db/kv"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/ops/config"
	"switchyard/ops/docs"
	"switchyard/ops/monitor"
)

// webCmd answers HTTP requests.
type webCmd struct {
	Only string `help:"Serve one half: api, or click (tracking links and postbacks); empty: both." enum:",api,click" default:""`
}

// Run implements the command.
func (c *webCmd) Run(ctx context.Context, e *env) error {
	return withServers(ctx, e, "web", c.pools(), func(cfg config.Config, p pools, r jobs.Redis) error {
		tuneRuntime(e.getenv)
		w := web{cfg: cfg, pools: p, redis: r, client: jobs.Connect(r), registry: p.registry(), only: c.Only}
		return w.run(ctx)
	})
}

// pools returns the pools of the process. Both halves need the control pool, for example for the check of PostgreSQL.
func (c *webCmd) pools() []pool {
	switch c.Only {
	case "api":
		return []pool{controlPool, reportPool}
	case "click":
		return []pool{controlPool, ingestPool}
	}
	return []pool{controlPool, reportPool, ingestPool}
}

// tuneRuntime sets GOMAXPROCS and GOGC for redirects, unless the environment sets them. Go may run one thread more than there are
// processors, because one thread often waits for a sync of the spool. A GOGC of 400 makes garbage collections rarer than the
// default. The heap is small enough for that.
func tuneRuntime(getenv func(string) string) {
	if getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
	if getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	limitMemory()
	uuid.EnableRandPool()
}

// web is the web process.
type web struct {
	cfg      config.Config
	pools    pools
	redis    jobs.Redis
	client   *jobs.Client
	registry *prometheus.Registry
	only     string
	visitors *visitor.Describer
	ready    func()        // called as soon as requests are answered; may be nil
	finish   time.Duration // how long a stop waits for requests; default finishTimeout
	beside   []endpoint    // served in addition to the port
}

// run serves until the context ends, and then waits for running requests. It starts even if PostgreSQL and Redis cannot be reached.
func (w web) run(ctx context.Context) (err error) {
	if err := w.cfg.CheckLinkHosts(); err != nil {
		return err
	}
	address := net.JoinHostPort(w.cfg.Bind, strconv.Itoa(w.cfg.Port))
	l, err := port{addr: address, setting: "PORT", limit: portTimeout}.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // needed if the server never started
	if w.visitors, err = w.openVisitors(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.visitors.Close()) }()
	defer w.shareDomains(ctx)()
	if w.only == "api" {
		handlers, err := w.handlers(nil)
		if err != nil {
			return err
		}
		return w.serveEdge(ctx, l, handlers, nil)
	}
	t, err := w.openTracking(ctx)
	if err != nil {
		return err
	}
	handlers, err := w.handlers(t)
	if err != nil {
		return errors.Join(err, t.close())
	}
	stop := t.start(ctx)
	return errors.Join(w.serveEdge(ctx, l, handlers, t), stop(), t.close())
}

// serveEdge serves at the port and at the addresses of the edge, if there are any.
func (w web) serveEdge(ctx context.Context, l net.Listener, h *handlers, t *tracking) error {
	e, err := w.openEdge(ctx, t)
	if err != nil {
		return err
	}
	if e != nil {
		if w.beside, err = e.endpoints(ctx, h); err != nil {
			return err
		}
		defer closeAll(w.beside) // needed if a server never started
		defer e.start(ctx)()
	}
	return w.serve(ctx, l, h, w.checks(t))
}

// serve answers requests at the port until the context ends. The operators' pages are at OPS_ADDR, or at the port if
// OPS_ADDR is empty.
func (w web) serve(ctx context.Context, l net.Listener, h *handlers, checks []monitor.Check) error {
	h.health = monitor.NewHealth(checks)
	name, _, _ := net.SplitHostPort(w.cfg.OpsAddr)
	pages := monitor.New(monitor.Options{
		Redis: w.redis, Password: w.cfg.OpsPassword, Host: name, TrustedProxies: w.cfg.TrustedProxies,
		Registry: w.registry, Checks: checks,
	})
	if w.cfg.OpsAddr == "" {
		h.ops = pages
		return w.answer(ctx, l, h)
	}
	stop, err := serveBeside(ctx, port{addr: w.cfg.OpsAddr, setting: "OPS_ADDR"}, pages)
	if err != nil {
		return err
	}
	defer stop()
	return w.answer(ctx, l, h)
}

// shareDomains writes the shared link domains of the settings to PostgreSQL. If that fails, it tries again every two seconds
// until stop is called.
func (w web) shareDomains(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	share := func() {
		limited, stopWaiting := context.WithTimeout(ctx, 2*time.Second)
		defer stopWaiting()
		if err := store.EnsureSharedDomains(limited, w.pools.of(controlPool), w.cfg.SharedDomains); err != nil {
			slog.WarnContext(ctx, "shared domains not written yet", "error", err)
			return
		}
		cancel()
	}
	share()
	var done sync.WaitGroup
	done.Go(func() { interval.Every(ctx, 2*time.Second, share) })
	return func() { cancel(); done.Wait() }
}

// handlers routes requests by their path and host.
type handlers struct {
	api, health, click http.Handler
	ops                http.Handler           // nil: the operators' pages have their own listener
	links              []string               // the shared link domains, where ops is not served
	own                []string               // the hosts of the install itself
	dashboard          string                 // the host of the dashboard; empty: the process does not serve it
	domain             func(host string) bool // reports whether a host is a link domain; nil: the process serves no links
}

func (h *handlers) serves(host string) bool {
	return host != "" && (slices.Contains(h.own, host) || h.domain != nil && h.domain(host))
}

func firstWord(r *http.Request) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return word
}

// private lists first path segments for which isPrivate is true.
var private = []string{"api", "docs", "app", "mcp", "llms.txt"}

// isPrivate reports whether a request may contain a key, a password, a token or a session. The parameter word is the first segment
// of its path.
func isPrivate(r *http.Request, word string) bool {
	return slices.Contains(private, word) || assistants.Serves(r.URL.Path)
}

// startsDashboard reports whether / at this host is the dashboard's. At a host of tracking links, / tells visitors nothing about
// the service.
func (h *handlers) startsDashboard(host string) bool {
	host = models.BareHost(host)
	return host != "" && host == h.dashboard && !slices.Contains(h.links, host) && (h.domain == nil || !h.domain(host))
}

// ServeHTTP implements http.Handler. It passes a request to h.click, unless the path belongs to the API and its documentation, the
// dashboard, the health checks or the operators' pages. The operators' pages are served only at loopback names that are not hosts
// of links.
func (h *handlers) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	word := firstWord(r)
	switch {
	case isPrivate(r, word):
		h.api.ServeHTTP(rw, r)
	case word == "healthz" || word == "readyz":
		h.health.ServeHTTP(rw, r)
	case word == "ops" || word == "metrics":
		if h.ops != nil && models.Loopback(r.Host) && !slices.Contains(h.links, models.BareHost(r.Host)) {
			h.ops.ServeHTTP(rw, r)
			return
		}
		h.click.ServeHTTP(rw, r)
	case r.URL.Path == "/" && h.startsDashboard(r.Host):
		http.Redirect(rw, r, "/app", http.StatusFound)
	default:
		h.click.ServeHTTP(rw, r)
	}
}

func (w web) handlers(t *tracking) (*handlers, error) {
	nothing := http.NotFoundHandler()
	h := &handlers{api: nothing, click: nothing, links: w.cfg.SharedDomains}
	home := ""
	if base, err := url.Parse(w.cfg.BaseURL); err == nil {
		home = models.BareHost(base.Host)
		h.own = append(slices.Clone(w.cfg.SharedDomains), home, models.BareHost(w.cfg.TrackingHost))
	}
	var behind func() spool.Stats
	if t != nil {
		h.click, behind = t.handler, t.clicks.spool.Stats
		h.domain = func(host string) bool { return t.handler.Domain(host) != nil }
	}
	if w.only == "click" {
		return h, nil
	}
	records, err := openStore(w.cfg, w.pools.of(controlPool))
	if err != nil {
		return nil, err
	}
	counters, err := jobs.OpenRedisTimeout(w.cfg.RedisURL, kv.Timeout)
	if err != nil {
		return nil, err
	}
	pages, err := docs.Pages()
	if err != nil {
		return nil, err
	}
	h.dashboard = home
	h.api = api.New(api.Deps{
		Docs: pages, NoMCP: !w.cfg.MCP,
		Store: records, Rates: kv.NewRates(counters, "", kv.Timeout), BaseURL: w.cfg.BaseURL, Version: readBuild().Version,
		Registry: w.registry, DashboardDir: w.cfg.DashboardDir,
		V1: v1.Deps{
			Jobs: w.client, Visitors: w.visitors, EgressAllow: w.cfg.EgressAllow, Tracker: w.cfg.Tracker(),
			Edge:   w.cfg.Edge(),
			Clicks: w.pools.reading().clicks(w.pools.of(reportPool)), Reports: w.pools.reading().reports(w.pools.of(reportPool)),
			EdgePublishing: publishes(w.cfg), SignIn: signInApps(w.cfg), Spool: behind, AIProvider: w.cfg.AIProvider,
			Email:       w.cfg.SMTPURL != "",
			NetworkFile: w.cfg.GeoASNDB != "", AnonymousFile: w.cfg.GeoAnonymousDB != "",
		},
	})
	return h, nil
}

// checks returns the readiness checks. A process that serves tracking links is ready once it has a routing snapshot, with or
// without PostgreSQL and Redis.
func (w web) checks(t *tracking) []monitor.Check {
	checks := []monitor.Check{
		{Name: "postgres", Optional: t != nil, Run: func(ctx context.Context) error { return w.pools.of(controlPool).PingContext(ctx) }},
		{Name: "redis", Optional: true, Run: func(ctx context.Context) error { return jobs.CheckRedis(ctx, w.redis) }},
	}
	if t != nil {
		checks = append(checks, t.checks(w.cfg.DataDir)...)
	}
	return append(checks, w.pools.clicksCheck()...)
}

// finishTimeout is how long a stop waits for running requests. Including the drain of the spool, a stop must take less than 25
// seconds, because platforms kill a process after 30. Shortly before the timeout, a request that still waits for a job is
// answered with the job's address.
const finishTimeout = 20 * time.Second

// answer serves requests until the context ends, and then finishes the running ones.
func (w web) answer(ctx context.Context, l net.Listener, h *handlers) error {
	all := append([]endpoint{{l, newServer(h, h.serves), false}}, w.beside...)
	requests, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	for _, p := range all {
		p.server.BaseContext = func(net.Listener) context.Context { return requests }
	}
	ended := serveAll(all)
	slog.InfoContext(ctx, "web started", "port", w.cfg.Port, "only", w.only, "settings", w.cfg)
	if w.ready != nil {
		w.ready()
	}
	select {
	case err := <-ended:
		for _, p := range all {
			err = errors.Join(err, p.server.Close())
		}
		return err
	case <-ctx.Done():
	}
	finish := cmp.Or(w.finish, finishTimeout)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), finish)
	defer cancel()
	defer time.AfterFunc(finish*9/10, giveUp).Stop()
	return shutdown(limited, all)
}
