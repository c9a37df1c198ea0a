// Package monitor serves the pages of operators and their machines: asynqmon, health, readiness and metrics.
package monitor

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"switchyard/jobs"
)

// Check is one check of readiness.
type Check struct {
	Name     string
	Run      func(context.Context) error // has 2 seconds
	Optional bool                        // a failure is shown, but the process is ready
	Advice   string                      // shown with a failure: what to do, without secrets; empty: nothing
}

// Options of the pages. Nothing is required.
type Options struct {
	// Redis is read for /ops/queues and for the metrics of the queues. Without it, both are missing.
	Redis jobs.Redis

	// Password protects /ops and /metrics, with any user name. Without it there is no /ops, and /metrics answers this
	// machine only.
	Password string

	// Host is a public name under which the pages are served. Addresses and private names are always allowed.
	Host string

	// TrustedProxies are the proxies whose X-Forwarded-For is believed to name the sender of a wrong password.
	TrustedProxies []netip.Prefix

	// Checks are the checks of /readyz.
	Checks []Check

	// Registry is shown at /metrics; without it there is no such page.
	Registry *prometheus.Registry

	// Now is the clock of the waits after wrong passwords; default time.Now.
	Now func() time.Time
}

// queuesPath is the path of asynqmon.
const queuesPath = "/ops/queues"

// checkTimeout bounds each check of readiness.
const checkTimeout = 2 * time.Second

// New makes the handler of the operators' listener: /ops, /metrics, /healthz and /readyz.
func New(o Options) http.Handler {
	e := engine(o)
	guard := newGuard(o)
	if o.Registry != nil {
		if o.Redis != nil {
			_ = o.Registry.Register(newQueues(o.Redis)) // fails only when it is there already
		}
		show := promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{Timeout: 10 * time.Second})
		ask := guard.password
		if o.Password == "" {
			ask = sameMachine
		}
		e.GET("/metrics", guard.host, ask, gin.WrapH(show))
	}
	if o.Password == "" || o.Redis == nil {
		return e
	}
	// Basic auth is sent by the browser unasked, so a foreign page must not be able to press the buttons.
	pages := http.NewCrossOriginProtection().Handler(newQueuePages(o.Redis))
	guarded := e.Group("/ops", guard.host, guard.password)
	toQueues := func(c *gin.Context) { c.Redirect(http.StatusFound, queuesPath+"/") }
	guarded.GET("", toQueues)
	guarded.GET("/", toQueues)
	guarded.Any("/queues", gin.WrapH(pages))
	guarded.Any("/queues/*page", gin.WrapH(pages))
	return e
}

// NewHealth makes the handler of /healthz and /readyz alone, for a public port.
func NewHealth(checks []Check) http.Handler { return engine(Options{Checks: checks}) }

// engine has what every port has.
func engine(o Options) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash = false
	proxies := make([]string, len(o.TrustedProxies))
	for i, p := range o.TrustedProxies {
		proxies[i] = p.String()
	}
	e.RemoteIPHeaders = []string{"X-Forwarded-For"}
	_ = e.SetTrustedProxies(proxies) // cannot fail, they are parsed
	e.Use(secured)
	asked := []string{http.MethodGet, http.MethodHead}
	e.Match(asked, "/healthz", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) })
	e.Match(asked, "/readyz", func(c *gin.Context) { ready(c, o.Checks) })
	return e
}

// secured sets the headers of every answer: nothing is loaded, framed, guessed at or told to other pages. The pages of
// the queues loosen the policy for themselves.
func secured(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// ready runs all checks at once. A check that does not answer in time fails. The answer is 503 if a check that is not optional
// fails. The answer never gives the reason. Under advice it says what to do.
func ready(c *gin.Context, checks []Check) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), checkTimeout)
	defer cancel()
	passed := make(chan string, len(checks)) // the name of a check, or "" if it failed
	states := gin.H{}
	for _, check := range checks {
		states[check.Name] = "failing"
		go func() {
			if check.Run(ctx) != nil {
				passed <- ""
				return
			}
			passed <- check.Name
		}()
	}
	for range checks {
		select {
		case name := <-passed:
			if name != "" {
				states[name] = "ok"
			}
		case <-ctx.Done():
		}
	}
	code, advice := http.StatusOK, gin.H{}
	for _, check := range checks {
		if states[check.Name] == "ok" {
			continue
		}
		if !check.Optional {
			code = http.StatusServiceUnavailable
		}
		if check.Advice != "" {
			advice[check.Name] = check.Advice
		}
	}
	body := gin.H{"ready": code == http.StatusOK, "checks": states}
	if len(advice) > 0 {
		body["advice"] = advice
	}
	c.JSON(code, body)
}
