package api_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"switchyard/api"
	"switchyard/models/tool"
)

// TestOperationPages: the list at /docs has every operation. Each operation has a page and an OpenAPI document of its own.
func TestOperationPages(t *testing.T) {
	t.Parallel()
	h := api.New(api.Deps{BaseURL: "https://track.example.com"})
	get := func(path string, want int) string {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != want {
			t.Fatalf("%s: status %d, want %d", path, w.Code, want)
		}
		return w.Body.String()
	}
	index := get("/docs", 200)
	whole, err := openapi3.NewLoader().LoadFromData([]byte(get("/api/v1/openapi.json", 200)))
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"downloadReportExport", "getConfig", "getConfigCheckScript"} // their answers are not JSON
	const pages = "/docs/operations/"
	for path, item := range whole.Paths.Map() {
		for method, op := range item.Operations() {
			id := op.OperationID
			if !strings.Contains(index, `"`+pages+id+`"`) {
				t.Errorf("the list at /docs lacks the operation %s", id)
			}
			alone, err := openapi3.NewLoader().LoadFromData([]byte(get(pages+id+".json", 200)))
			if err != nil || alone.Paths.Len() != 1 || alone.Paths.Value(path).GetOperation(method) == nil {
				t.Errorf("the document of %s has not exactly this operation, or does not load: %v", id, err)
			}
			shown := get(pages+id, 200)
			want := []string{"<code><b>" + method + "</b>" + path, "<h2>Answer "}
			if strings.HasPrefix(path, "/api/") && !strings.HasSuffix(path, "/openapi.json") {
				want = append(want, "curl -X "+method+" &#39;https://track.example.com/api/v1/", "rate_limited", "<pre>{\n")
			}
			for _, text := range want {
				if !strings.Contains(shown, text) && !slices.Contains(files, id) {
					t.Errorf("the page of %s lacks %s", id, text)
				}
			}
		}
	}
	if events := get(pages+"webhooks", 200); strings.Count(events, "<h1>") < 6 {
		t.Error("the page about webhook events lacks some of the events")
	}
	get(pages+"offers", 404)
	get(pages+"nothing.json", 404)
	get(pages+"listOffers/try", 200)
}

// TestForPrograms: /llms.txt lists the pages of the documentation, and each page can be read as Markdown.
func TestForPrograms(t *testing.T) {
	t.Parallel()
	const base = "https://track.example.com"
	pages := []tool.Page{{Name: "rules", Text: "# Rules\n\nFirst <b>rule</b>.\n"}}
	for _, off := range []bool{false, true} {
		h := api.New(api.Deps{BaseURL: base, Docs: pages, NoMCP: off})
		get := func(path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			return w
		}
		list := get("/llms.txt")
		text := list.Body.String()
		if list.Code != 200 || !strings.HasPrefix(list.Header().Get("Content-Type"), "text/plain") || !strings.HasPrefix(text, "# Switchyard\n") {
			t.Errorf("/llms.txt is answered with %d %v, want 200 and plain text: %s", list.Code, list.Header(), text)
		}
		if got := strings.Contains(text, base+"/mcp"); got == off {
			t.Errorf("/llms.txt names /mcp: %v, but the service serves /mcp: %v", got, !off)
		}
		if !strings.Contains(text, base+"/api/v1/openapi.json") {
			t.Error("the OpenAPI document is not listed")
		}
		links := regexp.MustCompile(`\(`+base+`(/docs/[^)]*\.md)\)`).FindAllStringSubmatch(text, -1)
		if len(links) != 3 {
			t.Errorf("%d pages are listed, want 3: %s", len(links), text)
		}
		for _, link := range links {
			page := get(link[1])
			if page.Code != 200 || !strings.HasPrefix(page.Header().Get("Content-Type"), "text/markdown") || !strings.Contains(page.Body.String(), "# ") {
				t.Errorf("%s is answered with %d %v, want 200 and Markdown", link[1], page.Code, page.Header())
			}
		}
		if got := get("/docs/rules.md").Body.String(); got != pages[0].Text {
			t.Errorf("/docs/rules.md is %q, want the text of the page", got)
		}
		if got := get("/docs/keys.md").Code; got != 404 {
			t.Errorf("a page that does not exist is answered with %d, want 404", got)
		}
	}
}
