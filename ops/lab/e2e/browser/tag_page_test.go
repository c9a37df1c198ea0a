package browser

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/parttest"
)

type tagTest struct {
	*browser
	*shop
	*collector
	id string // of a click
}

// forSubtest returns a tagTest with new pages, a new tracking domain and a new click id, for a subtest.
func (x tagTest) forSubtest(t *testing.T) tagTest {
	t.Helper()
	return tagTest{x.browser, newShop(t), newCollector(t), models.FormatClickID(models.NewClickID())}
}

// fresh opens an empty page. The scripts run first on every address that the page opens.
func (x tagTest) fresh(t *testing.T, scripts ...string) *page {
	t.Helper()
	x.reset()
	return x.browser.open(t).prepare(errorsNoted + strings.Join(scripts, ";"))
}

// TestPageTag runs the page tag in a browser.
func TestPageTag(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	x := tagTest{browser: openBrowser(t)}
	t.Run("click id", x.findsClick)
	t.Run("views", x.seesViews)
	t.Run("calls", x.replaysCalls)
	t.Run("links and forms", x.seesClicks)
	t.Run("storage blocked", x.worksWithoutStorage)
	t.Run("offline then online", x.worksOffline)
	t.Run("unload during send", x.isUnloaded)
	t.Run("answers", x.isAnswered)
	t.Run("two sites", x.ofTwoSites)
	t.Run("strict policy", x.underPolicy)
	t.Run("consent", x.waitsForConsent)
	t.Run("no tracking", x.turnedOff)
	t.Run("hidden link", x.hidesLink)
	t.Run("own name", x.hasOwnName)
	t.Run("vitals", x.costs)
}

// findsClick: the tag takes the click id from the address first, then from the cookie, then from localStorage.
func (x tagTest) findsClick(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	id := x.id
	address := x.page("/lander", "", snippet(x.URL, "k"))
	p := x.fresh(t)
	see := func(address, click, from, ad string) {
		t.Helper()
		x.reset()
		p.goTo(address)
		e := x.get(p, "view")[0]
		if e.Click != click || e.From != from || e.Ad != ad {
			t.Errorf("%s: click %q from %q, ad %q; want %q from %q, %q", address, e.Click, e.From, e.Ad, click, from, ad)
		}
		if got := p.run(`trk.clickId()`); got != click {
			t.Errorf("%s: clickId() is %q, not the click of the view", address, got)
		}
		p.unharmed()
	}
	see(address, "", "", "")
	p.until("the view is known to have arrived", func() bool { return p.waiting() == 0 })
	if got := p.stored(); len(got) > 0 {
		t.Errorf("without a click the tag has stored %v, want nothing", got)
	}
	see(address+"?a=b&gclid=CjwK-a_b.c#x", "", "", "gclid=CjwK-a_b.c")
	see(address, "", "", "gclid=CjwK-a_b.c")
	see(address+"?subid=tooshort&clickid="+id+"x", "", "", "gclid=CjwK-a_b.c")
	see(address+"?cid="+id+"&fbclid=f", id, "url", "fbclid=f")
	see(address+"?gclid=later", id, "cookie", "gclid=later")
	see(x.at("checkout.shop.test", "/lander"), id, "cookie", "gclid=later")
	see(address, id, "cookie", "gclid=later")
	p.run(`document.cookie = 'trk_click=;max-age=0;path=/;domain=shop.test'`)
	see(address, id, "local", "gclid=later")
	if p.run(`document.cookie`) != "" {
		t.Error("the tag has restored a deleted cookie")
	}
	p.run(`localStorage.trk_click = localStorage.trk_click.replace(/~\d+$/, '~' + (Date.now() - 7776e6))`)
	see(address, "", "", "")
	second := models.FormatClickID(models.NewClickID())
	p.goTo("about:blank")
	see(address+"#/page?click_id="+second, second, "url", "")
}

