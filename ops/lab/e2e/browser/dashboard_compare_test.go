package browser

import (
	"fmt"
	"testing"

	"switchyard/models/flow"
	"switchyard/models/parttest"
)

// TestDashboardCompare: a buyer sees in the figures of a campaign which offer leads and how certain that is. The buyer applies the
// suggested weights and undoes that. The flow and the report have the same comparison. A report of several campaigns asks for one.
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
	b.press("Escape")
	b.goTo(b.f.URL + "/app/reports?cmp=none&w=30d&g=campaign_id,offer_id")
	b.tap(button("Which is better"))
	b.waitText("Choose the campaign to compare in")
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
}
