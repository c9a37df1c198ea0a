package openapi

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

// page holds the pages, their styles and their scripts.
//
//go:embed page
var page embed.FS

var pageFiles = []string{"index.css", "filter.js", "start.js"}

// pagePolicy keeps the pages from loading anything from other hosts.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page returns the handler of /docs: the pages for reading a document, and the page about tracking. The document is made at the
// first call that needs it.
//
// The page of an operation is plain HTML, because Swagger UI takes seconds to show an operation. Swagger UI is part of the
// program, so nothing is loaded from other hosts.
func Page(text func() ([]byte, error)) http.Handler {
	swagger := http.StripPrefix("/docs", statigz.FileServer(static.FS))
	split := sync.OnceValues(func() (*parts, error) {
		document, err := text()
		if err != nil {
			return nil, err
		}
		return splitDocument(document)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/docs"), "/")
		operation, isOperation := strings.CutPrefix(name, "operations/")
		switch {
		case name == "", name == "index.html", isOperation:
			p, err := split()
			if err != nil {
				w.Header().Set("Cache-Control", "no-store")
				http.Error(w, "the document cannot be made", http.StatusInternalServerError)
				return
			}
			p.serve(w, r, operation)
		case name == "tracking":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(trackingPage())
		case name == "tracking.md":
			w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
			_, _ = w.Write(Tracking())
		case slices.Contains(pageFiles, name):
			http.ServeFileFS(w, r, page, "page/"+pageFiles[slices.Index(pageFiles, name)])
		default:
			swagger.ServeHTTP(w, r)
		}
	})
}

// serve answers with the list of operations if operation is empty, and otherwise with the page of that operation. After the id of
// the operation, ".json" asks for its document, and "/try" for the page on which a reader can call it.
func (p *parts) serve(w http.ResponseWriter, r *http.Request, operation string) {
	id, wantsDocument := strings.CutSuffix(operation, ".json")
	id, wantsTry := strings.CutSuffix(id, "/try")
	text, found := p.document(id)
	kind := "text/html; charset=utf-8"
	switch {
	case operation == "":
		text = p.index
	case !found:
		w.Header().Set("Cache-Control", "no-store")
		http.NotFound(w, r)
		return
	case wantsDocument:
		kind = "application/json"
	case wantsTry:
		http.ServeFileFS(w, r, page, "page/try.html")
		return
	default:
		var err error
		if text, err = operationPage(id, text); err != nil {
			http.Error(w, "the page cannot be made", http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(text)
}

type listed struct{ ID, Method, Path, Summary string }

type listedGroup struct {
	Name       string
	Operations []listed
}

var indexTemplate = template.Must(template.ParseFS(page, "page/index.html"))

func indexPage(groups []*listedGroup) ([]byte, error) {
	var out bytes.Buffer
	err := indexTemplate.Execute(&out, map[string]any{"Intro": intro, "Groups": groups})
	return out.Bytes(), err
}
