// Package dashboard serves the web page that people work in, and the calls that only this page makes, such as signing in. The page
// makes all other calls to the REST API, with a session instead of a key.
package dashboard

import (
	"net/http"
	"slices"

	"switchyard/api/middleware"
	"switchyard/api/oauth"
	"switchyard/api/route"
	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/jobs"
)

// Prefix begins the path of every page and of every row of Routes.
const Prefix = "/app"

// Deps are the dependencies of the dashboard.
type Deps struct {
	Store    *store.Store
	Rates    *kv.Rates
	Site     *middleware.Site
	Pipeline *middleware.Pipeline
	Jobs     *jobs.Client
	// Platforms are the ad platforms at which a person can sign in to connect an ad account; nil: none.
	Platforms oauth.Platforms
	// BaseURL is the service's address, for links.
	BaseURL string
	// NoMCP switches assistants off for the install.
	NoMCP bool
	// Dir is a directory with the files of the page. Without Dir, the files in the binary are served.
	Dir string
}

// Routes returns the rows of the dashboard's own calls. They are not part of the public API.
func Routes(d Deps) []route.Route {
	rows := slices.Concat(d.signIn(), d.me(), team(d), keys(), audit(), views(), marks(), d.oauth(), d.assistants())
	for i := range rows {
		rows[i] = rows[i].WithDefaults()
	}
	route.NameKeys(rows)
	return rows
}

// New returns the handler of everything below /app. It answers 404 on every host other than the one in the service's address.
func New(d Deps) http.Handler {
	mux := http.NewServeMux()
	rows := Routes(d)
	for i := range rows {
		row := &rows[i]
		mux.HandleFunc(row.Method+" "+row.Path, func(w http.ResponseWriter, r *http.Request) {
			d.Pipeline.Serve(row, w, r, r.PathValue)
		})
	}
	mux.HandleFunc(Prefix+"/api/", func(w http.ResponseWriter, r *http.Request) { d.Pipeline.Unknown(w, r, nil) })
	pages := newPages(d)
	mux.HandleFunc(Prefix, pages.shell)
	mux.HandleFunc(Prefix+"/", pages.shell)
	if d.Dir == "" {
		mux.HandleFunc(Prefix+"/_parts", http.NotFound) // the gallery is only for developing the page
	}
	mux.HandleFunc(Prefix+"/assets/{file}", pages.asset)
	mux.HandleFunc(Prefix+"/licences", pages.licences)
	mux.HandleFunc("GET "+Prefix+"/help/{lang}/{name}", pages.help)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.Site.Is(r) {
			http.NotFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
