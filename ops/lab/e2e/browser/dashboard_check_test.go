package browser

import "strings"

// checksBeforeLaunch tries to activate a paused campaign whose only offer is paused. The page shows the problem instead, a
// button fixes it, and the campaign goes live. In the list, a campaign with a problem goes live only with the button that says
// so.
func (b *env) checksBeforeLaunch() {
	b.t.Helper()
	made := func(path string, body map[string]any) string {
		b.t.Helper()
		var record struct{ ID string }
		if err := b.api.Create(b.t.Context(), path, body, &record); err != nil {
			b.t.Fatal(err)
		}
		return record.ID
	}
	offer := made("/offers", map[string]any{"name": "Checked offer", "url": "https://checked.example/?c={clickid}", "payout": 3})
	if err := b.api.Do(b.t.Context(), 200, "PATCH", "/offers", map[string]any{"id": offer, "is_active": false}, nil); err != nil {
		b.t.Fatal(err)
	}
	campaign := func(name string) string {
		return made("/campaigns", map[string]any{"name": name, "alias": strings.ReplaceAll(strings.ToLower(name), " ", "-"), "status": "paused", "offer_id": offer})
	}
	first := campaign("Checked first")
	status := func(id string) string {
		b.t.Helper()
		var found struct{ Campaign struct{ Status string } }
		if err := b.api.Get(b.t.Context(), "/campaigns/"+id, &found); err != nil {
			b.t.Fatal(err)
		}
		return found.Campaign.Status
	}

	b.goTo(b.f.URL + "/app/campaigns/" + first + "/flow")
	b.waitIdle()
	b.tap(`document.querySelector('[role=switch][aria-label="Paused"]')`)
	b.waitText("has no destination to which it can send visitors")
	b.waitText("Go live anyway")
	b.sound("check of a campaign")
	if got := status(first); got != "paused" {
		b.t.Errorf("the campaign is %s while its problems are shown", got)
	}
	b.tap(button("Resume"))
	b.until("the problem is gone", func() bool {
		return b.run(`document.querySelector('[data-code=path_without_destination], [data-code=destination_closed]') ? 'there' : 'gone'`) == "gone"
	})
	b.tap(button("Go live"))
	b.until("the campaign is active", func() bool { return status(first) == "active" })

	b.tap(button("Check"))
	b.tap(`document.querySelector('dialog[open] [data-code^=destination_] a.btn')`)
	b.until("the link leads to the field", func() bool {
		return b.run(`document.activeElement.closest('[data-field]')?.dataset.field ?? ''`) == "url"
	})

	second := made("/campaigns", map[string]any{
		"name": "Checked second", "alias": "checked-second", "status": "paused",
		"streams": []map[string]any{{
			"name": "Germans", "action": "offer", "destinations": []map[string]any{{"id": offer}},
			"filters": []map[string]any{{"attribute": "country", "operator": "equals", "value": "DE"}},
		}},
	})
	b.goTo(b.f.URL + "/app/campaigns?q=Checked+second")
	b.waitIdle()
	b.tap(`document.querySelector('table [role=switch]')`)
	b.waitText("There is no fallback")
	b.tap(button("Go live anyway"))
	b.until("the other campaign is active", func() bool { return status(second) == "active" })
}
