package browser

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// unbroken is a long name without a space.
var unbroken = strings.Repeat("Unbroken", 11)

// TestDashboardLayout: screens fit laptops and phones, menus work by typing, and edits are not lost without a question.
func TestDashboardLayout(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.fitsEveryWidth()
	b.showsAllColumns()
	b.comparesOnPhone()
	b.marksWrongPath()
	b.namesIcons()
	b.picksByTyping()
	b.asksBeforeLosing()
	b.keepsOthersEdits()
	b.prints()
	b.findsByOtherWords()
}

func (b *env) setHeight(width, height int, theme string) {
	b.t.Helper()
	b.setScreen(width, theme)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.drawn()
}

// fitsEveryWidth opens the widest screens and sheets at the sizes of common windows.
func (b *env) fitsEveryWidth() {
	b.t.Helper()
	var offer, campaign struct {
		ID  string
		URL string `json:"tracking_url"`
	}
	long := "https://offer.example/" + unbroken + unbroken
	if err := b.api.Create(b.t.Context(), "/offers", map[string]any{"name": unbroken, "url": long}, &offer); err != nil {
		b.t.Fatal(err)
	}
	path := map[string]any{
		"name": unbroken, "stream_type": "default", "action": "offer", "destinations": []map[string]any{{"id": offer.ID, "weight": 100}, {"url": long, "weight": 1}},
	}
	body := map[string]any{"name": unbroken, "alias": "layout-test", "streams": []map[string]any{path}}
	if err := b.api.Create(b.t.Context(), "/campaigns", body, &campaign); err != nil {
		b.t.Fatal(err)
	}
	b.until("the link leads on", func() bool {
		return strings.HasPrefix(b.redirect(campaign.URL+"?sub1="+unbroken), "https://offer.example/")
	})
	var log struct {
		Rows []struct {
			ClickID string `json:"click_id"`
		}
	}
	b.until("the click is stored", func() bool {
		return b.api.Get(b.t.Context(), "/logs/clicks?limit=1&f.campaign_id="+campaign.ID, &log) == nil && len(log.Rows) > 0
	})
	block := map[string]any{"scope": "campaign", "campaign_id": campaign.ID, "dimension": "sub1", "values": []string{unbroken}}
	if err := b.api.Do(b.t.Context(), http.StatusOK, http.MethodPost, "/blocks", block, nil); err != nil {
		b.t.Fatal(err)
	}
	flow := "/app/campaigns/" + campaign.ID + "/flow"
	const opener = `document.querySelector('.opener')`
	pages := []struct {
		name, path, open string
		widths           []int // at which the screen is most likely not to fit
	}{
		{"audit", "/app/audit", "", []int{1440, 1280}},
		{"overview", "/app", "", []int{780, 390}},
		{"clicks", "/app/clicks", "", []int{1440, 1100, 780}},
		{"campaigns", "/app/campaigns", "", []int{1100, 780}},
		{"blocked", "/app/blocked", "", []int{390}},
		{"report", "/app/reports?flat=1", "", []int{1920, 1366, 1100, 780, 390}},
		{"flow", flow, "", []int{1366, 1280, 1100}},
		{"path", flow, opener, []int{1440, 390}},
		{"click", "/app/clicks?click=" + log.Rows[0].ClickID, "", []int{1440, 390}},
		{"offer", "/app/offers?id=" + offer.ID, "", []int{390}},
	}
	sizes := []struct {
		width, height int
		theme         string
	}{{1920, 1080, "dark"}, {1440, 900, "light"}, {1366, 768, "dark"}, {1280, 720, "light"}, {1100, 800, "dark"}, {780, 900, "light"}, {390, 844, "light"}}
	for _, s := range sizes {
		b.setHeight(s.width, s.height, s.theme)
		for _, p := range pages {
			if !slices.Contains(p.widths, s.width) {
				continue
			}
			b.goTo(b.f.URL + p.path)
			b.waitIdle()
			if p.open != "" {
				b.tap(p.open)
			}
			if strings.Contains(p.path, "id=") || strings.Contains(p.path, "click=") || p.open != "" {
				b.until("the sheet is open", func() bool { return b.run(`document.querySelector('dialog[open] .part')?.textContent`) != "" })
			}
			name := p.name + "-" + strconv.Itoa(s.width)
			b.fits(name)
			if wide := b.run(wideLists); wide != "[]" {
				b.t.Errorf("%s: these lists scroll sideways: %s", name, wide)
			}
			if p.name != "flow" && p.name != "path" && p.name != "overview" && b.run(`document.documentElement.scrollHeight - innerHeight`) != "0" {
				b.t.Errorf("%s: the page itself scrolls, and not only its list", name)
			}
		}
	}
	b.setScreen(1440, "light")
}

