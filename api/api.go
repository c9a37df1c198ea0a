// Package api serves the REST API below /api/v1, its documentation, /mcp and the dashboard.
package api

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/api/assistants"
	"switchyard/api/dashboard"
	"switchyard/api/mcp"
	"switchyard/api/middleware"
	"switchyard/api/oauth"
	"switchyard/api/openapi"
	"switchyard/api/route"
	"switchyard/api/v1"
	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/models/tool"
)

// Deps are the dependencies of the API.
type Deps struct {
	Store *store.Store
	Rates *kv.Rates
	V1    v1.Deps
	// BaseURL is the service's address.
	BaseURL string
	Version string
	// Undeclared is called when a route answers with an error that its row of the table does not declare. If Undeclared is nil, the
	// error is logged.
	Undeclared func(r *route.Route, status int, code string)
	// Registry registers the metrics of API calls. If it is nil, they are not registered.
	Registry prometheus.Registerer
	// DashboardDir is a directory with the dashboard's files. If it is empty, the files embedded in the binary are served.
	DashboardDir string
	// Docs are further pages of the documentation.
	Docs []tool.Page
	// NoMCP switches /mcp off for the install.
	NoMCP bool
	// Extra rows are added to the table.
	Extra []route.Route
}

// Table returns all rows of the API.
func Table(d Deps) []route.Route {
	d.V1.BaseURL = cmp.Or(d.V1.BaseURL, d.BaseURL)
	rows := slices.Concat([]route.Route{description(d)}, v1.Routes(d.V1, d.Extra...))
	for i := range rows {
		rows[i] = rows[i].WithDefaults()
	}
	route.NameKeys(rows)
	return rows
}

// Document returns the OpenAPI document of the table.
func Document(d Deps) map[string]any {
	return openapi.Document(openapi.Info{BaseURL: d.BaseURL, Version: d.Version}, Table(d))
}

// description returns the row that serves the OpenAPI document.
func description(d Deps) route.Route {
	row := route.Route{
		Method: "GET", Path: "/openapi.json", Group: "Service description", Public: true,
		Summary: "machine-readable description of every endpoint a key can call",
	}
	row.Answer = map[string]any{}
	document := sync.OnceValues(func() (route.Static, error) {
		text, err := json.Marshal(Document(d))
		if err != nil {
			return route.Static{}, fmt.Errorf("api: document: %w", err)
		}
		return route.NewStatic("application/json; charset=utf-8", text)
	})
	row.Handle = route.Handle(func(*route.Call) (route.Static, error) { return document() })
	return row
}

// New returns the handler of /api/v1, /mcp, /docs, /llms.txt, OAuth and the dashboard (/app). The dashboard answers only on the
// host of the service's own address.
func New(d Deps) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = false // p.Unknown answers 405 in the form of all errors of the API
	e.RedirectTrailingSlash = false
	e.RedirectFixedPath = false
	e.UseRawPath = false
	_ = e.SetTrustedProxies(nil) // cannot fail without proxies

	baseURL := cmp.Or(d.V1.BaseURL, d.BaseURL)
	site := middleware.NewSite(baseURL, nil)
	if d.V1.Visitors != nil {
		site = middleware.NewSite(baseURL, d.V1.Visitors.ClientIP)
	}
	p := middleware.NewPipeline(d.Store, d.Rates, site, d.Undeclared)
	if d.Registry != nil {
		d.Registry.MustRegister(p.Collectors()...)
	}
	rows := Table(d)
	for i := range rows {
		row := &rows[i]
		e.Handle(row.Method, ginPath(row.Path), func(c *gin.Context) { p.Serve(row, c.Writer, c.Request, c.Param) })
	}
	e.NoRoute(func(c *gin.Context) { p.Unknown(c.Writer, c.Request, methodsAt(rows, c.Request.URL.Path)) })
	list := Pages(d.Docs)
	if !d.NoMCP {
		serveMCP(e, p, site, d, list)
	}
	e.GET("/llms.txt", gin.WrapH(llms(baseURL, list, !d.NoMCP)))
	docs := gin.WrapH(documents(list, openapi.Page(func() ([]byte, error) { return json.Marshal(Document(d)) })))
	e.GET("/docs", docs)
	e.GET("/docs/", func(c *gin.Context) { c.Redirect(http.StatusMovedPermanently, "/docs") })
	e.GET("/docs/:file", docs)
	e.GET("/docs/operations/:operation", docs)
	e.GET("/docs/operations/:operation/try", docs)
	oauthPages := gin.WrapH(oauth.Pages(oauth.Deps{Store: d.Store, Jobs: d.V1.Jobs, Platforms: d.V1.SignIn, BaseURL: baseURL}))
	e.GET(oauth.StartPath, oauthPages)
	e.GET(oauth.CallbackPath, oauthPages)
	dashboardPages := gin.WrapH(dashboard.New(dashboard.Deps{
		Store: d.Store, Rates: d.Rates, Site: site, Pipeline: p, BaseURL: baseURL, Dir: d.DashboardDir,
		Jobs: d.V1.Jobs, Platforms: d.V1.SignIn, NoMCP: d.NoMCP,
	}))
	e.Any(dashboard.Prefix, dashboardPages)
	e.Any(dashboard.Prefix+"/*path", dashboardPages)
	return compress(e)
}

// serveMCP serves the protocol of assistants, and the authorization server through which people connect assistants.
func serveMCP(e *gin.Engine, p *middleware.Pipeline, site *middleware.Site, d Deps, docs []tool.Page) {
	service := mcp.New(mcp.Deps{Store: d.Store, Site: site, API: e, BaseURL: d.BaseURL, Version: d.Version, Docs: docs})
	if d.Registry != nil {
		d.Registry.MustRegister(service.Collectors()...)
	}
	row := service.Route()
	e.POST(mcp.Path, func(c *gin.Context) { p.Serve(&row, c.Writer, c.Request, c.Param) })
	for _, method := range []string{http.MethodGet, http.MethodDelete} { // for streams and sessions, which this service does not have
		e.Handle(method, mcp.Path, func(c *gin.Context) { p.Unknown(c.Writer, c.Request, []string{http.MethodPost}) })
	}
	rows := assistants.Routes(assistants.Deps{Store: d.Store, Rates: d.Rates, BaseURL: cmp.Or(d.V1.BaseURL, d.BaseURL)})
	for i := range rows {
		row := &rows[i]
		e.Handle(row.Method, row.Path, func(c *gin.Context) { p.Serve(row, c.Writer, c.Request, c.Param) })
	}
}

// compress compresses text responses of at least 1 KiB for clients that accept compression. A few random bytes keep the length of
// a response from revealing its contents.
func compress(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1<<10), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false),
		gzhttp.RandomJitter(32, 0, false), gzhttp.ContentTypes([]string{
			"application/json", "text/csv", "text/html", "text/javascript", "text/markdown",
		}))
	if err != nil {
		panic(err) // the options are constant, so this cannot fail
	}
	return wrap(h)
}

func methodsAt(rows []route.Route, path string) []string {
	var out []string
	for _, row := range rows {
		if !slices.Contains(out, row.Method) && matches(openapi.Prefix+row.Path, path) {
			out = append(out, row.Method)
		}
	}
	return out
}

// matches reports whether a path has the form of a pattern with parameters in braces.
func matches(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, have, func(w, h string) bool {
		return w == h || strings.HasPrefix(w, "{") && h != ""
	})
}

// ginPath returns a row's path with the prefix of the API and with gin's :id instead of {id}.
func ginPath(path string) string {
	return openapi.Prefix + strings.NewReplacer("{", ":", "}", "").Replace(path)
}