// hasOwnName: a tag under a name of the customer's choice sends to that name, and not to addresses that blockers know. A
// tag at /t.js sends to /t/event.
func (x tagTest) hasOwnName(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	for _, c := range []struct{ src, to string }{
		{ownTag, ownTag}, {ownTag + "?v=2/t.min", ownTag}, {"/t.js", "/t/event"}, {"/t.js?v=/x.js", "/t/event"},
	} {
		p := x.fresh(t)
		x.reset()
		p.goTo(x.page("/lander", `<a data-trk-slot=2 id=go>go</a>`, snippetOf(x.URL+c.src, "k")) + "?clickid=" + x.id)
		if e := x.get(p, "view")[0]; e.to != c.to || e.Click != x.id {
			t.Errorf("%s: the view %+v went to %s, want %s", c.src, e, e.to, c.to)
		}
		if href := p.run(`go.href`); href != x.URL+"/out/2?clickid="+x.id {
			t.Errorf("%s: the link leads to %s, want /out/2 with the click id", c.src, href)
		}
		p.until("the view is known to have arrived", func() bool { return p.waiting() == 0 })
		x.reset()
		p.run(`(() => { trk('goal', 'left'); location.href = 'about:blank' })()`)
		if e := x.get(p, "left")[0]; e.to != c.to {
			t.Errorf("%s: the goal that was sent on leaving went to %s", c.src, e.to)
		}
	}
}

// seesViews: the tag reports a view whenever another page is shown. A call of replaceState that changes only the query shows no
// other page.
func (x tagTest) seesViews(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	p := x.fresh(t)
	p.goTo(x.page("/app", "", snippet(x.URL, "k")))
	first := x.get(p, "view")[0]
	if first.Screen == "" || first.URL != "www.shop.test:"+x.port+"/app" || first.site != "k" {
		t.Errorf("the first view is %+v", first)
	}
	for _, c := range []struct {
		does, path string // the path of the view, or empty for no view
	}{
		{`history.pushState(1, '', '/app/one')`, "/app/one"},
		{`history.pushState(1, '', '/app/one')`, ""},
		{`history.replaceState(1, '', '/app/one?filter=a')`, ""},
		{`history.pushState(1, '', '/app/one?page=2')`, "/app/one"},
		{`history.replaceState(1, '', '/app/two')`, "/app/two"},
		{`location.hash = 'chapter'`, ""},
		{`location.hash = '/three'`, "/app/two#/three"},
		{`history.replaceState(1, '', '#/three?filter=a')`, ""},
		{`location.hash = '/three?token=secret'`, "/app/two#/three"},
		{`location.hash = '!/four'`, "/app/two#!/four"},
		{`history.go(-3)`, "/app/two"},
		{`trk('view')`, "/app/two"},
	} {
		x.reset()
		before := p.run(`history.length`)
		p.run(c.does)
		// The goal below arrives after any view that the step caused.
		want := []string{"done"}
		if c.path != "" {
			want = []string{"view"}
			x.get(p, "view")
			want = append(want, "done")
		}
		p.waitPromise(`new Promise((f) => setTimeout(f)).then(() => trk('goal', 'done'))`)
		if got := x.get(p, want...)[0]; c.path != "" && got.URL != "www.shop.test:"+x.port+c.path {
			t.Errorf("%s: the tag sent %+v after %s history entries, want a view of %s", c.does, got, before, c.path)
		}
	}
	p.unharmed()
}

// replaysCalls: the tag carries out calls that the page made before the tag was loaded. Calls with nonsense do no harm.
func (x tagTest) replaysCalls(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	id := x.id
	p := x.fresh(t, `window.trk = window.trk || function () { (trk.q = trk.q || []).push(arguments) };
		trk('ready', () => { window.isReady = trk.clickId() });
		trk('goal', 'early', {value: 3})`)
	p.goTo(x.page("/order", "", snippet(x.URL, "k"), snippet(x.URL, "k")) + "?clickid=" + id)
	p.until("the page is told that the tag is ready", func() bool { return p.run(`window.isReady`) == id })
	p.run(`trk('purchase', {order_id: 'A-1', value: 12.5, currency: 'EUR', items: [{sku: 's1', price: 12.5, quantity: 1}]})`)
	p.run(`trk('signup')`)
	p.run(`trk.ready(() => trk('identify', {external_id: 'u1'}))`)
	got := x.get(p, "view", "early", "purchase", "signup", "identify")
	if e := got[2]; e.OrderID != "A-1" || e.Value != 12.5 || len(e.Items) != 1 || e.Items[0].SKU != "s1" || e.Click != id {
		t.Errorf("the order is %+v", e)
	}
	ids := map[string]bool{}
	for _, e := range got {
		ids[e.ID] = true
	}
	if len(ids) != len(got) {
		t.Errorf("%d events have %d ids", len(got), len(ids))
	}
	x.reset()
	for _, nonsense := range []string{
		`trk()`, `trk('ready')`, `trk('consent', {}, 1)`, `trk.ready()`, `trk('goal', 'a', document)`, `trk('lead', 7)`, `trk(null, null)`,
		`trk('goal', 'huge', {items: Array(9999).fill({sku: 'abc'})})`, `(() => { const a = {}; a.a = a; trk('goal', 'circle', a) })()`,
	} {
		p.run(nonsense)
	}
	p.run(`trk('goal', 'last')`)
	p.until("the last call is sent", func() bool {
		return slices.ContainsFunc(x.sent(), func(e tagEvent) bool { return e.Name == "last" })
	})
	if slices.ContainsFunc(x.sent(), func(e tagEvent) bool { return e.Name == "huge" }) {
		t.Error("an event of 100 kB was sent")
	}
	p.waitPromise(`new Promise((f) => setTimeout(f, 0))`)
	p.unharmed()
}

