package browser

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/parttest"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ai/aitest"
)

// hostileMarkup is markup that every screen must show as text.
const hostileMarkup = `<img src=x onerror="(window.wrongs ??= []).push('run')">`

// copilotEnv is an env whose service uses a fake language model, and a campaign with two paths.
type copilotEnv struct {
	*env
	store    *store.Store
	account  uuid.UUID
	campaign string
	talks    *aitest.Providers
}

// TestDashboardCopilot: suggestions, chat, rules, shared views, notes and imports work, and a hostile answer of the model stays
// text.
func TestDashboardCopilot(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	dist, err := filepath.Abs("../../../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	talks := &aitest.Providers{}
	server := aitest.Serve(t, talks)
	c := copilotEnv{env: newEnv(t, "DASHBOARD_DIR="+dist, "AI_URL="+server.URL, "EGRESS_CA_FILE="+egresstest.CAFile(t, server)), talks: talks}
	c.sets()
	c.signIn()
	c.setScreen(1440, "light")
	c.unconnected()
	c.suggests()
	c.chats()
	c.rules()
	c.views()
	c.addsNotes()
	c.imports()
	c.lists()
	c.screens()
}

// sets makes the campaign and two suggestions. Some of the names contain markup.
func (c *copilotEnv) sets() {
	c.t.Helper()
	d, err := db.Open(c.t.Context(), c.f.DatabaseURL, db.Options{Name: "test"})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = d.Close() })
	c.store = store.New(d, nil)
	path := func(name string) map[string]any {
		return map[string]any{"name": name, "weight": 50, "action": "redirect", "destinations": []map[string]any{{"url": "https://a.example/"}}}
	}
	var made struct{ ID string }
	body := map[string]any{"name": "Pilot " + hostileMarkup, "alias": "pilot-test", "streams": []any{path("First " + hostileMarkup), path("Second")}}
	if err := c.api.Create(c.t.Context(), "/campaigns", body, &made); err != nil {
		c.t.Fatal(err)
	}
	c.campaign = made.ID
	id := uuid.MustParse(made.ID)
	if c.account, err = db.Get[uuid.UUID](c.t.Context(), d, "account", `SELECT account_id FROM campaigns WHERE id = $1`, id); err != nil {
		c.t.Fatal(err)
	}
	f, err := c.store.Campaigns().Flow(c.t.Context(), c.account, id)
	if err != nil {
		c.t.Fatal(err)
	}
	of := uuid.NullUUID{UUID: id, Valid: true}
	action := copilot.Action{Op: copilot.OpSetWeights, CampaignID: of, Weights: []copilot.Weight{{ID: f.Paths[0].ID, Weight: 20}, {ID: f.Paths[1].ID, Weight: 80}}}
	record, err := dbcopilot.NewSuggestions(c.store).Record(c.t.Context(), c.account, action)
	if err != nil {
		c.t.Fatal(err)
	}
	money := func(n float64) models.Money { return models.NewMoney(decimal.NewFromFloat(n)) }
	now := time.Now().UTC()
	figures := []copilot.Figure{{Of: "First " + hostileMarkup, Name: "clicks", Value: money(4200)}, {Of: "First " + hostileMarkup, Name: "profit", Value: money(-210.5)}, {Of: "Second", Name: "clicks", Value: money(3900)}, {Of: "Second", Name: "profit", Value: money(512.25)}}
	err = dbcopilot.NewSuggestions(c.store).Save(c.t.Context(), c.account, dbcopilot.FoundSuggestions{At: now, Next: now.Add(24 * time.Hour), Judged: 2, List: []copilot.Suggestion{
		{
			Kind: "move_weight", Key: "a", CampaignID: of, CampaignName: "Pilot " + hostileMarkup, Title: action.Title(record), Detail: "The second path earns more. " + hostileMarkup,
			Action: &action, Digest: action.JudgedDigest(record), ExpiresAt: models.Stamp{Time: now.Add(copilot.Life)},
			Effect:   &copilot.Effect{Value: money(31.5), Low: money(12), High: money(52), Unit: "USD a day"},
			Evidence: copilot.Evidence{Figures: figures, From: "2026-10-01", To: "2026-10-30", Sample: 8100, Confidence: .97, Method: "two proportions", Minimum: "100 clicks of each"},
		},
		{
			Kind: "empty_token", Key: "b", Title: "Traffic source “Push” never fills sub2", Detail: "Check the link.", ExpiresAt: models.Stamp{Time: now.Add(copilot.Life)},
			Evidence: copilot.Evidence{Figures: []copilot.Figure{}, From: "2026-10-01", To: "2026-10-30", Sample: 4200, Confidence: 1, Method: "counted", Minimum: "200 clicks"},
		},
	}})
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *copilotEnv) weights() string {
	c.t.Helper()
	var got struct{ Streams []struct{ Weight float64 } }
	if err := c.api.Get(c.t.Context(), "/campaigns/"+c.campaign+"/flow", &got); err != nil {
		c.t.Fatal(err)
	}
	return fmt.Sprint(got.Streams)
}

