package safebrowsing_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"switchyard/models/netguard/netguardtest"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/safebrowsing"
)

const (
	key = "AIza-secret"
	bad = "http://a.example/?x=1&y=ä b"
)

// google answers in the form of both services, also for a wrong key.
func google(t *testing.T) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("key") != key {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error":{"code":400,"message":"API key not valid: %s","status":"INVALID_ARGUMENT"}}`, r.URL)
			return
		}
		switch r.Method + " " + r.URL.Path {
		case "GET /v1/uris:search":
			if !slices.Equal(q["threatTypes"], []string{"MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE"}) {
				t.Errorf("threatTypes %q", q["threatTypes"])
			}
			if q.Get("uri") == bad {
				_, _ = w.Write([]byte(`{"threat":{"threatTypes":["MALWARE"],"expireTime":"2026-11-08T00:00:00.123456Z"}}`))
				return
			}
		case "GET /v5/urls:search":
			for name := range q {
				if name != "urls" && name != "key" {
					t.Errorf("parameter %s", name)
				}
			}
			if n := len(q["urls"]); n == 0 || n > 50 || len(r.URL.RawQuery) > 2<<10 {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"error":{"code":400,"message":"too many URLs","status":"INVALID_ARGUMENT"}}`))
				return
			}
			if slices.Contains(q["urls"], bad) {
				_, _ = w.Write([]byte(`{"threats":[{"url":"a.example/","threatTypes":["MALWARE"]}],"cacheDuration":"300s"}`))
				return
			}
		default:
			t.Errorf("%s %s", r.Method, r.URL)
		}
		_, _ = w.Write([]byte(`{}`))
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(google(t))
	t.Cleanup(server.Close)
	out := egresstest.Client(t, server, egress.Options{})
	guarded, err := egress.New(egress.Options{CAFile: egresstest.CAFile(t, server)})
	if err != nil {
		t.Fatal(err)
	}
	for name, fill := range map[string]func(*safebrowsing.Options, string){
		safebrowsing.WebRisk:      func(o *safebrowsing.Options, k string) { o.WebRiskKey, o.SafeBrowsingKey = k, "other" },
		safebrowsing.SafeBrowsing: func(o *safebrowsing.Options, k string) { o.SafeBrowsingKey = k },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := safebrowsing.Options{URL: server.URL, Egress: out}
			fill(&o, key)
			list := safebrowsing.New(o)
			if list.Name() != name || list.BatchSize() < 1 {
				t.Errorf("name %q, batch size %d", list.Name(), list.BatchSize())
			}
			found, err := list.Lookup(t.Context(), []string{"https://good.example/", bad})
			if err != nil || !maps.EqualFunc(found, map[string][]string{bad: {"MALWARE"}}, slices.Equal) {
				t.Errorf("found %v, %v", found, err)
			}
			fill(&o, "wrong-"+key)
			_, err = safebrowsing.New(o).Lookup(t.Context(), []string{bad})
			refused, ok := errors.AsType[*safebrowsing.Error](err)
			if !ok || refused.HTTP != 400 || refused.Status != "INVALID_ARGUMENT" || strings.Contains(err.Error(), key) {
				t.Errorf("the error for a wrong key is %v", err)
			}
			fill(&o, key)
			o.Egress = guarded
			for _, host := range netguardtest.Hosts() {
				o.URL = "https://" + host
				if _, err = safebrowsing.New(o).Lookup(t.Context(), []string{bad}); err == nil || strings.Contains(err.Error(), key) {
					t.Errorf("%s is %v", host, err)
				}
			}
		})
	}
	if safebrowsing.New(safebrowsing.Options{Egress: out}) != nil {
		t.Error("New returns a list although there is no key")
	}
}

// TestLongURLs: URLs that are together too long for one call are looked up in several. A single URL that is too long is looked up
// without its query, or by its host.
func TestLongURLs(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(google(t))
	t.Cleanup(server.Close)
	for _, o := range []safebrowsing.Options{{SafeBrowsingKey: key}, {WebRiskKey: key}} {
		o.URL, o.Egress = server.URL, egresstest.Client(t, server, egress.Options{})
		list := safebrowsing.New(o)
		urls := []string{bad}
		for i := range 49 {
			urls = append(urls, fmt.Sprintf("https://good.example/%d?%s", i, strings.Repeat("x", 100*i)))
		}
		urls = append(urls, "https://good.example/"+strings.Repeat("y", 1990))
		found, err := list.Lookup(t.Context(), urls)
		if err != nil || !maps.EqualFunc(found, map[string][]string{bad: {"MALWARE"}}, slices.Equal) {
			t.Errorf("%s: found %v, %v", list.Name(), found, err)
		}
	}
}
