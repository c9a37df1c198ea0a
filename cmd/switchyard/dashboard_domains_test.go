package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libdns/libdns"

	"switchyard/models"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
	"switchyard/workers/providers/dns/dnstest"
	"switchyard/workers/providers/signin/signintest"
)

// domainsBoard is a board whose DNS provider, edge and ad platforms are fakes at the wire.
type domainsBoard struct {
	*board
	zones *dnstest.World
	edge  *cloudflaretest.Fake
	ads   *signintest.World
}

const (
	ownHost  = "go.shop.example"
	pointsAt = "track.example"
)

// TestDashboardDomains: a DNS account is connected and tested, a domain is added by it, verified and gets its certificate
// step by step, an ad platform is connected by signing in there, and what fails is said. Every screen is sound.
func TestDashboardDomains(t *testing.T) {
	t.Parallel()
	d := domainsBoard{
		zones: dnstest.NewWorld(map[string][]libdns.RR{"shop.example": nil}, "shop.example"),
		edge:  cloudflaretest.Serve(t), ads: signintest.New(t),
	}
	app := signintest.Apps()[models.GoogleAds]
	dist, err := filepath.Abs("../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	d.board = openBoard(t, "DASHBOARD_DIR="+dist, "TRACKING_HOST="+pointsAt, "DNS_PROVIDER_URL="+dnstest.Serve(t, d.zones).URL, // all fakes have one certificate
		"CLOUDFLARE_URL="+d.edge.Server.URL, "CLOUDFLARE_API_TOKEN="+cloudflaretest.Token, "CLOUDFLARE_ZONE_ID="+cloudflaretest.Zone,
		"OAUTH_URL="+d.ads.URL, "GOOGLE_ADS_CLIENT_ID="+app.ID, "GOOGLE_ADS_CLIENT_SECRET="+app.Secret,
		"EGRESS_CA_FILE="+egresstest.CAFile(t, d.ads.Server))
	d.signIn()
	d.look(1440, "light")
	d.connectsDNS()
	d.addsDomain()
	d.certifies()
	d.signsIn()
	d.saysNoKey()
	d.screens()
	d.removes()
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
	if text := b.run(`document.documentElement.outerHTML`); strings.Contains(text, signintest.Canary) {
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
	b.shows("no address that visitors can be sent to")
	b.fill(byLabel(".side-sheet .record", "Page of the bare domain"), "https://shop.example/")
	b.tap(`document.querySelector('.side-sheet .record .btn.primary')`)
	b.shows(ownHost + " is saved")
	if d := b.domain(); d.Crawlers != "allow" || d.IndexPage != "https://shop.example/" || d.Status != models.SSLActive {
		b.t.Errorf("it is %+v", d)
	}
}

type domainShown struct {
	ID, Domain, Crawlers string
	IndexPage            string `json:"index_page"`
	Status               string `json:"ssl_status"`
}

// domain is the one that was added.
func (b *domainsBoard) domain() domainShown {
	b.t.Helper()
	var list struct{ Rows []domainShown }
	if err := b.api.Get(b.t.Context(), "/domains", &list); err != nil {
		b.t.Fatal(err)
	}
	if i := slices.IndexFunc(list.Rows, func(d domainShown) bool { return d.Domain == ownHost }); i >= 0 {
		return list.Rows[i]
	}
	return domainShown{}
}

// signsIn connects an ad platform: the browser leaves, comes back and ends the sign-in. The code stays in no address.
// Somebody who says no there is told so.
func (b *domainsBoard) signsIn() {
	b.t.Helper()
	b.call("Security.setIgnoreCertificateErrors", map[string]any{"ignore": true}, nil) // of the fake
	b.goTo(b.f.URL + "/app/integrations")
	b.settled()
	b.shows("nobody has signed in")
	b.tap(button("Sign in Google Ads"))
	b.shows("signed in as jane@example.com")
	if at := b.run(`location.href + history.length + JSON.stringify(history.state)`); strings.Contains(at, "code") || strings.Contains(at, "state=") {
		b.t.Errorf("the browser is at %s", at)
	}
	b.ads.Deny()
	b.tap(button("Sign in Google Ads"))
	b.shows("The platform gave no access.")
	b.goTo(b.f.URL + "/app/more")
	b.goTo(b.f.URL + "/app/oauth#state=app-MADEUPMADEUPMADEUPMADEUP26&code=stolen")
	b.shows("Start it again.")
	b.goTo(b.f.URL + "/app/integrations?source=" + b.source())
	b.shows("Provider")
	b.choose(byLabel(".side-sheet", "Provider"), "Google Ads")
	b.until("who signed in can be chosen", func() bool {
		return strings.Contains(b.run(byLabel(".side-sheet", "Signed in as")+`?.textContent`), "jane@example.com")
	})
	b.ads.Own(models.GoogleAds, "1000000000", "2000000000")
	b.tap(button("Find ad accounts"))
	b.choose(byLabel(".side-sheet", "Ad account"), "Shop 2000000000")
	b.until("the account is filled in", func() bool {
		return strings.Contains(b.run(`[...document.querySelectorAll('.side-sheet input')].map(i => i.value).join(' ')`), "2000000000")
	})
	b.forget()
}

// source is a traffic source of the account.
func (b *domainsBoard) source() string {
	b.t.Helper()
	var list struct{ Rows []struct{ ID string } }
	if err := b.api.Get(b.t.Context(), "/traffic-sources?limit=1", &list); err != nil || len(list.Rows) == 0 {
		b.t.Fatal(list, err)
	}
	return list.Rows[0].ID
}

// forget forgets what the page has asked: it was at another host on purpose.
func (b *domainsBoard) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = nil
}

