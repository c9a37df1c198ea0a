package browser

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

type object = map[string]any

// servedEnv is a running service, a customer's shop, and an advertiser's offer page.
type servedEnv struct {
	*testing.T
	*shop
	api      *client.API
	tracking string // address of the tracking domain
	link     string // link of a campaign that leads to the shop
	campaign string
	offer    *collector
	key      string
}

// newServedEnv starts a service and makes a shop with goals, and a campaign that leads to it.
func newServedEnv(t *testing.T) *servedEnv {
	t.Helper()
	f := e2e.StartFleet(t, fleet.Options{})
	if err := f.StartAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &servedEnv{T: t, shop: newShop(t), offer: newCollector(t)}
	at, err := url.Parse(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.tracking = "http://localhost:" + at.Port()
	if _, s.api, err = f.Account(t.Context(), "Shop", "scale"); err != nil {
		t.Fatal(err)
	}
	// A program drives the browser of the test. The signals for that are therefore off.
	s.do("PUT", "/bot-detection", object{"disabled": []string{"headless", "fast_click"}, "days": 0}, nil)
	var site struct{ Site struct{ ID string } }
	s.do("POST", "/sites", object{"name": "Shop", "domain": "shop.test", "currency": "USD"}, &site)
	for _, goal := range []object{
		{"key": "purchase", "dedupe": "per_order", "valueMode": "from_event", "isPrimary": true},
		{"key": "lead", "valueMode": "fixed", "value": 2.5},
		{"key": "thanks", "kind": "page", "matchPath": "/thanks"},
	} {
		s.do("PUT", "/goals", goal, nil)
	}
	var list struct{ SiteKey string }
	s.do("GET", "/goals", nil, &list)
	s.key = list.SiteKey
	var offer, lander, campaign struct{ ID, URL string }
	s.make("/offers", object{"name": "o", "url": s.offer.URL + "/offer?cid={clickid}"}, &offer)
	s.make("/landers", object{"name": "l", "url": s.at("www.shop.test", "/lander?clickid={clickid}")}, &lander)
	s.make("/campaigns", object{
		"name": "c", "alias": "to-the-shop", "currency": "USD", "measurement_site_id": site.Site.ID, "streams": []object{{
			"action": "lander", "destinations": []object{{"id": lander.ID}, {"id": offer.ID, "slot": 1}},
		}},
	}, &campaign)
	s.campaign, s.link = campaign.ID, campaign.URL
	return s
}

func (s *servedEnv) do(method, path string, body, out any) {
	s.Helper()
	if err := s.api.Do(s.Context(), http.StatusOK, method, path, body, out); err != nil {
		s.Fatal(err)
	}
}

func (s *servedEnv) make(path string, body, out any) {
	s.Helper()
	if err := s.api.Create(s.Context(), path, body, out); err != nil {
		s.Fatal(err)
	}
}

// live reports whether the link redirects. It sends a HEAD request, which counts as no click.
func (s *servedEnv) live() bool {
	r, err := http.NewRequestWithContext(s.Context(), http.MethodHead, s.link, nil)
	if err != nil {
		s.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusFound
}

func (s *servedEnv) goals(p *page, ok func(goalFigures) bool) (got goalFigures) {
	s.Helper()
	p.until("the site has the expected figures", func() bool {
		got = goalFigures{}
		s.do("GET", "/goals", nil, &got)
		return ok(got)
	})
	return got
}

type goalFigure struct {
	Key                         string
	Events, Clicks, Conversions int
	Revenue                     float64
}

type goalFigures struct {
	Goals      []goalFigure
	SiteTotals struct {
		Views, Clicks, Orders, Conversions int
		Revenue                            float64
	}
	Products []struct {
		SKU      string
		Quantity int
		Revenue  float64
	}
	Live struct {
		Latest []struct{ Name, ClickID string }
	}
}

// TestTagService follows a visitor from the tracking link to a landing page, to the offer and back, and to an order in a second
// tab. The visitor's actions are in the figures of the site and of the campaign.
func TestTagService(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	s := newServedEnv(t)
	tag := snippet(s.tracking, s.key)
	s.page("/lander", `<a data-trk-slot=1 id=go>go</a> <form data-trk-lead action=/sent><button id=send>send</button></form>`, tag)
	s.page("/sent", "sent", tag)
	checkout := s.page("/checkout", "checkout", tag)
	b := openBrowser(t)
	p := b.open(t).prepare(errorsNoted)
	p.until("the link is live", s.live)
	p.goTo(s.link)
	p.at("/lander")
	p.loaded()
	click := p.run("trk.clickId()")
	if len(click) != 22 || !strings.HasSuffix(p.run("location.search"), click) {
		t.Fatalf("the click is %q at %s", click, p.run("location.href"))
	}
	p.click("go")
	p.waitText("offer of /offer?cid=" + click)
	p.run("setTimeout(() => history.back())") // in a timeout, so that run gets its answer before the page is left
	p.at("/lander")
	p.loaded()
	p.run("history.pushState({}, '', '/thanks')")
	p.goTo(s.at("www.shop.test", "/lander"))
	p.loaded()
	p.click("send")
	p.waitText("sent")
	p.loaded()
	second := p.tab().prepare(errorsNoted)
	second.goTo(checkout)
	second.loaded()
	for range 2 { // as after a reload of the page
		second.run(`trk('purchase', {order_id: 'A-1', value: 49.5, currency: 'USD', items: [{sku: 'shoe', name: 'Shoe', price: 24.75, quantity: 2}]})`)
	}
	second.until("everything is sent", func() bool { return second.waiting() == 0 && p.waiting() == 0 })
	got := s.goals(p, func(f goalFigures) bool { return f.SiteTotals.Conversions == 3 })
	for _, want := range []struct {
		key     string
		revenue float64
	}{{"purchase", 49.5}, {"lead", 2.5}, {"thanks", 0}} {
		i := slices.IndexFunc(got.Goals, func(g goalFigure) bool { return g.Key == want.key })
		if i < 0 || got.Goals[i].Conversions != 1 || got.Goals[i].Clicks != 1 || got.Goals[i].Revenue != want.revenue {
			t.Errorf("the goal %s is wrong in %+v, want one click and one conversion", want.key, got.Goals)
		}
	}
	if f := got.SiteTotals; f.Clicks != 1 || f.Orders != 1 || f.Revenue != 52 {
		t.Errorf("the totals of the site are %+v, want 1 click, 1 order and a revenue of 52", f)
	}
	if f := got.Products; len(f) != 1 || f[0].SKU != "shoe" || f[0].Quantity != 2 || f[0].Revenue != 49.5 {
		t.Errorf("the products are %+v, want two shoes for 49.5", f)
	}
	for _, page := range []*page{p, second} {
		page.unharmed()
	}
	var one struct {
		Click struct {
			Arrival  string
			LPClicks int `json:"lp_clicks"`
		}
		Conversions []struct{ Source string }
	}
	s.do("GET", "/logs/clicks/"+click, nil, &one)
	if one.Click.Arrival != "url" || one.Click.LPClicks != 1 || len(one.Conversions) != 3 || one.Conversions[0].Source != "tag" {
		t.Errorf("the click in the log is %+v, want one exit to the offer and 3 conversions", one)
	}
	type step struct {
		Key   string
		Count int
	}
	var funnel struct{ Steps []step }
	s.do("GET", "/campaigns/"+s.campaign+"/funnel", nil, &funnel)
	for _, want := range []step{{"goal:lead", 1}, {"goal:thanks", 1}, {"conversions", 1}, {"sales", 1}} {
		if !slices.Contains(funnel.Steps, want) {
			t.Errorf("the funnel lacks the step %v: %v", want, funnel.Steps)
		}
	}
}
