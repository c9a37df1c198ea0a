package click

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
)

func TestTrackSendsToTheOfferAndRecordsTheClick(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	n := w.network()
	o := w.offer("https://offer.test/p?a={sub1}&b={sub2}&e={external_id}&c={country}&x={unknown}&z={param.z}#f", n)
	p := path("offer", nil, to(o))
	id := w.campaign("summer-sale", m{"cost_model": "auto"}, p)
	w.reload()
	res := w.get("/summer-sale?zone=12%2634&sub2=two&vid=V1&bid=0,25&z={z}&sub5=five&t6=six", header("Referer", "https://news.test/a"))
	c := w.spool.last()
	if c == nil {
		t.Fatal("no click was recorded")
	}
	want := "https://offer.test/p?a=12%2634&b=two&e=V1&c=US&x={unknown}&z=&clk=" + models.FormatClickID(c.ID) + "#f"
	if got := res.Header.Get("Location"); got != want || res.StatusCode != http.StatusFound {
		t.Fatalf("%d to %s\nwant   %s", res.StatusCode, got, want)
	}
	if res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the redirect may be cached: %v", res.Header)
	}
	if c.CampaignID != id || c.AccountID != w.account || c.StreamID.String() != p["id"] || c.OfferID != o ||
		c.NetworkID != n || c.SourceID != w.source || c.Domain != sharedHost || c.Destination != want {
		t.Errorf("the recorded click is %+v, want the campaign, path, offer, network and source that were chosen", c)
	}
	if c.Subs != [models.Subs]string{"12&34", "two", "", "", "five", "six"} || c.ExternalID != "V1" {
		t.Errorf("the click has the sub parameters %q and the id %q, want those that the source sent", c.Subs, c.ExternalID)
	}
	if !c.Cost.Equal(decimal.RequireFromString("0.25")) || c.IsBot || c.DeviceType != "desktop" || c.UniqueHours != 24 ||
		c.ReferrerDomain != "news.test" || c.IP.String() != "8.8.8.8" {
		t.Errorf("the recorded click is %+v, want the cost, device, referrer and address of the request", c)
	}
}

func TestTrackUnknownAddresses(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	url := m{"url": "https://a.test/", "weight": 1}
	w.campaign("running-one", nil, path("redirect", nil, url))
	w.campaign("paused-one", m{"status": "paused"}, path("redirect", nil, url))
	w.campaign("paused-two", m{"status": "paused", "fallback_url": "https://rest.test/?c={clickid}"}, path("redirect", nil, url))
	w.campaign("archived-one", m{"status": "archived", "fallback_url": "https://rest.test/"}, path("redirect", nil, url))
	w.campaign("deleted-one", m{"deleted_at": "2026-01-01"}, path("redirect", nil, url))
	w.campaign("own-domain", m{"domain_id": w.ownDomain}, path("redirect", nil, url))
	w.reload()
	tests := []struct {
		name, target string
		status       int
		edits        []edit
	}{
		{"known", "/running-one", 302, nil},
		{"slash at the end", "/running-one/", 302, nil},
		{"host in capitals, port and dot", "/running-one", 302, []edit{host("GO.Example.Test.:8080")}},
		{"other case", "/Running-One", 404, nil},
		{"a longer path", "/running-one/x", 404, nil},
		{"unknown alias", "/nothing-here", 404, nil},
		{"paused", "/paused-one", 404, nil},
		{"paused with a fallback_url", "/paused-two", 302, nil},
		{"archived", "/archived-one", 404, nil},
		{"deleted", "/deleted-one", 404, nil},
		{"another domain's", "/own-domain", 404, nil},
		{"own domain", "/own-domain", 302, []edit{host(ownHost)}},
		{"unknown host", "/running-one", 404, []edit{host("elsewhere.test")}},
		{"strange host", "/running-one", 404, []edit{host("[::1]:80")}},
		{"no index page", "/", 404, nil},
		{"index page", "/", 302, []edit{host(ownHost)}},
		{"nulls", "/%00", 404, nil},
	}
	for _, tt := range tests {
		if res := w.get(tt.target, tt.edits...); res.StatusCode != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, res.StatusCode, tt.status)
		}
	}
	w.h.dashboard = ownHost
	if res := w.get("/own-domain", host(ownHost)); res.StatusCode != http.StatusNotFound {
		t.Errorf("a link at the dashboard's host gets the status %d, want 404", res.StatusCode)
	}
	to := w.get("/paused-two").Header.Get("Location")
	if id, ok := strings.CutPrefix(to, "https://rest.test/?c="); !ok || id == "" {
		t.Errorf("a paused campaign sends to %s, want its fallback with a click id", to)
	}
	if res := w.send(http.MethodPost, "/running-one", ""); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST gets the status %d, want 405", res.StatusCode)
	}
	body, _ := io.ReadAll(w.get("/robots.txt").Body)
	if !strings.Contains(string(body), "Disallow: /") {
		t.Errorf("robots.txt forbids nothing: %s", body)
	}
}

