package dashboard

import (
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"

	"switchyard/api/envelope"
	"switchyard/api/route"
)

// built holds the files that `make build` makes from web.
//
//go:embed all:dist
var built embed.FS

// indexFile is the page. The name of every asset contains a hash of its contents, so a browser may keep the asset for ever.
const indexFile = "index.html"

// policy lets the page load files from this host only, except for pictures in data URLs, and send requests to this host only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// missing is the page of a build that has no dashboard.
const missing = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Switchyard</title>
<p>This build has no dashboard: npm was missing when it was made. Install npm, run <code>make build</code> and start the service again.
The API and everything else work.`

// pages serves the page and its files.
type pages struct {
	site   interface{ Secure() bool }
	files  fs.FS
	static func(name string) (route.Static, error)
}

func newPages(d Deps) pages {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the directory is always there
	}
	p := pages{site: d.Site, files: files}
	if d.Dir != "" {
		p.files = os.DirFS(d.Dir)
		p.static = p.read
		return p
	}
	var cache sync.Map // the files in the binary do not change
	p.static = func(name string) (route.Static, error) {
		if s, ok := cache.Load(name); ok {
			return s.(route.Static), nil
		}
		s, err := p.read(name)
		if err == nil {
			cache.Store(name, s)
		}
		return s, err
	}
	return p
}

func (p pages) read(name string) (route.Static, error) {
	text, err := fs.ReadFile(p.files, name)
	if err != nil {
		return route.Static{}, fmt.Errorf("dashboard: %w", err)
	}
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // the system's table of types may have other values
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".css":
		kind = "text/css; charset=utf-8"
	}
	return route.NewStatic(kind, text)
}

// shell serves the page at every address, in the look that the person has chosen.
func (p pages) shell(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Language, Cookie")
	if p.site.Secure() {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	page, err := fs.ReadFile(p.files, indexFile)
	if err != nil {
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(missing)) // a client that has disconnected is not an error
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(withLook(page, r))
}

func (p pages) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	s, err := p.static(path.Join("assets", path.Base(name)))
	if err != nil || strings.HasPrefix(name, ".") {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	a := envelope.Static(h, r, http.StatusOK, s)
	if a.Status != http.StatusNotModified {
		h.Set("Content-Type", a.Type)
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	if _, err := w.Write(a.Body); err != nil {
		slog.DebugContext(r.Context(), "asset was not sent completely", "error", err)
	}
}

func (p pages) licences(w http.ResponseWriter, r *http.Request) {
	text, err := fs.ReadFile(p.files, "licences.txt")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(text) // a client that has disconnected is not an error
}
