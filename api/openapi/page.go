package openapi

import (
	"embed"
	"net/http"
	"strings"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

// page is the page that shows the document, with the script that starts Swagger UI.
//
//go:embed page
var page embed.FS

// pagePolicy lets the page load nothing from anywhere else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page serves the page to read the document at /docs. Swagger UI is part of the program: nothing is loaded from other
// hosts.
func Page() http.Handler {
	swagger := http.StripPrefix("/docs", statigz.FileServer(static.FS))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		switch name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/docs"), "/"); name {
		case "", "index.html":
			http.ServeFileFS(w, r, page, "page/index.html")
		case "tracking":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(trackingPage())
		case "tracking.md":
			w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
			_, _ = w.Write(Tracking())
		case "start.js":
			http.ServeFileFS(w, r, page, "page/start.js")
		default:
			swagger.ServeHTTP(w, r)
		}
	})
}