// seesClicks: if the click id is known, the tag sets the address of each link that has a slot, and reports clicks on the link.
// Otherwise a link with an address keeps it. A form with data-trk-lead sends a lead, or
// the event that the attribute names.
func (x tagTest) seesClicks(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	id := x.id
	body := `<a data-trk-slot=2 id=own href="https://own.test/">own</a> <a data-trk-slot=1 id=go>go</a>
		<form data-trk-lead action=/thanks><button id=send>send</button></form>
		<form data-trk-lead=newsletter action=/thanks><button id=join>join</button></form>`
	x.page("/thanks", "thanks", snippet(x.URL, "k"))
	address := x.page("/lander", body, snippet(x.URL, "k"))
	p := x.fresh(t)
	href := func(element string) string { return p.run(element + `.href`) }
	p.goTo(address)
	p.loaded()
	if href("own") != "https://own.test/" || href("go") != x.URL+"/out/1" {
		t.Errorf("without a click the links lead to %s and %s", href("own"), href("go"))
	}
	p.goTo(address + "?clickid=" + id)
	p.loaded()
	if href("own") != x.URL+"/out/2?clickid="+id || href("go") != x.URL+"/out/1?clickid="+id {
		t.Errorf("with a click the links lead to %s and %s, want /out with the click id", href("own"), href("go"))
	}
	p.run(`document.body.insertAdjacentHTML('beforeend', '<a data-trk-slot=3 id=late><b>late</b></a>')`)
	x.reset()
	p.click(`late.querySelector('b')`)
	p.waitText("offer of /out/3?clickid=" + id)
	if e := x.get(p, "click")[0]; e.Slot != 3 || e.Click != id {
		t.Errorf("the event of the click is %+v", e)
	}
	for _, c := range []struct{ button, name string }{{"send", "lead"}, {"join", "newsletter"}} {
		p.goTo(address)
		p.loaded()
		p.until("the view is stored", func() bool { return p.waiting() == 0 })
		x.reset()
		p.click(c.button)
		p.waitText("thanks")
		p.until("the lead and the view are sent", func() bool { return len(x.sent()) >= 2 })
		if e := x.sent()[0]; e.Name != c.name || e.Click != id || e.From != "cookie" {
			t.Errorf("the lead is %+v", e)
		}
	}
	p.unharmed()
}

// worksWithoutStorage: with cookies, localStorage or both blocked, the tag still reports the click of the address.
func (x tagTest) worksWithoutStorage(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	id := x.id
	// In a sandbox, cookies and localStorage both throw, and the page has no origin.
	x.set("/sandbox", shopPage{"text/html", "sandbox allow-scripts", "<!doctype html><a data-trk-slot=1 id=go>go</a>" + snippet(x.URL, "k")})
	for _, c := range []struct {
		name, address, from string
		blocks              string
	}{
		{"both", x.at("www.shop.test", "/sandbox"), "", ""},
		{
			"cookies", x.page("/lander", "<a id=go data-trk-slot=1>go</a>", snippet(x.URL, "k")), "local",
			`Object.defineProperty(document, 'cookie', {get: () => '', set() {}})`,
		},
		{
			"localStorage", x.page("/lander", "<a id=go data-trk-slot=1>go</a>", snippet(x.URL, "k")), "cookie",
			`Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('blocked', 'SecurityError') }})`,
		},
	} {
		p := x.fresh(t, c.blocks)
		p.goTo(c.address + "?clickid=" + id)
		if e := x.get(p, "view")[0]; e.Click != id || e.From != "url" {
			t.Errorf("%s blocked: the view is %+v, want the click of the address", c.name, e)
		}
		p.run(`trk('goal', 'a')`)
		x.get(p, "view", "a")
		if got := p.run(`go.href`); got != x.URL+"/out/1?clickid="+id {
			t.Errorf("%s blocked: the link is %s", c.name, got)
		}
		p.unharmed()
		x.reset()
		p.goTo(c.address)
		if e := x.get(p, "view")[0]; e.From != c.from {
			t.Errorf("%s blocked: the next page has the click from %q", c.name, e.From)
		}
	}
}

