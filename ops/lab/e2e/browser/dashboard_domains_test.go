package browser

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libdns/libdns"

	"switchyard/models"
	"switchyard/models/parttest"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
	"switchyard/workers/providers/dns/dnstest"
	"switchyard/workers/providers/oauth/oauthtest"
)

// domainsEnv is an env whose DNS provider, edge and ad platforms are fake servers.
type domainsEnv struct {
	*env
	zones     *dnstest.Zones
	edge      *cloudflaretest.Fake
	platforms *oauthtest.Platforms
}

const (
	ownHost  = "go.shop.example"
	pointsAt = "track.example"
)

// TestDashboardDomains: the user connects a DNS account and adds a domain, which gets its certificate. The user then signs in to
// an ad platform.
func TestDashboardDomains(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	d := domainsEnv{
		zones: dnstest.NewZones(map[string][]libdns.RR{"shop.example": nil}, "shop.example"),
		edge:  cloudflaretest.Serve(t), platforms: oauthtest.New(t),
	}
	dist, err := filepath.Abs("../../../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	d.env = newEnv(t, "DASHBOARD_DIR="+dist, "TRACKING_HOST="+pointsAt, "DNS_PROVIDER_URL="+dnstest.Serve(t, d.zones).URL, // all fake servers have the same certificate
		"CLOUDFLARE_URL="+d.edge.Server.URL, "CLOUDFLARE_API_TOKEN="+cloudflaretest.Token, "CLOUDFLARE_ZONE_ID="+cloudflaretest.Zone,
		"EGRESS_CA_FILE="+egresstest.CAFile(t, d.edge.Server), "OAUTH_URL="+d.platforms.URL,
		"GOOGLE_ADS_CLIENT_ID="+oauthtest.Apps()[models.GoogleAds].ID, "GOOGLE_ADS_CLIENT_SECRET="+oauthtest.Apps()[models.GoogleAds].Secret)
	d.signIn()
	d.setScreen(1440, "light")
	d.connectsDNS()
	d.addsDomain()
	d.certifies()
	d.screens()
	d.removes()
	d.platform()
}

// connectsDNS connects a DNS account. A wrong token is reported.
func (b *domainsEnv) connectsDNS() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/integrations")
	b.waitIdle()
	b.waitText("No DNS account is connected.")
	b.tap(button("Connect a DNS account"))
	b.choose(byLabel(".side-sheet", "Provider"), "Hetzner")
	b.tap(button("Save"))
	b.until("the form says what is missing", func() bool { return b.run(`document.querySelector('.side-sheet [role=alert]')?.textContent`) != "" })
	b.fill(byLabel(".side-sheet", "API token"), "wrong")
	b.fill(byLabel(".side-sheet", "Your name for it"), "Our zones")
	b.tap(button("Save"))
	b.waitText("Our zones is saved")
	b.tap(button("Test Our zones"))
	b.until("the test of the DNS account fails", func() bool {
		return b.run(`document.querySelector('.integrations .list [role=alert]')?.textContent`) != ""
	})
	b.tap(button("Change Our zones"))
	b.fill(byLabel(".side-sheet", "API token"), dnstest.Fakes["hetzner"].Credentials()["api_token"])
	b.tap(button("Save"))
	b.until("the form is closed", func() bool { return b.run(`document.querySelector('dialog[open]') ? 'open' : 'closed'`) == "closed" })
	b.tap(button("Test Our zones"))
	b.waitText("It works, and has 1 zone.")
	if text := b.run(`document.documentElement.outerHTML`); strings.Contains(text, "canary") {
		b.t.Error("the page has a secret")
	}
}

