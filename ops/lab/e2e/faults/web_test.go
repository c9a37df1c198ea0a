package faults

import (
	"net/http"
	"net/url"
	"testing"

	"switchyard/models/parttest"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// TestHalves runs web --only api, which answers no tracking links, and web --only click, which answers no calls of the API. The
// public port shows no operators' pages.
func TestHalves(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	f := e2e.StartFleet(t, fleet.Options{})
	s := &e2e.Service{Fleet: f, Link: &url.URL{Host: "localhost"}}
	start := func(only string) {
		if _, err := f.Spawn("web", "--only", only); err != nil {
			t.Fatal(err)
		}
		if err := f.WaitReady(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	status := func(path string) int {
		got, err := s.Request(t.Context(), http.DefaultTransport, http.MethodGet, path)
		if err != nil {
			t.Fatal(err)
		}
		return got.Status
	}

	checkPages := func() {
		for _, path := range []string{"/ops", "/ops/queues", "/ops/queues/api/queues", "/metrics", "/metrics/"} {
			for _, host := range []string{"localhost", "127.0.0.1", "go.customer.example"} {
				if got := fetch(t, f.URL+path, host, f.OpsPassword); got != http.StatusNotFound {
					t.Errorf("%s under the host %s on the public port: status %d, want 404", path, host, got)
				}
			}
		}
		for path, want := range map[string]int{"/ops/queues": 200, "/metrics": 200, "/healthz": 200, "/readyz": 200} {
			if got := fetch(t, f.OpsURL+path, "localhost", f.OpsPassword); got != want {
				t.Errorf("%s on the operators' port: status %d, want %d", path, got, want)
			}
		}
		if got := fetch(t, f.OpsURL+"/metrics", "localhost", ""); got != http.StatusUnauthorized {
			t.Errorf("the metrics without the password: status %d, want 401", got)
		}
		if got := fetch(t, f.OpsURL+"/metrics", "go.customer.example", f.OpsPassword); got != http.StatusMisdirectedRequest {
			t.Errorf("the metrics under a customer's domain are answered with %d, want 421", got)
		}
	}

	start("api")
	checkPages()
	_, api, err := f.Account(t.Context(), "Halves", "scale")
	if err != nil {
		t.Fatal(err)
	}
	var campaign struct{ URL string }
	body := map[string]any{"name": "c", "alias": "halves-campaign", "destination_url": "https://shop.example/"}
	if err := api.Create(t.Context(), "/campaigns", body, &campaign); err != nil {
		t.Fatal(err)
	}
	link, err := url.Parse(campaign.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got := status(link.Path); got != http.StatusNotFound {
		t.Errorf("web --only api answers a tracking link with %d, want 404", got)
	}
	f.Find("web").Stop()

	start("click")
	checkPages()
	if got := status(link.Path); got != http.StatusFound {
		t.Errorf("web --only click answers a tracking link with %d, want 302", got)
	}
	if got := status("/api/v1/openapi.json"); got != http.StatusNotFound {
		t.Errorf("web --only click answers a call of the API with %d, want 404", got)
	}
}

// fetch requests a page under a host name and returns the status.
func fetch(t *testing.T, address, host, password string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	if password != "" {
		req.SetBasicAuth("ops", password)
	}
	got, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	return got.StatusCode
}