// HEAD requests and prefetches are not counted. A prefetch gets an error, because the browser would use a redirect for the later
// click.
func TestTrackDoesNotCountHeadAndPrefetch(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", nil, path("redirect", m{"daily_cap": 1}, m{"url": "https://a.test/?c={clickid}", "weight": 1}))
	w.reload()
	head := w.get("/summer-sale", func(r *http.Request) { r.Method = http.MethodHead })
	if head.StatusCode != http.StatusFound || head.Header.Get("Location") != "https://a.test/?c=" || len(head.Cookies()) != 0 {
		t.Errorf("HEAD is answered %d %v, want 302 without a click id or a cookie", head.StatusCode, head.Header)
	}
	for _, e := range prefetchEdits {
		w.checkPrefetch("/summer-sale", e)
	}
	if n := len(w.spool.clicks()); n != 0 {
		t.Fatalf("%d clicks are recorded for HEAD and prefetches, want none", n)
	}
	w.location("/summer-sale") // HEAD and prefetch took nothing from the cap
	if n := len(w.spool.clicks()); n != 1 {
		t.Fatalf("%d clicks are recorded, want 1", n)
	}
}

// prefetchEdits are headers of browsers that load a link ahead of a click.
var prefetchEdits = []edit{header("Sec-Purpose", "prefetch;prerender"), header("Purpose", "prefetch"), header("X-Moz", "prefetch")}

// checkPrefetch fails unless the answer is an error that does not disclose the link's destination.
func (w *env) checkPrefetch(target string, edits ...edit) {
	w.Helper()
	res := w.get(target, edits...)
	if h := res.Header; res.StatusCode != http.StatusServiceUnavailable || h.Get("Location") != "" || h.Get("Cache-Control") != "no-store" ||
		len(res.Cookies()) != 0 {
		w.Errorf("a prefetch of %s gets the status %d, want 503 without a destination: %v", target, res.StatusCode, h)
	}
}

func TestTrackTransitions(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	const dest = `https://a.test/?q={sub5}&b=%22`
	const filled = `https://a.test/?q=%3C%2Fscript%3E%22&b=%22`
	const escaped = `https://a.test/?q=%3C%2Fscript%3E%22&amp;b=%22`
	tests := []struct {
		transition string
		status     int
		body       string
		policy     string
	}{
		{"301", 301, "", ""},
		{"302", 302, "", ""},
		{"303", 303, "", ""},
		{"307", 307, "", ""},
		{"meta", 200, `content="0;url=` + escaped + `"`, ""},
		{"double_meta", 200, `content="0;url=/out/go?k=`, "no-referrer"},
		{"blank_referrer", 200, `content="0;url=` + escaped + `"`, "no-referrer"},
		{"js", 200, `location.replace("https://a.test/?q=%3C%2Fscript%3E%22\u0026b=%22")`, ""},
		{"form_post", 200, `method="post" action="` + escaped + `"`, ""},
		{"iframe", 200, `<iframe src="` + escaped + `"`, ""},
	}
	for i, tt := range tests {
		w.campaign("transition-"+string(rune('a'+i)), nil,
			path("redirect", m{"transition": tt.transition}, m{"url": dest, "weight": 1}))
	}
	w.reload()
	for i, tt := range tests {
		res := w.get("/transition-" + string(rune('a'+i)) + "?sub5=%3C%2Fscript%3E%22")
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != tt.status || !strings.Contains(string(body), tt.body) ||
			res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Referrer-Policy") != tt.policy {
			t.Errorf("%s: the answer is %d %v, want %d with %q\n%s", tt.transition, res.StatusCode, res.Header, tt.status, tt.body, body)
		}
		if tt.body == "" && res.Header.Get("Location") != filled {
			t.Errorf("%s: the visitor is sent to %s, want %s", tt.transition, res.Header.Get("Location"), filled)
		}
	}
}