// addsDomain adds a domain whose records the DNS account sets.
func (b *domainsEnv) addsDomain() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/domains")
	b.waitText("No domains of your own yet.")
	b.press("n")
	b.fill(byLabel("dialog[open]", "Hostnames"), "*.shop.example")
	b.tap(`document.querySelector('dialog[open] button[type=submit]')`)
	b.waitText("has a wildcard")
	b.fill(byLabel("dialog[open]", "Hostnames"), ownHost)
	b.until("the account can be chosen", func() bool { return b.run(byLabel("dialog[open]", "Set their records in")+`?.options.length`) == "2" })
	b.run(`(e => { e.value = e.options[1].value; e.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(` + byLabel("dialog[open]", "Set their records in") + `)`)
	b.tap(`document.querySelector('dialog[open] button[type=submit]')`)
	b.waitText("record made")
	if made := b.zones.Records("shop.example"); !slices.ContainsFunc(made, func(r libdns.RR) bool {
		return r.Type == "CNAME" && strings.HasPrefix(r.Data, pointsAt)
	}) || !slices.ContainsFunc(made, func(r libdns.RR) bool { return r.Type == "TXT" && r.Name == "_switchyard.go" }) {
		b.t.Errorf("the zone has the records %v, want a CNAME and a TXT record", made)
	}
	b.tap(button("Done"))
	b.waitText("Waits for DNS")
	b.waitText("Looks again every 10 s")
	b.run(`document.querySelector('tr[data-row]').focus()`)
	b.press("Enter")
	b.until("the records to set are shown", func() bool { // a CNAME to the account's own target, and a TXT record with its token
		values := strings.Fields(b.run(`[...document.querySelectorAll('.record-to-set input')].map(i => i.value).join(' ')`))
		return len(values) == 4 && values[0] == ownHost && values[1] == values[3]+"."+pointsAt && values[2] == "_switchyard."+ownHost
	})
	b.until("the result of the last check is shown", func() bool {
		return b.run(`[...document.querySelectorAll('.side-sheet h2')].some(h => h.textContent === 'What was seen') ? 'yes' : ''`) == "yes"
	})
	b.waitText("Looks again in")
}

// done returns how many of the three steps of the certificate are done: requested, checked, issued.
func (b *domainsEnv) done() string {
	b.t.Helper()
	return b.run(`document.querySelectorAll('.steps li:nth-child(n+2):nth-child(-n+4).done').length`)
}

// agrees: the first and the last step match the latest check of the domain.
func (b *domainsEnv) agrees() {
	b.t.Helper()
	b.until("the steps agree with the last check", func() bool {
		var list struct {
			Rows []struct{ Points, HTTPS *bool }
		}
		if err := b.api.Get(b.t.Context(), "/domains", &list); err != nil || len(list.Rows) != 1 {
			b.t.Fatal(list, err)
		}
		d := list.Rows[0]
		leads, secure := d.Points == nil || *d.Points, d.HTTPS != nil && *d.HTTPS
		return b.run(`['first', 'last'].map(n => document.querySelector('.steps li:' + n + '-child').matches('.done')).join()`) ==
			fmt.Sprintf("%t,%t", leads, secure)
	})
}

// certifies verifies the domain as an operator does, and then moves the edge through the steps of the certificate.
func (b *domainsEnv) certifies() {
	b.t.Helper()
	if n := b.done(); n != "0" {
		b.t.Errorf("%s steps of the certificate are done before the domain is verified", n)
	}
	if err := b.f.Command(b.t.Context(), nil, "domains", "verify", ownHost); err != nil {
		b.t.Fatal(err)
	}
	b.until("the edge has the host", func() bool { return slices.Contains(b.edge.Hosts(), ownHost) })
	checkCertificate := func(steps string) {
		b.t.Helper()
		b.tap(button("Check certificate"))
		b.until(steps+" steps are done", func() bool { return b.done() == steps })
	}
	b.edge.SetStates(ownHost, "pending", models.SSLPendingValidation, "the CNAME record does not match")
	checkCertificate("1")
	b.waitText("Proof of ownership")
	b.waitText("the CNAME record does not match")
	b.sound("domain-waiting-1440-light")
	b.edge.SetStates(ownHost, "active", models.SSLPendingIssuance)
	checkCertificate("2")
	b.edge.SetStates(ownHost, "active", models.SSLActive)
	checkCertificate("3")
	b.agrees()
	b.waitText("From Cloudflare")
	b.run(`(e => { e.value = 'allow'; e.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(` + byLabel(".side-sheet .record", "Crawlers") + `)`)
	b.fill(byLabel(".side-sheet .record", "Page of the bare domain"), "nowhere")
	b.tap(`document.querySelector('.side-sheet .record .btn.primary')`)
	b.waitText("index_page must be an http or https address")
}

