package browser

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"switchyard/api"
	"switchyard/models/parttest"
)

// TestReferencePage: the page at /docs lists every operation, finds operations by words, and opens them.
func TestReferencePage(t *testing.T) {
	parttest.Browser.Only(t)
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
			t.Errorf("the header %s is %q", name, got)
		}
	}
	p := openPage(t)
	p.visit(server.URL+"/docs", "", "")
	nodes := func(when string) {
		t.Helper()
		count, _ := strconv.Atoi(p.run(`document.querySelectorAll('*').length`))
		t.Logf("%s: %s ms after the page was asked for, %d nodes", when, p.run(`Math.round(performance.now())`), count)
		if count > 5000 { // a page of 47,000 nodes slows a browser down
			t.Errorf("%s: the page has %d nodes, want at most 5000", when, count)
		}
	}
	operations := len(api.Table(api.Deps{}))
	p.until("the page lists "+strconv.Itoa(operations)+" operations and the tracking addresses", func() bool {
		listed, _ := strconv.Atoi(p.run(`document.querySelectorAll('li a[href^="/docs/operations/"]').length`))
		return listed > operations
	})
	nodes("the list")
	p.until("two operations are found: the list of offers, and the uses of an offer", func() bool { // the filter works once the script runs
		p.run(`(() => { const f = document.getElementById('filter'); f.value = 'get V1/offers'; f.dispatchEvent(new Event('input')) })()`)
		return p.run(`[...document.querySelectorAll('li')].filter((l) => l.offsetParent).length`) == "2"
	})
	p.click(`document.querySelector('a[href$="/listOffers"]')`)
	p.waitText("next_cursor")
	p.waitText("Sneakers DE") // in the example
	nodes("an operation")
	p.visit(server.URL+"/docs/operations/createCampaign", "", "")
	p.waitText("tracking_url")
	nodes("a large operation")
	p.visit(server.URL+"/docs/operations/listGroups/try", "", "")
	p.waitText("Try it out")
	nodes("to try an operation")
	asked := p.requested()
	if len(asked) < 3 {
		t.Errorf("the pages requested only %v, want at least 3 addresses", asked)
	}
	for _, address := range asked {
		if !strings.HasPrefix(address, server.URL+"/") && !strings.HasPrefix(address, "data:") {
			t.Errorf("a page sends a request to another host: %s", address)
		}
	}
}
