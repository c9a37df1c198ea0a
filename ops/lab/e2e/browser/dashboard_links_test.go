package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// leads makes a smartlink with two rules and follows it. A paused smartlink leads nowhere.
func (b *roomsEnv) leads() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/smartlinks?w=today")
	b.waitIdle()
	b.press("n")
	const sheet = ".side-sheet"
	b.fill(byLabel(sheet, "Name"), markup)
	for i, rule := range []struct{ value, to string }{{"vip", "https://vip.example/"}, {"staff", "https://staff.example/"}} {
		in := fmt.Sprintf(`document.querySelectorAll('.linkrule')[%d]`, i)
		b.tap(button("Add a rule"))
		b.fill(in+`?.querySelector('input')`, "Rule of "+rule.value)
		b.fill(in+`.querySelector('.condition [role=combobox]')`, "param.kind")
		b.press("Enter")
		b.fill(in+`.querySelector('.condition .tags input')`, rule.value)
		b.press("Enter")
		if i > 0 { // neither rule has an address yet
			b.fill(byLabel(sheet, "Where all others go"), "https://others.example/")
			b.tap(button("Create the smartlink"))
			b.waitText("Each rule leads to a URL.")
		}
	}
	for i, to := range []string{"https://vip.example/", "https://staff.example/"} {
		b.fill(fmt.Sprintf(`document.querySelectorAll('.linkrule')[%d].querySelector('.url input')`, i), to)
	}
	b.tap(`document.querySelectorAll('.linkrule')[1].querySelector('[aria-label$="one place up"]')`)
	b.until("the moved rule is the first one", func() bool {
		return b.run(`document.querySelector('.linkrule input').value`) == "Rule of staff"
	})
	b.sound("smartlink-new")
	b.tap(button("Create the smartlink"))
	b.waitText("is live within a second")
	var list struct {
		Rows []struct {
			ID, Name, URL string
			Rules         []struct{ Name string }
		}
	}
	if err := b.api.Get(b.t.Context(), "/short-links?q=img", &list); err != nil || len(list.Rows) != 1 || len(list.Rows[0].Rules) != 2 || list.Rows[0].Rules[0].Name != "Rule of staff" {
		b.t.Fatalf("the smartlinks are %+v, %v", list, err)
	}
	link := list.Rows[0]
	b.until("the smartlink leads by its rules", func() bool { return b.leadsTo(link.URL+"?kind=vip") == "https://vip.example/" })
	if to := b.leadsTo(link.URL); to != "https://others.example/" {
		b.t.Errorf("a visitor who meets no rule is sent to %q", to)
	}
	b.goTo(b.f.URL + "/app/smartlinks?w=today&id=" + link.ID)
	b.until("the rule has its click", func() bool {
		b.run(`document.dispatchEvent(new Event('visibilitychange'))`)
		return b.run(`[...document.querySelectorAll('.linkstats .barline')].find(e => e.textContent.includes('Rule of vip'))?.querySelector('b').textContent ?? '0'`) != "0"
	})
	b.waitText("No rule fitted")
	b.run(`document.querySelector('.side-sheet details').open = true`)
	b.sound("smartlink")
	b.press("Escape")
	b.until("the row of the smartlink has the clicks", func() bool {
		b.run(`document.dispatchEvent(new Event('visibilitychange'))`)
		return b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('<img'))?.children[2].textContent ?? '0'`) != "0"
	})
	b.run(`[...document.querySelectorAll('tr[data-row]')].find(r => r.textContent.includes('<img')).focus()`)
	b.press("p")
	b.waitText("is paused: it leads nowhere")
	b.until("the smartlink leads nowhere", func() bool { return b.leadsTo(link.URL) == "" })
}

// leadsTo requests a link on a domain of the account, and returns the address that it redirects to.
func (b *roomsEnv) leadsTo(link string) string {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, strings.Replace(link, "https://"+ownDomain, b.f.URL, 1), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Host = ownDomain
	req.Header.Set("User-Agent", browserAgent)
	req.Header.Set("Accept-Language", "de")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.Header.Get("Location")
}

// reaches makes a site with a goal. The live view shows an event of the page tag.
func (b *roomsEnv) reaches() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/goals")
	b.waitIdle()
	b.tap(button("New website"))
	b.fill(byLabel("dialog", "Name"), markup)
	b.fill(byLabel("dialog", "Host"), "https://www.shop.test/start")
	b.run(`(e => e.getAttribute('aria-checked') === 'true' && e.click())(` + byLabel("dialog", "With the usual goals") + `)`)
	b.sound("site-new")
	b.tap(button("Create the website"))
	b.waitText("No goals yet.")
	b.waitText("Waiting for an event")
	b.press("n")
	b.fill(byLabel(".side-sheet", "Key"), "Not a key")
	b.tap(button("Create the goal"))
	b.waitText("2 to 64 lower-case letters")
	b.fill(byLabel(".side-sheet", "Key"), "signed_up")
	b.sound("goal-new")
	b.tap(button("Create the goal"))
	b.waitText("counts within a second")
	key := b.run(`document.querySelector('.install .copy input').value`)
	if text := b.run(`document.querySelector('.install .copy pre').textContent`); key == "" || !strings.Contains(text, `data-site="`+key+`"`) {
		b.t.Errorf("the snippet is %q, the key %q", text, key)
	}
	b.tap(button("Create a secret"))
	b.waitText("it never belongs on a page")
	b.tap(button("I’ve saved it"))
	b.tap(button("From your server"))
	b.until("the snippet has the secret and the goal", func() bool {
		text := b.run(`document.querySelector('.install .copy pre').textContent`)
		return strings.Contains(text, `"goal":"signed_up"`) && strings.Contains(text, "Bearer ") && !strings.Contains(text, "$GOAL_SECRET")
	})
	click, now := b.visit(b.link), time.Now().UnixMilli()
	body, err := json.Marshal(map[string]any{"site": key, "now": now, "events": []map[string]any{
		{"id": "rooms-event-0001", "name": "signed_up", "at": now, "url": "www.shop.test/thanks", "click": click, "from": "url"},
	}})
	if err != nil {
		b.t.Fatal(err)
	}
	b.post(b.f.URL+"/t/event", string(body))
	b.waitText("Got signed_up")
	b.waitText("reached signed_up")
	b.until("the goal has its conversion", func() bool {
		b.run(`document.dispatchEvent(new Event('visibilitychange'))`)
		return b.run(`document.querySelector('tr[data-row]')?.children[4].textContent`) == "1"
	})
	b.sound("goals-live")
	b.tap(button("Wait again"))
	b.waitText("Waiting for an event")
}

// post sends a text as a browser's beacon does. It retries, because the service learns of a new site within a second.
func (b *roomsEnv) post(address, body string) {
	b.t.Helper()
	b.until(address+" accepts the event", func() bool {
		req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, address, strings.NewReader(body))
		if err != nil {
			b.t.Fatal(err)
		}
		req.Host = ownDomain
		req.Header.Set("Content-Type", "text/plain;charset=UTF-8")
		req.Header.Set("User-Agent", browserAgent)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusNoContent
	})
}

func (b *roomsEnv) screens() {
	b.t.Helper()
	pages := map[string]string{
		"webhooks": "/app/webhooks", "bots": "/app/bots", "blocked": "/app/blocked", "bots-lists": "/app/bots?tab=lists", "bots-repeat": "/app/bots?tab=repeat&hits=2&w=today",
		"smartlinks": "/app/smartlinks?w=today", "smartlink": "/app/smartlinks?id=new", "goals": "/app/goals",
	}
	b.everywhere(pages, nil)
}
