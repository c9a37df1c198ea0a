package browser

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/parttest"
)

// chord presses a key while Ctrl (modifier 2) or Alt (modifier 1) is held down.
func (b *env) chord(modifier int, key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "modifiers": modifier}, nil)
	}
}

func (b *env) fill(control, text string) {
	b.t.Helper()
	b.until("there is "+control, func() bool { return b.run(`(`+control+`) ? 'yes' : ''`) == "yes" })
	b.run(`(e => { e.focus(); const of = e.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement;
		Object.getOwnPropertyDescriptor(of.prototype, 'value').set.call(e, ` + strconv.Quote(text) + `); e.dispatchEvent(new Event('input', {bubbles: true})); return 'filled' })(` + control + `)`)
}

func (b *env) choose(control, text string) {
	b.t.Helper()
	b.fill(control, text)
	b.until("there is an option for "+text, func() bool {
		return strings.Contains(b.run(`document.querySelector('[role=option]:not([aria-disabled])')?.textContent`), text)
	})
	b.press("Enter")
}

// byLabel returns an expression for the control with a label, inside the first element that a selector finds.
func byLabel(in, label string) string {
	return `(r => { const l = r && [...r.querySelectorAll('label.label')].find(l => l.textContent.trim() === ` + strconv.Quote(label) + `); return l && document.getElementById(l.htmlFor) })(document.querySelector(` + strconv.Quote(in) + `))`
}

// button returns an expression for the button or link whose text starts with the given text.
func button(text string) string {
	return `[...document.querySelectorAll('button:not(.fold), a.btn')].find(e => e.checkVisibility() && !e.disabled && e.textContent.trim().startsWith(` + strconv.Quote(text) + `))`
}

// tap clicks a control by script instead of the mouse, so an element that covers the control does not matter.
func (b *env) tap(control string) {
	b.t.Helper()
	b.until("there is "+control, func() bool { return b.run(`(`+control+`) ? 'yes' : ''`) == "yes" })
	b.run(`(e => { e.focus(); e.click(); return 'done' })(` + control + `)`)
}

func (b *env) waitClosed() {
	b.t.Helper()
	b.until("the sheet is closed", func() bool { return b.run(`document.querySelector('.side-sheet') ? '' : 'closed'`) == "closed" })
}

// redirect requests a link as a visitor would, and returns the address that it redirects to.
func (b *env) redirect(link string) string {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, link, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36")
	req.Header.Set("Accept-Language", "de")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.Header.Get("Location")
}

// TestDashboardBuilds: a buyer makes a campaign, changes its flow, and sees in the click log why a click took its path. The other
// steps check further forms and screens.
func TestDashboardBuilds(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	dist, err := filepath.Abs("../../../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	b := newEnv(t, "DASHBOARD_DIR="+dist)
	b.signIn()
	b.setScreen(1440, "light")
	b.makesCampaign()
	link, id := b.editsFlow()
	b.clashes(id)
	b.explains(link, id)
	b.listsCampaigns()
	b.makesRecords()
	b.splitsOffers()
	b.swapsEverywhere()
	b.readsForms()
	b.keepsSubParameters()
	b.keepsTemplates()
	b.hostile()
	b.parts()
	b.screens(id)
}

// makesCampaign makes an offer and a campaign in one form, and waits for the first click.
func (b *env) makesCampaign() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/campaigns/new")
	b.waitIdle()
	b.tap(button("Create a new offer"))
	b.fill(byLabel(".wizard", "Name of the offer"), "First offer")
	b.fill(byLabel(".wizard", "URL of the offer"), "not an address")
	b.press("Tab")
	b.waitText("A URL begins with http")
	b.tap(button("Create and get the link"))
	b.waitText("Visitors cannot be sent to this URL.")
	b.fill(byLabel(".wizard", "URL of the offer"), "https://offer.example/?c={clickid}")
	b.fill(byLabel(".wizard", "Name"), "First campaign")
	b.tap(button("Create and get the link"))
	b.waitText("Waiting for the first click")
	link := b.run(`document.querySelector('.copy pre').textContent`)
	if opens := b.run(button("Open it as a visitor") + `.href`); opens != link {
		b.t.Errorf("the button opens %q, and the link is %q", opens, link)
	}
	if to := b.redirect(link); !strings.HasPrefix(to, "https://offer.example/?c=") {
		b.t.Fatalf("the link %s leads to %q, want the offer", link, to)
	}
	b.waitText("The first click is here")
	b.tap(button("See the figures"))
	b.until("the figure of one click is shown", func() bool { return b.run(`document.querySelector('.kpi b')?.textContent`) == "1" })
}