func TestTrackHostileValuesChangeNothingButTheirPlace(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", nil, path("redirect", nil,
		m{"url": "https://safe.test/p?x={sub1}&y={_sub5}&r={referrer}&u={user_agent}&s={_param.s}", "weight": 1}))
	w.reload()
	for _, v := range []string{
		"//evil.test", "https://evil.test", "@evil.test", "\r\nSet-Cookie: a=b", "\x00\x01", "\\evil",
		".evil.test/", "javascript:alert(1)", "\u2028\u202e", strings.Repeat("z", 5000), "%0d%0aLocation:x", "\xff\xfe",
	} {
		q := "?zone=" + escape(v) + "&sub5=" + escape(v) + "&s=" + escape(v)
		res := w.get("/summer-sale"+q, header("Referer", "https://r.test/"+strings.Map(printable, v)),
			header("User-Agent", chrome+v))
		got := res.Header.Get("Location")
		if res.StatusCode != 302 || !strings.HasPrefix(got, "https://safe.test/p?x=") || len(res.Header["Set-Cookie"]) > 2 {
			t.Fatalf("with the value %q, the answer is %d to %s, want 302 to https://safe.test/p?x=", v, res.StatusCode, got)
		}
		for i := range len(got) {
			if got[i] <= ' ' || got[i] > '~' {
				t.Fatalf("with the value %q, byte %d of the address %q is not printable ASCII", v, i, got)
			}
		}
		c := w.spool.last()
		for _, s := range append(c.Subs[:], c.Params, c.Referrer, c.UserAgent, c.ExternalID, c.Destination) {
			if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0xfffd }) || len(s) > 20000 {
				t.Fatalf("%q is stored as %q", v, s)
			}
		}
	}
}

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString("%")
		b.WriteByte("0123456789ABCDEF"[s[i]>>4])
		b.WriteByte("0123456789ABCDEF"[s[i]&15])
	}
	return b.String()
}

func TestTrackFallbacks(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	paused := w.offer("https://paused.test/", uuid.Nil)
	dbtest.Exec(w, w.db, `UPDATE offers SET is_active = false WHERE id = $1`, paused)
	unsafe := w.offer("javascript:alert(1)", uuid.Nil)
	closedPath := func() m { return path("offer", nil, to(paused)) }
	w.campaign("with-both", m{"fallback_url": "https://f.test/{campaign_alias}", "destination_url": "https://d.test/"}, closedPath())
	w.campaign("with-destination", m{"destination_url": "https://d.test/{sub1}"}, closedPath())
	w.campaign("with-nothing", nil, closedPath())
	w.campaign("unsafe-offer", nil, path("offer", nil, to(unsafe)))
	w.campaign("no-flow-at-all", m{"destination_url": "https://d.test/"})
	w.campaign("broken-flow", m{"destination_url": "https://d.test/", "streams": `[{"action": 5}]`})
	w.campaign("foreign-offer", nil, path("offer", nil, to(uuid.New())))
	w.reload()
	for alias, want := range map[string]string{
		"with-both": "https://f.test/with-both", "with-destination": "https://d.test/z",
		"no-flow-at-all": "https://d.test/", "broken-flow": "https://d.test/",
	} {
		if got := w.location("/" + alias + "?zone=z"); got != want {
			t.Errorf("%s: the visitor is sent to %s, want %s", alias, got, want)
		}
	}
	for _, alias := range []string{"with-nothing", "unsafe-offer", "foreign-offer"} {
		before := len(w.spool.clicks())
		if res := w.get("/" + alias); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s gets the status %d, want 404", alias, res.StatusCode)
		}
		if len(w.spool.clicks()) != before+1 {
			t.Errorf("%s: the click was not recorded", alias)
		}
	}
}

func TestTrackOffersOfAnotherAccountAreNotServed(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	foreign := w.offer("https://foreign.test/", uuid.Nil)
	dbtest.Exec(w, w.db, `UPDATE offers SET account_id = $2 WHERE id = $1`, foreign, w.newAccount())
	w.campaign("summer-sale", m{"fallback_url": "https://f.test/"}, path("offer", nil, to(foreign)))
	w.reload()
	if got := w.location("/summer-sale"); got != "https://f.test/" {
		t.Errorf("a campaign that names another account's offer sends to %s, want the fallback", got)
	}
}

