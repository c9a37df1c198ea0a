package browser

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// TestDashboardLanguages: the screens pass all checks in German. No control or heading is cut off, also in the pseudo-language
// ar-XB (longer words, written from right to left).
func TestDashboardLanguages(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.goTo(b.f.URL + "/app/me")
	b.waitIdle()
	b.run(`(s => { s.value = 'de'; s.dispatchEvent(new Event('change', {bubbles: true})); return 1 })([...document.querySelectorAll('select')].find(s => [...s.options].some(o => o.value === 'de')))`)
	b.waitText("Eigenes Profil")
	if got := b.run(`document.documentElement.lang`); got != "de" {
		t.Errorf("the language of the page is %s, want de", got)
	}
	b.goTo(b.f.URL + "/app")
	b.waitText("Was sich verändert hat")
	var list struct{ Rows []struct{ ID string } }
	if err := b.api.Get(t.Context(), "/campaigns?q=demo", &list); err != nil || len(list.Rows) == 0 {
		t.Fatal(list, err)
	}
	var domain struct{ ID string }
	if err := b.api.Create(t.Context(), "/domains", map[string]any{"domain": "go.lang.example"}, &domain); err != nil {
		t.Fatal(err)
	}
	var network struct{ ID string }
	if err := b.api.Create(t.Context(), "/networks", map[string]any{"name": "Compared"}, &network); err != nil {
		t.Fatal(err)
	}
	b.translates(network.ID)
	of := "/app/campaigns/" + list.Rows[0].ID
	pages := map[string]string{
		"overview": "/app", "reports": "/app/reports", "more": "/app/more", "campaigns": "/app/campaigns", "campaign-new": "/app/campaigns/new", "campaign-figures": of + "/figures",
		"campaign-flow": of + "/flow", "campaign-link": of + "/link", "campaign-settings": of + "/settings", "offers": "/app/offers", "offer": "/app/offers?id=new", "landers": "/app/landers",
		"source": "/app/sources?id=new", "network": "/app/networks?id=new", "clicks": "/app/clicks", "conversions": "/app/conversions", "postbacks": "/app/postbacks", "postbacks-out": "/app/postbacks?dir=out", "unmatched": "/app/unmatched", "corrections": "/app/corrections", "cost": "/app/corrections?kind=cost",
		"exports": "/app/exports", "alerts": "/app/alerts", "plan": "/app/plan", "settings": "/app/settings", "team": "/app/team", "keys": "/app/keys", "audit": "/app/audit", "me": "/app/me",
		"domains": "/app/domains", "domain": "/app/domains?id=" + domain.ID, "integrations": "/app/integrations", "webhooks": "/app/webhooks", "bots": "/app/bots", "blocked": "/app/blocked", "bots-lists": "/app/bots?tab=lists",
		"bots-repeat": "/app/bots?tab=repeat", "smartlinks": "/app/smartlinks", "smartlink": "/app/smartlinks?id=new", "goals": "/app/goals",
		"copilot": "/app/copilot", "copilot-chat": "/app/copilot?tab=chat", "copilot-rules": "/app/copilot?tab=rules", "import": "/app/import", "bring-in": "/app/move", "configuration": "/app/configuration",
		"difference": "/app/networks/" + network.ID + "/difference",
	}
	for _, lang := range []string{"de", "ar-XB"} {
		b.call("Network.setCookie", map[string]any{"name": "switchyard-language", "value": lang, "url": b.f.URL + "/app", "path": "/app"}, nil)
		for name, path := range pages {
			b.goTo(b.f.URL + path)
			b.waitIdle()
			if got := b.run(`document.documentElement.lang`); got != lang {
				t.Fatalf("%s is in the language %q", name, got)
			}
			for _, width := range []int{1440, 390} {
				b.setScreen(width, "light")
				b.waitIdle()
				if cut := b.run(cutTexts); cut != "[]" {
					t.Errorf("%s in %s, %d wide: these texts are cut off: %s", name, lang, width, cut)
				}
				b.fits(fmt.Sprintf("%s-%s-%d", name, lang, width))
			}
			if lang == "de" {
				b.sound(name + "-de")
			}
		}
	}
}

func (b *env) translates(network string) {
	b.t.Helper()
	b.until("the postback is stored", func() bool {
		b.redirect(b.f.URL + "/postback/" + network + "?clickid=nobody&payout=1")
		var list struct{ Rows []struct{ ID string } }
		return b.api.Get(b.t.Context(), "/logs/postbacks?result=unmatched", &list) == nil && len(list.Rows) > 0
	})
	b.goTo(b.f.URL + "/app/postbacks")
	b.waitText("Die gesendete Klick-ID ist keine Klick-ID dieses Dienstes.")
}

// cutTexts lists the controls and headings whose text is cut off. A text with a title may be cut off.
const cutTexts = `JSON.stringify([...document.querySelectorAll('button, a.btn, label, h2, th, .tag, .seg button, .nav a')].filter(e => e.checkVisibility({visibilityProperty: true}) && e.clientWidth > 1 && !e.closest('.hidden, [title], .cut') &&
	e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible').map(e => e.textContent.slice(0, 40) + ' ' + e.className))`

// TestDashboardByKeyboard: Tab reaches at least 20 controls, in document order, and each one shows that it has the focus.
func TestDashboardByKeyboard(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	b.setScreen(1440, "light")
	var list struct{ Rows []struct{ ID string } }
	if err := b.api.Get(t.Context(), "/campaigns?q=demo", &list); err != nil || len(list.Rows) == 0 {
		t.Fatal(list, err)
	}
	for _, path := range []string{"/app", "/app/reports", "/app/campaigns", "/app/campaigns/" + list.Rows[0].ID + "/flow"} {
		b.goTo(b.f.URL + path)
		b.waitIdle()
		seen := map[string]bool{}
		last := -1
		for range 400 {
			b.tabKey()
			at := b.run(focused)
			if at == "body" { // Tab has left the end of the page
				break
			}
			number, what, _ := strings.Cut(at, " ")
			if seen[number] {
				break
			}
			seen[number] = true
			if strings.HasPrefix(what, "!") {
				t.Errorf("%s: nothing shows that the focus is on %s", path, what)
			}
			if n, _ := strconv.Atoi(number); n < last {
				t.Errorf("%s: the focus jumps back to %s", path, what)
			} else {
				last = n
			}
		}
		if len(seen) < 20 {
			t.Errorf("%s: Tab reaches only %d controls, want at least 20", path, len(seen))
		}
	}
}

func (b *env) tabKey() {
	b.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}, nil)
	}
}

// focused describes the focused element. A ! says that nothing visible shows the focus.
const focused = `(e => { if (!e || e === document.body) return 'body';
	const s = getComputedStyle(e), r = e.getBoundingClientRect(), ring = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== 'none' || getComputedStyle(e.parentElement).outlineStyle !== 'none' || getComputedStyle(e.parentElement).boxShadow !== 'none';
	const inside = r.width > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth;
	return [...document.querySelectorAll('*')].indexOf(e) + ' ' + (ring && inside ? '' : '!') + e.tagName + '.' + e.className + ' ' + (e.ariaLabel ?? e.textContent).slice(0, 30) })(document.activeElement)`
