// Package tag is the page tag: the script that customers put on their own pages. Its source is tag.js. `make generate` makes
// tag.min.js from it with esbuild, and that file is served. tag.sum has the checksums of both, so that tests find a stale
// tag.min.js without esbuild.
package tag

import (
	_ "embed"
	"net/http"
	"strconv"
	"sync"

	"switchyard/api/envelope"
	"switchyard/api/route"
)

//go:embed tag.min.js
var script []byte

// Limits of one message of a page: its bytes, its events, and the characters of an event's own id. Browsers send at most 64 kB in
// requests that outlive their page.
const (
	MaxBody   = 64 << 10
	MaxEvents = 100
	MaxID     = 100
)

// maxAge is how long browsers keep the script: a change reaches all pages within that time.
const maxAge = "public, max-age=3600"

var static = sync.OnceValue(func() route.Static {
	s, err := route.NewStatic("text/javascript; charset=utf-8", script)
	if err != nil {
		panic(err) // writing to a buffer never fails
	}
	return s
})

// Serve answers with the script, for pages of any origin.
func Serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", maxAge)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Access-Control-Allow-Origin", "*") // without it, browsers refuse a script with an integrity attribute
	a := envelope.Static(h, r, http.StatusOK, static())
	if a.Status != http.StatusNotModified {
		h.Set("Content-Type", a.Type)
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a visitor who has left needs no answer; net/http drops the body of a HEAD
}
