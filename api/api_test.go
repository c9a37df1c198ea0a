package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/api"
	"switchyard/api/apitest"
	"switchyard/api/route"
	"switchyard/db/kv"
	"switchyard/jobs"
	"switchyard/models"
)

func offer(name string) map[string]any {
	return map[string]any{"name": name, "url": "https://shop.example/{clickid}"}
}

func TestKeyChecks(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ctx := t.Context()
	wrong := s.Key[:len(s.Key)-1] + string('A'+(s.Key[len(s.Key)-1]+1)%26)
	for name, key := range map[string]string{
		"no key": "", "a malformed key": "abc", "a wrong checksum": wrong, "an unknown key": models.NewAPIKey(models.ScopeFull),
	} {
		a := s.As(key).Do("GET", "/offers", nil).Want(401, "unauthenticated")
		if a.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: the answer lacks the header WWW-Authenticate", name)
		}
	}
	s.As("").Do("GET", "/offers", nil, "Authorization", "Basic "+s.Key).Want(401, "unauthenticated")
	s.As("").Do("GET", "/offers", nil, "Authorization", "bearer "+s.Key).Want(200, "")

	key, clear, err := s.Store.CreateKey(ctx, s.Account.ID, "k", models.ScopeFull, 30*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s.As(clear).Do("GET", "/offers", nil).Want(200, "")
	fresh, newClear, err := s.Store.RotateKey(ctx, key.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.As(clear).Do("GET", "/offers", nil).Want(200, "") // the old key stays valid for one more day
	s.As(newClear).Do("GET", "/offers", nil).Want(200, "")
	if d := time.Until(*fresh.ExpiresAt); d < 29*24*time.Hour || d > 30*24*time.Hour {
		t.Errorf("the new key is valid for %s, want 30 days", d)
	}
	if _, _, err := s.Store.RotateKey(ctx, key.ID); err == nil {
		t.Error("a key was rotated a second time, want an error")
	}
	if _, err := s.DB.ExecContext(ctx, `UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`,
		key.ID); err != nil {
		t.Fatal(err)
	}
	s.As(clear).Do("GET", "/offers", nil).Want(401, "unauthenticated")
	if _, err := s.Store.RevokeKey(ctx, fresh.ID); err != nil {
		t.Fatal(err)
	}
	s.As(newClear).Do("GET", "/offers", nil).Want(401, "unauthenticated")
}

func TestPlanAndScope(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	_, starter, starterRead := s.NewAccount("starter")
	a := s.As(starter).Do("POST", "/offers", offer("x")).Want(402, "plan_limit")
	if a.Header.Get("RateLimit-Limit") == "" {
		t.Error("a 402 lacks the RateLimit headers")
	}
	s.As(starterRead).Do("POST", "/offers", offer("x")).Want(402, "plan_limit")

	reader := s.As(s.ReadKey)
	for _, row := range api.Table(api.Deps{}) {
		if row.Public {
			continue
		}
		path := strings.ReplaceAll(row.Path, "{id}", "x")
		a := reader.Do(row.Method, path, nil, "Prefer", "respond-async") // there is no worker to wait for
		refused := a.Status == 403 && a.Code == "read_only_key"
		if refused != (row.Scope == route.Write) {
			t.Errorf("%s %s with a read-only key gets %d %s, want a refusal exactly if the operation writes", row.Method, row.Path, a.Status, a.Code)
		}
		if row.Method == "GET" && row.Scope != route.Read || row.Method != "GET" && row.Scope == route.Read {
			t.Errorf("%s %s has the wrong scope", row.Method, row.Path)
		}
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.As("").Do("GET", "/nothing", nil).Want(404, "not_found")
	s.Do("GET", "/offers/", nil).Want(404, "not_found")
	a := s.Do("DELETE", "/openapi.json", nil).Want(405, "method_not_allowed")
	if a.Header.Get("Allow") != "GET" {
		t.Errorf("DELETE /openapi.json is answered with Allow %q, want GET", a.Header.Get("Allow"))
	}
	s.Do("BREW", "/offers", nil).Want(405, "method_not_allowed")
	a = s.Do("GET", "/offers/x/clone", nil).Want(405, "method_not_allowed")
	if a.Header.Get("Allow") != "POST" || a.Header.Get("X-Request-Id") == "" {
		t.Errorf("GET /offers/x/clone is answered with the headers %v, want Allow: POST and a request id", a.Header)
	}
}

func TestWindowAndPage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for query, code := range map[string]string{
		"":                              "",
		"from=2026-01-01":               "",
		"to=2020-01-01":                 "",
		"from=2026-01-02&to=2026-01-02": "",
		"from=2026-01-01+10:00:00&to=2026-01-01%2010:00:00": "",
		"from=2026-01-02&to=2026-01-01":                     "invalid_input",
		"from=2026-13-01":                                   "invalid_input",
		"from=2026-02-30":                                   "invalid_input",
		"from=yesterday":                                    "invalid_input",
		"to=2026-01-01T10:00:00":                            "invalid_input",
		"to=2026-01-01+10:00:00.5":                          "invalid_input",
		"from=0000-01-01":                                   "invalid_input",
		"from=2026-01-01&from=2026-01-02":                   "invalid_input",
		"limit=1&limit=2":                                   "invalid_input",
		"cursor=&cursor=":                                   "invalid_input",
		"limit=0":                                           "",
		"limit=-5":                                          "",
		"limit=99999999999999999999":                        "",
		"limit=ten":                                         "invalid_input",
		"limit=1.5":                                         "invalid_input",
		"cursor=x":                                          "invalid_input",
		"cursor=" + strings.Repeat("A", 5000):               "invalid_input",
		"from=%zz":                                          "invalid_input",
		"x=%00":                                             "invalid_input",
		"x=%ff":                                             "invalid_input",
	} {
		status := 200
		if code != "" {
			status = 400
		}
		if a := s.Do("GET", "/offers?"+query, nil); a.Status != status || a.Code != code {
			t.Errorf("%q: got %d %q, want %d %q", query, a.Status, a.Code, status, code)
		}
	}
}

func TestBodyLimits(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	big := `{"name":"` + strings.Repeat("x", route.DefaultBody) + `"}`
	s.Do("POST", "/offers", big).Want(413, "body_too_large")
	s.Do("POST", "/offers", offer("x"), "Content-Encoding", "gzip").Want(400, "bad_body")
	s.Do("POST", "/offers", offer("other type"), "Content-Type", "text/plain").Want(201, "")
}

func TestRateLimitIsExactAcrossProcesses(t *testing.T) {
	t.Parallel()
	rates := apitest.Rates(t)
	one := apitest.New(t, apitest.Options{Plan: "growth", Rates: rates})
	two := apitest.New(t, apitest.Options{DB: one.DB, Rates: rates}).As(one.Key)
	var mu sync.Mutex
	var wg sync.WaitGroup
	count := map[int]int{}
	for i := range 16 {
		wg.Go(func() {
			for range 20 {
				a := []*apitest.Server{one, two}[i%2].Do("GET", "/offers", nil)
				mu.Lock()
				count[a.Status]++
				mu.Unlock()
				if a.Header.Get("RateLimit-Limit") != "300" || a.Header.Get("RateLimit-Reset") == "" ||
					(a.Status == 429) != (a.Header.Get("Retry-After") != "") {
					t.Errorf("the status %d comes with the headers %v, want a limit of 300, and Retry-After only with 429", a.Status, a.Header)
				}
			}
		})
	}
	wg.Wait()
	if count[200] != 300 || count[429] != 20 {
		t.Errorf("the answers by status are %v, want 300 with 200 and 20 with 429", count)
	}
	_, other, _ := one.NewAccount("growth")
	one.As(other).Do("GET", "/offers", nil).Want(200, "") // another account has its own window
}

func TestWithoutRedis(t *testing.T) {
	t.Parallel()
	away, err := jobs.OpenRedisTimeout("redis://127.0.0.1:1/0", kv.Timeout)
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.New(t, apitest.Options{Plan: "growth", Rates: kv.NewRates(away, "", kv.Timeout)})
	first := s.Do("POST", "/offers", offer("x"), "Idempotency-Key", "k").Want(201, "")
	again := s.Do("POST", "/offers", offer("x"), "Idempotency-Key", "k").Want(201, "")
	if string(first.Raw) != string(again.Raw) {
		t.Error("the second call with the same Idempotency-Key got another answer than the first")
	}
	over := 0
	for range 305 {
		if s.Do("GET", "/offers", nil).Status == 429 {
			over++
		}
	}
	if over != 7 {
		t.Errorf("%d calls were refused, want 7", over)
	}
}

func TestPanicIsA500WithRequestID(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Extra: []route.Route{{
		Method: "GET", Path: "/boom", Handle: route.Handle(func(*route.Call) (string, error) { panic("secret") }),
	}, {
		Method: "GET", Path: "/broken",
		Handle: route.Handle(func(*route.Call) (string, error) { return "", fmt.Errorf("secret") }),
	}}})
	for _, path := range []string{"/boom", "/broken"} {
		a := s.Do("GET", path, nil).Want(500, "internal_error")
		id := a.Header.Get("X-Request-Id")
		if id == "" || !strings.Contains(a.Message, id) || strings.Contains(string(a.Raw), "secret") {
			t.Errorf("%s: the request id is %q, want it in the answer, without the secret: %s", path, id, a.Raw)
		}
	}
	if id := s.Do("GET", "/offers", nil, "X-Request-Id", "router-12345").Header.Get("X-Request-Id"); id != "router-12345" {
		t.Errorf("the request id is %q, want the one that the router sent", id)
	}
}

