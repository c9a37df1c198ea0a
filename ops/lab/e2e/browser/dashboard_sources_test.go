package browser

import (
	"encoding/json"
	"fmt"
	"strings"
)

// subsOf returns the sub-parameters of a traffic source, as in "1 zoneid, 2 campaignid".
func (b *env) subsOf(name string) string {
	b.t.Helper()
	var list struct {
		Rows []struct {
			Name string
			Subs []struct {
				Sub   int
				Param string
			}
		}
	}
	if err := b.api.Get(b.t.Context(), "/traffic-sources", &list); err != nil {
		b.t.Fatal(err)
	}
	var parts []string
	for _, r := range list.Rows {
		for _, s := range r.Subs {
			if r.Name == name {
				parts = append(parts, fmt.Sprint(s.Sub, " ", s.Param))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// keepsSubParameters removes a parameter from the link of a source: all parameters keep their sub-parameters. Before a parameter
// moves to another sub-parameter, the page asks.
func (b *env) keepsSubParameters() {
	b.t.Helper()
	var source, campaign struct{ ID string }
	create := func(path string, body map[string]any, into any) {
		if err := b.api.Create(b.t.Context(), path, body, into); err != nil {
			b.t.Fatal(err)
		}
	}
	create("/traffic-sources", map[string]any{
		"name": "Zones", "token_macros": json.RawMessage(`{"zoneid": "{zone}", "campaignid": "{campaign}", "bannerid": "{banner}"}`),
	}, &source)
	create("/campaigns", map[string]any{"name": "Zoned", "alias": "zoned-campaign", "source_id": source.ID, "streams": []map[string]any{{
		"name": "Good zones", "action": "redirect", "destinations": []map[string]any{{"url": "https://offer.example/"}},
		"filters": []map[string]any{{"attribute": "sub1", "operator": "equals", "value": "5"}},
	}}}, &campaign)

	open := func() {
		b.goTo(b.f.URL + "/app/sources?id=" + source.ID)
		b.waitIdle()
		b.until("the parameters are listed", func() bool { return b.run(`document.querySelectorAll('.subrow').length`) == "3" })
	}
	saved := func(want string) {
		b.tap(button("Save"))
		b.until("Zones has "+want, func() bool { return b.subsOf("Zones") == want })
	}
	open()
	b.tap(`document.querySelector('.subrow [aria-label="Remove zoneid"]')`)
	b.waitText("no longer in the link")
	b.waitText("Still used in: Campaign Zoned")
	saved("1 zoneid, 2 campaignid, 3 bannerid")

	open()
	b.run(`(s => { s.value = '1'; s.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(document.querySelector('[aria-label="Sub-parameter of bannerid"]'))`)
	b.waitText("Move bannerid to Sub 1?")
	b.waitText("Sub 1: Campaign Zoned")
	b.tap(button("Move"))
	saved("1 bannerid, 2 campaignid, 3 zoneid")

	b.goTo(b.f.URL + "/app/reports?g=sub1&f.source_id=" + source.ID)
	b.waitText("bannerid (Sub 1)")
	b.goTo(b.f.URL + "/app/campaigns/" + campaign.ID + "/flow")
	b.waitText("bannerid (Sub 1)")
}

func (b *env) keepsTemplates() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/sources?id=new")
	b.waitIdle()
	b.choose(`document.querySelector('.side-sheet [role=combobox]')`, "Taboola")
	b.until("the template fills the form", func() bool { return b.run(byLabel(".side-sheet", "Name")+`?.value`) == "Taboola" })
	b.fill(byLabel(".side-sheet", "Name"), "Native")
	b.tap(button("Create"))
	b.waitText("Native is saved")
	b.until("the list names the template", func() bool {
		return strings.Contains(b.run(`[...document.querySelectorAll('.listing tr')].find(r => r.textContent.includes('Native'))?.textContent`), "Taboola")
	})
}