// wideLists lists the reports and the lists of records that scroll sideways.
const wideLists = `JSON.stringify([...document.querySelectorAll('.report .view, .scroll[aria-label=Figures]')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel + ' ' + e.scrollWidth + ' > ' + e.clientWidth))`

// showsAllColumns: a narrow report says how many columns have no room. A press shows them.
func (b *env) showsAllColumns() {
	b.t.Helper()
	const shown = `String([...document.querySelectorAll('[role=treegrid] thead th')].filter(e => e.checkVisibility()).length)`
	for width, want := range map[int]struct{ says, few, all string }{
		780: {"3 columns have no room here.", "8", "11"}, 390: {"7 columns have no room here.", "4", "11"},
	} {
		b.setScreen(width, "light")
		b.goTo(b.f.URL + "/app/reports?f.goal=%28plain%29")
		b.waitIdle()
		b.waitText(want.says)
		b.waitText("Only conversions count here.")
		if got := b.run(shown); got != want.few {
			b.t.Errorf("%d: %s columns are shown, want %s", width, got, want.few)
		}
		b.tap(button("Show all columns"))
		b.until("all columns are shown", func() bool { return b.run(shown) == want.all })
		b.run(`(document.querySelector('.report .view').scrollLeft = 90, '')`)
		b.drawn()
		if left := b.run(`document.querySelector('[role=treegrid] .total .first').getBoundingClientRect().left >= document.querySelector('.report .view').getBoundingClientRect().left`); left != "true" {
			b.t.Errorf("%d: the names scroll out of sight", width)
		}
		b.tap(button("Show what fits"))
	}
	b.setScreen(1440, "light")
}

// namesIcons: each icon of the narrow navigation shows its name when it has the focus.
func (b *env) namesIcons() {
	b.t.Helper()
	b.setScreen(1280, "light")
	b.goTo(b.f.URL + "/app")
	b.waitIdle()
	b.run(`(document.querySelector('.side a').focus(), 'first')`)
	const name = `(e => e.matches('.side .who') ? (s => s.position + s.clipPath)(getComputedStyle(e.querySelector('.name'))) :
		e.matches('.side a, .side .fold') ? String(getComputedStyle(e, '::after').content === JSON.stringify(e.title) && e.title !== '') : 'other')(document.activeElement)`
	named, person := 0, false
	for range 40 {
		b.tabKey()
		switch got := b.run(name); got {
		case "true":
			named++
		case "fixednone":
			person = true
		case "false":
			b.t.Errorf("the icon %q with the focus shows no name", b.run(`document.activeElement.outerHTML.slice(0, 120)`))
		}
		if person {
			break
		}
	}
	if named < 8 || !person {
		b.t.Errorf("%d icons show their name, want at least 8; the last one shows the person's name: %v", named, person)
	}
	b.setScreen(1440, "light")
}

func (b *env) comparesOnPhone() {
	b.t.Helper()
	var networks struct{ Rows []struct{ ID string } }
	if err := b.api.Get(b.t.Context(), "/networks", &networks); err != nil || len(networks.Rows) == 0 {
		b.t.Fatal(networks, err)
	}
	path := "/networks/" + networks.Rows[0].ID
	day := b.run(`new Date(Date.now() - 2 * 864e5).toISOString().slice(0, 10)`)
	report := map[string]any{"csv": "date,clicks,conversions,payout\n" + day + ",120,8,40\n"}
	if err := b.api.Do(b.t.Context(), http.StatusOK, http.MethodPost, path+"/report", report, nil); err != nil {
		b.t.Fatal(err)
	}
	b.setScreen(390, "light")
	b.goTo(b.f.URL + "/app" + path + "/difference")
	b.waitText("By day and campaign")
	b.waitIdle()
	b.sound("difference-phone")
	b.staysInSight()
	b.setScreen(1440, "light")
}

