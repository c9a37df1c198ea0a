package browser

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// TestDashboardTwoTabs: if two people change different fields of a record, both changes are kept. If they change the same field,
// the page first shows the other person's value. A connection and the bot settings are not saved if another person has saved them in
// the meantime.
func TestDashboardTwoTabs(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.keepsBothSmartlinks()
	b.keepsBothWebhooks()
	b.keepsBothRules()
	b.keepsBothDomains()
	b.keepsBothSettings()
	b.keepsTheirConnection()
	b.keepsTheirBotSettings()
	b.savesInOneMoment()
}

func (b *env) elsewhere(method, path string, body map[string]any) {
	b.t.Helper()
	if err := b.api.Do(b.t.Context(), http.StatusOK, method, path, body, nil); err != nil {
		b.t.Fatal(err)
	}
}

func (b *env) made(path string, body map[string]any) string {
	b.t.Helper()
	var record struct{ ID string }
	if err := b.api.Create(b.t.Context(), path, body, &record); err != nil {
		b.t.Fatal(err)
	}
	return record.ID
}

// hasSaved waits until the record in the list at path has these fields.
func (b *env) hasSaved(path, id string, fields map[string]any) {
	b.t.Helper()
	b.until("the fields of both are saved", func() bool {
		var list struct{ Rows []map[string]any }
		if err := b.api.Get(b.t.Context(), path, &list); err != nil {
			b.t.Fatal(err)
		}
		for _, row := range list.Rows {
			if row["id"] == id {
				for name, want := range fields {
					if row[name] != want {
						return false
					}
				}
				return true
			}
		}
		return false
	})
}

const saveRule = `document.querySelector('.side-sheet footer .btn.primary')`

func (b *env) keepsBothSmartlinks() {
	b.t.Helper()
	domain := b.made("/domains", map[string]any{"domain": "two-tabs.example.com"})
	link := map[string]any{"name": "Two tabs", "slug": "two-tabs", "domain_id": domain, "destination_url": "https://d.example/"}
	id := b.made("/short-links", link)
	change := func(name string, value any) {
		b.t.Helper()
		link["id"], link[name] = id, value
		b.elsewhere(http.MethodPut, "/short-links", link)
	}
	b.goTo(b.f.URL + "/app/smartlinks?id=" + id)
	b.waitIdle()
	b.fill(byLabel(".side-sheet", "Name"), "Mine")
	change("notes", "theirs")
	b.tap(saveForm)
	b.hasSaved("/short-links", id, map[string]any{"name": "Mine", "notes": "theirs"})
	b.waitClosed()
	b.goTo(b.f.URL + "/app/smartlinks?id=" + id)
	b.waitIdle()
	b.fill(byLabel(".side-sheet", "Name"), "Mine again")
	change("name", "Theirs")
	b.tap(saveForm)
	b.waitText("Name, saved elsewhere: Theirs")
	b.tap(button("Take the saved value"))
	b.until("their name is in the form", func() bool { return b.run(byLabel(".side-sheet", "Name")+`.value`) == "Theirs" })
	b.hasSaved("/short-links", id, map[string]any{"name": "Theirs", "notes": "theirs"})
}

func (b *env) keepsBothWebhooks() {
	b.t.Helper()
	id := b.made("/webhooks", map[string]any{"url": "https://hooks.example.com/in", "name": "Two tabs", "events": []string{"link.broken"}})
	edit := func(name string) {
		b.t.Helper()
		b.goTo(b.f.URL + "/app/webhooks")
		b.waitIdle()
		b.tap(`document.querySelector('.hooks .btn.icon')`)
		b.tap(`[...document.querySelectorAll('.menu:popover-open .item')].find(e => e.textContent.startsWith('Change'))`)
		b.fill(byLabel("dialog[open]", "Name"), name)
	}
	edit("Mine")
	b.elsewhere(http.MethodPatch, "/webhooks", map[string]any{"id": id, "url": "https://hooks.example.com/theirs"})
	b.tap(saveForm)
	b.hasSaved("/webhooks", id, map[string]any{"name": "Mine", "url": "https://hooks.example.com/theirs"})
	edit("Mine again")
	b.elsewhere(http.MethodPatch, "/webhooks", map[string]any{"id": id, "name": "Theirs"})
	b.tap(saveForm)
	b.waitText("Name, saved elsewhere: Theirs")
	b.tap(saveForm)
	b.hasSaved("/webhooks", id, map[string]any{"name": "Mine again", "url": "https://hooks.example.com/theirs"})
}

