package main

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"switchyard/ops/lab/fleet"
)

// TestHalves: web --only api answers no tracking link, web --only click no API; both tell that they are ready.
func TestHalves(t *testing.T) {
	t.Parallel()
	f := startFleet(t, fleet.Options{})
	s := &service{Fleet: f, link: &url.URL{Host: "localhost"}}
	half := func(name string) {
		if _, err := f.Spawn("web", "--only", name); err != nil {
			t.Fatal(err)
		}
		if err := f.WaitReady(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	status := func(path string) int {
		got, err := s.ask(t.Context(), http.DefaultTransport, http.MethodGet, path)
		if err != nil {
			t.Fatal(err)
		}
		return got.status
	}

	half("api")
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
		t.Errorf("the API's half answers a tracking link with %d", got)
	}
	f.Find("web").Stop()

	half("click")
	if got := status(link.Path); got != http.StatusFound {
		t.Errorf("the half of the clicks answers a tracking link with %d", got)
	}
	if got := status("/api/v1/openapi.json"); got != http.StatusNotFound {
		t.Errorf("the half of the clicks answers the API with %d", got)
	}
}

// TestStoppingTellsWhoWaits: a request that would outlast the stop gets an answer shortly before its end.
func TestStoppingTellsWhoWaits(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- web{finish: 3 * time.Second}.serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stop()
			<-r.Context().Done()
			w.WriteHeader(http.StatusAccepted)
		}))
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := http.DefaultClient.Do(req); err != nil {
		t.Error(err)
	} else if err := got.Body.Close(); err != nil || got.StatusCode != http.StatusAccepted {
		t.Errorf("answer %d, %v", got.StatusCode, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