// saysNoKey: without a key to seal with, one notice has the line to set, and nothing offers to connect.
func (b *domainsBoard) saysNoKey() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/more")
	b.settled()
	b.run(`(window.real = window.fetch, window.fetch = async (a, o) => { const r = await window.real(a, o); if (!String(a).endsWith('/integrations')) return r; const j = await r.json(); j.data.encryptionAvailable = false; return new Response(JSON.stringify(j), {status: 200}) }, 1)`)
	b.run(`document.querySelector('.nav a[href^="/app/integrations"]').click()`)
	b.shows("ENCRYPTION_KEY=")
	b.settled()
	if got := b.run(button("Connect a DNS account") + ` ? 'offered' : ''`); got != "" {
		b.t.Error("without a key a DNS account can be connected")
	}
	b.sound("integrations-nokey-1440-light")
}

// screens holds what is true of every screen, in both themes, wide and narrow.
func (b *domainsBoard) screens() {
	b.t.Helper()
	pages := map[string]string{
		"domains": "/app/domains", "domain": "/app/domains?id=" + b.domain().ID, "integrations": "/app/integrations",
		"integration-source": "/app/integrations?source=" + b.source(), "integration-dns": "/app/integrations?dns=new", "oauth": "/app/oauth",
	}
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int{1440, 390} {
			b.look(width, theme)
			for name, path := range pages {
				b.goTo(b.f.URL + path)
				b.settled()
				b.sound(name + "-" + strconv.Itoa(width) + "-" + theme)
			}
		}
	}
	b.look(1440, "light")
}

// removes deletes the domain, which takes typing its name.
func (b *domainsBoard) removes() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/domains?id=" + b.domain().ID)
	b.tap(button("Delete the domain"))
	b.until("the question", func() bool { return b.run(`document.querySelectorAll('dialog[open]').length`) == "2" })
	remove := `[...document.querySelectorAll('dialog[open] .btn.danger')].at(-1)`
	if b.run(remove+`.disabled`) != "true" {
		b.t.Error("it can be deleted without its name")
	}
	b.fill(`[...document.querySelectorAll('dialog[open]')].at(-1).querySelector('input')`, ownHost)
	b.tap(remove)
	b.shows(ownHost + " is deleted")
	b.until("the edge has it no more", func() bool { return len(b.edge.Hosts()) == 0 })
	if d := b.domain(); d.ID != "" {
		b.t.Errorf("it is there: %+v", d)
	}
}
