package browser

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/models/parttest"
)

// visit requests a link until the link is live. It returns the id of the click.
func (b *env) visit(link string) string {
	b.t.Helper()
	var id string
	b.until("the link is live", func() (ok bool) {
		_, id, ok = strings.Cut(b.redirect(link), "?c=")
		return ok
	})
	return id
}

func (b *env) get(address string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		b.t.Fatalf("%s answers %d", address, res.StatusCode)
	}
}

type moneyEnv struct {
	*env
	link, campaign, network string
}

// TestDashboardMoney: the user replays postbacks, applies corrections, creates and downloads files, changes settings, and compares
// the figures with a network's report.
func TestDashboardMoney(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	dist, err := filepath.Abs("../../../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	m := moneyEnv{env: newEnv(t, "DASHBOARD_DIR="+dist)}
	m.signIn()
	m.setScreen(1440, "light")
	m.sets()
	m.puts()
	m.corrects()
	m.exports()
	m.settings()
	m.mapsWords()
	m.compares()
	m.screens()
}

// sets makes records whose names are HTML. A page that does not escape the HTML runs its script.
func (b *moneyEnv) sets() {
	b.t.Helper()
	const name = `<img src=x onerror="wrongs=['run']">`
	var made struct {
		ID  string
		URL string `json:"tracking_url"`
	}
	create := func(path string, body map[string]any) string {
		b.t.Helper()
		if err := b.api.Create(b.t.Context(), path, body, &made); err != nil {
			b.t.Fatal(err)
		}
		return made.ID
	}
	b.network = create("/networks", map[string]any{"name": name})
	offer := create("/offers", map[string]any{"name": name, "url": "https://offer.example/?c={clickid}", "network_id": b.network})
	b.campaign = create("/campaigns", map[string]any{"name": name, "alias": "money-test", "offer_id": offer})
	b.link = made.URL
}

// conversions returns the statuses of the campaign's conversions by payout.
func (b *moneyEnv) conversions() map[string]string {
	b.t.Helper()
	var list struct {
		Rows []struct {
			Payout json.Number
			Status string
		}
	}
	if err := b.api.Get(b.t.Context(), "/logs/conversions?f.campaign_id="+b.campaign, &list); err != nil {
		b.t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range list.Rows {
		out[r.Payout.String()] = r.Status
	}
	return out
}

// mapsWords gives an unknown status word of the network its meaning. Later postbacks with this word get that meaning.
func (b *moneyEnv) mapsWords() {
	b.t.Helper()
	report := func(payout string) {
		b.get(b.f.URL + "/postback/" + b.network + "?theirs=" + b.visit(b.link) + "&status=Shipped&payout=" + payout)
	}
	report("5.5")
	b.until("the unknown word is pending", func() bool { return b.conversions()["5.5"] == "pending" })
	type network struct {
		ID        string
		StatusMap map[string][]string `json:"status_map"`
	}
	words := func() []string {
		var list struct{ Rows []network }
		if err := b.api.Get(b.t.Context(), "/networks", &list); err != nil {
			b.t.Fatal(err)
		}
		return list.Rows[slices.IndexFunc(list.Rows, func(n network) bool { return n.ID == b.network })].StatusMap["approved"]
	}
	b.goTo(b.f.URL + "/app/networks?id=" + b.network)
	b.waitText("Unknown status names")
	b.waitText("1 postback, the last")
	b.sound("network-words")
	b.tap(`document.querySelector('[aria-label="What shipped means"] .btn')`)
	b.waitText("shipped means Approved from now on.")
	b.until("the unknown word is no longer listed", func() bool { return b.run(`document.body.textContent.includes('Unknown status names')`) == "false" })
	if got := words(); !slices.Equal(got, []string{"shipped"}) {
		b.t.Errorf("the approved words are %v, want only shipped", got)
	}
	report("6.5")
	b.until("the next postback is approved", func() bool { return b.conversions()["6.5"] == "approved" })
}

// puts corrects the mapping that kept a postback from finding its click, and replays the postback.
func (b *moneyEnv) puts() {
	b.t.Helper()
	click, other := b.visit(b.link), b.visit(b.link)
	b.get(b.f.URL + "/postback/" + b.network + "?theirs=" + click + "&payout=7.25&status=approved")
	b.get(b.f.URL + "/postback/" + b.network + "?theirs=" + other + "&payout=3.5&status=approved")
	b.get(b.f.URL + "/postback/" + b.network + "?clickid=%7Bsub1%7D&payout=1")
	b.goTo(b.f.URL + "/app/unmatched?w=today&network=" + b.network)
	b.until("three postbacks are listed", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length`) == "3" })
	b.waitText("It may be in theirs")
	b.waitText("it still says {sub1}")
	b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('7.25')).focus()`)
	b.press("Enter")
	b.waitText("It would still find no click.")
	const sheet = ".side-sheet"
	b.fill(byLabel(sheet, "Click id"), "theirs")
	b.tap(button("Save and check"))
	b.waitText("It would find its click.")
	b.sound("unmatched-sheet")
	b.tap(button("Replay this one"))
	b.waitText("Replayed: matched")
	if got := b.conversions(); got["7.25"] != "approved" {
		b.t.Errorf("the conversions are %v, want 7.25 approved", got)
	}
	b.until("two postbacks are left", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length`) == "2" })
	b.run(`document.activeElement.blur()`)
	b.press("r")
	b.waitText("Would match 1")
	b.waitText("Would stay unmatched 1")
	b.sound("unmatched-replay")
	if got := b.conversions(); got["3.5"] != "" {
		b.t.Errorf("a dry run has recorded %v", got)
	}
	b.tap(button("Replay all"))
	b.until("the replayed conversion is recorded", func() bool { return b.conversions()["3.5"] == "approved" })
	b.goTo(b.f.URL + "/app/conversions?w=today&f.campaign_id=" + b.campaign)
	b.until("both conversions are in the log", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length`) == "2" })
	b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('3.5')).focus()`)
	b.press("o")
	b.waitText("How it got its status")
	b.waitText("theirs=" + other)
	b.sound("conversion-sheet")
	b.tap(`[...document.querySelectorAll('.side-sheet .btn')].find(e => e.textContent === 'Reject')`)
	b.tap(`document.querySelector('dialog:not(.side-sheet) .btn.danger')`)
	b.waitText("The conversion is rejected now")
	if got := b.conversions(); got["3.5"] != "rejected" || got["7.25"] != "approved" {
		b.t.Errorf("the conversions are %v, want 3.5 rejected and 7.25 approved", got)
	}
}

// corrects pastes a file in which a row is refused. Nothing changes before the file is applied.
func (b *moneyEnv) corrects() {
	b.t.Helper()
	click := b.visit(b.link)
	b.goTo(b.f.URL + "/app/corrections")
	b.waitIdle()
	const csv = `document.querySelector('.drop textarea')`
	b.fill(csv, "payout;comment\n1;x\n")
	b.waitText("The file has no column for: click id.")
	if b.run(`[...document.querySelectorAll('.btn')].some(e => !e.disabled && e.textContent.startsWith('Dry run'))`) != "false" {
		b.t.Error("a file without the click id can be tried")
	}
	text := "Click ID;Amount;Status;comment\n" + click + ";12.5;approved;<img src=x>\nnot-a-click;1;approved;\n"
	b.fill(csv, text)
	b.waitText("→ click id")
	b.waitText("2 rows")
	b.until("the click is known", func() bool {
		b.tap(`[...document.querySelectorAll('.btn')].find(e => !e.disabled && e.textContent.startsWith('Dry run'))`)
		b.waitText("Nothing has changed yet")
		return strings.Contains(b.run(`document.querySelector('.corrections').textContent`), "Accepted 1")
	})
	b.waitText("its click id is not one of this service")
	if got := b.conversions(); got["12.5"] != "" {
		b.t.Errorf("a dry run has recorded %v", got)
	}
	b.tap(button("Refused 1"))
	b.until("only the refused row is listed", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length`) == "1" })
	b.sound("corrections-dry")
	b.fill(csv, text+click+";1;pending;\n")
	b.waitText("The text has changed since the dry run.")
	if b.run(`[...document.querySelectorAll('.btn')].some(e => e.textContent.startsWith('Apply'))`) != "false" {
		b.t.Error("the page offers to apply a dry run of an older text")
	}
	b.fill(csv, "click id\n"+strings.Repeat("x\n", 5001))
	b.waitText("The file has 5,001 rows; only the first 5,000 are read.")
	b.fill(csv, text)
	b.tap(button("Dry run again"))
	b.tap(button("Apply 1 row"))
	b.waitText("there is no undo")
	b.tap(`document.querySelector('dialog .btn.primary')`)
	b.waitText("1 row is applied")
	if got := b.conversions(); got["12.5"] != "approved" {
		b.t.Errorf("the conversions are %v, want 12.5 approved", got)
	}
	b.goTo(b.f.URL + "/app/corrections?kind=cost&by=csv")
	b.waitIdle()
	b.fill(csv, "day,source,spend\n2026-01-01,nobody,5\n")
	b.tap(button("Dry run"))
	b.waitText("Refused 1")
}

