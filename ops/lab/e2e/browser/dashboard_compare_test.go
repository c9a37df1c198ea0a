package browser

import (
	"fmt"
	"testing"

	"switchyard/models/flow"
	"switchyard/models/parttest"
)

// TestDashboardCompare: a buyer sees which offer of a campaign is the best, applies the suggested weights and undoes that.
func TestDashboardCompare(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.setScreen(1440, "light")
	var campaigns struct{ Rows []struct{ ID, Name string } }
	if err := b.api.Get(t.Context(), "/campaigns?limit=100", &campaigns); err != nil {
		t.Fatal(err)
	}
	id := ""
	for _, c := range campaigns.Rows {
		if c.Name == "Sweeps LATAM push" {
			id = c.ID
		}
	}
	weights := func() string {
		var f struct{ Streams []flow.Path }
		if err := b.api.Get(t.Context(), "/campaigns/"+id+"/flow", &f); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(f.Streams[0].Destinations[0].Weight, f.Streams[0].Destinations[1].Weight)
	}
	before := weights()
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/figures?w=30d")
	b.tap(button("Offers"))
	b.waitText("Behind the best")
	b.waitText("Voucher sweep")
	b.sound("compare")
	b.setScreen(390, "dark")
	b.waitIdle()
	b.sound("compare-phone")
	b.setScreen(1440, "light")
	b.tap(button("Apply weights"))
	b.waitText("Apply these weights?")
	b.sound("compare-apply")
	if weights() != before {
		t.Errorf("weights changed before they were confirmed: %s, were %s", weights(), before)
	}
	b.tap(`document.querySelector('dialog[open] footer .btn.primary:enabled')`)
	b.waitText("The weights are live")
	b.until("other weights", func() bool { return weights() != before })
	b.tap(button("Undo"))
	b.until("the weights are as before", func() bool { return weights() == before })

	b.goTo(b.f.URL + "/app/reports?cmp=none&w=30d&g=offer_id&f.campaign_id=" + id)
	b.tap(button("Which is better"))
	b.waitText("Which is better: Offers")
	b.waitText("Behind the best")
	b.sound("compare-report")
	b.showsWeights()
	b.tap(button("Apply weights"))
	b.tap(`document.querySelector('dialog dialog[open] footer .btn.primary:enabled')`)
	b.until("other weights", func() bool { return weights() != before })
	b.tap(`[...document.querySelectorAll('dialog[open] button')].find(e => e.textContent === 'Undo')`) // the button Undo of the page behind the dialog cannot be clicked
	b.until("the weights as before", func() bool { return weights() == before })
	b.press("Escape")
	b.goTo(b.f.URL + "/app/reports?cmp=none&w=30d&g=campaign_id,offer_id")
	b.tap(button("Which is better"))
	b.waitText("Choose the campaign in which to compare")
	b.sound("compare-choose")
	b.choose(byLabel("dialog[open]", "Campaign"), "Sweeps LATAM push")
	b.waitText("Behind the best")
	b.press("Escape")
	b.goTo(b.f.URL + "/app/campaigns/" + id + "/flow?w=30d")
	b.tap(button("Which is better"))
	b.waitText("Which is better: Paths")
	b.tap(`[...document.querySelectorAll('dialog[open] .seg button')].find(e => e.textContent === 'Offers')`)
	b.waitText("Behind the best")
	b.press("Escape")
	b.tap(`document.querySelector('[data-path] .opener')`)
	b.tap(button("Compare"))
	b.waitText("Behind the best")
	b.sound("compare-flow")
	b.showsWeights()
}

// showsWeights: the comparison in a sheet does not scroll sideways, so its last column, the weights, is visible.
func (b *env) showsWeights() {
	b.t.Helper()
	for _, width := range []int{1440, 1100} {
		b.setScreen(width, "light")
		b.waitIdle()
		if got := b.run(`(e => String(e.scrollWidth - e.clientWidth))(document.querySelector('dialog[open] .arms').parentElement)`); got != "0" {
			b.t.Errorf("at a width of %d the comparison scrolls sideways by %s pixels", width, got)
		}
	}
	b.setScreen(1440, "light")
}
