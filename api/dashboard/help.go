package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"net/http"
	"path"
	"slices"

	"github.com/yuin/goldmark"
)

// helpPages holds a page of help for each screen, in every language.
//
//go:embed help
var helpPages embed.FS

func helpPage(lang, name string) ([]byte, error) {
	text, err := helpPages.ReadFile(path.Join("help", lang, name+".md"))
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	var out bytes.Buffer
	err = goldmark.Convert(text, &out)
	return out.Bytes(), err
}

// help serves a page of help as a fragment of HTML, which the dashboard shows in a sheet.
func (p pages) help(w http.ResponseWriter, r *http.Request) {
	lang := r.PathValue("lang")
	text, err := helpPage(lang, path.Base(r.PathValue("name")))
	if err != nil || !slices.Contains(languages, lang) {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write(text) // a client that has disconnected is not an error
}