// exports creates and downloads files.
func (b *moneyEnv) exports() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/reports?w=today&g=campaign_id")
	b.waitIdle()
	b.press("e")
	const fetched = `(e => { fetch(e.href).then(r => r.text()).then(text => { window.fetched = text }); return 'asked' })`
	b.tap(`document.querySelector('.tray a[download]')`)
	b.run(fetched + `(document.querySelector('.tray a[download]'))`)
	b.until("the file has the campaign", func() bool { return strings.Contains(b.run(`window.fetched ?? ''`), "<img src=x") })
	if head, _, _ := strings.Cut(b.run(`window.fetched`), "\r\n"); !strings.HasSuffix(head, "Campaign,Clicks,Unique,LP CTR,Conversions,CR,Cost,Revenue,Profit,ROI,EPC") {
		b.t.Errorf("the headings of the file are %q, want the names of the columns", head)
	}
	b.sound("tray")
	b.goTo(b.f.URL + "/app/exports?w=today")
	b.waitText("Export: Report")
	b.waitText("New export") // the tray appears before the screen does
	b.waitIdle()
	b.press("n")
	b.fill(byLabel("dialog", "Name"), `<img src=x onerror="wrongs=['run']">`)
	b.tap(button("Create the file"))
	b.until("two files are listed", func() bool { return b.run(`document.querySelectorAll('.files tr[data-row]').length`) == "2" })
	b.run(fetched + `(document.querySelector('.files a[download]'))`)
	b.until("the file has the conversion", func() bool { return strings.Contains(b.run(`window.fetched ?? ''`), "12.5") })
	b.tap(`document.querySelector('.files button[aria-label^="Delete"]')`)
	b.tap(`document.querySelector('dialog .btn.danger')`)
	b.until("one file is listed", func() bool { return b.run(`document.querySelectorAll('.files tr[data-row]').length`) == "1" })
}

