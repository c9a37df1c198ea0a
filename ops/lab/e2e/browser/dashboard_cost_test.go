package browser

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"switchyard/models/parttest"
)

// costEnv is the dashboard with the traffic of the demo, and one of its campaigns.
type costEnv struct {
	*env
	campaign, name string
	day            string // yesterday
	actions        int    // clicks of the current task
}

// TestDashboardCost: three clicks and a typed amount set the cost of a campaign on a day. Undo restores the cost.
func TestDashboardCost(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := &costEnv{env: newEnv(t), day: time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)}
	b.signIn()
	b.setScreen(1440, "light")
	b.fromCampaigns()
	b.fromReport()
	b.fromCorrections()
	b.account()
}

func (b *costEnv) act(control string) {
	b.t.Helper()
	b.tap(control)
	b.actions++
}

// cost returns what the campaign cost yesterday.
func (b *costEnv) cost(filters ...string) string {
	b.t.Helper()
	var list struct{ Totals struct{ Cost float64 } }
	q := url.Values{"dimension": {"campaign_id"}, "from": {b.day}, "to": {b.day}, "f.campaign_id": {b.campaign}}
	path := "/reports/performance?" + q.Encode() + strings.Join(filters, "")
	if err := b.api.Get(b.t.Context(), path, &list); err != nil {
		b.t.Fatal(err)
	}
	return fmt.Sprintf("%.2f", list.Totals.Cost)
}

func (b *costEnv) untilCost(want string, filters ...string) {
	b.t.Helper()
	b.until("the cost is "+want, func() bool { return b.cost(filters...) == want })
}

const (
	total   = "Total cost of these days"
	primary = `document.querySelector('dialog .btn.primary:enabled')`
)

func (b *costEnv) fromCampaigns() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/campaigns?w=7d")
	b.waitIdle()
	var list struct{ Rows []struct{ ID, Name string } }
	if err := b.api.Get(b.t.Context(), "/campaigns", &list); err != nil {
		b.t.Fatal(err)
	}
	b.name = b.run(`document.querySelector('tr[data-row="0"] .named b, tr[data-row="0"] .named a')?.textContent`)
	for _, c := range list.Rows {
		if c.Name == b.name {
			b.campaign = c.ID
		}
	}
	before := b.cost()
	if b.campaign == "" || before == "77.50" {
		b.t.Fatalf("the campaign %q costs %s, want a known campaign with another cost than the one to set", b.name, before)
	}
	b.act(`document.querySelector('tr[data-row="0"] [popovertarget]')`)
	b.act(`[...document.querySelectorAll('.menu:popover-open .item')].find(e => e.textContent.startsWith('Set cost'))`)
	b.fill(byLabel("dialog", total), "77.50")
	b.until("the sheet shows what changes", func() bool {
		return strings.Contains(b.run(`document.querySelector('dialog .costs')?.textContent`), "77.50")
	})
	if got := b.cost(); got != before {
		b.t.Errorf("the sheet alone has changed the cost from %s to %s", before, got)
	}
	b.sound("cost")
	b.act(primary)
	b.untilCost("77.50")
	if b.actions > 3 {
		b.t.Errorf("setting a cost took %d clicks, want at most 3", b.actions)
	}
	b.until("the message", func() bool { return b.run(`(`+button("Undo")+`) ? 'shown' : ''`) == "shown" })
	if got := b.run(`[...document.querySelectorAll('.tray li')].map(e => e.textContent).join()`); strings.Contains(got, "The cost of") {
		b.t.Errorf("a second message says: %s", got)
	}
	b.tap(button("Undo"))
	b.untilCost(before)
	b.waitText("The cost is as it was before")
}

// fromReport presses the key "$" on a row of a report to set its cost. For the row of a country, no cost can be set.
func (b *costEnv) fromReport() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/reports?cmp=none&w=yesterday&g=sub1&f.campaign_id=" + b.campaign)
	b.until("the report has rows", func() bool { return b.run(`document.querySelector('tr[data-row="0"]') ? 'yes' : ''`) == "yes" })
	b.waitIdle()
	name := b.run(`document.querySelector('tr[data-row="0"] .name').textContent`)
	b.run(`document.querySelector('tr[data-row="0"]').focus()`)
	b.press("$")
	b.until("the sheet is open", func() bool { return b.run(`document.querySelector('dialog h2')?.textContent`) == "Set cost: "+name })
	b.setScreen(390, "dark")
	b.fill(byLabel("dialog", total), "5.25")
	b.until("what changes is shown", func() bool { return b.run(`document.querySelector('dialog[open] .folds') ? 'yes' : ''`) == "yes" })
	b.sound("cost-phone")
	b.staysInSight()
	b.setScreen(1440, "light")
	b.tap(primary)
	filter := ""
	if name != "not known" {
		filter = "&f.sub1=" + url.QueryEscape(name)
	}
	b.untilCost("5.25", filter)
	b.goTo(b.f.URL + "/app/reports?cmp=none&w=yesterday&g=country")
	b.until("the countries are listed", func() bool { return b.run(`document.querySelector('tr[data-row="0"]') ? 'yes' : ''`) == "yes" })
	b.waitIdle()
	b.run(`document.querySelector('tr[data-row="0"]').focus()`)
	b.press("$")
	b.waitText("but not for this row")
}

// fromCorrections sets a cost in the form, and undoes it from the history. A cost that a file sets is in the history too.
func (b *costEnv) fromCorrections() {
	b.t.Helper()
	const history = `document.querySelector('[aria-label="Costs set by people"] tbody tr')`
	b.goTo(b.f.URL + "/app/corrections?kind=cost")
	b.waitText("Costs set by people")
	b.waitIdle()
	b.sound("cost-form")
	before := b.cost()
	b.choose(byLabel(".corrections", "Campaign"), b.name)
	b.fill(byLabel(".corrections", total), "31.25")
	b.tap(`document.querySelector('.corrections .btn.primary:enabled')`)
	b.untilCost("31.25")
	b.until("the cost is in the history", func() bool { return strings.Contains(b.run(history+`?.textContent`), "31.25") })
	b.tap(history + `?.querySelector('.btn')`)
	b.waitText("Undo this cost")
	b.tap(primary)
	b.untilCost(before)
	b.waitText("undone by")
	file := map[string]any{"csv": "day,campaign,spend\n" + b.day + "," + b.name + ",12.75\n", "apply": true}
	if err := b.api.Do(b.t.Context(), http.StatusOK, http.MethodPost, "/corrections/cost", file, nil); err != nil {
		b.t.Fatal(err)
	}
	b.goTo(b.f.URL + "/app/corrections?kind=cost")
	b.until("the file is in the history", func() bool { return strings.Contains(b.run(history+`?.textContent`), "CSV file") })
	b.sound("cost-history")
}

func (b *costEnv) account() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/settings")
	b.waitIdle()
	if got := b.run(`[...document.querySelectorAll('.record option')].some(o => o.value === 'DD.MM.YYYY')`); got != "true" {
		b.t.Error("the settings have no dates with dots")
	}
}
