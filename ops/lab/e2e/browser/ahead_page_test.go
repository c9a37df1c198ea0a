package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"switchyard/models/parttest"
)

// adPage serves a page with one link. The browser loads the link before a click. adPage passes all requests for other paths on to
// the tracking domain.
type adPage struct {
	link  string
	links http.Handler
	ahead atomic.Int64 // how often the link was loaded before a click
}

func (a *adPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		a.links.ServeHTTP(w, r)
		if r.Header.Get("Sec-Purpose") != "" {
			a.ahead.Add(1)
		}
		return
	}
	_, _ = fmt.Fprintf(w, `<a id=go href=%s>go</a>
		<script type=speculationrules>{"prefetch": [{"source": "list", "urls": [%[1]q], "eagerness": "immediate"}]}</script>`, a.link)
}

// TestLoadedAhead: if a browser loaded a tracking link ahead, it requests the link again on the click, and the visitor counts
// like any other.
func TestLoadedAhead(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	s := newServedEnv(t)
	at, err := url.Parse(s.tracking)
	if err != nil {
		t.Fatal(err)
	}
	a := &adPage{links: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(at)
		r.Out.Host = r.In.Host
	}}}
	server := httptest.NewServer(a)
	defer server.Close()
	here := func(server *httptest.Server) string { return strings.Replace(server.URL, "127.0.0.1", "localhost", 1) }
	var campaign struct{ URL string }
	s.make("/campaigns", object{
		"name": "a", "alias": "ahead-of-it", "currency": "EUR", "streams": []object{{
			"action": "redirect", "destinations": []object{{"url": here(s.offer.Server) + "/offer?cid={clickid}"}},
		}},
	}, &campaign)
	s.link, a.link = campaign.URL, strings.TrimPrefix(campaign.URL, s.tracking)
	p := openBrowser(t).open(t)
	p.until("the link is live", s.live)
	p.goTo(here(server) + "/")
	p.until("the browser has loaded the link ahead", func() bool { return a.ahead.Load() > 0 })
	p.run(`document.getElementById("go").click()`)
	p.waitText("offer of /offer?cid=")
	click := p.run(`new URLSearchParams(location.search).get("cid")`)
	if len(click) != 22 {
		t.Fatalf("after the click the visitor is at %s, want an address with a click id", p.run("location.href"))
	}
	p.until("the click is stored", func() bool {
		return s.api.Do(s.Context(), http.StatusOK, "GET", "/logs/clicks/"+click, nil, nil) == nil
	})
}