func (b *moneyEnv) settings() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/settings")
	b.waitIdle()
	b.fill(byLabel(".record", "Currency"), "E")
	b.tap(button("Save"))
	b.waitText("Three letters, as in EUR.")
	b.fill(byLabel(".record", "Currency"), "EUR")
	b.tap(button("Save"))
	b.waitText("restated by the exchange rate of their day")
	b.tap(`document.querySelector('dialog[open] .btn:not(.primary):not(.icon)')`)
	b.tap(button("Discard"))
	b.run(`(e => { e.value = 'DD MMM YYYY'; e.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(document.querySelector('.record select'))`)
	b.tap(button("12 hours"))
	b.until("the example shows a 12-hour time", func() bool {
		return strings.HasSuffix(b.run(`document.querySelector('.facts dd').textContent`), "m")
	})
	b.tap(button("Save"))
	b.waitText("The settings are saved")
	var got struct{ DateFormat, TimeFormat string }
	if err := b.api.Get(b.t.Context(), "/settings", &got); err != nil || got.DateFormat != "DD MMM YYYY" || got.TimeFormat != "12h" {
		b.t.Errorf("the settings are %+v, want the chosen formats: %v", got, err)
	}
}

// compares uploads the network's own report. The screen shows why orders are missing here.
func (b *moneyEnv) compares() {
	b.t.Helper()
	click, other, today := b.visit(b.link), b.visit(b.link), time.Now().UTC().Format(time.DateOnly)
	b.goTo(b.f.URL + "/app/networks?w=today&id=" + b.network)
	b.tap(`[...document.querySelectorAll('a')].find(a => a.textContent.startsWith('Why do the figures differ?'))`)
	b.waitText("Theirs: the postbacks that the network has sent.")
	b.waitText("Corrected by hand")
	b.fill(`document.querySelector('.drop textarea')`, "click id,order id,payout,date\n"+click+",x1,9,"+today+"\n,x2,4,"+today+"\n"+other+",x3,four,"+today+"\n")
	b.tap(button("Compare this file"))
	b.waitText("2 rows stored")
	b.waitText("1 row was not stored:")
	b.waitText("Never reported to us")
	b.waitText("Without a click of ours")
	b.waitText("it names no click")
	b.choose(`document.querySelector('main [role=combobox]')`, "Asia/Tokyo")
	b.waitText("theirs in Asia/Tokyo")
	b.fill(`document.querySelector('main [role=combobox]')`, "")
	b.until("no zone is chosen", func() bool { return b.run(`location.search.includes('their_tz') ? '' : 'yes'`) == "yes" })
	var got struct {
		Basis string
		Total struct {
			Causes []struct {
				Cause string
				Money json.Number
			}
		}
	}
	if err := b.api.Get(b.t.Context(), "/networks/"+b.network+"/difference?from="+today+"&to="+today, &got); err != nil {
		b.t.Fatal(err)
	}
	sizes := map[string]string{}
	for _, c := range got.Total.Causes {
		sizes[c.Cause] = c.Money.String()
	}
	b.setScreen(390, "light")
	if wide := b.run(`(e => String(e.scrollWidth - e.clientWidth))(document.querySelector('.scroll[aria-label=Examples]'))`); wide != "0" {
		b.t.Errorf("on a phone the examples are %s px too wide", wide)
	}
	b.sound("examples-phone")
	b.setScreen(1440, "light")
	if got.Basis != "orders" || sizes["not_received"] != "9" || sizes["unmatched"] != "4" {
		b.t.Errorf("the basis is %q and the sizes of the causes are %v, want orders, 9 not received and 4 unmatched", got.Basis, sizes)
	}
}

func (b *moneyEnv) screens() {
	b.t.Helper()
	pages := map[string]string{
		"conversions": "/app/conversions?w=today", "unmatched": "/app/unmatched?w=today", "corrections": "/app/corrections", "exports": "/app/exports",
		"alerts": "/app/alerts", "plan": "/app/plan", "settings": "/app/settings",
		"difference": "/app/networks/" + b.network + "/difference?w=today",
	}
	b.everywhere(pages, nil)
	b.goTo(b.f.URL + "/app/alerts")
	b.waitText("This install")
	if b.run(`String(document.querySelector('details.folded').open)`) != "false" {
		b.t.Error("the state of the service is not folded")
	}
	b.tap(`document.querySelector('details.folded summary')`)
	b.waitText("Link checks")
}
