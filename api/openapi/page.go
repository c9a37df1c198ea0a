package openapi

import (
	"embed"
	"net/http"
	"strings"
)

// page holds RapiDoc 9.3.8 (MIT, its licence beside it) and the page that shows the document with it.
//
//go:embed page
var page embed.FS

// pagePolicy lets the page load nothing from anywhere else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page serves the page to read the document at /docs. It asks nothing of other hosts.
func Page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/docs"), "/")
		if name == "" {
			name = "index.html"
		}
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		http.ServeFileFS(w, r, page, "page/"+name)
	})
}
