package browser

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// mostActions is how many clicks and entries a buyer may need from an empty account to its first conversion.
const mostActions = 15

// TestDashboardSetUp: a new buyer gets to the first conversion in a few actions. After a usual mistake, the dashboard says what is
// wrong or missing.
func TestDashboardSetUp(t *testing.T) {
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
	if err := b.f.Command(t.Context(), &made, "accounts", "create", "--name", "Newcomers", "--plan", "growth", "--email", "new@example.com"); err != nil {
		t.Fatal(err)
	}
	b.welcome(made.URL, "Nia")
	b.setsZone()
	b.converts()
	b.rejectsTestConversion()
	b.receivesNetworkPostback()
	b.refusesSmartlink()
	b.namesMissing()
	b.showsClickID()
	b.testsItself()
	b.warnsOfNoMacro()
	b.fillsPlaceholders()
	b.sharesAlias()
	b.reachesPaths()
	b.leadsToURL()
}

// actions counts what a person does. A press of a control or an entry in a field is one action. A choice is two.
type actions struct {
	*env
	n int
}

func (a *actions) tap(control string)        { a.t.Helper(); a.n++; a.env.tap(control) }
func (a *actions) fill(control, text string) { a.t.Helper(); a.n++; a.env.fill(control, text) }

// retype clicks a field with the mouse and types, as a person does. Whether the earlier text is replaced is up to the field.
func (a *actions) retype(control, text string) {
	a.t.Helper()
	a.n++
	a.env.retype(control, text)
}

func (b *env) retype(control, text string) {
	b.t.Helper()
	b.click(control)
	b.call("Input.insertText", map[string]any{"text": text}, nil)
}

func (a *actions) choose(control, text string) { a.t.Helper(); a.n += 2; a.env.choose(control, text) }

// follow requests the address of a link that opens in another tab.
func (a *actions) follow(text string) {
	a.t.Helper()
	a.n++
	b := a.env
	b.until("there is "+text, func() bool { return b.run(`(`+button(text)+`)?.href`) != "" })
	b.redirect(b.run(button(text) + `.href`))
}

const overviewLink = `document.querySelector('.side a[href^="/app"]')`

// setsZone: the first screen refuses a wrong currency. It changes the time zone of an account without clicks.
func (b *env) setsZone() {
	b.t.Helper()
	b.waitText("This account counts in USD")
	b.tap(button("Change this"))
	b.fill(byLabel(".steps-counts", "Currency"), "US")
	b.choose(byLabel(".steps-counts", "Time zone"), "Europe/Lisbon")
	b.tap(button("Save"))
	b.until("the wrong currency is named", func() bool { return b.errorAt(".steps-counts", "Currency") != "" })
	b.fill(byLabel(".steps-counts", "Currency"), "usd")
	b.tap(button("Save"))
	b.waitText("This account counts in USD, and its days are those of Europe/Lisbon.")
}

// converts follows the steps of the first screen to the first conversion.
func (b *env) converts() {
	b.t.Helper()
	a := &actions{env: b}
	b.waitText("From here to the first conversion")
	a.tap(button("Create a network"))
	a.choose(`document.querySelector('.side-sheet [role=combobox]')`, "Everflow")
	b.until("the template fills the form", func() bool { return b.run(byLabel(".side-sheet", "Name")+`?.value`) == "Everflow" })
	a.tap(saveForm)
	b.waitText("Paste this at the network") // shown without opening the network again
	if text := b.run(`document.querySelector('.side-sheet .copy pre')?.textContent`); !strings.Contains(text, "/postback/") {
		b.t.Errorf("the sheet of the new network shows %q, want its postback address", text)
	}
	a.tap(`document.querySelector('.side-sheet .copy button')`)
	b.waitText("Everflow is saved")
	a.tap(button("Next: an offer"))
	b.waitIdle()
	a.fill(byLabel(".side-sheet", "Name"), "First offer")
	a.fill(byLabel(".side-sheet", "URL"), "https://offer.example/")
	b.until("the only network is chosen", func() bool { return b.run(byLabel(".side-sheet", "Network")+`?.value`) == "Everflow" })
	b.waitText("sub1={clickid}")
	a.retype(`document.querySelector('.side-sheet .money input')`, "12.50")
	a.tap(saveForm)
	b.waitText("First offer is saved")
	a.tap(button("Next: a campaign"))
	b.until("the only offer is chosen", func() bool { return b.run(byLabel(".wizard", "Offer")+`?.value`) == "First offer" })
	a.tap(button("Create and get the link"))
	b.waitText("Waiting for the first click")
	b.waitText("More offers and rules")
	a.tap(overviewLink)
	a.follow("Open the link")
	b.waitText("The first click is here")
	b.waitText("Reports $12.50")
	a.tap(button("Send a test conversion"))
	b.waitText("First conversion: $12.50")
	b.waitText("The test conversion is recorded: $12.50")
	if open := b.run(`document.querySelector('.steps li:nth-child(6)').className`); open == "done" {
		b.t.Error("after a test conversion, the step of the postback is done, although nobody has pasted the postback yet")
	}
	b.sound("first-conversion")
	b.goTo(b.f.URL + "/app")
	b.waitText("What is left: paste the postback at Everflow")
	if a.n > mostActions {
		b.t.Errorf("the first conversion takes %d actions, at most %d are wanted", a.n, mostActions)
	}
	b.t.Logf("the first conversion takes %d actions", a.n)
}

