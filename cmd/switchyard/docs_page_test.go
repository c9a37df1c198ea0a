package main

import (
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"switchyard/api"
)

// TestReferencePage: the page at /docs shows every operation of the document in a browser, and asks no other host.
func TestReferencePage(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(api.New(api.Deps{}))
	defer server.Close()
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
