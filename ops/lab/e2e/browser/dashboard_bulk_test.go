package browser

import (
	"strconv"
	"strings"
)

func (b *env) act(count *int, do func()) {
	b.t.Helper()
	*count++
	do()
}

type swapped struct{ ID, URL string }

// makesSwapped makes two offers, and three campaigns that lead to the first offer. The third one leads to both.
func (b *env) makesSwapped() (first string, campaigns []swapped) {
	b.t.Helper()
	offer := func(name string) string {
		var made struct{ ID string }
		if err := b.api.Create(b.t.Context(), "/offers", map[string]any{"name": name, "url": "https://" + strings.ToLower(name[5:]) + ".example/"}, &made); err != nil {
			b.t.Fatal(err)
		}
		return made.ID
	}
	first, second := offer("Swap First"), offer("Swap Second")
	for i := range 3 {
		to := []map[string]any{{"id": first, "weight": 30}}
		if i == 2 {
			to = append(to, map[string]any{"id": second, "weight": 20})
		}
		n := strconv.Itoa(i + 1)
		body := map[string]any{
			"name": "Swap campaign " + n, "alias": "swap-campaign-" + n,
			"streams": []map[string]any{{"name": "Way " + n, "action": "offer", "destinations": to}},
		}
		var made swapped
		if err := b.api.Create(b.t.Context(), "/campaigns", body, &made); err != nil {
			b.t.Fatal(err)
		}
		campaigns = append(campaigns, made)
	}
	return first, campaigns
}

// swapsEverywhere needs at most six actions to replace an offer in all campaigns. One undo restores all campaigns.
func (b *env) swapsEverywhere() {
	b.t.Helper()
	first, campaigns := b.makesSwapped()
	uses := func() int {
		var list struct{ Places []struct{ Name string } }
		if err := b.api.Get(b.t.Context(), "/offers/"+first+"/uses", &list); err != nil {
			b.t.Fatal(err)
		}
		return len(list.Places)
	}
	b.goTo(b.f.URL + "/app/offers?q=Swap")
	b.waitIdle()
	actions := 0
	b.act(&actions, func() { b.tap(button("Actions for Swap First")) })
	b.act(&actions, func() { b.tap(button("Replace everywhere")) })
	b.waitText("Swap campaign 1")
	b.act(&actions, func() { b.fill(byLabel("dialog[open]", "With which offer?"), "Swap Sec") })
	b.until("the other offer is found", func() bool {
		return strings.Contains(b.run(`document.querySelector('[role=option]')?.textContent`), "Swap Second")
	})
	b.act(&actions, func() { b.press("Enter") })
	b.waitText("30 → 50")
	b.sound("replace")
	b.setScreen(390, "light")
	b.staysInSight()
	b.setScreen(1440, "light")
	b.act(&actions, func() { b.tap(button("Replace in 3 places")) })
	b.waitText("Swap Second is in the place of Swap First in 3 paths")
	if actions > 6 {
		b.t.Errorf("an offer is swapped by %d actions, want at most 6", actions)
	}
	if n := uses(); n != 0 {
		b.t.Errorf("%d paths still lead to the old offer", n)
	}
	b.until("the link leads to the new offer", func() bool { return strings.HasPrefix(b.redirect(campaigns[0].URL), "https://second.example/") })
	b.tap(button("Undo"))
	b.waitText("The change is undone")
	if n := uses(); n != 3 {
		b.t.Errorf("after the undo, %d paths lead to the old offer, want 3", n)
	}
	b.until("the link leads to the old offer", func() bool { return strings.HasPrefix(b.redirect(campaigns[0].URL), "https://first.example/") })
	b.editsMany()
}

func (b *env) editsMany() {
	b.t.Helper()
	state := func(want string) func() bool {
		return func() bool {
			var list struct {
				Rows []struct {
					CostModel string  `json:"cost_model"`
					CostValue float64 `json:"cost_value"`
					GroupName string  `json:"group_name"`
				}
			}
			if err := b.api.Get(b.t.Context(), "/campaigns?q=Swap+campaign", &list); err != nil || len(list.Rows) != 3 {
				b.t.Fatal(list, err)
			}
			for _, r := range list.Rows {
				if got := r.CostModel + " " + strconv.FormatFloat(r.CostValue, 'g', -1, 64) + " " + r.GroupName; got != want {
					return false
				}
			}
			return true
		}
	}
	b.goTo(b.f.URL + "/app/campaigns?q=Swap+campaign")
	b.waitIdle()
	b.tap(`document.querySelector('th.check input')`)
	b.tap(button("Edit"))
	b.waitText("Edit 3 campaigns")
	b.press("Escape")
	b.waitClosed()
	b.waitText("3 selected")
	b.tap(button("Edit"))
	b.waitText("Edit 3 campaigns")
	b.sound("edit-many")
	b.run(`(s => { s.value = 'cpc'; s.dispatchEvent(new Event('change', {bubbles: true})); return 'chosen' })(` + byLabel(".side-sheet", "Model") + `)`)
	b.fill(byLabel(".side-sheet", "Price"), "0.25")
	b.fill(byLabel(".side-sheet", "Group"), "Swapped")
	b.press("Enter")
	b.tap(`document.querySelector('.side-sheet .formfoot .btn.primary')`)
	b.waitText("3 campaigns are changed")
	b.until("all campaigns have the cost and the group", state("cpc 0.25 Swapped"))
	b.goTo(b.f.URL + "/app/audit?w=today") // the toast with the button Undo is gone
	b.waitText("Several campaigns changed")
	b.waitText("Price: 0 → 0.25") // the label of the form
	b.until("the entry names the campaigns", func() bool {
		row := b.run(`document.querySelector('tr[data-row]').textContent`)
		return strings.Contains(row, "Swap campaign 1") && strings.Contains(row, "Swap campaign 3") && !strings.Contains(row, "cost_value")
	})
	b.tap(`document.querySelector('tr[data-row] button[aria-label^="Undo"]')`)
	b.waitText("The change is undone")
	b.until("all campaigns are as before", state("auto 0 "))
	b.until("the change cannot be undone twice", func() bool {
		return strings.Contains(b.run(`document.querySelector('tr[data-row]').textContent`), "undone") &&
			b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('Several campaigns changed')).querySelector('button') ? '' : 'none'`) == "none"
	})
}