func TestDeprecation(t *testing.T) {
	t.Parallel()
	announced := time.Unix(1760000000, 0)
	row := route.Route{
		Method: "GET", Path: "/old", Handle: route.Handle(func(*route.Call) (string, error) { return "x", nil }),
		Deprecated: &route.Deprecated{Announced: announced, Sunset: announced.AddDate(0, 3, 0), Link: "https://x.example/c"},
	}
	s := apitest.New(t, apitest.Options{Extra: []route.Route{row}})
	h := s.As("").Do("GET", "/old", nil).Want(401, "unauthenticated").Header
	want := map[string]string{
		"Deprecation": "@1760000000", "Sunset": "Fri, 09 Jan 2026 08:53:20 GMT",
		"Link": `<https://x.example/c>; rel="deprecation"`,
	}
	for name, value := range want {
		if h.Get(name) != value {
			t.Errorf("%s is %q, want %q", name, h.Get(name), value)
		}
	}
	if !strings.Contains(string(s.Do("GET", "/openapi.json", nil).Raw), `"deprecated":true`) {
		t.Error("the OpenAPI document does not mark the operation as deprecated")
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	a := s.As("").Do("GET", "/openapi.json", nil)
	if a.Status != 200 || a.Header.Get("RateLimit-Limit") != "" {
		t.Fatalf("the document gets the status %d, want 200 without a rate limit: %v", a.Status, a.Header)
	}
	doc, err := openapi3.NewLoader().LoadFromData(a.Raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Paths.Value("/api/v1/offers") == nil {
		t.Errorf("the document has the version %s, want 3.1.0 with the path /offers", doc.OpenAPI)
	}
	ids := map[string]bool{}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			if ids[op.OperationID] {
				t.Errorf("two operations have the name %s", op.OperationID)
			}
			ids[op.OperationID] = true
		}
	}
}