// rejectsTestConversion: one press takes a test conversion out of the figures. The steps then wait for another one.
func (b *env) rejectsTestConversion() {
	b.t.Helper()
	b.tap(button("Take it out again"))
	b.waitText("The test conversion is rejected")
	b.waitText("From here to the first conversion")
	b.tap(button("Send a test conversion"))
	b.waitText("First conversion: $12.50")
	b.tap(button("Take it out again"))
	b.waitText("From here to the first conversion") // the first message that it is rejected may still be shown
	b.goTo(b.f.URL + "/app/conversions")
	b.waitText("test conversion")
	b.until("the test conversion is rejected", func() bool { return b.run(`document.querySelector('tr[data-row] .tag')?.textContent`) == "Rejected" })
}

// receivesNetworkPostback: the network's own postback completes the steps, without a reload of the page.
func (b *env) receivesNetworkPostback() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app")
	b.tap(button("Send a test conversion"))
	b.waitText("First conversion: $12.50")
	b.waitText("Take it out again")
	status := b.await(`fetch(new URL(document.querySelector('.steps pre').textContent).pathname + '?payout=12.50&conversion_id=T1&clickid=' +
		new URL(` + button("Look at it") + `.href).searchParams.get('click')).then(r => String(r.status))`)
	if status != "200" {
		b.t.Fatalf("the postback is answered with %s", status)
	}
	b.tap(button("Close these steps"))
	b.until("the steps are gone", func() bool { return b.run(`document.querySelector('.steps') ? 'shown' : 'gone'`) == "gone" })
}

// rowOf returns an expression for the link of a record in a list.
func rowOf(name string) string {
	return `[...document.querySelectorAll('tr[data-row] a')].find(a => a.textContent === ` + strconv.Quote(name) + `)`
}

// refusesSmartlink: without a domain, the page says what to do first.
func (b *env) refusesSmartlink() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/smartlinks?id=new")
	b.waitText("Smartlinks are on domains of your own.")
	if n := b.run(`document.querySelectorAll('.side-sheet input').length`); n != "0" {
		b.t.Errorf("the sheet has %s fields, want none", n)
	}
}

// errorAt returns the error below a field.
func (b *env) errorAt(in, label string) string {
	b.t.Helper()
	return b.run(`(` + byLabel(in, label) + `)?.closest('.field').querySelector('.bad')?.textContent`)
}

// namesMissing: an empty form names every field that is missing, in words.
func (b *env) namesMissing() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/offers?id=new")
	b.waitIdle()
	b.tap(saveForm)
	b.waitText("Enter a name.")
	if text := b.errorAt(".side-sheet", "URL"); text != "Enter the URL. It begins with https://." {
		b.t.Errorf("the error at the empty URL is %q", text)
	}
	b.fill(byLabel(".side-sheet", "Name"), "Named")
	b.until("the name is no longer missing", func() bool { return b.errorAt(".side-sheet", "Name") == "" })
	b.goTo(b.f.URL + "/app/campaigns/new")
	b.waitIdle()
	b.tap(button("Create a new offer"))
	b.tap(button("Create and get the link"))
	b.waitText("Enter a name.")
	if text := b.errorAt(".wizard", "URL of the offer"); text == "" {
		b.t.Error("the wizard does not say that the address is missing")
	}
}

// showsClickID: the form of an offer warns when no conversion can find its click. It shows the parameter that the redirect adds.
func (b *env) showsClickID() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/offers?id=new")
	b.waitIdle()
	b.choose(byLabel(".side-sheet", "Network"), "None")
	b.fill(byLabel(".side-sheet", "URL"), "https://offer.example/p")
	b.waitText("Without a network and without {clickid}, no conversion finds its click.")
	b.choose(byLabel(".side-sheet", "Network"), "Everflow")
	b.waitText("The parameter of Everflow is added automatically: sub1={clickid}")
	b.fill(byLabel(".side-sheet", "Name"), "Spare offer")
	b.tap(saveForm)
	b.waitText("Spare offer is saved")
	b.goTo(b.f.URL + "/app/campaigns")
	b.waitIdle()
	b.tap(`document.querySelector('tr[data-row] a')`)
	b.until("the campaign is open", func() bool { return strings.Count(b.run(`location.pathname`), "/") > 3 })
	id := strings.Split(b.run(`location.pathname`), "/")[3]
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/flow")
	b.until("the simulator shows the parameter", func() bool {
		return strings.Contains(b.run(`document.querySelector('.simulate .came')?.textContent`), "https://offer.example/?sub1={clickid}")
	})
	if name := b.run(`document.querySelector('.node .tag')?.textContent`); name != "Default" {
		b.t.Errorf("the only path is %q, want the default path", name)
	}
}

