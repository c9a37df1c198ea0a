package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"switchyard/api"
)

// TestOperationPages: every operation is in the list. Each operation has a page with its example and its codes, and a document
// that contains all components to which the operation refers. The same holds for the events of webhooks.
func TestOperationPages(t *testing.T) {
	t.Parallel()
	h := api.New(api.Deps{BaseURL: "https://track.example.com"})
	get := func(path string, want int) string {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != want {
			t.Fatalf("%s: %d", path, w.Code)
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
				t.Errorf("%s is not in the list", id)
			}
			alone, err := openapi3.NewLoader().LoadFromData([]byte(get(pages+id+".json", 200)))
			if err != nil || alone.Paths.Len() != 1 || alone.Paths.Value(path).GetOperation(method) == nil {
				t.Errorf("the document of %s: %v", id, err)
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
		t.Error("the page of the events lacks some")
	}
	get(pages+"offers", 404)
	get(pages+"nothing.json", 404)
	get(pages+"listOffers/try", 200)
}