// editsFlow adds a path with a condition, corrects a refused daily cap, simulates the flow and saves it.
func (b *env) editsFlow() (link, id string) {
	b.t.Helper()
	id = strings.Split(b.run(`location.pathname`), "/")[3]
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/flow")
	b.until("the flow is shown", func() bool { return b.run(`document.querySelector('.node .opener') ? 'drawn' : ''`) == "drawn" })
	link = b.run(`document.querySelector('.tabline .copy input').value`)
	b.press("a")
	const sheet = ".side-sheet"
	b.fill(byLabel(sheet, "Name"), "Tagged")
	b.tap(button("Add a condition"))
	b.fill(`document.querySelector('.condition [role=combobox]')`, "param.kind")
	b.press("Enter")
	b.fill(`document.querySelector('.condition .tags input')`, "vip")
	b.press("Enter")
	b.run(`(e => { e.open = true; return 1 })(document.querySelector('.addurl'))`)
	b.fill(`document.querySelector('.addurl input')`, "https://vip.example/")
	b.tap(`document.querySelector('.addurl > button')`)
	b.fill(byLabel(sheet, "Daily cap"), "0")
	b.tap(button("Done"))
	b.waitText("not live yet")
	b.chord(2, "s")
	b.waitText("The cap is 1 or more")
	b.until("the focus is at the field", func() bool {
		return b.run(`document.activeElement.closest('[data-field]')?.dataset.field`) == "daily_cap"
	})
	b.fill(byLabel(sheet, "Daily cap"), "")
	b.tap(`[...document.querySelectorAll('.side-sheet footer .btn.primary')][0]`)
	b.run(`[...document.querySelectorAll('.node .opener')].find(e => e.textContent === 'Tagged').focus()`)
	b.chord(1, "ArrowUp")
	b.until("the new path is the first one", func() bool { return b.run(`document.querySelector('.node .opener')?.textContent`) == "Tagged" })
	b.tap(button("1,000"))
	b.until("the simulation shows where 1,000 visitors go", func() bool {
		return strings.Contains(b.run(`document.querySelector('.simulate .places')?.textContent`), "1,000")
	})
	if to := b.redirect(link + "?kind=vip"); strings.HasPrefix(to, "https://vip.example/") {
		b.t.Error("the flow is live before it is saved")
	}
	b.chord(2, "s")
	b.waitText("The flow is live")
	b.until("a click takes the new path", func() bool { return strings.HasPrefix(b.redirect(link+"?kind=vip"), "https://vip.example/") })
	if to := b.redirect(link); !strings.HasPrefix(to, "https://offer.example/") {
		b.t.Errorf("without the parameter the link leads to %q, want the offer", to)
	}
	return link, id
}

// clashes changes the flow through the API while the page edits it. The page reports the conflict, and saving overwrites nothing.
func (b *env) clashes(id string) {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/flow")
	b.waitIdle()
	b.tap(`document.querySelectorAll('.node .opener')[1]`)
	b.fill(byLabel(".side-sheet", "Name"), "Mine")
	b.tap(`[...document.querySelectorAll('.side-sheet footer .btn.primary')][0]`)
	var saved struct{ Streams []flow.Path }
	if err := b.api.Get(b.t.Context(), "/campaigns/"+id+"/flow", &saved); err != nil {
		b.t.Fatal(err)
	}
	saved.Streams[1].Name = "Theirs"
	if err := b.api.Do(b.t.Context(), http.StatusOK, http.MethodPut, "/campaigns/"+id+"/flow", map[string]any{"streams": saved.Streams}, nil); err != nil {
		b.t.Fatal(err)
	}
	b.chord(2, "s")
	b.waitText("The flow was changed elsewhere")
	b.tap(button("Take the saved one"))
	b.until("the other person's change is shown", func() bool { return strings.Contains(b.run(`document.querySelector('.yard').textContent`), "Theirs") })
	if err := b.api.Get(b.t.Context(), "/campaigns/"+id+"/flow", &saved); err != nil || saved.Streams[1].Name != "Theirs" {
		b.t.Errorf("the second path has the name %q, want Theirs: %v", saved.Streams[1].Name, err)
	}
}