// worksOffline: events without a network are sent later. The tag keeps at most 50 of them, for 7 days.
func (x tagTest) worksOffline(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	p := x.fresh(t)
	address := x.page("/lander", "", snippet(x.URL, "k"))
	network := func(offline bool) {
		t.Helper()
		p.call("Network.emulateNetworkConditions", map[string]any{
			"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
		}, nil)
	}
	p.goTo(address)
	x.get(p, "view")
	p.until("no event waits", func() bool { return p.waiting() == 0 })
	x.reset()
	p.watch()
	network(true)
	p.run(`trk('goal', 'a', {value: 1})`)
	p.run(`trk('goal', 'b', {value: 2})`)
	if p.waiting() != 2 || len(x.sent()) > 0 {
		t.Errorf("offline %d events wait and %d are sent, want 2 and 0", p.waiting(), len(x.sent()))
	}
	network(false)
	x.get(p, "a", "b")
	p.until("no event waits", func() bool { return p.waiting() == 0 })

	x.reset()
	network(true)
	p.run(`[...Array(60).keys()].forEach((i) => trk('goal', 'g' + i))`)
	if n := p.waiting(); n != 50 {
		t.Errorf("offline %d events wait, want the last 50", n)
	}
	// The first entry is too old, and the second belongs to another site.
	p.run(`localStorage['trk_q:k:' + (Date.now() - 6048e5) + '-0.1'] = '{"id":"old","name":"old","at":1}'`)
	p.run(`localStorage['trk_q:other:' + Date.now() + '-0.1'] = '{"id":"other","name":"other","at":1}'`)
	network(false)
	p.goTo(address)
	p.until("all kept events are sent", func() bool { return len(x.sent()) >= 51 && p.waiting() == 1 })
	names := map[string]bool{}
	for _, e := range x.sent() {
		names[e.Name] = true
	}
	if len(names) != 51 || !names["g59"] || names["g9"] || !names["view"] || names["old"] || names["other"] {
		t.Errorf("the events sent are %v", names)
	}
	p.unharmed()
}

// isUnloaded: leaving a page while the tag is sending loses no event. An event that is sent again keeps its id.
func (x tagTest) isUnloaded(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	p := x.fresh(t)
	address, next := x.page("/lander", "", snippet(x.URL, "k")), x.page("/plain", "plain")
	hold := make(chan struct{})
	x.answer(http.StatusNoContent, hold)
	p.goTo(address)
	x.get(p, "view")
	p.run(`(() => { trk('goal', 'a'); trk('goal', 'b'); location.href = ` + "`" + next + "`" + ` })()`)
	p.waitText("plain")
	got := x.get(p, "view", "a", "b")
	if n := p.waiting(); n != 3 {
		t.Errorf("%d events wait for an answer, want 3", n)
	}
	close(hold)
	x.reset()
	p.goTo(address)
	p.until("all events are sent again, and the view of the reopened page too", func() bool { return len(x.sent()) >= 4 })
	for _, e := range got {
		if !slices.ContainsFunc(x.sent(), func(again tagEvent) bool { return again.ID == e.ID && again.At == e.At && again.Name == e.Name }) {
			t.Errorf("%+v is not sent again: %+v", e, x.sent())
		}
	}
	p.until("no event waits", func() bool { return p.waiting() == 0 })
	p.unharmed()
}

// isAnswered: the tag retries events after the answers 503 and 429, and gives them up after 400, 404 and 413.
func (x tagTest) isAnswered(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	p := x.fresh(t)
	address := x.page("/lander", "", snippet(x.URL, "k"))
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		x.reset()
		x.answer(status, nil)
		p.goTo(address)
		first := x.get(p, "view")[0]
		if p.waiting() != 1 {
			t.Errorf("after the answer %d the event does not wait", status)
		}
		x.reset()
		p.until("the event is sent again", func() bool { return len(x.sent()) > 0 && p.waiting() == 0 })
		if again := x.sent()[0]; again.ID != first.ID {
			t.Errorf("after the answer %d the event is sent as %+v, before as %+v", status, again, first)
		}
	}
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge} {
		x.reset()
		x.answer(status, nil)
		p.goTo(address)
		x.get(p, "view")
		p.until("the event is given up", func() bool { return p.waiting() == 0 })
	}
	p.unharmed()
}

