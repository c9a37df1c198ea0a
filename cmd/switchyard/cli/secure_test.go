package cli

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"switchyard/api"
	"switchyard/api/assistants"
	"switchyard/api/dashboard"
	"switchyard/api/oauth"
	"switchyard/api/openapi"
	"switchyard/ops/config"
)

// TestFront: a TLS connection that was opened for one host serves no other host.
func TestFront(t *testing.T) {
	t.Parallel()
	served := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, hsts := range []time.Duration{0, time.Hour} {
		h := (&edge{cfg: config.Config{HSTSMaxAge: hsts}}).strict(&handlers{api: served, click: served, health: served})
		for _, tt := range []struct {
			name, host, path string
			want             int
		}{
			{"go.shop.example", "go.shop.example", "/summer", http.StatusOK},
			{"GO.shop.example", "go.shop.example:443", "/api/v1/plan", http.StatusOK},
			{"go.shop.example", "Go.Shop.Example.", "/", http.StatusOK},
			{"go.shop.example", "go.other.example", "/summer", http.StatusMisdirectedRequest},
			{"go.shop.example", "go.other.example", "/api/v1/plan", http.StatusMisdirectedRequest},
			{"go.shop.example", "", "/", http.StatusMisdirectedRequest},
			{"", "go.shop.example", "/", http.StatusMisdirectedRequest},
		} {
			r := httptest.NewRequest(http.MethodGet, tt.path, nil)
			r.Host, r.TLS = tt.host, &tls.ConnectionState{ServerName: tt.name}
			rec := httptest.NewRecorder()
			if h.ServeHTTP(rec, r); rec.Code != tt.want {
				t.Errorf("a request for %s on a connection for %s gets the status %d, want %d", tt.host, tt.name, rec.Code, tt.want)
			}
		}
	}
}

// TestNothingInClear: the API, the dashboard, the sign-in of assistants and the documentation are not served without TLS. GET and
// HEAD requests for them are redirected if they are sent to the host of an https BASE_URL.
func TestNothingInClear(t *testing.T) {
	t.Parallel()
	all := map[string][]string{http.MethodGet: {
		"/app", "/app/", "/app/assets/x.js", "/app/welcome", "/api", "/docs", "/docs/x.js", "/docs/tracking",
		oauth.StartPath, oauth.CallbackPath + "?state=x&code=y",
	}}
	named := strings.NewReplacer("{", "", "}", "")
	for _, r := range api.Table(api.Deps{}) {
		all[r.Method] = append(all[r.Method], openapi.Prefix+named.Replace(r.Path))
	}
	for _, r := range dashboard.Routes(dashboard.Deps{}) {
		all[r.Method] = append(all[r.Method], named.Replace(r.Path))
	}
	all[http.MethodGet] = append(all[http.MethodGet], assistants.Paths...)
	all[http.MethodPost] = append(all[http.MethodPost], assistants.Paths...)
	all[http.MethodHead], all[http.MethodOptions] = all[http.MethodGet], all[http.MethodPost]
	if len(all[http.MethodGet]) < 60 || len(all[http.MethodPost]) < 60 {
		t.Errorf("%d paths for GET and %d for POST, want at least 60 each", len(all[http.MethodGet]), len(all[http.MethodPost]))
	}
	const secure = "https://app.example.com"
	served := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, base := range []string{secure, "http://app.example.com"} {
		h := (&edge{cfg: config.Config{BaseURL: base}}).plain(&handlers{api: served, click: served, health: served})
		request := func(method, host, path string) *httptest.ResponseRecorder {
			r, rec := httptest.NewRequest(method, path, nil), httptest.NewRecorder()
			r.Host = host
			h.ServeHTTP(rec, r)
			return rec
		}
		for method, paths := range all {
			for _, path := range paths {
				for host, home := range map[string]bool{"app.example.com": true, "APP.example.com.:80": true, "go.example.com": false} {
					want, to := http.StatusNotFound, ""
					if home && base == secure && (method == http.MethodGet || method == http.MethodHead) {
						want, to = http.StatusPermanentRedirect, secure+path
					}
					if got := request(method, host, path); got.Code != want || got.Header().Get("Location") != to {
						t.Errorf("%s http://%s%s: the answer is %d with the Location %q, want %d and %q",
							method, host, path, got.Code, got.Header().Get("Location"), want, to)
					}
				}
			}
		}
		if got := request(http.MethodGet, "app.example.com", "/summer"); got.Code != http.StatusOK {
			t.Errorf("without TLS, a tracking link is answered with %d, want 200", got.Code)
		}
	}
}