func (b *env) keepsBothRules() {
	b.t.Helper()
	id := b.made("/copilot/rules", map[string]any{
		"name": "Two tabs", "is_active": false, "conditions": []map[string]any{{"figure": "cost", "operator": ">", "value": 3}},
	})
	edit := func(name string) {
		b.t.Helper()
		b.goTo(b.f.URL + "/app/copilot?tab=rules")
		b.waitIdle()
		b.tap(`document.querySelector('.history .btn.icon')`)
		b.tap(`[...document.querySelectorAll('.menu:popover-open .item')].find(e => e.textContent.startsWith('Edit'))`)
		b.fill(byLabel(".side-sheet", "Name"), name)
	}
	edit("Mine")
	b.elsewhere(http.MethodPatch, "/copilot/rules", map[string]any{"id": id, "window": 3})
	b.tap(saveRule)
	b.hasSaved("/copilot/rules", id, map[string]any{"name": "Mine", "window": json.Number("3")})
	b.waitClosed()
	edit("Mine again")
	b.elsewhere(http.MethodPatch, "/copilot/rules", map[string]any{"id": id, "name": "Theirs"})
	b.tap(saveRule)
	b.waitText("Name, saved elsewhere: Theirs")
	b.hasSaved("/copilot/rules", id, map[string]any{"name": "Theirs", "window": json.Number("3")})
	b.tap(saveRule)
	b.hasSaved("/copilot/rules", id, map[string]any{"name": "Mine again", "window": json.Number("3")})
}

// keepsBothDomains edits one setting of a domain. The others keep what another person has saved.
func (b *env) keepsBothDomains() {
	b.t.Helper()
	id := b.made("/domains", map[string]any{"domain": "both.example.com", "group_name": "g", "crawlers": "allow"})
	b.goTo(b.f.URL + "/app/domains?id=" + id)
	b.waitIdle()
	b.fill(`document.querySelector('dialog[open] [data-field=index_page] input')`, "https://mine.example/")
	b.elsewhere(http.MethodPatch, "/domains", map[string]any{"id": id, "group_name": "theirs", "crawlers": "allow"})
	b.tap(saveForm)
	b.hasSaved("/domains", id, map[string]any{"index_page": "https://mine.example/", "group_name": "theirs", "crawlers": "allow"})
}

func (b *env) keepsBothSettings() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/settings")
	b.waitIdle()
	b.fill(byLabel(".record", "Organisation"), "Mine")
	settings := map[string]any{"currency": "USD", "timezone": "UTC", "time_format": "12h"}
	b.elsewhere(http.MethodPatch, "/settings", settings)
	b.tap(button("Save"))
	b.waitText("The settings are saved")
	b.waitIdle()
	var got struct{ OrganizationName, TimeFormat string }
	if err := b.api.Get(b.t.Context(), "/settings", &got); err != nil || got.OrganizationName != "Mine" || got.TimeFormat != "12h" {
		b.t.Errorf("the settings are %+v, want Mine and 12h: %v", got, err)
	}
	b.fill(byLabel(".record", "Organisation"), "Mine again")
	settings["organization_name"] = "Theirs"
	b.elsewhere(http.MethodPatch, "/settings", settings)
	b.tap(button("Save"))
	b.waitText("Organisation, saved elsewhere: Theirs")
	if err := b.api.Get(b.t.Context(), "/settings", &got); err != nil || got.OrganizationName != "Theirs" {
		b.t.Errorf("the settings are %+v, want still Theirs: %v", got, err)
	}
	b.tap(button("Discard"))
	b.keepsAnEarlyEdit()
}