func (c *copilotEnv) status() string {
	c.t.Helper()
	var got struct{ Campaign struct{ Status string } }
	if err := c.api.Get(c.t.Context(), "/campaigns/"+c.campaign, &got); err != nil {
		c.t.Fatal(err)
	}
	return got.Campaign.Status
}

// unconnected: without a language model, the chat explains what it needs.
func (c *copilotEnv) unconnected() {
	c.t.Helper()
	c.goTo(c.f.URL + "/app")
	c.waitText("2 suggestions from Copilot")
	c.goTo(c.f.URL + "/app/copilot?tab=chat")
	c.waitText("Suggestions and rules work without one.")
	c.sound("copilot-connect")
}

// suggests applies a suggestion and undoes it. It puts another one off for 7 days.
func (c *copilotEnv) suggests() {
	c.t.Helper()
	c.goTo(c.f.URL + "/app/copilot")
	c.waitText("2 open suggestions")
	c.waitText(hostileMarkup)
	c.run(`document.querySelector('.suggestion summary').click()`)
	c.waitText("$210.50")
	c.until("the exact change is shown", func() bool {
		return strings.Contains(c.run(`document.querySelector('.exact')?.textContent`), "weight 80")
	})
	c.sound("copilot-suggestion")
	c.tap(`document.querySelector('.suggestion .btn.primary')`)
	c.until("the weights are moved", func() bool { return c.weights() == "[{20} {80}]" })
	c.waitText("1 open suggestion")
	c.tap(button("Undo"))
	c.until("the weights are as before", func() bool { return c.weights() == "[{50} {50}]" })
	c.goTo(c.f.URL + "/app/copilot?tab=history")
	c.waitText("undone")
	c.run(`document.querySelector('.history summary').click()`)
	c.until("the former change is shown", func() bool {
		return strings.Contains(c.run(`document.querySelector('.exact')?.textContent`), "weight 20")
	})
	c.sound("copilot-history")
	c.goTo(c.f.URL + "/app/copilot")
	c.waitIdle()
	c.tap(`document.querySelector('.suggestion .btn:not(.primary)')`)
	c.tap(`[...document.querySelectorAll('.menu:popover-open .item')].find(e => e.textContent === '7 days')`)
	c.waitText("Nothing is suggested.")
}

// chats connects a model. The model answers with markup, a look-up and a proposal, and a person applies the proposal.
func (c *copilotEnv) chats() {
	c.t.Helper()
	c.goTo(c.f.URL + "/app/copilot?tab=chat")
	c.fill(byLabel(".card", "Key"), aitest.Key)
	c.tap(button("Connect"))
	c.waitText("Nothing was asked yet.")
	answer := "You had no losses. " + hostileMarkup + " <b>bold</b> [look](javascript:wrongs.push('link')) </textarea><script>wrongs.push('script')</script>"
	c.talks.Reply = func(a aitest.Received) aitest.Turn {
		if len(a.Results) > 0 {
			return aitest.Turn{Text: answer}
		}
		return aitest.Turn{Calls: []aitest.Call{
			{Name: "run_report", Arguments: `{"dimension":"country"}`},
			{Name: "propose", Arguments: `{"reason":` + strconv.Quote("It loses "+hostileMarkup) + `,"action":{"op":"pause_campaign","campaign_id":"` + c.campaign + `"}}`},
		}}
	}
	c.fill(byLabel(".askform", "Ask about the account"), "Which source lost money?")
	c.press("Enter")
	c.waitText(answer)
	if got := c.run(`document.querySelectorAll('.turns img, .turns b b, .turns script, .turns .said a').length`); got != "0" {
		c.t.Errorf("the page made %s elements from the model's text, want 0", got)
	}
	c.until("the look-up leads to the report", func() bool {
		return strings.HasPrefix(c.run(`document.querySelector('a.looked')?.getAttribute('href')`), "/app/reports") && strings.Contains(c.run(`document.querySelector('a.looked')?.getAttribute('href')`), "g=country")
	})
	c.sound("copilot-chat")
	c.tap(`document.querySelector('.turns .proposal .btn.primary')`)
	c.until("the campaign is paused", func() bool { return c.status() == models.CampaignPaused })
	c.tap(button("Undo"))
	c.until("the campaign is active again", func() bool { return c.status() == models.CampaignActive })
	c.tap(`document.querySelector('a.looked')`)
	c.until("the report is open", func() bool { return c.run(`location.pathname`) == "/app/reports" })
	c.goTo(c.f.URL + "/app")
	c.waitIdle()
}

