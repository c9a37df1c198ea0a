package safebrowsing_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"switchyard/models/netguard/netguardtest"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/safebrowsing"
	"switchyard/workers/providers/safebrowsing/safebrowsingtest"
)

const (
	key = safebrowsingtest.Key
	bad = safebrowsingtest.Bad
)

// threats has the threats that each service reports for the URL in `bad`.
var threats = map[string][]string{
	safebrowsing.WebRisk: {"MALWARE"}, safebrowsing.SafeBrowsing: {"MALWARE", "SOCIAL_ENGINEERING"},
}

// TestErrors: the errors of both services are read, although the services write them in different forms.
func TestErrors(t *testing.T) {
	t.Parallel()
	w := &safebrowsingtest.Services{}
	server := httptest.NewTLSServer(w)
	t.Cleanup(server.Close)
	for _, o := range []safebrowsing.Options{{SafeBrowsingKey: key}, {WebRiskKey: key}} {
		o.URL, o.Egress = server.URL, egresstest.Client(t, server, egress.Options{})
		for _, want := range []safebrowsingtest.Status{safebrowsingtest.Wrong, safebrowsingtest.Forbidden, safebrowsingtest.Quota, safebrowsingtest.Down} {
			w.Fail(&want)
			_, err := safebrowsing.New(o).Lookup(t.Context(), []string{bad})
			if e, ok := errors.AsType[*safebrowsing.Error](err); !ok || e.HTTP != want.HTTP || e.Status != want.Name || e.Message != want.Text {
				t.Errorf("%+v: %v", want, err)
			}
		}
		w.Fail(nil)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(&safebrowsingtest.Services{})
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
			if err != nil || !maps.EqualFunc(found, map[string][]string{bad: threats[name]}, slices.Equal) {
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
					t.Errorf("a look-up at the private host %s: %v, want an error without the key", host, err)
				}
			}
		})
	}
	if safebrowsing.New(safebrowsing.Options{Egress: out}) != nil {
		t.Error("New returns a list although there is no key")
	}
}

// TestLongURLs: URLs that are too long for one call are looked up in several calls, or without their query or path.
func TestLongURLs(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(&safebrowsingtest.Services{})
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
		if err != nil || !maps.EqualFunc(found, map[string][]string{bad: threats[list.Name()]}, slices.Equal) {
			t.Errorf("%s: found %v, %v", list.Name(), found, err)
		}
	}
}
