// Package middleware wraps the handlers of the API in these steps, in this order: request id, access log, recover, key or
// session, plan and scope or role, rate limit, reading of the request, place among the running calls, idempotency, version
// (If-Match), audit. Routes that need no key and no session skip most of the steps, see Serve. A row is an entry of the table of
// routes, a route.Route.
package middleware

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
)

// Pipeline serves the rows of the table. It is safe for use by many goroutines.
type Pipeline struct {
	store    *store.Store
	rates    *kv.Rates
	site     *Site
	shares   sync.Map // maps each *route.Share to its *places
	refusals *refusals
	seconds  *prometheus.HistogramVec

	// undeclared is called when a row answers with an error that it does not declare. If it is nil, the error is logged.
	undeclared func(r *route.Route, status int, code string)
}

// NewPipeline returns the pipeline of one process.
func NewPipeline(s *store.Store, rates *kv.Rates, site *Site, undeclared func(r *route.Route, status int, code string)) *Pipeline {
	return &Pipeline{
		store: s, rates: rates, site: site, refusals: newRefusals(), undeclared: undeclared,
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "switchyard", Name: "api_seconds", Help: "Time to answer a call, by its row and the class of its status.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"method", "route", "status"}),
	}
}

// Collectors returns the metrics of the calls, for the process to register.
func (p *Pipeline) Collectors() []prometheus.Collector { return []prometheus.Collector{p.seconds} }

// step runs one of the steps that the package comment lists, and then the steps after it.
type step func(*route.Call) envelope.Reply

// How long a call may take.
const (
	requestTime = 15 * time.Second
	slowTime    = 29 * time.Second // on a slow route, which waits for its job for 25 of these seconds
)

// Serve answers one request for a row. The function path returns the value of a parameter of the path.
func (p *Pipeline) Serve(row *route.Route, w http.ResponseWriter, r *http.Request, path func(string) string) {
	steps := p.authenticated(p.limited(p.read(w, p.placed(p.idempotent(p.matched(p.runHandler))))))
	switch {
	case row.Public:
		steps = p.runHandler
	case row.Callers == route.Anybody:
		steps = p.unidentified(p.read(w, p.runHandler))
	}
	p.answer(row, w, r, path, steps)
}

// ServeAs answers one request for a row in the name of an account. It is for parts of this service that read for an account, such
// as the Copilot's chat. Such a request needs no key, may only read, and does not count against the calls of a minute.
func (p *Pipeline) ServeAs(account uuid.UUID, row *route.Route, w http.ResponseWriter, r *http.Request, path func(string) string) {
	asAccount := func(next step) step {
		return func(c *route.Call) envelope.Reply {
			var err error
			if c.Account, err = p.store.FindAccount(c.Context(), account); err != nil {
				return envelope.New(c, nil, err)
			}
			c.KeyScope = models.ScopeReadOnly
			return next(c)
		}
	}
	p.answer(row, w, r, path, asAccount(p.read(w, p.placed(p.runHandler))))
}