// rules replays a new rule on past data, saves the rule, and lets it act.
func (c *copilotEnv) rules() {
	c.t.Helper()
	c.goTo(c.f.URL + "/app/copilot?tab=rules")
	c.waitText("No rules yet.")
	c.tap(button("New rule"))
	c.fill(byLabel(".side-sheet", "Name"), hostileMarkup)
	c.tap(button("What would it have done?"))
	c.until("the replay is shown", func() bool {
		return strings.Contains(c.run(`document.querySelector('.side-sheet')?.textContent`), "acted")
	})
	c.sound("copilot-rule")
	c.tap(button("Save"))
	c.until("the rule is listed", func() bool {
		return strings.Contains(c.run(`document.querySelector('.history')?.textContent`), "shadow")
	})
	c.tap(`document.querySelector('.history .btn.icon')`)
	c.tap(`[...document.querySelectorAll('.menu:popover-open .item')].find(e => e.textContent === 'Let it act')`)
	c.tap(`document.querySelector('dialog .btn.primary')`)
	var got struct{ Rows []struct{ Name, Mode string } }
	c.until("the rule is live", func() bool {
		if err := c.api.Get(c.t.Context(), "/copilot/rules", &got); err != nil {
			c.t.Fatal(err)
		}
		return len(got.Rows) == 1 && got.Rows[0].Mode == "live" && got.Rows[0].Name == hostileMarkup
	})
	c.opensAtOnce()
}

// opensAtOnce presses the button of a menu in the moment in which the button is added to the page.
func (c *copilotEnv) opensAtOnce() {
	c.t.Helper()
	const pressed = `new MutationObserver((_, seen) => {
		const button = document.querySelector('.history .btn.icon')
		if (button) { seen.disconnect(); button.click() }
	}).observe(document, {childList: true, subtree: true})`
	var script struct{ Identifier string }
	c.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": pressed}, &script)
	c.goTo(c.f.URL + "/app/copilot?tab=rules")
	c.until("the menu shows its lines", func() bool {
		return strings.Contains(c.run(`document.querySelector('.menu:popover-open')?.textContent`), "Back to shadow")
	})
	c.call("Page.removeScriptToEvaluateOnNewDocument", map[string]any{"identifier": script.Identifier}, nil)
}

func (c *copilotEnv) inMenu(text string) {
	c.t.Helper()
	c.tap(`[...document.querySelectorAll('.menu:popover-open .item')].find(e => e.textContent.trim().startsWith(` + strconv.Quote(text) + `))`)
}

