package browser

import (
	"fmt"
	"testing"

	"switchyard/models/parttest"
)

// TestDashboardHelp: the ? at the title of a screen opens the help of this screen. A link in the help opens another page of it, and
// Escape closes the help.
func TestDashboardHelp(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.signIn()
	for _, step := range []struct{ lang, open, offers, link, networks string }{
		{"en", "Help: Offers", "An offer is the page where a visitor converts.", "Networks", "A network pays for conversions"},
		{"de", "Hilfe: Offers", "Ein Offer ist die Seite, auf der ein Besucher konvertiert.", "Netzwerke", "Ein Netzwerk bezahlt Conversions"},
	} {
		b.call("Network.setCookie", map[string]any{"name": "switchyard-language", "value": step.lang, "url": b.f.URL + "/app", "path": "/app"}, nil)
		b.goTo(b.f.URL + "/app/offers")
		b.waitIdle()
		for _, width := range []int{1440, 390} {
			b.setScreen(width, "light")
			b.tap(fmt.Sprintf(`document.querySelector('.top button[aria-label=%q]')`, step.open))
			b.waitText(step.offers)
			b.sound(fmt.Sprintf("help-%s-%d", step.lang, width))
			b.tap(fmt.Sprintf(`[...document.querySelectorAll('.help a')].find(a => a.textContent === %q)`, step.link))
			b.waitText(step.networks)
			b.press("Escape")
			b.until("the screen of offers is shown again", func() bool {
				return b.run(`document.querySelector('dialog[open]') ? '' : location.pathname`) == "/app/offers"
			})
		}
		b.setScreen(1440, "light")
	}
}
