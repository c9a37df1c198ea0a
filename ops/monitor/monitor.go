// Package monitor serves the pages of operators and their machines: asynqmon, health, readiness and metrics.
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

// Check is one check of readiness.
type Check struct {
	Name     string
	Ask      func(context.Context) error // has 2 seconds
	Optional bool                        // a failure is shown, but the process is ready
}

// Options of the pages. Nothing is required.
type Options struct {
	// Redis is read for /ops/queues and for the metrics of the queues; without it there are none.
	Redis jobs.Redis

	// Password protects /ops and /metrics, with any user name. Without it there is no /ops, and /metrics answers this
	// machine only.
	Password string

	// Checks are those of /readyz.
	Checks []Check

	// Registry is shown at /metrics; without it there is no such page.
	Registry *prometheus.Registry
}

// queuesPath is the path of asynqmon.
const queuesPath = "/ops/queues"

// checkTimeout bounds each check of readiness.
const checkTimeout = 2 * time.Second

// New makes the handler of /healthz, /readyz, /metrics and /ops.
func New(o Options) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash = false
	_ = e.SetTrustedProxies(nil) // cannot fail without proxies
	mount(e, o)
	return e
}

// mount registers the pages at a router.
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

// shared gives asynqmon the client of the process.
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

// same compares in a time that depends on neither content nor length.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// figuresFor protects the metrics: with the password, or without one by answering this machine only.
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

// ready runs all checks at once. One that does not answer in time fails. The answer is 503 when one that is not
// optional fails. It never says why.
func ready(c *gin.Context, checks []Check) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), checkTimeout)
	defer cancel()
	passed := make(chan string, len(checks)) // the name of a check, "" for one that failed
	states := gin.H{}
	for _, check := range checks {
		states[check.Name] = "failing"
		go func() {
			if check.Ask(ctx) != nil {
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
	code := http.StatusOK
	for _, check := range checks {
		if !check.Optional && states[check.Name] != "ok" {
			code = http.StatusServiceUnavailable
		}
	}
	c.JSON(code, gin.H{"ready": code == http.StatusOK, "checks": states})
}