// views saves a view and shares it. A viewer can open the view but cannot rename or delete it.
func (c *copilotEnv) views() {
	c.t.Helper()
	const menu = `document.querySelector('.viewbtn')`
	name := "Best " + hostileMarkup
	c.goTo(c.f.URL + "/app/reports?w=today&g=country,os&f.device_type=mobile&sort=-profit&c=clicks,profit")
	c.waitIdle()
	c.tap(menu)
	c.inMenu("Save as")
	c.fill(byLabel("dialog", "Name"), name)
	c.tap(`document.querySelector('dialog .switcher')`)
	c.tap(button("Save"))
	c.until("the new view is shown", func() bool { return strings.Contains(c.run(menu+`?.textContent`), name) })
	c.tap(menu)
	c.sound("views")
	c.inMenu("Make default")
	c.waitText("Reports open with")
	c.goTo(c.f.URL + "/app/reports")
	c.until("reports open with the default view", func() bool { return strings.Contains(c.run(`location.search`), "g=country%2Cos") })

	second := copilotEnv{env: c.secondBrowser()}
	second.entry = c.entryFor("viewer@a.example", models.RoleViewer)
	second.signIn()
	second.goTo(c.f.URL + "/app/reports?w=today")
	second.waitIdle()
	second.tap(menu)
	if got := second.run(`[...document.querySelectorAll('.menu:popover-open .item')].map(e => e.textContent).join('|')`); !strings.Contains(got, name) {
		c.t.Errorf("the viewer's views are %q, want the shared view among them", got)
	}
	second.inMenu(name)
	second.until("the viewer sees the shared view", func() bool {
		q, _ := url.ParseQuery(strings.TrimPrefix(second.run(`location.search`), "?"))
		return q.Get("g") == "country,os" && q.Get("f.device_type") == "mobile" && q.Get("sort") == "-profit" && q.Get("c") == "clicks,profit" && q.Get("w") == "today"
	})
	second.tap(menu)
	if got := second.run(`[...document.querySelectorAll('.menu:popover-open .item')].map(e => e.textContent).join('|')`); strings.Contains(got, "Delete") || strings.Contains(got, "Rename") {
		c.t.Errorf("the menu lets a viewer delete or rename the view: %q", got)
	}
	second.inMenu("Save as")
	second.fill(byLabel("dialog", "Name"), "Own")
	second.tap(button("Save"))
	second.until("the viewer's own view is shown", func() bool { return strings.Contains(second.run(menu+`?.textContent`), "Own") })

	c.tap(menu)
	c.inMenu("Delete")
	c.tap(`document.querySelector('dialog .btn.danger')`)
	c.waitText("is deleted")
	c.goTo(c.f.URL + "/app/reports?w=today")
	c.waitIdle()
	c.tap(menu)
	c.waitText("No views are saved yet.")
	c.press("Escape")
}

// addsNotes: a change and a note are marks on the plot.
func (c *copilotEnv) addsNotes() {
	c.t.Helper()
	patch := map[string]any{"notes": "seen by nobody"}
	if err := c.api.Do(c.t.Context(), http.StatusOK, "PATCH", "/campaigns/"+c.campaign, patch, nil); err != nil {
		c.t.Fatal(err)
	}
	text := "Budget doubled " + hostileMarkup
	c.goTo(c.f.URL + "/app?w=today")
	c.waitIdle()
	c.until("the plot has marks", func() bool { return c.run(`document.querySelectorAll('.plotmark').length`) != "0" })
	c.tap(`document.querySelector('[aria-label="Add a note to this plot"]')`)
	c.fill(byLabel("dialog", "Text"), text)
	c.tap(button("Save"))
	c.waitText("The note is saved")
	c.until("the note has a mark", func() bool { return c.run(`document.querySelectorAll('.plotmark.noted').length`) == "1" })
	c.run(`document.querySelector('.plotmark.noted button').focus()`)
	c.run(`document.activeElement.click()`)
	c.until("the mark shows the text of the note", func() bool {
		return strings.Contains(c.run(`document.querySelector('.plotmark.noted .menu:popover-open')?.textContent`), text)
	})
	if got := c.run(`document.querySelector('.plotmark.noted .menu')?.textContent`); !strings.Contains(got, "Changed: notes") || !strings.Contains(got, "Pilot "+hostileMarkup) {
		c.t.Errorf("the menu of the note lists the changes %q", got)
	}
	c.sound("notes-mark")
	c.press("Escape")
	c.tap(`document.querySelector('[aria-label="As a table"]')`)
	c.until("the table has the note", func() bool {
		return strings.Contains(c.run(`document.querySelector('.plotpad table')?.textContent`), text)
	})
	c.sound("notes-table")
	c.goTo(c.f.URL + "/app/campaigns/" + c.campaign + "/figures?w=today")
	c.until("the campaign's plot has the mark", func() bool { return c.run(`document.querySelectorAll('.plotmark.noted').length`) == "1" })
	c.tap(`document.querySelector('.plotmark.noted button')`)
	c.tap(`[...document.querySelectorAll('.plotmark .menu:popover-open .btn')].find(e => e.textContent === 'Edit the note')`)
	c.fill(byLabel("dialog", "Text"), "Budget halved")
	c.tap(button("Save"))
	c.waitText("The note is saved")
	c.tap(`document.querySelector('.plotmark.noted button')`)
	c.until("the mark shows the new text", func() bool {
		return strings.Contains(c.run(`document.querySelector('.plotmark.noted .menu:popover-open')?.textContent`), "Budget halved")
	})
	c.tap(`[...document.querySelectorAll('.plotmark .menu:popover-open .btn')].find(e => e.textContent === 'Delete')`)
	c.until("the mark is gone", func() bool { return c.run(`document.querySelectorAll('.plotmark.noted').length`) == "0" })
}