// ofTwoSites: two tags on a page each report to their own domain. A tag that is on the page twice reports once.
func (x tagTest) ofTwoSites(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	id := x.id
	other := newCollector(t)
	p := x.fresh(t, `window.trk = function () { (trk.q = trk.q || []).push(arguments) }; trk('lead', {order_id: 'L1'})`)
	p.goTo(x.page("/lander", "", snippet(x.URL, "one"), snippet(other.URL, "two"), snippet(x.URL, "one")) + "?clickid=" + id)
	p.until("both tags have run", func() bool { return len(x.sent()) >= 2 && len(other.sent()) >= 2 })
	p.run(`history.pushState(1, '', '/next')`)
	p.run(`trk('purchase', {order_id: 'P1'})`)
	for key, c := range map[string]*collector{"one": x.collector, "two": other} {
		got := c.get(p, "view", "lead", "view", "purchase")
		for _, e := range got {
			if e.site != key || e.Click != id {
				t.Errorf("site %s got the event %+v, want its own key and the click", key, e)
			}
		}
		if got[1].OrderID != "L1" || got[3].OrderID != "P1" {
			t.Errorf("site %s got the events %+v, want the orders L1 and P1", key, got)
		}
	}
	p.unharmed()
}

// underPolicy: the tag works on a page with a strict content security policy.
func (x tagTest) underPolicy(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	id := x.id
	x.set("/own.js", shopPage{"text/javascript", "", `window.trk = window.trk || function () { (trk.q = trk.q || []).push(arguments) };
		trk('goal', 'own'); window.violations = [];
		document.addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective + ' ' + e.blockedURI))`})
	x.set("/strict", shopPage{
		"text/html", "default-src 'none'; script-src 'self' " + x.URL + "; connect-src " + x.URL + "; require-trusted-types-for 'script'",
		"<!doctype html><title>strict</title><script src=/own.js></script><body><a data-trk-slot=1>go</a>" + snippet(x.URL, "k"),
	})
	p := x.fresh(t)
	p.goTo(x.at("www.shop.test", "/strict") + "?clickid=" + id)
	x.get(p, "view", "own")
	p.loaded()
	if got := p.run(`violations.join('; ')`); got != "" {
		t.Errorf("the tag violates the page's policy: %s", got)
	}
	p.unharmed()
}

// waitsForConsent: before consent, the tag stores and sends nothing. When consent is withdrawn, the tag deletes all that it
// stored.
func (x tagTest) waitsForConsent(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	id := x.id
	p := x.fresh(t)
	address := x.page("/lander", "<a id=go data-trk-slot=1>go</a>", snippet(x.URL, "k", `data-consent="wait"`))
	p.watch()
	p.goTo(address + "?clickid=" + id)
	p.loaded()
	p.run(`trk('goal', 'before')`)
	p.silent()
	if got := p.stored(); len(got) > 0 {
		t.Errorf("before consent the tag has stored %v, want nothing", got)
	}
	if got := p.run(`go.href`); got != x.URL+"/out/1?clickid="+id {
		t.Errorf("before consent the link leads to %s", got)
	}
	p.run(`trk('consent')`)
	for _, e := range x.get(p, "view", "before") {
		if e.Click != id || e.From != "url" {
			t.Errorf("after consent the tag sent %+v", e)
		}
	}
	p.until("the click alone is stored", func() bool { return p.waiting() == 0 && len(p.stored()) == 2 })

	// On the next page, the stored click counts only after consent.
	x.reset()
	p.goTo(address)
	p.loaded()
	if got := p.run(`trk.clickId()`); got != "" {
		t.Errorf("before consent the click %s is read from storage", got)
	}
	p.run(`trk('consent')`)
	if e := x.get(p, "view")[0]; e.Click != id || e.From != "cookie" {
		t.Errorf("on the next page the tag sent %+v", e)
	}
	p.until("no event waits", func() bool { return p.waiting() == 0 })

	x.reset()
	p.run(`trk('consent', false)`)
	p.run(`trk('goal', 'after')`)
	if got := p.stored(); len(got) > 0 || p.run(`trk.clickId()`) != "" {
		t.Errorf("after a refusal the tag has stored %v, want nothing", got)
	}
	// On the next page, the refusal comes before the tag is loaded. This tag does not wait for consent.
	q := x.fresh(t, `window.trk = function () { (trk.q = trk.q || []).push(arguments) }; trk('consent', false)`)
	q.watch()
	q.goTo(x.page("/free", "", snippet(x.URL, "k")) + "?clickid=" + id)
	q.loaded()
	q.run(`trk('goal', 'refused')`)
	q.silent()
	if got := q.stored(); len(got) > 0 || len(x.sent()) > 0 {
		t.Errorf("after a refusal the tag has stored %v and sent %v, want nothing", got, x.sent())
	}
	q.unharmed()
	p.unharmed()
}

