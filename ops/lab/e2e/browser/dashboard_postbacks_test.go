package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"switchyard/models/parttest"
)

// postbackEnv is an env with a network, and a campaign whose traffic source answers postbacks with the HTTP status in the
// field status.
type postbackEnv struct {
	*env
	status                          atomic.Int32
	link, campaign, source, network string
}

// TestDashboardPostbacks: an alert about a source that refuses postbacks leads to the log of these postbacks, where they are sent
// again.
func TestDashboardPostbacks(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	dist, err := filepath.Abs("../../../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	p := &postbackEnv{env: newEnv(t, "DASHBOARD_DIR="+dist, "EGRESS_ALLOW=127.0.0.0/8")}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(p.status.Load()))
		_, _ = w.Write([]byte("unknown <b>offer</b>"))
	}))
	t.Cleanup(receiver.Close)
	p.signIn()
	p.setScreen(1440, "light")
	p.sets(receiver.URL)
	refused := p.refuses()
	p.leads()
	p.resends(refused)
	p.seesSourcePostback(refused)
	p.counts()
	p.everywhere(map[string]string{
		"postbacks-in": "/app/postbacks?w=today", "postbacks-out": "/app/postbacks?w=today&dir=out",
		"postbacks-none": "/app/postbacks?w=today&find=nothing",
	}, nil)
}

func (p *postbackEnv) sets(receiver string) {
	p.t.Helper()
	var made struct {
		ID  string
		URL string `json:"tracking_url"`
	}
	create := func(path string, body map[string]any) string {
		p.t.Helper()
		if err := p.api.Create(p.t.Context(), path, body, &made); err != nil {
			p.t.Fatal(err)
		}
		return made.ID
	}
	p.network = create("/networks", map[string]any{"name": "Payer"})
	p.source = create("/traffic-sources", map[string]any{"name": "Deaf source", "postback_url": receiver + "/told?e={external_id}&key=s3cret"})
	offer := create("/offers", map[string]any{"name": "Told offer", "url": "https://offer.example/?c={clickid}", "network_id": p.network})
	p.campaign = create("/campaigns", map[string]any{"name": "Told campaign", "alias": "told-test", "offer_id": offer, "source_id": p.source})
	p.link = made.URL
}

// convert reports a conversion of a new click, and returns the click.
func (p *postbackEnv) convert(transaction string) string {
	p.t.Helper()
	click := p.visit(p.link)
	p.get(p.f.URL + "/postback/" + p.network + "?clickid=" + click + "&payout=2&status=approved&txid=" + transaction)
	return click
}

// sent returns the number of postbacks to the source that have the given result.
func (p *postbackEnv) sent(result string) int {
	p.t.Helper()
	var list struct{ Rows []struct{ ID string } }
	if err := p.api.Get(p.t.Context(), "/logs/postbacks?direction=out&source="+p.source+"&result="+result, &list); err != nil {
		p.t.Fatal(err)
	}
	return len(list.Rows)
}

// refuses lets the source refuse a postback for good, and then fail until there is an alert. It returns the click of the refused
// postback.
func (p *postbackEnv) refuses() string {
	p.t.Helper()
	p.status.Store(http.StatusGone)
	click := p.convert("T-1")
	p.until("a postback failed", func() bool { return p.sent("failed") == 1 })
	p.status.Store(http.StatusInternalServerError)
	for n := range 3 {
		p.convert(fmt.Sprint("T-", 2+n))
	}
	p.until("there is an alert", func() bool {
		var list struct{ Alerts []struct{ Type string } }
		if err := p.api.Get(p.t.Context(), "/alerts", &list); err != nil {
			p.t.Fatal(err)
		}
		return strings.Contains(fmt.Sprint(list.Alerts), "source.failing")
	})
	return click
}

func (p *postbackEnv) leads() {
	p.t.Helper()
	p.goTo(p.f.URL + "/app")
	p.waitText("attempts to report conversions were not accepted")
	const line = `[...document.querySelectorAll('.list.whole li')].find(e => e.textContent.includes('Deaf source'))`
	if cut := p.run(`[...(` + line + `).querySelectorAll('.t, .d')].some(e => e.scrollWidth > e.clientWidth + 1)`); cut != "false" {
		p.t.Error("the text of the alert is cut off")
	}
	if text := p.run(`(` + line + `).textContent`); strings.Contains(text, "GET /") {
		p.t.Errorf("the alert names a call of the API: %s", text)
	}
	p.tap(`(` + line + `).querySelector('a.btn')`)
	p.until("the log of the source is shown", func() bool { return p.run(`document.querySelectorAll('tr[data-row]').length`) == "4" })
	if got := p.run(`location.pathname + location.search`); !strings.Contains(got, "dir=out") || !strings.Contains(got, "source="+p.source) {
		p.t.Errorf("the alert leads to %s, want the log of the source", got)
	}
}