func (b *env) explains(link, id string) {
	b.t.Helper()
	b.redirect(link + "?kind=vip")
	b.until("the click is stored", func() bool {
		var log struct {
			Rows []struct{ Destination string }
		}
		err := b.api.Get(b.t.Context(), "/logs/clicks?limit=1&f.campaign_id="+id, &log)
		return err == nil && len(log.Rows) > 0 && strings.HasPrefix(log.Rows[0].Destination, "https://vip.example/")
	})
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/clicks")
	b.until("three clicks are listed", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length >= 3`) == "true" })
	b.run(`document.querySelector('tr[data-row]').focus()`)
	b.press("j")
	b.press("k")
	b.press("Enter")
	b.waitText("Why it went there")
	b.waitText("vip fits")
	b.press("r")
	b.waitText("From a click")
	b.until("the path of the click is highlighted", func() bool { return b.run(`document.querySelector('.node.hit .opener')?.textContent`) == "Tagged" })
	if bar := b.run(`document.querySelector('.savebar')?.textContent`); bar != "" {
		b.t.Errorf("the save bar shows %q although nothing was changed", bar)
	}
}

// listsCampaigns pauses, tags and finds campaigns.
func (b *env) listsCampaigns() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/campaigns")
	b.waitIdle()
	b.press("/")
	b.until("the search has the focus", func() bool { return b.run(`document.activeElement.type`) == "search" })
	b.fill(`document.querySelector('.searchbox input')`, "first camp")
	b.until("only one campaign is listed", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length`) == "1" })
	b.press("Escape")
	b.run(`document.querySelector('tr[data-row]').focus()`)
	b.press("p")
	b.waitText("First campaign is paused")
	status := func() string {
		var list struct {
			Rows []struct{ Name, Status string }
		}
		if err := b.api.Get(b.t.Context(), "/campaigns?q=First+campaign", &list); err != nil || len(list.Rows) != 1 {
			b.t.Fatal(list, err)
		}
		return list.Rows[0].Status
	}
	if got := status(); got != "paused" {
		b.t.Errorf("the campaign is %s, want paused", got)
	}
	b.tap(button("Undo"))
	b.until("the campaign is active again", func() bool { return status() == "active" })
	b.fill(`document.querySelector('.searchbox input')`, "")
	b.tap(`document.querySelector('th.check input')`)
	b.waitText("selected")
	b.tap(button("Add a tag"))
	b.fill(`document.querySelector('.menu:popover-open input')`, "all of them")
	b.tap(`document.querySelector('.menu:popover-open form button')`)
	b.until("all campaigns have the tag", func() bool {
		var list struct{ Rows []struct{ Tags []string } }
		return b.api.Get(b.t.Context(), "/campaigns?tag=all+of+them", &list) == nil && len(list.Rows) >= 6
	})
	b.chord(2, "k")
	b.fill(`document.querySelector('.palette input')`, "dach")
	b.until("the palette finds the campaign", func() bool {
		return strings.Contains(b.run(`document.querySelector('.palette [role=option]')?.textContent`), "DACH nutra")
	})
	b.press("Enter")
	b.until("the flow of the campaign is open", func() bool { return strings.HasSuffix(b.run(`location.pathname`), "/flow") })
}

// readsForms checks that only optional fields have the remark that they may stay empty.
func (b *env) readsForms() {
	b.t.Helper()
	var source struct{ ID string }
	if err := b.api.Create(b.t.Context(), "/traffic-sources", map[string]any{"name": "Read"}, &source); err != nil {
		b.t.Fatal(err)
	}
	b.goTo(b.f.URL + "/app/integrations?source=" + source.ID)
	const provider, fields = `document.querySelector('dialog[open] [role=combobox]')`, `document.querySelector('dialog[open] .fields').innerText`
	b.choose(provider, "TrafficStars")
	b.waitText("Profile > API key")
	if text := b.run(fields); strings.Contains(text, "may stay empty") {
		b.t.Errorf("the key of TrafficStars may stay empty: %s", text)
	}
	b.choose(provider, "Google Ads")
	b.waitText("may stay empty")
	if first := b.run(`(s => s && s.options[0].value + '|' + s.options[0].text)(` + byLabel("dialog[open]", "Consent of visitors") + `)`); first != "|not set" {
		b.t.Errorf("the first choice of the consent is %q, want not set", first)
	}
}

