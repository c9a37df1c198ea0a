// Package monitor serves the pages for operators and their monitoring: asynqmon, health, readiness and metrics.
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

// Check is a readiness check.
type Check struct {
	Name     string
	Run      func(context.Context) error // fails if it takes longer than 2 seconds
	Optional bool                        // the process is ready even if the check fails
	Advice   string                      // what to do about a failure, without secrets; may be empty
}

// Options are the settings of the pages. All fields are optional.
type Options struct {
	// Redis provides /ops/queues and the metrics of the queues. Without it, both are missing.
	Redis jobs.Redis

	// Password protects /ops and /metrics. Any user name is accepted. Without a password, /ops is missing and /metrics answers
	// only this machine.
	Password string

	// Host is a public name under which the pages may be requested. Addresses and private names are always allowed.
	Host string

	// TrustedProxies are the proxies whose X-Forwarded-For header identifies the client that sent a wrong password.
	TrustedProxies []netip.Prefix

	Checks []Check

	// Registry provides the metrics for /metrics. Without it, /metrics is missing.
	Registry *prometheus.Registry

	// Now returns the time for the waits after wrong passwords. The default is time.Now.
	Now func() time.Time
}

// queuesPath is the path of asynqmon.
const queuesPath = "/ops/queues"

const checkTimeout = 2 * time.Second

// New makes the handler of the operators' listener: /ops, /metrics, /healthz and /readyz.
func New(o Options) http.Handler {
	e := engine(o)
	guard := newGuard(o)
	if o.Registry != nil {
		if o.Redis != nil {
			_ = o.Registry.Register(newQueues(o.Redis)) // fails only if it is registered already
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
	// Browsers send basic auth without being asked, so another site must not be able to press the buttons of the pages.
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

// engine makes the part of the handler that all ports share: the headers, /healthz and /readyz.
func engine(o Options) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash = false
	proxies := make([]string, len(o.TrustedProxies))
	for i, p := range o.TrustedProxies {
		proxies[i] = p.String()
	}
	e.RemoteIPHeaders = []string{"X-Forwarded-For"}
	_ = e.SetTrustedProxies(proxies) // cannot fail, because the prefixes are valid
	e.Use(secured)
	methods := []string{http.MethodGet, http.MethodHead}
	e.Match(methods, "/healthz", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) })
	e.Match(methods, "/readyz", func(c *gin.Context) { ready(c, o.Checks) })
	return e
}

// secured sets the security headers of every answer. The pages of the queues use a less strict policy.
func secured(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// ready runs all checks at the same time. A check that does not answer in time fails. The answer has the advice of a failed
// check, and never the reason, which may contain secrets.
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
