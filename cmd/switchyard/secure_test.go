package main

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"switchyard/ops/config"
)

// TestFront: a connection that was opened with one name serves no other host.
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
				t.Errorf("%s by a connection with %s: %d", tt.host, tt.name, rec.Code)
			}
		}
	}
}