// TestDocumentIsCompressed: the OpenAPI document is sent compressed to clients that accept gzip.
func TestDocumentIsCompressed(t *testing.T) {
	t.Parallel()
	metrics := prometheus.NewRegistry()
	h := api.New(api.Deps{BaseURL: "https://track.example.com", Registry: metrics})
	request := func(header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/openapi.json", nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Add(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	plain := request()
	tag := plain.Header().Get("ETag")
	found, err := metrics.Gather()
	if err != nil || len(found) != 1 || found[0].GetMetric()[0].GetHistogram().GetSampleCount() != 1 {
		t.Errorf("the metrics are %v, want one metric that has counted one call; error: %v", found, err)
	}
	if plain.Code != 200 || !json.Valid(plain.Body.Bytes()) || tag == "" ||
		plain.Header().Get("Cache-Control") != "no-cache" {
		t.Fatalf("the document gets the status %d, want 200 and JSON that must be revalidated: %v", plain.Code, plain.Header())
	}
	for _, takes := range []string{"gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1", "deflate,GZIP"} {
		packed := request("Accept-Encoding", takes)
		unpacked, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatalf("Accept-Encoding %s: the document is not compressed: %v", takes, err)
		}
		text, err := io.ReadAll(unpacked)
		if err != nil || !bytes.Equal(text, plain.Body.Bytes()) || packed.Header().Get("ETag") != tag ||
			packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %s: the unpacked document differs, or the headers are wrong: %v", takes, packed.Header())
		}
	}
	for _, takes := range []string{"identity", "gzip;q=0", "gzip;q=0.000, br", "x-gzip"} {
		if got := request("Accept-Encoding", takes); got.Header().Get("Content-Encoding") != "" || !json.Valid(got.Body.Bytes()) {
			t.Errorf("Accept-Encoding %s: the document is compressed or is not JSON: %v", takes, got.Header())
		}
	}
	for _, has := range []string{tag, strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*"} {
		if got := request("If-None-Match", has); got.Code != 304 || got.Body.Len() > 0 || got.Header().Get("ETag") != tag {
			t.Errorf("If-None-Match %s gets the status %d with %d bytes, want 304 without a body", has, got.Code, got.Body.Len())
		}
	}
	if got := request("If-None-Match", `"other"`); got.Code != 200 {
		t.Errorf("If-None-Match with another tag: status %d, want 200", got.Code)
	}
}