// staysInSight checks that no table scrolls sideways, in the open sheet or, if no sheet is open, on the page.
func (b *env) staysInSight() {
	b.t.Helper()
	if wide := b.run(`JSON.stringify([...(document.querySelector('dialog[open]') ?? document).querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel))`); wide != "[]" {
		b.t.Errorf("these tables scroll sideways: %s", wide)
	}
}

// marksWrongPath removes the only value of a condition. The error of the path fits into its card.
func (b *env) marksWrongPath() {
	b.t.Helper()
	b.setScreen(1440, "light")
	b.goTo(b.f.URL + "/app/campaigns/" + b.makeGermans("Wrong condition") + "/flow")
	b.waitIdle()
	b.tap(`document.querySelector('.opener')`)
	b.tap(`document.querySelector('dialog[open] [aria-label="Remove Germany"]')`)
	b.until("the field has the focus", func() bool { return b.run(`document.activeElement.ariaLabel`) == "Value of Country" })
	b.chord(2, "s")
	b.until("the card has the error", func() bool {
		return strings.HasPrefix(b.run(`document.querySelector('.node.wrong [role=alert]')?.textContent`), "A condition lacks a value")
	})
	for _, width := range []int{1440, 1100} {
		b.setScreen(width, "light")
		b.drawn()
		if below := b.run(`(e => String(Math.max(0, e.scrollHeight - e.clientHeight)))(document.querySelector('.node.wrong'))`); below != "0" {
			b.t.Errorf("%d: the content of the card with the error is %s pixels taller than the card", width, below)
		}
	}
	b.setScreen(390, "light")
	b.drawn()
	if lines := b.run(`String(new Set([...document.querySelectorAll('.tabline .tabs a')].map(e => e.offsetTop)).size)`); lines != "1" {
		b.t.Errorf("the tabs of a campaign take %s lines, want 1", lines)
	}
	b.setScreen(1440, "light")
}

func (b *env) write(text string) {
	b.t.Helper()
	for _, letter := range text {
		b.press(string(letter))
	}
}

func (b *env) inSearch() {
	b.t.Helper()
	b.until("the search of the menu has the focus", func() bool {
		return b.run(`document.activeElement.matches('.menu:popover-open .search')`) == "true"
	})
}

// picksByTyping opens menus with the mouse, and picks their lines with the keyboard.
func (b *env) picksByTyping() {
	b.t.Helper()
	at := func(what, part string) {
		b.t.Helper()
		b.until(what, func() bool { return strings.Contains(b.run(`location.search`), part) })
	}
	b.goTo(b.f.URL + "/app/reports?g=campaign_id")
	b.waitIdle()
	b.click(button("Add (1 of 5)"))
	b.inSearch()
	if height := b.run(`document.querySelector('.menu:popover-open .item').offsetHeight`); height != "30" {
		b.t.Errorf("a line of a menu is %s high, want 30", height)
	}
	b.write("sub 1")
	b.press("Enter")
	at("it is grouped", "g=campaign_id%2Csub1")
	b.goTo(b.f.URL + "/app/reports?g=campaign_id")
	b.waitIdle()
	b.click(`document.querySelector('.chip .chipname')`)
	b.inSearch()
	b.write("coun")
	b.press("Enter")
	at("the grouping is replaced", "g=country")
	b.click(button("Filter"))
	b.inSearch()
	b.write("country")
	b.press("Enter")
	b.until("the countries are listed", func() bool {
		return b.run(`document.querySelector('.menu:popover-open .item .num')?.textContent`) != ""
	})
	b.inSearch()
	b.write("germ")
	b.press("Enter")
	at("it is filtered", "f.country=DE")
	b.press("Escape")
	b.goTo(b.f.URL + "/app/campaigns")
	b.waitIdle()
	b.tap(`document.querySelector('th.check input')`)
	b.click(button("Add a tag"))
	b.until("the tag can be typed", func() bool { return b.run(`document.activeElement.matches('.menu:popover-open input')`) == "true" })
	b.write("typed")
	b.until("the tag is typed", func() bool { return b.run(`document.activeElement.value`) == "typed" })
	b.goTo(b.f.URL + "/app/offers?id=new")
	b.waitIdle()
	b.click(button("Token"))
	b.inSearch()
	b.write("campaign_n")
	b.press("Enter")
	b.until("the token is inserted", func() bool {
		return strings.Contains(b.run(byLabel("dialog[open]", "URL")+`?.value`), "{campaign_n")
	})
}