// answer runs the steps of a call, writes their reply and logs the call.
func (p *Pipeline) answer(row *route.Route, w http.ResponseWriter, r *http.Request, path func(string) string, steps step) {
	limit := requestTime
	if row.Slow != nil {
		limit = slowTime
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	c := route.NewCall(r.WithContext(ctx), row, w.Header())
	c.Store, c.Client = p.store, p.site.clientOf(r)
	c.RequestID = requestID(r)
	c.Path = map[string]string{}
	for _, name := range row.PathParams() {
		c.Path[name] = path(name)
	}
	w.Header().Set("X-Request-Id", c.RequestID)
	deprecation(row, w.Header())
	defer c.ReleasePlace()
	start := time.Now()
	reply := recoverPanic(c, steps)
	c.RunAlways()
	p.checkDeclared(c, reply)
	p.refusals.delay(c, reply.Status)
	complete := reply.Write(r.Context(), w)
	p.observe(row, r.Method, reply.Status, time.Since(start))
	slog.InfoContext(ctx, "request", "request_id", c.RequestID, "method", r.Method, "route", row.Path,
		"status", reply.Status, "code", reply.Code, "account_id", c.Account.ID, "key_id", c.KeyID, "user_id", c.Person.ID,
		"ms", time.Since(start).Milliseconds())
	if !complete {
		panic(http.ErrAbortHandler) // breaks the connection: a compressed file that ended here would look complete
	}
}

// observe records the time of an answered call.
func (p *Pipeline) observe(row *route.Route, method string, status int, took time.Duration) {
	path := row.Path
	if path == "" {
		path, method = "unknown", "any" // a path that a client made up must not become a label
	}
	p.seconds.WithLabelValues(method, path, strconv.Itoa(status/100)+"xx").Observe(took.Seconds())
}

// recoverPanic runs the steps of a call and turns a panic in them into a 500.
func recoverPanic(c *route.Call, steps step) (reply envelope.Reply) {
	defer func() {
		if v := recover(); v != nil {
			slog.ErrorContext(c.Context(), "panic", "request_id", c.RequestID, "panic", fmt.Sprint(v),
				"stack", string(debug.Stack()))
			reply = envelope.Failure(c.Context(), c.RequestID, fmt.Errorf("panic in %s", c.Route.Path))
		}
	}()
	return steps(c)
}

func (p *Pipeline) read(w http.ResponseWriter, next step) step {
	return func(c *route.Call) envelope.Reply {
		var err error
		if c.Query, err = bind.Query(c.Request.URL.RawQuery); err != nil {
			return envelope.New(c, nil, err)
		}
		for name, text := range c.Path {
			if !bind.ValidText(text) {
				return envelope.New(c, nil, models.Invalid("invalid_input", "%s in the path is not text", name))
			}
		}
		if c.Route.Body != nil || c.Request.Method == http.MethodPost {
			if c.Body, err = readBody(w, c.Request, c.Route.BodyLimit); err != nil {
				return envelope.New(c, nil, err)
			}
			if err := bind.RefuseDashboardLinks(c.Body, c.Route.Body, p.site.url); err != nil {
				return envelope.New(c, nil, err)
			}
		}
		return next(c)
	}
}

// readBody reads a body of at most `limit` bytes. A compressed body is refused, so that a small body cannot expand into a large
// one.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, models.Invalid("bad_body", "the body must not be compressed")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, ok := err.(*http.MaxBytesError); ok { //nolint:errorlint // the reader does not wrap it
		return nil, models.Errorf(models.KindTooLarge, "body_too_large", "the body may have at most %d bytes", limit)
	}
	if err != nil {
		return nil, models.Invalid("bad_body", "the body ended early")
	}
	return body, nil
}

// runHandler runs the row's handler and records the change in the audit log. Then it runs the work that the handler has added with
// After. If an earlier step (idempotency or version) has opened a transaction, that step runs this work instead, after the commit.
func (p *Pipeline) runHandler(c *route.Call) envelope.Reply {
	before := recordedMembers(c)
	answer, err := c.Route.Handle.Run(c)
	reply := envelope.New(c, answer, err)
	if reply.Status < http.StatusBadRequest {
		if err := p.recordAudit(c, reply, before); err != nil {
			reply = envelope.New(c, nil, err)
		}
	}
	if reply.Status >= http.StatusBadRequest {
		c.DiscardAfter()
	} else if c.Store == p.store {
		c.RunAfter()
	}
	return reply
}

// checkDeclared reports an error that neither the route's row nor route.PersonCodes has.
func (p *Pipeline) checkDeclared(c *route.Call, reply envelope.Reply) {
	personal := route.Code{HTTP: reply.Status, Code: reply.Code}
	if reply.Code == "" || c.Route.Declares(reply.Status, reply.Code) || slices.Contains(route.PersonCodes, personal) {
		return
	}
	if p.undeclared != nil {
		p.undeclared(c.Route, reply.Status, reply.Code)
		return
	}
	slog.WarnContext(c.Context(), "undeclared error code", "route", c.Route.Method+" "+c.Route.Path,
		"status", reply.Status, "code", reply.Code)
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// requestID returns the id in the header X-Request-Id, which a router in front of the service may set. Without a valid id in the
// header, it returns a new id.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); plainID.MatchString(id) {
		return id
	}
	return uuid.NewString()
}

// deprecation sets the headers that announce the removal of a route.
func deprecation(row *route.Route, h http.Header) {
	if row.Deprecated == nil {
		return
	}
	h.Set("Deprecation", fmt.Sprintf("@%d", row.Deprecated.Announced.Unix()))
	h.Set("Sunset", row.Deprecated.Sunset.UTC().Format(http.TimeFormat))
	h.Set("Link", fmt.Sprintf("<%s>; rel=%q", row.Deprecated.Link, "deprecation"))
}