func (b *domainsEnv) screens() {
	b.t.Helper()
	b.press("Escape")
	b.everywhere(map[string]string{
		"domains": "/app/domains", "domain": "/app/domains?id=" + b.domain(), "integrations": "/app/integrations",
	}, nil)
}

// domain returns the id of the only domain, or "".
func (b *domainsEnv) domain() string {
	b.t.Helper()
	var list struct{ Rows []struct{ ID string } }
	if err := b.api.Get(b.t.Context(), "/domains", &list); err != nil || len(list.Rows) > 1 {
		b.t.Fatal(list, err)
	}
	if len(list.Rows) == 0 {
		return ""
	}
	return list.Rows[0].ID
}

// removes deletes the domain. The edge deletes the host too.
func (b *domainsEnv) removes() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/domains?id=" + b.domain())
	b.tap(button("Delete the domain"))
	const sure = `[...document.querySelectorAll('dialog[open] .btn.danger')].at(-1)`
	b.until("the page asks for the name", func() bool { return b.run(sure+`?.disabled`) == "true" })
	b.fill(`[...document.querySelectorAll('dialog[open] input')].at(-1)`, ownHost)
	b.until("the button can be pressed", func() bool { return b.run(sure+`?.disabled`) == "false" })
	b.tap(sure)
	b.waitText("is deleted")
	if b.domain() != "" {
		b.t.Error("the domain still exists after it was deleted")
	}
	b.until("the edge has deleted the host", func() bool { return len(b.edge.Hosts()) == 0 })
}

// platform signs in at an ad platform. The OAuth state does not stay in the address, and works only once.
func (b *domainsEnv) platform() {
	b.t.Helper()
	b.call("Security.setIgnoreCertificateErrors", map[string]any{"ignore": true}, nil) // the fake platform has a self-signed certificate
	b.platforms.SignIn(oauthtest.User{ID: "jane", Name: "jane@example.com"})
	b.goTo(b.f.URL + "/app/integrations")
	b.waitIdle()
	const signIn = `[...document.querySelectorAll('li.platform button')].find(e => e.textContent.trim() === 'Sign in Google Ads')`
	b.tap(signIn)
	b.waitText("signed in as jane@example.com")
	if at := b.run(`location.href`); at != b.f.URL+"/app/integrations" {
		b.t.Errorf("after the sign-in the browser is at %s", at)
	}
	var back string
	for _, address := range b.requested() {
		if strings.Contains(address, "state=") && strings.HasPrefix(address, b.f.URL) {
			back = address
		}
	}
	if back == "" {
		b.t.Fatalf("the browser has not come back from the platform: %q", b.requested())
	}
	b.goTo(back)
	b.until("the second use of the state is refused", func() bool { return b.run(`document.querySelector('[role=alert]')?.textContent`) != "" })
	b.goTo(b.f.URL + "/app/integrations")
	b.tap(`[...document.querySelectorAll('li.platform button')].find(e => e.textContent.trim().startsWith('Disconnect'))`)
	b.tap(`[...document.querySelectorAll('dialog[open] .btn.danger')].at(-1)`)
	b.until("nobody is signed in", func() bool {
		return !strings.Contains(b.run(`document.body.innerText`), "signed in as jane@example.com")
	})
	b.platforms.Deny()
	b.tap(signIn)
	b.until("the error of the platform is shown", func() bool { return b.run(`document.querySelector('[role=alert]')?.textContent`) != "" })
}
