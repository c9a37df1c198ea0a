package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libdns/libdns"

	"switchyard/models"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
	"switchyard/workers/providers/dns/dnstest"
)

// domainsBoard is a board whose DNS provider and edge are fakes at the wire.
type domainsBoard struct {
	*board
	zones *dnstest.World
	edge  *cloudflaretest.Fake
}

const (
	ownHost  = "go.shop.example"
	pointsAt = "track.example"
)

// TestDashboardDomains: a DNS account is connected and tested, a domain is added by it, verified and gets its certificate
// step by step. What fails is said.
func TestDashboardDomains(t *testing.T) {
	t.Parallel()
	d := domainsBoard{
		zones: dnstest.NewWorld(map[string][]libdns.RR{"shop.example": nil}, "shop.example"),
		edge:  cloudflaretest.Serve(t),
	}
	dist, err := filepath.Abs("../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	d.board = openBoard(t, "DASHBOARD_DIR="+dist, "TRACKING_HOST="+pointsAt, "DNS_PROVIDER_URL="+dnstest.Serve(t, d.zones).URL, // all fakes have one certificate
		"CLOUDFLARE_URL="+d.edge.Server.URL, "CLOUDFLARE_API_TOKEN="+cloudflaretest.Token, "CLOUDFLARE_ZONE_ID="+cloudflaretest.Zone,
		"EGRESS_CA_FILE="+egresstest.CAFile(t, d.edge.Server))
	d.signIn()
	d.look(1440, "light")
	d.connectsDNS()
	d.addsDomain()
	d.certifies()
}

// connectsDNS connects a DNS account by a form that is drawn from what its provider asks for. A wrong token is said.
func (b *domainsBoard) connectsDNS() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/integrations")
	b.settled()
	b.shows("No DNS account is connected.")
	b.tap(button("Connect a DNS account"))
	b.choose(byLabel(".side-sheet", "Provider"), "Hetzner")
	b.tap(button("Save"))
	b.until("what is missing is said", func() bool { return b.run(`document.querySelector('.side-sheet [role=alert]')?.textContent`) != "" })
	b.fill(byLabel(".side-sheet", "API token"), "wrong")
	b.fill(byLabel(".side-sheet", "Your name for it"), "Our zones")
	b.tap(button("Save"))
	b.shows("Our zones is saved")
	b.tap(button("Test Our zones"))
	b.until("it fails", func() bool {
		return b.run(`document.querySelector('.integrations .list [role=alert]')?.textContent`) != ""
	})
	b.tap(button("Change Our zones"))
	b.fill(byLabel(".side-sheet", "API token"), dnstest.Fakes["hetzner"].Credentials()["api_token"])
	b.tap(button("Save"))
	b.until("the form is closed", func() bool { return b.run(`document.querySelector('dialog[open]') ? 'open' : 'closed'`) == "closed" })
	b.tap(button("Test Our zones"))
	b.shows("It works, and holds 1 zone.")
	if text := b.run(`document.documentElement.outerHTML`); strings.Contains(text, "canary") {
		b.t.Error("the page has a secret")
	}
}

// addsDomain adds a domain, whose record the DNS account sets. It waits for DNS, and looks again by itself.
func (b *domainsBoard) addsDomain() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/domains")
	b.shows("No domain of your own yet.")
	b.press("n")
	b.fill(byLabel("dialog[open]", "Hostnames"), "*.shop.example")
	b.tap(`document.querySelector('dialog[open] button[type=submit]')`)
	b.shows("has a wildcard")
	b.fill(byLabel("dialog[open]", "Hostnames"), ownHost)
	b.until("the account can be chosen", func() bool { return b.run(byLabel("dialog[open]", "Set their records in")+`?.options.length`) == "2" })
	b.run(`(e => { e.value = e.options[1].value; e.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(` + byLabel("dialog[open]", "Set their records in") + `)`)
	b.tap(`document.querySelector('dialog[open] button[type=submit]')`)
	b.shows("record made")
	if made := b.zones.Records("shop.example"); !slices.ContainsFunc(made, func(r libdns.RR) bool {
		return r.Type == "CNAME" && strings.HasPrefix(r.Data, pointsAt)
	}) {
		b.t.Errorf("the zone has %v", made)
	}
	b.tap(button("Done"))
	b.shows("Waits for DNS")
	b.shows("Looks again every 10 s")
	b.run(`document.querySelector('tr[data-row]').focus()`)
	b.press("Enter")
	b.until("the record to set", func() bool {
		return strings.Contains(b.run(`[...document.querySelectorAll('.record-to-set input')].map(i => i.value).join(' ')`), ownHost+" "+pointsAt)
	})
	b.until("what was seen", func() bool {
		return b.run(`[...document.querySelectorAll('.side-sheet h2')].some(h => h.textContent === 'What was seen') ? 'yes' : ''`) == "yes"
	})
	b.shows("Looks again in")
}

// done is how many steps of the certificate are done.
func (b *domainsBoard) done() string {
	b.t.Helper()
	return b.run(`document.querySelectorAll('.steps .done').length`)
}

// certifies has an operator verify the domain, and then the edge go on step by step.
func (b *domainsBoard) certifies() {
	b.t.Helper()
	if n := b.done(); n != "0" {
		b.t.Errorf("%s steps are done before the domain is verified", n)
	}
	if err := b.f.Command(b.t.Context(), nil, "domains", "verify", ownHost); err != nil {
		b.t.Fatal(err)
	}
	b.until("the edge has the host", func() bool { return slices.Contains(b.edge.Hosts(), ownHost) })
	look := func(steps string) { // it looks again by itself
		b.t.Helper()
		b.tap(button("Look at the edge"))
		b.until(steps+" steps are done", func() bool { return b.done() == steps })
	}
	b.edge.Hold(ownHost, "pending", models.SSLPendingValidation, "the CNAME record does not match")
	look("2")
	b.shows("Proof of ownership")
	b.shows("the CNAME record does not match")
	b.sound("domain-waiting-1440-light")
	b.edge.Hold(ownHost, "active", models.SSLPendingIssuance)
	look("3")
	b.edge.Hold(ownHost, "active", models.SSLActive)
	look("5")
	b.shows("From Cloudflare")
	b.run(`(e => { e.value = 'allow'; e.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(` + byLabel(".side-sheet .record", "Crawlers") + `)`)
	b.fill(byLabel(".side-sheet .record", "Page of the bare domain"), "nowhere")
	b.tap(`document.querySelector('.side-sheet .record .btn.primary')`)
	b.shows("index_page must be an http or https address")
}