// makesRecords makes a network and an offer, and sees errors at their fields.
func (b *env) makesRecords() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/networks")
	b.waitIdle()
	b.press("n")
	b.tap(`document.querySelector('.side-sheet [role=combobox]')`)
	b.waitText("more: type to find them")
	b.choose(`document.querySelector('.side-sheet [role=combobox]')`, "Everflow")
	b.until("the template fills the form", func() bool { return b.run(byLabel(".side-sheet", "Name")+`?.value`) == "Everflow" })
	b.fill(byLabel(".side-sheet", "Name"), "Demo network")
	b.tap(button("Create"))
	b.waitText("Another one has this name.")
	b.fill(byLabel(".side-sheet", "Name"), "My network")
	b.tap(button("Create"))
	b.waitText("My network is saved")
	b.until("the network is in the list", func() bool {
		return strings.Contains(b.run(`document.querySelector('.listing')?.textContent`), "My network")
	})
	b.goTo(b.f.URL + "/app/offers")
	b.waitIdle()
	b.press("n")
	b.fill(byLabel(".side-sheet", "Name"), "My offer")
	b.fill(byLabel(".side-sheet", "URL"), "https://offer.example/?c={clickid}&z={zone}")
	b.waitText("{zone} is not a token")
	b.choose(byLabel(".side-sheet", "Network"), "My network")
	b.fill(byLabel(".side-sheet", "Daily cap"), "5")
	b.tap(button("Create"))
	b.waitText("My offer is saved")
	b.waitText("0 of 5 conversions") // in the sheet
	var made struct {
		Rows []struct {
			URL       string
			NetworkID string `json:"network_id"`
		}
	}
	if err := b.api.Get(b.t.Context(), "/offers?q=My+offer", &made); err != nil || len(made.Rows) != 1 || made.Rows[0].NetworkID == "" {
		b.t.Errorf("the offer is %+v, %v", made, err)
	}
	b.tap(button("Done")) // the sheet stays open after a record is created
	b.waitClosed()
	b.until("the list shows the use of the cap", func() bool {
		return strings.Contains(b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('My offer'))?.textContent`), "cap: 0 of 5 today")
	})
	b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('NutraX DE')).focus()`)
	b.press("p")
	b.waitText("Pause NutraX DE?")
	b.until("the page lists what uses the offer", func() bool {
		return strings.Contains(b.run(`document.querySelector('dialog[open] ul')?.textContent`), "DACH nutra")
	})
	b.tap(`document.querySelector('dialog[open] .btn.primary')`)
	b.waitText("NutraX DE is paused")
	b.tap(button("Undo"))
	b.waitText("NutraX DE is used again")
}

// splitsOffers makes a campaign with two offers of the same weight.
func (b *env) splitsOffers() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/campaigns/new")
	b.waitIdle()
	b.choose(byLabel(".wizard", "Offer"), "NutraX DE")
	b.choose(byLabel(".wizard", "More offers"), "My offer")
	b.fill(byLabel(".wizard", "Name"), "Two offers")
	b.tap(button("Create and get the link"))
	b.waitText("Waiting for the first click")
	id := strings.Split(b.run(`location.pathname`), "/")[3]
	var made struct{ Streams []flow.Path }
	if err := b.api.Get(b.t.Context(), "/campaigns/"+id+"/flow", &made); err != nil || len(made.Streams) != 1 {
		b.t.Fatal(made, err)
	}
	if d := made.Streams[0].Destinations; len(d) != 2 || d[0].Weight != d[1].Weight {
		b.t.Errorf("the path has the destinations %+v, want two with the same weight", d)
	}
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/flow")
	b.tap(`document.querySelector('.node .opener')`)
	b.until("the path shows the use of the cap", func() bool {
		return strings.Contains(b.run(`document.querySelector('.side-sheet .dests')?.textContent`), "cap: 0 of 5 today")
	})
}

