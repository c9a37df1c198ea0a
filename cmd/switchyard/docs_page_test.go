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
	p := openPage(t)
	p.visit(server.URL+"/docs", "", "")
	groups, offers := map[string]bool{}, 0
	for _, row := range api.Table(api.Deps{}) {
		groups[row.Group] = true
		if row.Group == "Offers" {
			offers++
		}
	}
	p.until("the page shows "+strconv.Itoa(len(groups))+" groups of operations", func() bool {
		shown, _ := strconv.Atoi(p.run(`document.querySelectorAll('.opblock-tag').length`))
		return shown >= len(groups)
	})
	p.click(`document.querySelector('.opblock-tag[data-tag="Offers"]')`)
	p.until("the group shows its operations", func() bool {
		return p.run(`document.querySelectorAll('[id^="operations-Offers-"]').length`) == strconv.Itoa(offers)
	})
	p.click(`document.querySelector('[id$="-listOffers"] .opblock-summary-control')`)
	p.shows("next_cursor")
	if count, _ := strconv.Atoi(p.run(`document.querySelectorAll('*').length`)); count > 10_000 {
		t.Errorf("the page has %d nodes", count) // a browser is slow with 47,000
	}
	asked := p.asked()
	if len(asked) < 3 {
		t.Errorf("the page asked for %v alone", asked)
	}
	for _, address := range asked {
		if !strings.HasPrefix(address, server.URL+"/") && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page asks another host: %s", address)
		}
	}
}