func TestTrackNothingAndCollect(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("says-something", nil, path("nothing", m{"response": m{"status": 200, "body": "<b>hi</b>"}}))
	w.campaign("own-something", m{"domain_id": w.ownDomain}, path("nothing", m{"response": m{"status": 200, "body": "<b>hi</b>"}}))
	w.campaign("says-nothing", nil, path("nothing", m{"response": m{"status": 204}}))
	w.campaign("not-collected", nil, path("redirect", m{"collect_clicks": false}, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	for _, tt := range []struct {
		target, host, kind string
		status             int
	}{
		{"/says-something", sharedHost, "text/plain; charset=utf-8", 200},
		{"/own-something", ownHost, "text/html; charset=utf-8", 200},
		{"/says-nothing", sharedHost, "", 204},
	} {
		res := w.get(tt.target, host(tt.host))
		if res.StatusCode != tt.status || res.Header.Get("Content-Type") != tt.kind {
			t.Errorf("%s is answered %d %s, want %d %s", tt.target, res.StatusCode, res.Header.Get("Content-Type"), tt.status, tt.kind)
		}
	}
	before := len(w.spool.clicks())
	w.location("/not-collected")
	if n := len(w.spool.clicks()); n != before {
		t.Errorf("a click of a path with collect_clicks=false was recorded")
	}
}

func TestTrackHandsOver(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	last := w.campaign("campaign-last", nil, path("redirect", nil, m{"url": "https://a.test/{campaign_alias}", "weight": 1}))
	first := w.campaign("campaign-first", nil, path("campaign", m{"campaign_id": last}))
	loop := w.campaign("campaign-loop", m{"fallback_url": "https://f.test/"})
	dbtest.Exec(w, w.db, `UPDATE campaigns SET streams = $2 WHERE id = $1`, loop,
		`[{"id": "`+uuid.NewString()+`", "action": "campaign", "campaign_id": "`+loop.String()+`"}]`)
	w.reload()
	if got := w.location("/campaign-first"); got != "https://a.test/campaign-last" {
		t.Errorf("the visitor is sent to %s, want the second campaign's address", got)
	}
	if c := w.spool.last(); c.CampaignID != last || c.ParentCampaignID != first {
		t.Errorf("the recorded click is %+v, want the second campaign, with the first as its parent", c)
	}
	if got := w.location("/campaign-loop"); got != "https://f.test/" {
		t.Errorf("a campaign that hands over to itself leads to %s, want the fallback", got)
	}
}

// TestTrackHandOverIsRemembered checks that a visitor is bound and recognized like any other after a hand-over to another
// campaign.
func TestTrackHandOverIsRemembered(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	url := func(n string) m { return m{"url": "https://" + n + ".test/", "weight": 1} }
	last := w.campaign("campaign-last", nil, path("redirect", nil, url("last")))
	handOver := m{"campaign_id": last}
	w.campaign("campaign-bound", m{"bind_visitors": "streams", "flow_rotation": "weight"},
		path("campaign", handOver), path("redirect", nil, url("a")), path("redirect", nil, url("b")))
	w.campaign("campaign-once", nil, path("campaign", m{
		"campaign_id": last, "filters": []m{{"attribute": "is_unique", "operator": "equals", "value": true}},
	}), path("redirect", nil, url("known")))
	w.reload()
	for i := range 20 {
		first := w.get("/campaign-bound", peer("8.8.4."+itoa(i)+":1"))
		to := first.Header.Get("Location")
		if repeated := w.location("/campaign-bound", withCookies(first.Cookies()), peer("9.9.9."+itoa(i)+":1")); repeated != to {
			t.Fatalf("a visitor recognized by cookie was sent to %s, then to %s", to, repeated)
		}
		if repeated := w.location("/campaign-bound", peer("8.8.4."+itoa(i)+":2")); repeated != to {
			t.Fatalf("a visitor recognized by fingerprint was sent to %s, then to %s", to, repeated)
		}
	}
	for i, want := range []string{"https://last.test/", "https://known.test/"} {
		if got := w.location("/campaign-once", peer("8.8.5.1:1")); got != want {
			t.Errorf("visit %d leads to %s, want %s", i+1, got, want)
		}
	}
}

// slowSpool is a spool on a disk that is slower than every timeout.
type slowSpool struct{}

func (slowSpool) Append(ctx context.Context, _ spool.Record) error {
	<-ctx.Done()
	return fmt.Errorf("%w: %w", spool.ErrWaiting, ctx.Err())
}

func TestTrackSpoolFailureStillRedirects(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	w.spool.full = true
	w.location("/summer-sale")
	if n := counter(t, w.h, "switchyard_clicks_unrecorded_total"); n != 1 {
		t.Errorf("%v clicks are counted as unrecorded, want 1", n)
	}
	w.h.spool, w.h.timeout = slowSpool{}, time.Nanosecond
	w.h.deadlines.current.Store(nil)
	w.location("/summer-sale")
	if n := counter(t, w.h, "switchyard_clicks_late_total"); n != 1 {
		t.Errorf("%v clicks are counted as late, want 1", n)
	}
	if n := counter(t, w.h, "switchyard_clicks_unrecorded_total"); n != 1 {
		t.Errorf("a late click is counted as unrecorded")
	}
	if res := w.get("/postback?clickid=x"); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a postback that was not stored gets the status %d, want 503", res.StatusCode)
	}
}
