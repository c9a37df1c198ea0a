package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// TestDashboardNewcomer: a person with a shop and no network finds the way to the first click, and then fills in the forms of
// campaigns, landing pages and networks.
func TestDashboardNewcomer(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	dist, err := filepath.Abs("../../../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	b := newEnv(t, "DASHBOARD_DIR="+dist)
	b.setScreen(1440, "light")
	var made struct {
		URL string `json:"owner_url"`
	}
	if err := b.f.Command(t.Context(), &made, "accounts", "create", "--name", "Shop", "--plan", "pro", "--email", "shop@example.com"); err != nil {
		t.Fatal(err)
	}
	b.welcome(made.URL, "Sue")
	b.findsShop()
	b.typesOverSource()
	b.mendsAddress()
	b.showsButtons()
	b.onPhone()
	b.makesLander()
}

// findsShop: the first screen has steps for a shop. The campaign's link leads to the website with a click id.
func (b *env) findsShop() {
	b.t.Helper()
	b.waitText("From here to the first conversion")
	b.waitText("This account counts in USD, and its days are those of UTC.")
	b.tap(button("Change this"))
	b.fill(byLabel(".steps-counts", "Currency"), "EUR")
	b.tap(button("Save"))
	b.waitText("This account counts in EUR")
	b.tap(button("I sell on my own website"))
	b.tap(button("Add the website"))
	b.fill(byLabel("dialog", "Name"), "My shop")
	b.fill(byLabel("dialog", "Host"), "shop.example")
	b.tap(button("Create the website"))
	b.waitText("Put it on your pages")
	if tag := b.run(`document.querySelector('.install pre').textContent`); !strings.Contains(tag, `src="`+b.run(`location.protocol + '//localhost:' + location.port`)+`/t.js"`) {
		b.t.Errorf("the page tag is at another address than the tracking links: %s", tag)
	}
	b.goTo(b.f.URL + "/app")
	b.waitText("A campaign that leads to it")
	b.tap(button("Create a campaign"))
	b.waitText("?clickid={clickid} is added automatically")
	b.tap(button("Create and get the link"))
	b.waitText("Waiting for the first click")
	link := b.run(`document.querySelector('.copy pre').textContent`)
	if to := b.redirect(link); !strings.HasPrefix(to, "https://shop.example/?clickid=") || strings.Contains(to, "{") {
		b.t.Errorf("%s leads to %q, without a click id", link, to)
	}
	b.waitText("The first click is here")
}

// typesOverSource: text that is typed over the chosen traffic source replaces it.
func (b *env) typesOverSource() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/campaigns/new")
	b.waitIdle()
	b.waitText("Name of the offer") // all fields above the source are shown, so the source does not move any more
	source := byLabel(".wizard", "Traffic source")
	b.retype(source, "Prop")
	b.until("the template is found", func() bool {
		return strings.Contains(b.run(`document.querySelector('[role=option]')?.textContent`), "PropellerAds")
	})
	b.press("Enter")
	b.until("the template is chosen", func() bool { return b.run(source+`.value`) == "PropellerAds" })
	b.retype(source, "Adcash")
	if text := b.run(source + `.value`); text != "Adcash" {
		b.t.Errorf("the typed text does not replace the old one: %q", text)
	}
	b.press("Enter")
	b.retype(source, "Fanpage 7")
	b.waitText("new source")
	b.press("Enter")
	b.waitText("A source with this name is made.")
	b.tap(source)
	b.until("the names are in order", func() bool {
		return b.run(`(names => String(names.length > 5 && names.every((n, i) => !i || names[i - 1].localeCompare(n) <= 0)))([...document.querySelectorAll('[role=option] .cut')].slice(1).map(e => e.textContent))`) == "true"
	})
}

func (b *env) mendsAddress() {
	b.t.Helper()
	b.tap(button("A URL"))
	b.fill(byLabel(".wizard", "URL"), "https://o.example/pre?x=1")
	b.waitText("Without {clickid} no conversion finds its click.")
	b.tap(button("Add &clickid={clickid}"))
	b.until("the URL has the click id", func() bool {
		return b.run(byLabel(".wizard", "URL")+`.value`) == "https://o.example/pre?x=1&clickid={clickid}"
	})
}

