package dashboard

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"switchyard/api/middleware"
	"switchyard/models/parttest"
)

func builtPages(t *testing.T) (fs.FS, string) {
	t.Helper()
	files, err := fs.Sub(built, "dist")
	if err != nil {
		t.Fatal(err)
	}
	page, err := fs.ReadFile(files, indexFile)
	if err != nil {
		t.Skip("this build has no dashboard: `make build` on a machine with npm makes it")
	}
	return files, string(page)
}

// Limits of the files' sizes on the wire, in bytes.
const (
	firstLoad   = 90 << 10
	furtherLoad = 15 << 10
)

// The expression "imports" finds the files that a script loads before it starts. The expression "later" finds the files that the
// running script loads when it needs them.
var (
	imports = regexp.MustCompile(`(?:from|import)"\./([\w.-]+\.js)"`)
	later   = regexp.MustCompile(`import\("\./([\w.-]+\.js)"\)`)
)

// isWords reports whether a file holds the words of the first load in any of the languages.
func isWords(file string) bool {
	return slices.ContainsFunc(languages, func(lang string) bool { return strings.HasPrefix(file, lang+"-") })
}

// TestBudgets: the first load, with the words of a single language, stays small, and so does each further screen.
func TestBudgets(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			budget(t, lang)
		})
	}
}

func budget(t *testing.T, lang string) {
	t.Helper()
	files, page := builtPages(t)
	size := func(name string) int {
		t.Helper()
		text, err := fs.ReadFile(files, path.Join("assets", name))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = w.Write(text)
		_ = w.Close()
		return out.Len()
	}
	first := map[string]bool{}
	var collect func(name string)
	var lazy []string
	collect = func(name string) {
		if first[name] {
			return
		}
		first[name] = true
		text, _ := fs.ReadFile(files, path.Join("assets", name))
		for _, m := range imports.FindAllSubmatch(text, -1) {
			collect(string(m[1]))
		}
		for _, m := range later.FindAllSubmatch(text, -1) {
			lazy = append(lazy, string(m[1]))
		}
	}
	for _, m := range regexp.MustCompile(`/app/assets/([\w.-]+)`).FindAllStringSubmatch(string(selectLanguage([]byte(page), lang)), -1) {
		collect(m[1])
	}
	total, words := 0, 0
	for name := range first {
		if isWords(name) {
			words++
		}
		total += size(name)
	}
	t.Logf("first load: %d bytes in %d files", total, len(first))
	if words != 1 {
		t.Errorf("the first load has the words of %d languages, want one", words)
	}
	if len(first) < 2 || total > firstLoad {
		t.Errorf("the first load has %d bytes in %d files, want at most %d bytes in two files or more", total, len(first), firstLoad)
	}
	if len(lazy) < 2 {
		t.Errorf("only the files %v load later, want at least two", lazy)
	}
	for _, name := range lazy {
		if n := size(name); !first[name] && !isWords(name) && n > furtherLoad {
			t.Errorf("%s has %d bytes, want at most %d", name, n, furtherLoad)
		}
	}
	if licences, err := fs.ReadFile(files, "licences.txt"); err != nil || !strings.Contains(string(licences), "preact") {
		t.Errorf("the licences are not there: %v", err)
	}
}

// TestLanguageOfPage: the page uses the language that the person has chosen, else the browser's, else English.
func TestLanguageOfPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cookie, header, want string }{
		{"", "", "en"},
		{"", "de", "de"},
		{"", "de-CH,en;q=0.5", "de"},
		{"", "fr, en-GB;q=0.5", "en"},
		{"", "fr", "en"},
		{"de", "en", "de"},
		{"en", "de", "en"},
		{"ar-XB", "de", "ar-XB"},
		{"ar-XA", "de", "de"},
		{"xx", "", "en"},
		{"", ";;q=x", "en"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/app", nil)
		r.Header.Set("Accept-Language", c.header)
		if c.cookie != "" {
			r.AddCookie(&http.Cookie{Name: languageCookie, Value: c.cookie})
		}
		if got := languageOf(r); got != c.want {
			t.Errorf("cookie %q, browser %q: %s, want %s", c.cookie, c.header, got, c.want)
		}
	}
}

// TestPages: the page's policy allows only this host. The page has the theme that the cookie names. An unknown theme is
// ignored.
func TestPages(t *testing.T) {
	t.Parallel()
	p := pages{site: middleware.NewSite("https://track.example.com", nil), files: fstest.MapFS{
		"index.html": {Data: []byte("<!doctype html><html lang=\"en\">\n<link hreflang=\"en\" e>\n<link hreflang=\"de\" d>\n<p>page")}, "assets/a-1.js": {Data: []byte("let a")},
	}}
	p.static = p.read
	get := func(serve http.HandlerFunc, target, theme, file string) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		r.Header.Set("Accept-Language", "fr;q=0.9, de-AT;q=0.8, en;q=0.7")
		r.AddCookie(&http.Cookie{Name: themeCookie, Value: theme})
		r.SetPathValue("file", file)
		w := httptest.NewRecorder()
		serve(w, r)
		return w.Result()
	}
	text := func(r *http.Response) string {
		var b bytes.Buffer
		_, _ = b.ReadFrom(r.Body)
		return b.String()
	}
	shell := get(p.shell, "/app/x", "dark", "")
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'", "Referrer-Policy": "no-referrer",
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache", "Strict-Transport-Security": "max-age",
	} {
		if got := shell.Header.Get(name); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q in it", name, got, want)
		}
	}
	if got := text(shell); !strings.Contains(got, `<html data-theme="dark" lang="de" dir="ltr">`) ||
		strings.Contains(got, `hreflang="en"`) || !strings.Contains(got, `hreflang="de"`) {
		t.Errorf("for a person with a dark theme and German the page is %s, want both in its html element", got)
	}
	if got := text(get(p.shell, "/app", `x"onload="`, "")); strings.Contains(got, "onload") || strings.Contains(got, "data-theme") {
		t.Errorf("with an unknown theme in the cookie the page is %s, want no theme", got)
	}
	asset := get(p.asset, "/app/assets/a-1.js", "", "a-1.js")
	if asset.StatusCode != 200 || !strings.Contains(asset.Header.Get("Cache-Control"), "immutable") ||
		!strings.HasPrefix(asset.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("a script is served with the status %d and the headers %v, want 200, immutable and text/javascript", asset.StatusCode, asset.Header)
	}
	for _, name := range []string{"../index.html", "none.js", ".gitignore"} {
		if got := get(p.asset, "/app/assets/x", "", name); got.StatusCode != 404 {
			t.Errorf("the asset %s gets the status %d, want 404", name, got.StatusCode)
		}
	}
	p.files = fstest.MapFS{}
	if empty := get(p.shell, "/app", "", ""); empty.StatusCode != 503 || !strings.Contains(text(empty), "make build") {
		t.Errorf("without its files the page gets the status %d, want 503 with advice", empty.StatusCode)
	}
}