// imports imports an offer and a smartlink from CSV. A second dry run says that the offer exists.
func (c *copilotEnv) imports() {
	c.t.Helper()
	c.goTo(c.f.URL + "/app/import")
	c.waitIdle()
	const csv = `document.querySelector('.drop textarea')`
	good := "Imported " + strings.ReplaceAll(hostileMarkup, `"`, `""`)
	text := "Offer;Ziel;Payout;Geo\n\"" + good + "\";https://offer.example/?c={clickid};12,50;DE\nBroken;nowhere;1;DE\nWrong country;https://offer.example/;1;X1\n"
	c.fill(csv, text)
	c.waitText("The file has no column for: URL.")
	c.run(`(e => { e.value = 'url'; e.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(document.querySelector('.maps .map:nth-child(2) select'))`)
	c.until("a dry run can be started", func() bool { return c.run(`(`+button("Dry run")+`) ? 'yes' : ''`) == "yes" })
	c.tap(button("Dry run"))
	c.waitText("Nothing has changed yet")
	c.waitText("is not a URL that begins with http")
	c.sound("import-dry")
	offers := func() (names []string) {
		var list struct{ Rows []struct{ Name string } }
		if err := c.api.Get(c.t.Context(), "/offers?limit=500", &list); err != nil {
			c.t.Fatal(err)
		}
		for _, r := range list.Rows {
			names = append(names, r.Name)
		}
		return names
	}
	name := "Imported " + hostileMarkup
	if slices.Contains(offers(), name) {
		c.t.Error("the dry run made an offer")
	}
	c.waitText("is no country of two letters")
	c.tap(button("Import 1 row"))
	c.tap(`document.querySelector('dialog .btn.primary')`)
	c.waitText("1 row is imported")
	if !slices.Contains(offers(), name) || slices.Contains(offers(), "Wrong country") {
		c.t.Errorf("the offers are %q", offers())
	}
	file, _ := url.PathUnescape(strings.TrimPrefix(c.run(`document.querySelector('a[download]').href`), "data:text/csv;charset=utf-8,"))
	if !strings.Contains(file, "Refused,invalid_country") || !strings.Contains(file, "Refused,invalid_url") || !strings.Contains(file, ",Made,") {
		c.t.Errorf("the result is %q, want two refused rows and a made one", file)
	}
	c.sound("import-done")
	c.until("the dry run finds the row that exists", func() bool {
		c.tap(button("Dry run again"))
		return strings.Contains(c.run(`document.querySelector('.imports')?.textContent`), "Exists 1")
	})
	c.goTo(c.f.URL + "/app/import?kind=links")
	c.waitIdle()
	c.fill(csv, "slug,destination_url\nimported-link,https://a.example/\n")
	c.until("a dry run of links can be started", func() bool { return c.run(`(`+button("Dry run")+`) ? 'yes' : ''`) == "yes" })
	c.tap(button("Dry run"))
	c.waitText("A smartlink needs a domain of your own")
	if err := c.api.Create(c.t.Context(), "/domains", map[string]any{"domain": "go.pilot.example"}, nil); err != nil {
		c.t.Fatal(err)
	}
	c.goTo(c.f.URL + "/app/import?kind=links")
	c.waitIdle()
	c.fill(csv, "slug,destination_url\nimported-link,https://a.example/\n")
	c.tap(button("Dry run"))
	c.tap(button("Import 1 row"))
	c.tap(`document.querySelector('dialog .btn.primary')`)
	c.waitText("1 row is imported")
}

func (c *copilotEnv) lists() {
	c.t.Helper()
	if err := c.api.Create(c.t.Context(), "/reports/exports", map[string]any{"kind": "clicks", "name": "Elsewhere"}, nil); err != nil {
		c.t.Fatal(err)
	}
	c.goTo(c.f.URL + "/app/exports?w=today")
	c.until("the job that was started elsewhere is listed", func() bool {
		return strings.Contains(c.run(`[...document.querySelectorAll('.list .t')].map(e => e.textContent).join('|')`), "Export")
	})
}

func (c *copilotEnv) screens() {
	c.t.Helper()
	pages := map[string]string{
		"copilot": "/app/copilot", "copilot-chat": "/app/copilot?tab=chat", "copilot-rules": "/app/copilot?tab=rules", "copilot-history": "/app/copilot?tab=history",
		"import": "/app/import", "marks-overview": "/app?w=today", "views-reports": "/app/reports?w=today", "marks-campaign": "/app/campaigns/" + c.campaign + "/figures?w=today",
	}
	c.everywhere(pages, nil)
}