// asksBeforeLosing changes an offer. Each way to leave it asks first.
func (b *env) asksBeforeLosing() {
	b.t.Helper()
	open := func() int {
		n, _ := strconv.Atoi(b.run(`document.querySelectorAll('dialog[open]').length`))
		return n
	}
	checkQuestion := func(how string) {
		b.t.Helper()
		b.until(how+" asks", func() bool { return open() == 2 })
	}
	b.goTo(b.f.URL + "/app/offers")
	b.waitIdle()
	b.tap(`document.querySelector('tr[data-row] a.name')`)
	b.waitIdle()
	b.fill(byLabel("dialog[open]", "Name"), "Edited")
	checkStored := func() {
		b.t.Helper()
		b.until("the question is gone", func() bool { return open() == 1 })
	}
	b.press("Escape")
	checkQuestion("Esc")
	b.tap(button("Keep editing"))
	checkStored()
	b.press("Escape") // a browser closes a dialog at the second Escape, so the page opens it again
	checkQuestion("a second Esc")
	b.tap(button("Keep editing"))
	checkStored()
	b.tap(`document.querySelector('dialog[open] > .sheet > header .btn')`)
	checkQuestion("the cross")
	b.tap(button("Keep editing"))
	checkStored()
	b.tap(`[...document.querySelectorAll('dialog[open] .formfoot .btn')].find(e => e.textContent === 'Cancel')`)
	checkQuestion("Cancel")
	b.tap(button("Keep editing"))
	checkStored()
	const cross = `document.querySelector('dialog[open] > .sheet > header .btn')`
	b.tap(cross)
	checkQuestion("the cross")
	b.run(`(cross => { ` + button("Keep editing") + `.click(); cross.click(); return '' })(` + cross + `)`)
	b.drawn() // the first question closes in the next frame, and must not close the second one
	checkQuestion("the cross right after a question")
	b.tap(button("Keep editing"))
	checkStored()
	b.run(`history.back()`)
	checkQuestion("Back")
	b.tap(button("Keep editing"))
	b.stillTyped("Edited")
	b.run(`history.back()`)
	checkQuestion("Back")
	b.tap(button("Discard"))
	b.until("the offer is left", func() bool { return open() == 0 && !strings.Contains(b.run(`location.search`), "id=") })
}

// keepsOthersEdits edits an offer that another person saves at the same time. Edits of different fields are both kept.
func (b *env) keepsOthersEdits() {
	b.t.Helper()
	var offer struct{ ID string }
	if err := b.api.Create(b.t.Context(), "/offers", map[string]any{"name": "Edited twice", "url": "https://o.example/"}, &offer); err != nil {
		b.t.Fatal(err)
	}
	elsewhere := func(fields map[string]any) {
		b.t.Helper()
		body := map[string]any{"id": offer.ID, "name": "Edited twice", "url": "https://o.example/"}
		for name, value := range fields {
			body[name] = value
		}
		if err := b.api.Do(b.t.Context(), http.StatusOK, http.MethodPut, "/offers", body, nil); err != nil {
			b.t.Fatal(err)
		}
	}
	saved := func(notes, country string) func() bool {
		return func() bool {
			var list struct {
				Rows []struct{ ID, Notes, Country string }
			}
			err := b.api.Get(b.t.Context(), "/offers?q=Edited+twice", &list)
			return err == nil && len(list.Rows) == 1 && list.Rows[0].Notes == notes && list.Rows[0].Country == country
		}
	}
	notes := `document.querySelector('dialog[open] [data-field=notes] textarea')`
	b.goTo(b.f.URL + "/app/offers?id=" + offer.ID)
	b.waitIdle()
	b.fill(notes, "mine")
	elsewhere(map[string]any{"country": "DE"})
	b.tap(saveForm)
	b.until("both edits are saved", saved("mine", "DE"))
	b.goTo(b.f.URL + "/app/offers?id=" + offer.ID)
	b.waitIdle()
	b.fill(notes, "mine again")
	elsewhere(map[string]any{"country": "DE", "notes": "theirs"})
	b.tap(saveForm)
	b.waitText("This was changed elsewhere since you opened it")
	b.waitText("Notes, saved elsewhere: theirs")
	if !saved("theirs", "DE")() {
		b.t.Error("a save has overwritten what another person has saved")
	}
	b.tap(saveForm)
	b.until("the second save keeps mine", saved("mine again", "DE"))
}