// hostile makes records whose names are markup. The pages show the names as text.
func (b *env) hostile() {
	b.t.Helper()
	name := `<img src=x onerror="wrongs=['run']">` + strings.Repeat("א", 200)
	var made struct{ ID string }
	if err := b.api.Create(b.t.Context(), "/offers", map[string]any{"name": name, "url": "https://offer.example/"}, &made); err != nil {
		b.t.Fatal(err)
	}
	offer := made.ID
	body := map[string]any{"name": name, "alias": "hostile-name", "offer_id": offer, "group_name": name, "tags": []string{`"><script>wrongs=['run']</script>`}}
	if err := b.api.Create(b.t.Context(), "/campaigns", body, &made); err != nil {
		b.t.Fatal(err)
	}
	for page, path := range map[string]string{"campaigns": "/app/campaigns", "offers": "/app/offers?id=" + offer, "flow": "/app/campaigns/" + made.ID + "/flow", "link": "/app/campaigns/" + made.ID + "/link", "settings": "/app/campaigns/" + made.ID + "/settings"} {
		for _, width := range []int{1440, 390} {
			b.setScreen(width, "light")
			b.goTo(b.f.URL + path)
			b.waitIdle()
			b.until("the name is shown as text", func() bool { return strings.Contains(b.run(`document.body.textContent`), "<img src=x") })
			b.sound("hostile-" + page + "-" + strconv.Itoa(width))
		}
	}
	b.setScreen(1440, "light")
}

// parts checks the gallery of parts. A table of 3,000 rows renders at most 80 of them.
func (b *env) parts() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/_parts")
	b.waitIdle()
	if rows, _ := strconv.Atoi(b.run(`document.querySelectorAll('tr[data-row]').length`)); rows == 0 || rows > 80 {
		b.t.Errorf("%d of 3000 rows are rendered, want 1 to 80", rows)
	}
	b.run(`document.querySelector('tr[data-row]').focus()`)
	b.press("End")
	b.until("the last row has the focus", func() bool { return strings.Contains(b.run(`document.activeElement.textContent`), "Row 3000") })
	b.run(`document.querySelector('[data-open=sheet]').focus()`)
	b.run(`document.querySelector('[data-open=sheet]').click()`)
	b.until("the sheet is open", func() bool { return b.run(`document.querySelector('dialog[open]') ? 'open' : ''`) == "open" })
	b.press("Escape")
	b.until("the focus is back", func() bool { return b.run(`document.activeElement.dataset.open`) == "sheet" })
	b.tap(`document.querySelector('[data-open=toast]')`)
	b.tap(button("Undo"))
	b.waitText("Undone")
	b.choose(byLabel(".gallery", "Combobox"), "Cherry")
	if got := b.run(byLabel(".gallery", "Combobox") + `.value`); got != "Cherry" {
		b.t.Errorf("the combobox has %q", got)
	}
	b.press("Tab")
	b.tap(`document.querySelector('[data-open=ask]')`)
	b.until("the button waits until the name is typed", func() bool { return b.run(`document.querySelector('.sheet .btn.danger')?.disabled`) == "true" })
	b.press("Escape")
}

// screens checks the screens in both themes, wide and narrow. It signs in a second person, because the calls of a person in a
// minute are limited.
func (b *env) screens(id string) {
	b.t.Helper()
	b.call("Network.clearBrowserCookies", nil, nil)
	b.entry = b.entryFor("screens@a.example", models.RoleOwner)
	b.signIn()
	var list, lander struct{ Rows []struct{ ID, Name string } }
	if err := b.api.Get(b.t.Context(), "/campaigns?q=demo", &list); err != nil || len(list.Rows) == 0 {
		b.t.Fatal(list, err)
	}
	var clicks struct {
		Rows []struct {
			ClickID string `json:"click_id"`
		}
	}
	if err := b.api.Get(b.t.Context(), "/logs/clicks?limit=1&f.campaign_id="+id, &clicks); err != nil || len(clicks.Rows) == 0 {
		b.t.Fatal(clicks, err)
	}
	if err := b.api.Get(b.t.Context(), "/landers", &lander); err != nil || len(lander.Rows) == 0 {
		b.t.Fatal(lander, err)
	}
	of := "/app/campaigns/" + list.Rows[0].ID
	pages := map[string]string{
		"campaigns": "/app/campaigns", "campaign-new": "/app/campaigns/new", "campaign-flow": of + "/flow", "campaign-link": "/app/campaigns/" + id + "/link",
		"campaign-figures": of + "/figures", "campaign-settings": of + "/settings", "offers": "/app/offers", "offer": "/app/offers?id=new", "landers": "/app/landers", "lander": "/app/landers?id=" + lander.Rows[0].ID,
		"sources": "/app/sources", "source": "/app/sources?id=new", "networks": "/app/networks", "network": "/app/networks?id=new", "clicks": "/app/clicks", "click": "/app/clicks?click=" + clicks.Rows[0].ClickID, "parts": allParts,
	}
	b.everywhere(pages, nil)
}