// showsButtons: a new landing page shows the links of its buttons.
func (b *env) showsButtons() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/landers?id=new")
	b.waitIdle()
	b.fill(byLabel(".side-sheet", "Name"), "Pre")
	b.fill(byLabel(".side-sheet", "URL"), "https://pre.example/?a=1")
	b.waitText("Append &clickid={clickid}")
	b.fill(byLabel(".side-sheet", "URL"), "https://pre.example/?a=1&clickid={clickid}")
	b.until("the hint is gone", func() bool {
		return !strings.Contains(b.run(`document.querySelector('.side-sheet').textContent`), "Append ")
	})
	b.tap(button("Create"))
	b.waitText("Pre is saved")
	b.waitText("this link takes the click id")
	link := b.run(`document.querySelector('.side-sheet .copy pre').textContent`)
	if !strings.Contains(link, b.run(`location.protocol + '//localhost:' + location.port`)+"/out") || !strings.Contains(link, "location.search") {
		b.t.Errorf("the link of the button is %s", link)
	}
	b.sound("lander-made")
}

// onPhone: "Start blank" resets the fields that a template has filled. The steps with a postback fit a phone.
func (b *env) onPhone() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/networks?id=new")
	b.waitIdle()
	for _, choice := range []struct{ template, name, currency string }{
		{"Pampadu", "Pampadu", "RUB"}, {"Everflow", "Everflow", "EUR"}, {"Start blank", "", "EUR"}, {"Everflow", "Everflow", "EUR"},
	} {
		b.choose(`document.querySelector('.side-sheet [role=combobox]')`, choice.template)
		b.until("the name fits "+choice.template, func() bool {
			return b.run(`(e => e ? 'name: ' + e.value : '')(`+byLabel(".side-sheet", "Name")+`)`) == "name: "+choice.name
		})
		if got := b.run(byLabel(".side-sheet", "Currency") + `.value`); got != choice.currency {
			b.t.Errorf("%s gives the currency %s, want %s", choice.template, got, choice.currency)
		}
	}
	b.tap(button("Create"))
	b.waitText("Everflow is saved")
	b.setScreen(390, "light")
	b.goTo(b.f.URL + "/app")
	b.waitText("The postback, to paste at the network")
	if wide := b.run(`(e => String(e.scrollWidth - e.clientWidth))(document.documentElement)`); wide != "0" {
		b.t.Errorf("the steps make the page %s pixels wider than the window", wide)
	}
	b.sound("steps-phone")
}

// makesLander: a new campaign makes the landing page whose URL was typed, and adds the click id to the URL.
func (b *env) makesLander() {
	b.t.Helper()
	b.setScreen(1440, "light")
	b.goTo(b.f.URL + "/app/campaigns/new")
	b.waitIdle()
	b.fill(byLabel(".wizard", "Name of the offer"), "Trial")
	b.fill(byLabel(".wizard", "URL of the offer"), "https://o.example/?c={clickid}")
	lander := byLabel(".wizard", "Landing page")
	b.fill(lander, "start.example/page")
	b.waitText("For a new landing page, type the whole URL")
	b.choose(lander, "https://start.example/page?a=1")
	b.waitText("A landing page with this URL is made: https://start.example/page?a=1&clickid={clickid}")
	source := byLabel(".wizard", "Traffic source")
	b.fill(source, "TikTok Ads") // the platform's own name, which finds the template "TikTok"
	b.until("the template of TikTok is found", func() bool {
		return b.run(`document.querySelector('[role=option]')?.textContent`) == "TikToktemplate"
	})
	b.press("Enter")
	b.fill(byLabel(".wizard", "What a click costs"), "0.25")
	b.tap(button("Create and get the link"))
	b.waitText("Waiting for the first click")
	link := b.run(`document.querySelector('.copy pre').textContent`)
	if to := b.redirect(link); !strings.HasPrefix(to, "https://start.example/page?a=1&clickid=") || strings.Contains(to, "{") {
		b.t.Errorf("%s leads to %q, not to the new landing page with a click id", link, to)
	}
	b.tap(`document.querySelector('.tabs a[href*="/settings"]')`)
	b.until("the campaign has the price of a click", func() bool {
		return b.run(byLabel(".record", "Model")+`?.value`)+" "+b.run(byLabel(".record", "Price")+`?.value`) == "cpc 0.25"
	})
}