// failedStep is the first failed step of a self-test, "none" if no step has failed, and empty if the page shows no steps.
const failedStep = `document.querySelector('.trace-list .step.no')?.textContent ?? (document.querySelector('.trace-list .step') ? 'none' : '')`

// testsItself: the self-test of a network passes, with and without clicks.
func (b *env) testsItself() {
	b.t.Helper()
	passes := func(what string) {
		b.t.Helper()
		b.tap(button("Try it"))
		b.until("the test of "+what+" has run", func() bool { return b.run(failedStep) != "" })
		if text := b.run(failedStep); text != "none" {
			b.t.Errorf("the test of %s fails at %q", what, text)
		}
	}
	b.goTo(b.f.URL + "/app/networks?id=new")
	b.waitIdle()
	b.choose(`document.querySelector('.side-sheet [role=combobox]')`, "Affise")
	b.until("the template fills the form", func() bool { return b.run(byLabel(".side-sheet", "Name")+`?.value`) == "Affise" })
	b.tap(saveForm)
	b.waitText("Paste this at the network")
	passes("a network without clicks")
	b.goTo(b.f.URL + "/app/networks")
	b.waitIdle()
	b.tap(rowOf("Everflow"))
	b.waitText("Paste this at the network")
	passes("a network with clicks")
}

// warnsOfNoMacro: a network without a macro for the click id shows a warning. A network from a template shows none.
func (b *env) warnsOfNoMacro() {
	b.t.Helper()
	const warning = "The network has no macro for the click id"
	if text := b.run(`document.querySelector('.side-sheet').textContent`); strings.Contains(text, warning) {
		b.t.Errorf("the form of a network from a template shows the warning: %s", text)
	}
	b.goTo(b.f.URL + "/app/networks?id=new")
	b.waitIdle()
	b.fill(byLabel(".side-sheet", "Name"), "Bare")
	b.tap(saveForm)
	b.waitText("Paste this at the network")
	b.waitText(warning)
}

// fillsPlaceholders: the form has a field for each placeholder of a template. Either all of them stay empty, or all must be
// filled in.
func (b *env) fillsPlaceholders() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/sources?id=new")
	b.waitIdle()
	b.choose(`document.querySelector('.side-sheet [role=combobox]')`, "PropellerAds")
	b.waitText("The source shows these values")
	b.tap(saveForm)
	b.waitText("PropellerAds is saved")
	b.tap(rowOf("PropellerAds"))
	b.waitText("The source shows these values")
	b.sound("placeholders")
	if text := b.run(`document.querySelector('.side-sheet').textContent`); strings.Contains(text, "Report a made-up conversion") {
		b.t.Error("the source has a postback although nothing is filled in")
	}
	b.goTo(b.run(`location.href`) + "&at=postback")
	b.until("the first missing value has the focus", func() bool {
		return b.run(`(e => !!e && e === document.activeElement)(`+byLabel(".side-sheet", "AID")+`)`) == "true"
	})
	b.fill(byLabel(".side-sheet", "AID"), "a1")
	b.tap(saveForm)
	b.waitText("Still missing: PID, TID.")
	b.fill(byLabel(".side-sheet", "PID"), "p&2")
	b.fill(byLabel(".side-sheet", "TID"), "3")
	b.tap(saveForm)
	b.waitClosed()
	b.tap(rowOf("PropellerAds"))
	b.until("the address has the values", func() bool {
		return strings.Contains(b.run(byLabel(".side-sheet", "Postback URL")+`?.value`), "?aid=a1&pid=p%262&tid=3&")
	})
}

