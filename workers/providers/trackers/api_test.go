package trackers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"switchyard/workers/egress"
	"switchyard/workers/providers/trackers"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"tracker.example":                       {"https://tracker.example", "tracker.example"},
		"https://Tracker.example/admin/?x=1#/a": {"https://tracker.example", "tracker.example"},
		"http://tracker.example:8080":           {"http://tracker.example:8080", "tracker.example"},
		"":                                      {}, "ftp://tracker.example": {}, "https://": {}, "http://%zz": {},
	} {
		base, host, err := trackers.Base(address)
		if base != want[0] || host != want[1] || (err == nil) == (want[0] == "") {
			t.Errorf("the address %q gives %q and the host %q, %v", address, base, host, err)
		}
	}
}

// TestAKeyInTheAddressIsInNoError: a key that is a parameter of the address occurs in no error.
func TestAKeyInTheAddressIsInNoError(t *testing.T) {
	t.Parallel()
	const key = "a-secret-key/99"
	client, err := egress.New(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error": "bad request `+r.URL.RawQuery+`"}`, http.StatusBadRequest)
	}))
	defer server.Close()
	for name, out := range map[string]*http.Client{"a refusal": server.Client(), "a private address": client.HTTP(time.Minute)} {
		waits := 0
		api := &trackers.API{Client: out, Base: server.URL, Query: url.Values{"api_key": {key}}, Wait: func(context.Context, time.Duration) error {
			waits++
			return nil
		}}
		api.Hide(key)
		err := api.Get(context.Background(), "/offers", nil, new(any))
		if err == nil || strings.Contains(err.Error(), "secret-key") || waits > 0 {
			t.Errorf("%s: %v after %d waits", name, err, waits)
		}
	}
}

// TestATrackerRestsBetweenRequests: before each further request, the client waits for as long as the last answer took.
func TestATrackerRestsBetweenRequests(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"a": 1.10}`)) }))
	defer server.Close()
	waits := 0
	api := &trackers.API{Client: server.Client(), Base: server.URL, Wait: func(_ context.Context, d time.Duration) error {
		if d <= 0 {
			t.Errorf("a wait of %s", d)
		}
		waits++
		return nil
	}}
	for range 3 {
		var answer map[string]any
		if err := api.Get(context.Background(), "/", nil, &answer); err != nil {
			t.Fatal(err)
		}
	}
	if waits != 2 {
		t.Errorf("%d waits between 3 requests", waits)
	}
}
