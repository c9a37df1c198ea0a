package browser

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// TestDashboardCheck: a campaign with faults goes live only after the dashboard has shown its problems.
func TestDashboardCheck(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.setScreen(1440, "light")
	offer := b.create("/offers", map[string]any{"name": "Checked offer", "url": "https://checked.example/", "payout_from_param": false})
	b.change("PATCH", "/offers", map[string]any{"id": offer, "is_active": false})
	campaign := b.create("/campaigns", map[string]any{
		"name": "Checked first", "alias": "checked-first", "status": "paused", "offer_id": offer, "cost_model": "cpc", "fallback_url": "https://checked.example/?z={zone}",
	})
	b.seesFaults(campaign)
	b.mendsFaults(offer, campaign)
	b.checksInList()
	b.checksInPalette()
	b.checksMany()
}

func (b *env) create(path string, body map[string]any) string {
	b.t.Helper()
	var record struct{ ID string }
	if err := b.api.Create(b.t.Context(), path, body, &record); err != nil {
		b.t.Fatal(err)
	}
	return record.ID
}

func (b *env) change(method, path string, body map[string]any) {
	b.t.Helper()
	if err := b.api.Do(b.t.Context(), http.StatusOK, method, path, body, nil); err != nil {
		b.t.Fatal(err)
	}
}

// makeGermans makes a paused campaign that only takes visitors from Germany. It has no fallback for the others.
func (b *env) makeGermans(name string) string {
	b.t.Helper()
	return b.create("/campaigns", map[string]any{
		"name": name, "alias": strings.ReplaceAll(strings.ToLower(name), " ", "-"), "status": "paused",
		"streams": []map[string]any{{
			"name": "Germans", "action": "offer", "destinations": []map[string]any{{"id": b.create("/offers", map[string]any{"name": name, "url": "https://checked.example/"})}},
			"filters": []map[string]any{{"attribute": "country", "operator": "equals", "value": "DE"}},
		}},
	})
}

func (b *env) statusOf(id string) string {
	b.t.Helper()
	var found struct{ Campaign struct{ Status string } }
	if err := b.api.Get(b.t.Context(), "/campaigns/"+id, &found); err != nil {
		b.t.Fatal(err)
	}
	return found.Campaign.Status
}

type finding struct{ Code, State, Message, Costs, Do string }

func (b *env) findings(id string) (list []finding) {
	b.t.Helper()
	var answer struct {
		Checks []struct{ Findings []finding }
	}
	if err := b.api.Get(b.t.Context(), "/campaigns/"+id+"/check", &answer); err != nil {
		b.t.Fatal(err)
	}
	for _, area := range answer.Checks {
		list = append(list, area.Findings...)
	}
	return list
}

// findingTexts returns the texts that the open check shows for a code.
func (b *env) findingTexts(code string) string {
	b.t.Helper()
	return b.run(`[...document.querySelectorAll('dialog[open] [data-code=` + code + `]')].map(e => e.textContent).join(' ')`)
}

// seesFaults tries to set the campaign active. The check opens instead, and shows each fault with its consequences.
func (b *env) seesFaults(campaign string) {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/campaigns/" + campaign + "/flow")
	b.waitIdle()
	b.tap(`document.querySelector('[role=switch][aria-label="Paused"]')`)
	b.waitText("Go live anyway")
	list := b.findings(campaign)
	for _, f := range list {
		text := b.findingTexts(f.Code)
		for _, want := range []string{f.Message, f.Costs, f.Do} {
			if want == "" || !strings.Contains(text, want) {
				b.t.Errorf("%s: %q is not in %q", f.Code, want, text)
			}
		}
	}
	for _, code := range []string{
		"path_without_destination", "destination_closed", "address_unchecked", "macro_unknown", "click_id_missing", "source_missing", "cost_zero",
		"network_missing", "payout_missing",
	} {
		if !slices.ContainsFunc(list, func(f finding) bool { return f.Code == code }) {
			b.t.Errorf("%s is not found in %v", code, list)
		}
	}
	if got := b.run(`document.querySelector('dialog[open] h3').textContent`); got != "Problems" {
		b.t.Errorf("the check begins with %q", got)
	}
	for _, width := range []int{1440, 390} {
		b.setScreen(width, "light")
		b.sound("check-" + strconv.Itoa(width))
	}
	b.setScreen(1440, "light")
	if got := b.statusOf(campaign); got != "paused" {
		b.t.Errorf("the campaign is %s while its problems are shown", got)
	}
}