// keepsAnEarlyEdit edits the account's name after a save, before the page has loaded the saved settings. The edit stays.
func (b *env) keepsAnEarlyEdit() {
	b.t.Helper()
	b.run(`(real => { window.fetch = async (to, o) => {
		const reads = (o?.method ?? 'GET') === 'GET' && String(to).endsWith('/settings')
		if (reads && window.saved) await new Promise(go => { window.answer = go })
		const answer = await real(to, o)
		if (o?.method === 'PATCH') window.saved = true
		return answer }; return 'set' })(window.fetch)`)
	b.fill(byLabel(".record", "Organisation"), "First")
	b.tap(button("Save"))
	b.until("the saved settings are asked for", func() bool { return b.run(`window.answer ? 'yes' : ''`) == "yes" })
	b.until("the field can be edited", func() bool { return b.run(`document.querySelector('.record fieldset:disabled') ? '' : 'yes'`) == "yes" })
	b.fill(byLabel(".record", "Organisation"), "Second")
	b.run(`(answer => { window.saved = false; answer(); return 'answered' })(window.answer)`)
	b.waitIdle()
	if shown := b.run(`document.querySelector('.record').textContent`); strings.Contains(shown, "saved elsewhere: First") {
		b.t.Error("the person's own save is shown as the value of another person")
	}
	b.tap(button("Save"))
	b.until("the edit is saved", func() bool {
		var got struct{ OrganizationName string }
		if err := b.api.Get(b.t.Context(), "/settings", &got); err != nil {
			b.t.Fatal(err)
		}
		return got.OrganizationName == "Second"
	})
}

// keepsTheirConnection: the page's save of a connection is refused, because another person has saved it in the meantime.
func (b *env) keepsTheirConnection() {
	b.t.Helper()
	id := b.made("/networks", map[string]any{"name": "Two tabs"})
	path := "/networks/" + id + "/integration"
	connect := func(enabled bool) {
		b.t.Helper()
		b.elsewhere(http.MethodPut, path, map[string]any{
			"provider": "everflow", "credentials": map[string]any{"api_key": "key-1111"}, "is_enabled": enabled,
		})
	}
	edit := func() {
		b.t.Helper()
		b.goTo(b.f.URL + "/app/integrations?network=" + id)
		b.waitIdle()
		b.fill(byLabel(".side-sheet", "API key"), "key-2222")
	}
	connect(true)
	edit()
	connect(false)
	b.tap(saveForm)
	b.waitText("This connection was changed elsewhere since you opened it")
	var got struct {
		IsEnabled bool `json:"is_enabled"`
	}
	if err := b.api.Get(b.t.Context(), path, &got); err != nil || got.IsEnabled {
		b.t.Errorf("the connection is enabled again, %v", err)
	}
	edit()
	b.tap(saveForm)
	b.waitText("Two tabs is saved")
}

// keepsTheirBotSettings: the page's save is refused, because another person has moved the threshold.
func (b *env) keepsTheirBotSettings() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/bots")
	b.waitIdle()
	b.tap(`document.querySelector('.bots [role=switch]:not(:disabled)')`)
	b.elsewhere(http.MethodPut, "/bot-detection", map[string]any{"threshold": 45, "days": 0})
	b.tap(`document.querySelector('.savebar .btn.primary')`)
	b.waitText("These settings were changed elsewhere since you opened them")
	var got struct {
		Threshold int
		Signals   []struct{ Enabled, CanDisable bool }
	}
	if err := b.api.Get(b.t.Context(), "/bot-detection", &got); err != nil || got.Threshold != 45 {
		b.t.Errorf("the bot settings are %+v, want the threshold 45: %v", got, err)
	}
	for _, s := range got.Signals {
		if !s.Enabled {
			b.t.Errorf("a refused save has changed a signal: %+v", got.Signals)
		}
	}
	b.until("no edit is left", func() bool { return b.run(`document.querySelector(".savebar") ? "" : "yes"`) == "yes" })
}

// savesInOneMoment: another person saves an offer between the page's read and its write. The edits of both are kept.
func (b *env) savesInOneMoment() {
	b.t.Helper()
	offer := map[string]any{"name": "One moment", "url": "https://o.example/"}
	id := b.made("/offers", offer)
	b.goTo(b.f.URL + "/app/offers?id=" + id)
	b.waitIdle()
	b.fill(`document.querySelector('dialog[open] [data-field=notes] textarea')`, "mine")
	theirs := `{"id": ` + strconv.Quote(id) + `, "name": "One moment", "url": "https://o.example/", "country": "DE"}`
	b.run(`(real => { window.puts = 0; window.fetch = async (to, o) => {
		if (o?.method === 'PUT' && ++window.puts === 1) await real(to, {...o, headers: {...o.headers, 'If-Match': '*'}, body: JSON.stringify(` + theirs + `)});
		return real(to, o) }; return 'set' })(window.fetch)`)
	b.tap(saveForm)
	b.hasSaved("/offers?q=One+moment", id, map[string]any{"notes": "mine", "country": "DE"})
	if puts := b.run(`String(window.puts)`); !strings.HasPrefix(puts, "2") {
		b.t.Errorf("the page sent %s changes, want one that is refused and one that is saved", puts)
	}
}