// resends reads the source's answer to the refused postback. Then it sends this postback again, and finally all failed
// postbacks.
func (p *postbackEnv) resends(click string) {
	p.t.Helper()
	p.goTo(p.f.URL + "/app/postbacks?w=today&dir=out&state=failed&source=" + p.source)
	p.until("one failed postback is listed", func() bool { return p.run(`document.querySelectorAll('tr[data-row]').length`) == "1" })
	p.run(`document.querySelector('tr[data-row]').focus()`)
	p.press("Enter")
	p.waitText("The source wants no further attempts of this postback.")
	p.waitText("unknown <b>offer</b>")
	sheet := p.run(`document.querySelector('.side-sheet').textContent`)
	for _, want := range []string{"410", "/told?e=", "key=***", "T-1", click, "the source answered 410"} {
		if !strings.Contains(sheet, want) {
			p.t.Errorf("the sheet lacks %q: %s", want, sheet)
		}
	}
	p.sound("postback-sent")
	p.status.Store(http.StatusOK)
	p.tap(`[...document.querySelectorAll('.side-sheet .btn')].find(e => e.textContent.startsWith('Send again'))`)
	p.waitText("The source has accepted it: 200")
	if n := p.sent("told"); n < 1 {
		p.t.Errorf("%d postbacks were accepted, want at least 1", n)
	}
	p.goTo(p.f.URL + "/app/postbacks?w=today&dir=out&source=" + p.source)
	p.waitIdle()
	p.tap(button("Send all failed again"))
	p.waitText("is sent once more, under its delivery id")
	p.sound("postbacks-resend-all")
	p.tap(`document.querySelector('dialog .btn.primary')`)
	p.waitText("to be sent again")
}

// seesSourcePostback checks that a conversion shows what the traffic source was told, and opens the postback of the network.
func (p *postbackEnv) seesSourcePostback(click string) {
	p.t.Helper()
	p.goTo(p.f.URL + "/app/conversions?w=today&find=" + click)
	p.until("the conversion is listed", func() bool { return p.run(`document.querySelectorAll('tr[data-row]').length`) == "1" })
	p.run(`document.querySelector('tr[data-row]').focus()`)
	p.press("o")
	p.waitText("What the traffic source was told")
	p.waitText("Deaf source · Approved")
	p.sound("conversion-told")
	p.tap(`document.querySelector('.side-sheet a.btn[href*="/app/postbacks"]')`)
	p.waitText("Postback to a source")
	p.goTo(p.f.URL + "/app/postbacks?w=today&find=T-1")
	p.until("the postback of the network is listed", func() bool { return p.run(`document.querySelectorAll('tr[data-row]').length`) == "1" })
	p.run(`document.querySelector('tr[data-row]').focus()`)
	p.press("Enter")
	p.waitText("Received postback")
	p.waitText("As it was received")
	p.sound("postback-received")
}

// counts sends a postback that finds no click. The overview and the navigation report it.
func (p *postbackEnv) counts() {
	p.t.Helper()
	p.get(p.f.URL + "/postback/" + p.network + "?clickid=%7Bclickid%7D&payout=1")
	p.until("the postback is unmatched", func() bool {
		var list struct{ UnmatchedPostbacks int }
		if err := p.api.Get(p.t.Context(), "/alerts", &list); err != nil {
			p.t.Fatal(err)
		}
		return list.UnmatchedPostbacks > 0
	})
	p.goTo(p.f.URL + "/app")
	p.waitText("found no click")
	p.waitText("came from bots")
	const badge = `document.querySelector('.side a[href^="/app/unmatched"]')`
	p.until("the navigation counts it", func() bool { return strings.Contains(p.run(`(`+badge+`).textContent`), "unmatched postback") })
	p.showsDots()
	p.sound("overview-waiting")
}

// showsDots: on a small laptop the count of a folded group is a dot, which nothing covers.
func (p *postbackEnv) showsDots() {
	p.t.Helper()
	p.setHeight(1280, 720, "light")
	p.goTo(p.f.URL + "/app")
	const dot = `document.querySelector('.side .fold[aria-expanded=false] .n')`
	p.until("a folded group has a dot", func() bool { return p.run(`(`+dot+`)?.checkVisibility() ? 'yes' : ''`) == "yes" })
	if whole := p.run(`(e => { const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2
		return String([[x, r.top + 1], [x, r.bottom - 1], [r.left + 1, y], [r.right - 1, y]].every(at => e.contains(document.elementFromPoint(...at)))) })(` + dot + `)`); whole != "true" {
		p.t.Error("something covers a part of the dot")
	}
	p.setScreen(1440, "light")
	p.goTo(p.f.URL + "/app")
	p.waitText("found no click")
	p.waitIdle()
}