// turnedOff: a visitor or page that opts out of tracking is not tracked. The links still work.
func (x tagTest) turnedOff(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	id := x.id
	link := "<a id=go data-trk-slot=1>go</a>"
	for _, c := range []struct{ name, head, script string }{
		{"global privacy control", "", `Object.defineProperty(navigator, 'globalPrivacyControl', {value: true})`},
		{"meta element", "<meta name=trk-no-track>", ""},
		{"localStorage", "", `localStorage['trk-no-track'] = 1`},
		{"cookie", "", `document.cookie = 'trk-no-track=1'`},
	} {
		p := x.fresh(t, `if (location.hostname) { `+c.script+` }`)
		p.watch()
		p.goTo(x.page("/lander", c.head+link, snippet(x.URL, "k")) + "?clickid=" + id)
		p.loaded()
		p.run(`trk('consent')`)
		p.run(`trk('purchase', {value: 1})`)
		p.run(`trk.ready(() => { window.isReady = 'yes' })`)
		p.until("the page goes on", func() bool { return p.run(`window.isReady`) == "yes" })
		p.silent()
		stored := slices.DeleteFunc(p.stored(), func(name string) bool { return strings.HasPrefix(name, "trk-no-track") })
		if len(stored) > 0 {
			t.Errorf("%s: the tag has stored %v, want nothing", c.name, stored)
		}
		if got := p.run(`go.href`); got != x.URL+"/out/1?clickid="+id {
			t.Errorf("%s: the link leads to %s", c.name, got)
		}
		p.unharmed()
	}
	if n := x.reset(); n > 0 {
		t.Errorf("the tag sent %d messages, want 0", n)
	}
}

// costs: the tag does not shift the layout of the page. The test logs how long the tag occupies the main thread.
func (x tagTest) costs(t *testing.T) {
	t.Parallel()
	x = x.forSubtest(t)
	p := x.fresh(t, `window.shift = 0; new PerformanceObserver((l) => l.getEntries().forEach((e) => { shift += e.value })).observe({type: 'layout-shift', buffered: true})`)
	p.call("Profiler.enable", nil, nil)
	address := x.page("/lander", strings.Repeat("<p>text <a data-trk-slot=1>go</a>", 100), snippet(x.URL, "k")) + "?clickid=" + x.id
	least := math.Inf(1)
	for range 3 { // the fastest of three runs, because the machine may be busy
		x.reset()
		p.call("Profiler.start", nil, nil)
		p.goTo(address)
		x.get(p, "view")
		p.waitPromise(`new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))`)
		if got := p.run(`shift`); got != "0" {
			t.Errorf("the layout shifts by %s", got)
		}
		var got struct{ Profile profile }
		p.call("Profiler.stop", nil, &got)
		least = min(least, got.Profile.spent("/t.js"))
	}
	t.Logf("the tag took %.1f ms of the main thread on a page with 100 links", least)
	p.unharmed()
}

type profile struct {
	Nodes []struct {
		ID        int
		Children  []int
		CallFrame struct{ URL string }
	}
	Samples    []int
	TimeDeltas []int // in microseconds
}

// spent returns how many milliseconds the script at a path ran, including the functions that it called.
func (pr *profile) spent(path string) (ms float64) {
	parent, address := map[int]int{}, map[int]string{}
	for _, n := range pr.Nodes {
		address[n.ID] = n.CallFrame.URL
		for _, c := range n.Children {
			parent[c] = n.ID
		}
	}
	for i, id := range pr.Samples {
		for ; id != 0; id = parent[id] {
			if u, err := url.Parse(address[id]); err == nil && u.Path == path {
				ms += float64(pr.TimeDeltas[i]) / 1000
				break
			}
		}
	}
	return ms
}
