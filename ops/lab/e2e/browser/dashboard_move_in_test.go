package browser

import (
	"encoding/base64"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/workers/providers/trackers/keitaro/keitarotest"
)

// The domains of the Keitaro in the fixture: ads lead to the first, and networks report to the second.
const (
	oldAdHost       = "two.buyer.example"
	oldPostbackHost = "go.buyer.example"
)

// TestDashboardMoveIn: a buyer moves in with a dump of Keitaro. The old addresses of ads and postbacks then work here.
func TestDashboardMoveIn(t *testing.T) {
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
	if err := b.f.Command(t.Context(), &made, "accounts", "create", "--name", "Movers", "--plan", "growth", "--email", "move@example.com"); err != nil {
		t.Fatal(err)
	}
	b.welcome(made.URL, "Mo")
	b.goTo(b.f.URL + "/app/move")
	b.waitText("Bring in another tracker")
	b.refusesOtherFile()
	b.readsTables()
	b.appliesDump()
	b.checksMove()
	b.namesOldTracker()
	b.tap(button("Domains"))
	b.waitText(oldAdHost)
	for _, host := range []string{oldAdHost, oldPostbackHost} { // DNS cannot be changed in a test
		if err := b.f.Command(t.Context(), nil, "domains", "verify", host); err != nil {
			t.Fatal(err)
		}
	}
	b.usesOldAddresses()
}

func (b *env) dropFile(field, name string, content []byte) {
	b.t.Helper()
	b.run(`(e => { const raw = atob(` + strconv.Quote(base64.StdEncoding.EncodeToString(content)) + `), bytes = Uint8Array.from(raw, c => c.charCodeAt(0)),
		list = new DataTransfer(); list.items.add(new File([bytes], ` + strconv.Quote(name) + `)); e.files = list.files;
		e.dispatchEvent(new Event('change', { bubbles: true })); return 'done' })(` + field + `)`)
}

const dumpField = `document.querySelector('#dump')`

// refusesOtherFile: a file that is no dump of Keitaro gives a plan that cannot be applied.
func (b *env) refusesOtherFile() {
	b.t.Helper()
	b.fill(byLabel("form", "URL of the tracker"), "https://tracker.example")
	b.tap(`document.querySelector('nav a[href^="/app/offers"]')`)
	b.waitText("Changes are not saved")
	b.tap(button("Keep editing"))
	b.dropFile(dumpField, "holiday.sql", []byte("a picture"))
	b.tap(button("Read the tracker"))
	b.until("the plan is refused", func() bool { return b.run(`document.querySelector('.card .part [role=alert]')?.textContent`) != "" })
	if b.run(`(`+button("Apply")+`) ? 'yes' : ''`) == "yes" {
		b.t.Error("a refused plan can be applied")
	}
}

// readsTables: a tracker without a reader of its own is read from tables.
func (b *env) readsTables() {
	b.t.Helper()
	b.tap(button("CSV"))
	b.dropFile(`document.querySelector('#csv-offers')`, "offers.csv", []byte("name,url\nTable offer,https://offer.example/?s={clickid}\n"))
	b.tap(button("Read the tracker"))
	b.waitText("Table offer")
	b.tap(button("Keitaro"))
}

// appliesDump applies the plan of the dump. The plan lists its notes in three groups, with the worst group first.
func (b *env) appliesDump() {
	b.t.Helper()
	b.dropFile(dumpField, "keitaro.sql", keitarotest.Fixture("dump-new/in/dump.sql"))
	b.tap(button("Read the tracker"))
	for _, text := range []string{
		"11 new", "Not brought over", "1 landing page is a file on the old tracker", "Brought over with a loss", "The path is paused", "Different here",
	} {
		b.waitText(text)
	}
	b.until("the worst comes first", func() bool {
		return b.run(`[...document.querySelectorAll('details summary')].map(e => e.textContent[0]).join('')`) == "NBD"
	})
	b.sound("move-plan")
	b.tap(button("Apply 11"))
	b.tap(`[...document.querySelectorAll('dialog[open] button')].find(e => e.textContent.trim() === 'Apply the plan')`)
	b.waitText("Undo the plan")
	b.waitText("3 imported campaigns, 60 visitors")
}

// checksMove pastes the old tracker's answer for a visitor, and lets the page compare it with the answer of this service.
func (b *env) checksMove() {
	b.t.Helper()
	visitor := b.await(`fetch('/api/v1/config/checks?limit=1').then(r => r.json()).then(a => a.data.rows[0].visitors[0].id)`)
	b.fill(`document.querySelector('textarea[aria-label="Or paste the lines here"]')`, visitor+" - 302 https://elsewhere.example/\n")
	b.tap(button("Compare"))
	b.waitText("https://elsewhere.example/")
}

// namesOldTracker enters the address of the old tracker, to which postbacks about its clicks are sent on.
func (b *env) namesOldTracker() {
	b.t.Helper()
	b.waitText("Postbacks about old clicks are not sent on.")
	field := `[...document.querySelectorAll('.card')].map(c => [...c.querySelectorAll('label.label')].find(l => l.textContent === 'Where the other tracker answers now')).filter(Boolean).map(l => document.getElementById(l.htmlFor))[0]`
	save := `(` + field + `).form.querySelector('button[type=submit]:not(:disabled)')`
	b.fill(field, "https://"+oldAdHost)
	b.tap(save)
	b.waitText("its host is not a public name")
	b.tap(`document.querySelector('nav a[href^="/app/offers"]')`)
	b.waitText("Changes are not saved")
	b.tap(button("Keep editing"))
	b.fill(field, "https://keitaro.buyer.com")
	b.tap(save)
	b.waitText("Postbacks about old clicks are sent on to https://keitaro.buyer.com")
	b.sound("move-applied")
}

// usesOldAddresses visits the address of an ad, reports a conversion at the old postback address, and finds the click and the
// conversion in the dashboard.
func (b *env) usesOldAddresses() {
	b.t.Helper()
	var click string
	b.until("the old link is live", func() bool {
		_, after, ok := strings.Cut(b.atHost(oldAdHost, "/push-de-1?zone=z1&bid=0.02").Header.Get("Location"), "https://acme.example/world?aff_sub=")
		click, _, _ = strings.Cut(after, "&")
		return ok
	})
	id, err := models.ParseClickID(click)
	if err != nil {
		b.t.Fatal(err)
	}
	postback := "/0a1b2c3/postback?subid=" + click + "&payout=9.5&status=ok&lead_status=new,hold&sale_status=ok"
	b.until("the old postback address is live", func() bool { return b.atHost(oldPostbackHost, postback).StatusCode == http.StatusOK })
	d, err := db.Open(b.t.Context(), b.f.DatabaseURL, db.Options{Name: "test"})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = d.Close() })
	await.Until(b.t, "the conversion is stored", func() (stored bool) {
		err := d.GetContext(b.t.Context(), &stored, `SELECT EXISTS (SELECT FROM conversions WHERE click_id = $1)`, id)
		return err == nil && stored
	})
	b.goTo(b.f.URL + "/app/clicks")
	b.waitText("Push DE")
	b.goTo(b.f.URL + "/app/conversions")
	b.waitText("Nutra World")
	b.waitText("$9.50")
	b.sound("move-conversion")
}

// atHost requests an address of a domain, and returns the answer without its body.
func (b *env) atHost(host, address string) *http.Response {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.f.URL+address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Host = host
	req.Header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36")
	req.Header.Set("Accept-Language", "de")
	req.Header.Set("X-Forwarded-Proto", "https")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res
}