// prints prints a report with all rows and columns, and without the navigation.
func (b *env) prints() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/reports?flat=1&cmp=none&g=campaign_id,country,device_type")
	b.waitIdle()
	rows := b.run(`document.querySelector('[role=treegrid]').ariaRowCount`)
	b.run(`(addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('tbody tr[data-row]').length }), 1)`)
	var got struct{ Data string }
	b.call("Page.printToPDF", map[string]any{"preferCSSPageSize": true}, &got)
	if paper, err := base64.StdEncoding.DecodeString(got.Data); err != nil || len(paper) < 1000 {
		b.t.Fatal("nothing was printed", err)
	}
	b.until("the rows are printed", func() bool { return b.run(`window.printed`) != "" })
	if want, _ := strconv.Atoi(rows); b.run(`window.printed`) != strconv.Itoa(want-2) {
		b.t.Errorf("%s rows are printed, want %d", b.run(`window.printed`), want-2)
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1047, "height": 718, "deviceScaleFactor": 1, "mobile": false}, nil)
	if shown := b.run(`[...document.querySelectorAll('.side, .tabbar, .top .btn, .acts')].filter(e => e.checkVisibility()).length`); shown != "0" {
		b.t.Errorf("%s parts of the frame are printed", shown)
	}
	if right := b.run(`Math.max(...[...document.querySelectorAll('thead th')].map(e => e.getBoundingClientRect().right)) <= innerWidth`); right != "true" {
		b.t.Error("some columns lie beyond the right edge of the paper")
	}
	if dates := b.run(`[...document.querySelectorAll('.paper')].filter(e => e.checkVisibility()).map(e => e.textContent).join()`); !paperDates.MatchString(dates) {
		b.t.Errorf("the paper says %q about the days of its figures", dates)
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": ""}, nil)
	b.setScreen(1440, "light")
}

// paperDates matches the line of a printed report with its days, its time zone and the name of the account.
var paperDates = regexp.MustCompile(`^\d{4}-\d\d-\d\d – \d{4}-\d\d-\d\d · UTC · Demo$`)

// findsByOtherWords finds a screen by another word, a campaign in spite of mistakes, and a click by its id.
func (b *env) findsByOtherWords() {
	b.t.Helper()
	first := func(text string) string {
		b.t.Helper()
		b.fill(`document.querySelector('.palette input')`, text)
		return b.run(`document.querySelector('.palette [role=option]')?.textContent`)
	}
	b.goTo(b.f.URL + "/app/more")
	b.waitIdle()
	b.chord(2, "k")
	for typed, want := range map[string]string{"blacklist": "Bots", "exclude": "Blocked", "sweps latm": "Sweeps LATAM push", "cost": "Enter the cost of clicks"} {
		b.until(typed+" finds "+want, func() bool { return strings.HasPrefix(first(typed), want) })
	}
	var log struct {
		Rows []struct {
			ClickID string `json:"click_id"`
		}
	}
	if err := b.api.Get(b.t.Context(), "/logs/clicks?limit=1", &log); err != nil || len(log.Rows) == 0 {
		b.t.Fatal(log, err)
	}
	b.until("the click is found", func() bool { return strings.Contains(first(log.Rows[0].ClickID), log.Rows[0].ClickID) })
	b.press("Enter")
	b.waitText("Why it went there")
}