// sharesAlias: the alias of a campaign on the shared domain cannot be chosen, so no field shows one.
func (b *env) sharesAlias() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/campaigns/new")
	b.waitIdle()
	b.waitText("On a shared domain the service makes the end of the link")
	if found := b.run(`(` + byLabel(".wizard", "Alias") + `) ? 'field' : 'none'`); found != "none" {
		b.t.Error("the wizard has an alias that cannot be chosen")
	}
	b.choose(byLabel(".wizard", "Offer"), "First offer")
	b.choose(byLabel(".wizard", "Traffic source"), "PropellerAds")
	b.fill(byLabel(".wizard", "Name"), "Second campaign")
	b.tap(button("Create and get the link"))
	b.waitText("Waiting for the first click")
	link := b.run(`document.querySelector('.copy pre').textContent`)
	if !strings.Contains(link, "cost=") {
		b.t.Errorf("the link is %s, want a cost in it", link)
	}
	b.tap(button("Try it"))
	b.until("the test of the link has run", func() bool { return b.run(failedStep) != "" })
	if text := b.run(failedStep); text != "none" {
		b.t.Errorf("the test of the link fails at %q", text)
	}
	if read := b.run(`[...document.querySelectorAll('table')].find(e => e.textContent.includes('Read as')).textContent`); !strings.Contains(read, "Source’s id") || strings.Contains(read, "external_id") {
		b.t.Errorf("the test does not name the fields by their labels: %s", read)
	}
	id := strings.Split(b.run(`location.pathname`), "/")[3]
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/settings")
	b.waitText("On a shared domain the service makes the end of the link")
	if found := b.run(`(` + byLabel("main", "Alias") + `) ? 'field' : 'none'`); found != "none" {
		b.t.Error("the settings have an alias that cannot be chosen")
	}
}

// reachesPaths: a new path comes before the path that takes all visitors. A path that gets no visitors shows the reason.
func (b *env) reachesPaths() {
	b.t.Helper()
	id := strings.Split(b.run(`location.pathname`), "/")[3]
	offer := b.await(`fetch('/api/v1/offers').then(r => r.json()).then(a => a.data.rows[0].id)`)
	paths := `[{name: 'All', stream_type: 'regular', action: 'offer', destinations: [{id: ` + strconv.Quote(offer) + `}]}]`
	saved := b.await(`fetch('/api/v1/campaigns/` + id + `/flow', {method: 'PUT', headers: {'X-Switchyard-Page': '1', 'Content-Type': 'application/json'},
		body: JSON.stringify({streams: ` + paths + `})}).then(r => String(r.status))`)
	if saved != strconv.Itoa(http.StatusOK) {
		b.t.Fatalf("the flow is not saved: %s", saved)
	}
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/flow")
	b.until("the flow is shown", func() bool { return b.run(`document.querySelector('.node .opener')?.textContent`) == "All" })
	b.press("a")
	const sheet = ".side-sheet"
	b.fill(byLabel(sheet, "Name"), "Germany")
	b.tap(button("Add a condition"))
	b.choose(`document.querySelector('.condition [role=combobox]')`, "Country")
	b.choose(`document.querySelector('.condition .many [role=combobox], .condition .tags input')`, "Germany")
	b.choose(`document.querySelector('.side-sheet [aria-label="Add an offer"]')`, "First offer")
	b.tap(button("Done"))
	first := func() string { return b.run(`document.querySelector('.node .opener')?.textContent`) }
	if got := first(); got != "Germany" {
		b.t.Errorf("the first path is %q, want the new one", got)
	}
	b.run(`[...document.querySelectorAll('.node .opener')].find(e => e.textContent === 'Germany').focus()`)
	b.chord(1, "ArrowDown")
	b.waitText("Nobody comes here: All takes everybody first.")
	b.waitText("Nobody comes to Germany: All takes everybody first.")
	b.sound("flow-covered")
	b.tap(`[...document.querySelectorAll('.node .opener')].find(e => e.textContent === 'Germany')`)
	b.tap(button("Try this path first"))
	b.tap(button("Done"))
	b.until("the path for Germany is the first one again", func() bool { return first() == "Germany" })
	b.chord(2, "s")
	b.waitText("The flow is live")
}

// leadsToURL: a path whose action becomes a URL loses its offers. Otherwise visitors would still be sent to them.
func (b *env) leadsToURL() {
	b.t.Helper()
	const sheet = ".side-sheet"
	b.press("a")
	b.choose(`document.querySelector('.side-sheet [aria-label="Add an offer"]')`, "First offer")
	b.until("the path has the offer", func() bool {
		return b.run(`document.querySelector('.side-sheet .dests') ? 'offers' : 'none'`) == "offers"
	})
	b.run(`(e => { e.value = 'redirect'; e.dispatchEvent(new Event('change', {bubbles: true})); return '' })(` + byLabel(sheet, "Action") + `)`)
	b.until("the path has no offer", func() bool {
		return b.run(`document.querySelector('.side-sheet .dests') ? 'offers' : 'none'`) == "none"
	})
	b.fill(`document.querySelector('.side-sheet .addurl input')`, "https://shop.example/")
	b.tap(`document.querySelector('.side-sheet .addurl > .btn:enabled')`)
	b.waitText("https://shop.example/")
}
