package safebrowsing_test

import (
	"encoding/json"
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
		case "POST /v4/threatMatches:find":
			var body struct {
				Client     map[string]string
				ThreatInfo struct {
					ThreatTypes, PlatformTypes, ThreatEntryTypes []string
					ThreatEntries                                []struct{ URL string }
				}
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Client["clientId"] == "" ||
				len(body.ThreatInfo.ThreatTypes) != 4 || !slices.Equal(body.ThreatInfo.PlatformTypes, []string{"ANY_PLATFORM"}) {
				t.Errorf("body %+v, %v", body, err)
			}
			for _, e := range body.ThreatInfo.ThreatEntries {
				if e.URL == bad {
					_, _ = w.Write([]byte(`{"matches":[{"threatType":"MALWARE","platformType":"ANY_PLATFORM","threatEntryType":"URL",
						"threat":{"url":"http://a.example/?x=1&y=ä b"},"threatEntryMetadata":{"entries":[]},"cacheDuration":"300s"}]}`))
					return
				}
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
