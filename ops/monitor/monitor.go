// Package monitor is what operators and their machines look at: asynqmon, health, readiness and figures.
package monitor

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/hibiken/asynqmon"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"switchyard/jobs"
)

// Check is one thing that readiness asks.
type Check struct {
	Name     string
	Ask      func(context.Context) error
	Optional bool // its failure is shown, but the process is ready
}

// Options of the pages. Redis is required for the queues' page.
type Options struct {
	Redis    jobs.Redis // with a registry also for the figures of the queues
	Password string     // of /ops, any user name; empty: /ops does not exist
	Checks   []Check
	Registry *prometheus.Registry // default: none, and no /metrics
}

// queuesPath is where asynqmon lives.
const queuesPath = "/ops/queues"

// checkTimeout bounds each check of readiness.
const checkTimeout = 2 * time.Second

// New answers /healthz, /readyz, /metrics and, with a password, the pages below /ops.
func New(o Options) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash = false
	_ = e.SetTrustedProxies(nil) // cannot fail without proxies
	mount(e, o)
	return e
}

// mount adds the pages to a router.
func mount(r gin.IRouter, o Options) {
	asked := []string{http.MethodGet, http.MethodHead}
	r.Match(asked, "/healthz", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) })
	r.Match(asked, "/readyz", func(c *gin.Context) { ready(c, o.Checks) })
	if o.Registry != nil {
		if o.Redis != nil {
			_ = o.Registry.Register(newQueues(o.Redis)) // fails only when it is there already
		}
		show := promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{Timeout: 10 * time.Second})
		r.GET("/metrics", figuresFor(o.Password), gin.WrapH(show))
	}
	if o.Password == "" || o.Redis == nil {
		return
	}
	// Basic auth is sent by the browser unasked, so a foreign page must not be able to press the buttons.
	pages := http.NewCrossOriginProtection().Handler(asynqmon.New(asynqmon.Options{
		RootPath: queuesPath, RedisConnOpt: shared{o.Redis},
	}))
	guarded := r.Group("/ops", basicAuth(o.Password))
	guarded.GET("", func(c *gin.Context) { c.Redirect(http.StatusFound, queuesPath+"/") })
	guarded.Any("/queues", gin.WrapH(pages))
	guarded.Any("/queues/*page", gin.WrapH(pages))
}

// shared hands asynqmon the process's own client.
type shared struct{ redis jobs.Redis }

// MakeRedisClient implements asynq.RedisConnOpt.
func (s shared) MakeRedisClient() any { return s.redis }

func basicAuth(password string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if _, given, ok := c.Request.BasicAuth(); ok && same(given, password) {
			c.Header("Cache-Control", "no-store")
			c.Next()
			return
		}
		c.Header("WWW-Authenticate", `Basic realm="switchyard"`)
		c.AbortWithStatus(http.StatusUnauthorized)
	}
}

// same compares in a time that tells neither content nor length.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// figuresFor keeps the figures from the public: behind the password, or without one for this machine only.
func figuresFor(password string) gin.HandlerFunc {
	if password != "" {
		return basicAuth(password)
	}
	return func(c *gin.Context) {
		host, _, err := net.SplitHostPort(c.Request.RemoteAddr)
		ip, badIP := netip.ParseAddr(host)
		if err != nil || badIP != nil || !ip.Unmap().IsLoopback() || c.GetHeader("X-Forwarded-For") != "" {
			c.AbortWithStatus(http.StatusNotFound)
		}
	}
}

// ready asks all checks at once. It answers 503 when one that is not optional fails, and never says why: the log does.
func ready(c *gin.Context, checks []Check) {
	type result struct {
		check Check
		err   error
	}
	results := make(chan result, len(checks))
	ctx, cancel := context.WithTimeout(c.Request.Context(), checkTimeout)
	defer cancel()
	for _, check := range checks {
		go func() { results <- result{check, check.Ask(ctx)} }()
	}
	code, states := http.StatusOK, gin.H{}
	for range checks {
		select {
		case r := <-results:
			states[r.check.Name] = "ok"
			if r.err != nil {
				states[r.check.Name] = "failing"
				if !r.check.Optional {
					code = http.StatusServiceUnavailable
				}
			}
		case <-ctx.Done():
			code = silent(checks, states, code)
		}
	}
	c.JSON(code, gin.H{"ready": code == http.StatusOK, "checks": states})
}

// silent marks the checks that did not answer in time.
func silent(checks []Check, states gin.H, code int) int {
	for _, check := range checks {
		if _, answered := states[check.Name]; answered {
			continue
		}
		states[check.Name] = "failing"
		if !check.Optional {
			code = http.StatusServiceUnavailable
		}
	}
	return code
}
