package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"switchyard/api"
)

// TestReferencePage: the page at /docs shows every operation of the document in a browser, asks no other host and is
// shown in no other page.
func TestReferencePage(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(api.New(api.Deps{}))
	defer server.Close()
	head, err := http.DefaultClient.Get(server.URL + "/docs")
	if err != nil {
		t.Fatal(err)
	}
	_ = head.Body.Close()
	for name, want := range map[string]string{
		"Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer",
	} {
		if got := head.Header.Get(name); !strings.Contains(got, want) {
			t.Errorf("%s is %q", name, got)
		}
	}
	operations := len(api.Table(api.Deps{}))
	p := openPage(t)
	p.visit(server.URL+"/docs", "", "")
	p.until("the page shows "+strconv.Itoa(operations)+" operations", func() bool {
		shown := p.run(`[...document.querySelectorAll('.opblock-summary-path')].
			filter(e => e.dataset.path.startsWith('/api/v1/')).length`)
		return shown == strconv.Itoa(operations)
	})
	p.click(`document.querySelector('[id$="-get_offers"] .opblock-summary-control')`)
	p.shows("next_cursor")
	asked := p.asked()
	if len(asked) < 4 {
		t.Errorf("the page asked for %v alone", asked)
	}
	for _, address := range asked {
		if !strings.HasPrefix(address, server.URL+"/") && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page asks another host: %s", address)
		}
	}
	if wrong := p.run(`document.querySelector('.errors-wrapper')?.innerText`); wrong != "" {
		t.Error(wrong)
	}
}