// mendsFaults mends faults, two of them with one button of the check, until no problem is left. Then the campaign goes live.
func (b *env) mendsFaults(offer, campaign string) {
	b.t.Helper()
	b.tap(`document.querySelector('dialog[open] [data-code=destination_closed] .btn.primary')`)
	b.until("the offer and the path are mended", func() bool {
		return b.findingTexts("destination_closed")+b.findingTexts("path_without_destination") == ""
	})
	for _, f := range b.findings(campaign) {
		if f.Code == "destination_closed" || f.Code == "path_without_destination" {
			b.t.Errorf("the service still finds %s", f.Code)
		}
	}
	b.change("PUT", "/offers", map[string]any{"id": offer, "name": "Checked offer", "url": "https://checked.example/?c={clickid}", "payout": 3})
	b.change("PATCH", "/campaigns/"+campaign, map[string]any{"fallback_url": "https://checked.example/"})
	b.tap(button("Check again"))
	b.until("no problem is left", func() bool {
		return b.run(`[...document.querySelectorAll('dialog[open] button')].some(e => e.textContent.trim() === 'Go live') ? 'yes' : ''`) == "yes"
	})
	if left := b.findingTexts("macro_unknown") + b.findingTexts("click_id_missing") + b.findingTexts("payout_missing"); left != "" {
		b.t.Errorf("the check still shows %q", left)
	}
	b.tap(button("Go live"))
	b.until("the campaign is active", func() bool { return b.statusOf(campaign) == "active" })
	b.until("the check is closed", func() bool { return b.run(`document.querySelector('dialog[open]') ? 'open' : ''`) == "" })

	b.tap(button("Check"))
	const toField = `document.querySelector('dialog[open] [data-code^=destination_] a.btn')`
	b.until("the check links to the field", func() bool { return b.run(toField+` ? 'yes' : ''`) == "yes" })
	b.tap(toField)
	b.until("the link leads to the field", func() bool {
		return b.run(`document.activeElement.closest('[data-field]')?.dataset.field ?? ''`) == "url"
	})
	b.waitText("Back to the check")
	b.tap(`[...document.querySelectorAll('.side-sheet .formfoot button')].find(e => e.textContent.trim() === 'Cancel')`)
	b.until("closing the record leads back to the check", func() bool { return b.run(toField+` ? 'yes' : ''`) == "yes" })
}

// checksInList sets a campaign active in the list. The check opens first.
func (b *env) checksInList() {
	b.t.Helper()
	campaign := b.makeGermans("Checked second")
	b.goTo(b.f.URL + "/app/campaigns?q=Checked+second")
	b.waitIdle()
	b.tap(`document.querySelector('table [role=switch]')`)
	b.waitText("There is no fallback")
	if got := b.statusOf(campaign); got != "paused" {
		b.t.Errorf("the campaign is %s while its problems are shown", got)
	}
	b.tap(button("Go live anyway"))
	b.until("the campaign is active", func() bool { return b.statusOf(campaign) == "active" })
}

// checksInPalette tries to resume a campaign with the palette. The check opens instead.
func (b *env) checksInPalette() {
	b.t.Helper()
	campaign := b.makeGermans("Checked third")
	b.goTo(b.f.URL + "/app")
	b.waitIdle()
	b.chord(2, "k")
	b.fill(`document.querySelector('.palette input')`, "Resume: Checked third")
	b.until("the palette finds the command", func() bool {
		return strings.Contains(b.run(`document.querySelector('.palette [role=option]')?.textContent`), "Resume: Checked third")
	})
	b.press("Enter")
	b.waitText("There is no fallback")
	if got := b.statusOf(campaign); got != "paused" {
		b.t.Errorf("the campaign is %s while its problems are shown", got)
	}
}

// checksMany sets two campaigns active in the form for several campaigns. The check opens first.
func (b *env) checksMany() {
	b.t.Helper()
	campaigns := []string{b.makeGermans("Several one"), b.makeGermans("Several two")}
	all := func(status string) bool {
		return !slices.ContainsFunc(campaigns, func(id string) bool { return b.statusOf(id) != status })
	}
	b.goTo(b.f.URL + "/app/campaigns?q=Several")
	b.waitIdle()
	b.tap(`document.querySelector('th.check input')`)
	b.tap(button("Edit"))
	b.waitText("Edit 2 campaigns")
	b.run(`(s => { s.value = 'active'; s.dispatchEvent(new Event('change', {bubbles: true})); return 'chosen' })(` + byLabel(".side-sheet", "State") + `)`)
	b.tap(`document.querySelector('.side-sheet .formfoot .btn.primary')`)
	b.waitText("2 of 2 campaigns have problems")
	b.waitText("Several one")
	b.sound("check of several campaigns")
	if !all("paused") {
		b.t.Error("a campaign is not paused while its problems are shown")
	}
	b.tap(button("Go live anyway"))
	b.until("both are active", func() bool { return all("active") })
	b.waitText("2 campaigns are changed")
	b.waitClosed()
}