// TestNoOtherOrigin: the API is for servers, so no answer permits a page of another origin to read it.
func TestNoOtherOrigin(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, path := range []string{"/api/v1/offers", "/api/v1/openapi.json", "/api/v1/none", "/docs", "/docs/start.js"} {
		for _, method := range []string{http.MethodGet, http.MethodOptions, http.MethodPost} {
			for _, key := range []string{s.Key, "wrong", ""} {
				r := httptest.NewRequest(method, path, nil)
				r.Header.Set("Origin", "https://evil.example")
				r.Header.Set("Access-Control-Request-Method", "POST")
				r.Header.Set("Access-Control-Request-Headers", "authorization")
				if key != "" {
					r.Header.Set("Authorization", "Bearer "+key)
				}
				w := httptest.NewRecorder()
				s.Handler.ServeHTTP(w, r)
				for name := range w.Header() {
					if strings.HasPrefix(name, "Access-Control-") || name == "Timing-Allow-Origin" {
						t.Errorf("%s %s is answered with the header %s, which is for pages of other origins", method, path, name)
					}
				}
				if method == http.MethodOptions && w.Code < 400 {
					t.Errorf("%s %s gets the status %d, want a refusal", method, path, w.Code)
				}
			}
		}
	}
}

func TestDocsPageAsksNobodyElse(t *testing.T) {
	t.Parallel()
	h := api.New(api.Deps{})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/docs/", nil))
	if w.Code != 301 || w.Header().Get("Location") != "/docs" {
		t.Errorf("/docs/ gets the status %d to %q, want a redirect to /docs", w.Code, w.Header().Get("Location"))
	}
	for _, path := range []string{"/docs", "/docs/start.js", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("%s gets the status %d, or is empty, want 200", path, w.Code)
		}
		if !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: the Content-Security-Policy lacks default-src 'none'", path)
		}
	}
}
