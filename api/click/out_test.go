package click

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
)

func (s *memorySpool) outs() (list []*models.ClickOut) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Out != nil {
			list = append(list, r.Out)
		}
	}
	return list
}

func TestClickOutBySlot(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	n := w.network()
	l := w.lander("https://lander.test/?c={clickid}")
	first, second := w.offer("https://one.test/?s={sub5}&slot={lp_slot}&l={lander_id}", n), w.offer("https://two.test/{clickid}", n)
	w.campaign("summer-sale", nil, path("lander", nil, to(l), m{"id": first, "slot": 1}, m{"id": second, "slot": 2}))
	w.reload()
	landed := w.get("/summer-sale?sub5=x%20y")
	c := w.spool.last()
	id := models.FormatClickID(c.ID)
	if landed.Header.Get("Location") != "https://lander.test/?c="+id || c.LanderID != l || c.OfferID != uuid.Nil {
		t.Fatalf("the visitor is sent to %s, want the lander with the click id; click %+v", landed.Header.Get("Location"), c)
	}
	one := "https://one.test/?s=x%20y&slot=1&l=" + l.String() + "&clk=" + id
	for target, want := range map[string]string{"/out": one, "/out/1": one, "/out/2": "https://two.test/" + id} {
		before := len(w.spool.outs())
		if got := w.location(target, withCookies(landed.Cookies())); got != want {
			t.Errorf("%s: to %s, want %s", target, got, want)
		}
		outs := w.spool.outs()
		if len(outs) != before+1 {
			t.Fatalf("%s: %d click-outs are recorded, want %d", target, len(outs), before+1)
		}
		if o := outs[before]; o.ClickID != c.ID || o.AccountID != w.account || o.NetworkID != n || o.Destination != want {
			t.Errorf("%s: the recorded click-out is %+v, want one to %s", target, o, want)
		}
	}
	if got := w.location("/out/2?clickid=" + id); got != "https://two.test/"+id {
		t.Errorf("a click-out without a cookie leads to %s, want the offer of slot 2", got)
	}
	before := len(w.spool.outs())
	w.location("/out", withCookies(landed.Cookies()), func(r *http.Request) { r.Method = http.MethodHead })
	w.checkPrefetch("/out", withCookies(landed.Cookies()), prefetchEdits[0])
	if len(w.spool.outs()) != before {
		t.Error("a HEAD request or a prefetch was counted as a click-out")
	}
	for _, target := range []string{"/out/3", "/out/0", "/out/21", "/out/x", "/out/1/2"} {
		if res := w.get(target, withCookies(landed.Cookies())); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s gets the status %d, want 404", target, res.StatusCode)
		}
	}
}

func TestClickOutBelievesTheSnapshotOnly(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l, o := w.lander("https://lander.test/"), w.offer("https://one.test/?l={lander_name}&z={zone}", uuid.Nil)
	p := path("lander", nil, to(l), to(o))
	direct := path("redirect", nil, m{"url": "https://d.test/", "weight": 1})
	id := w.campaign("summer-sale", nil, p)
	other := w.campaign("direct-one", nil, direct)
	w.reload()
	pathID := uuid.MustParse(p["id"].(string))
	cookie := func(ids ...uuid.UUID) edit { // the fields of a clickCookie
		return header("Cookie", clickCookieName+"="+string(appendIDs(nil, ids...)))
	}
	click := models.NewClickID()
	cookieLen := len(appendIDs(nil, make([]uuid.UUID, 5)...)) // a clickCookie has five ids
	for name, tt := range map[string]struct {
		edits  []edit
		status int
	}{
		"the cookie of a click that only the cookie knows": {[]edit{cookie(click, id, pathID, l, uuid.Nil)}, 302},
		"unknown lander":            {[]edit{cookie(click, id, pathID, uuid.New(), uuid.Nil)}, 302},
		"unknown path":              {[]edit{cookie(click, id, uuid.New(), l, uuid.Nil)}, 404},
		"unknown campaign":          {[]edit{cookie(click, uuid.New(), pathID, l, uuid.Nil)}, 404},
		"path without a lander":     {[]edit{cookie(click, other, uuid.MustParse(direct["id"].(string)), l, uuid.Nil)}, 404},
		"no click":                  {[]edit{cookie(uuid.Nil, id, pathID, l, uuid.Nil)}, 404},
		"a cookie with too few ids": {[]edit{cookie(click, id)}, 404},
		"a cookie without ids":      {[]edit{header("Cookie", clickCookieName+"="+strings.Repeat("-", cookieLen))}, 404},
		"no cookie":                 {nil, 404},
	} {
		if res := w.get("/out", tt.edits...); res.StatusCode != tt.status {
			t.Errorf("%s: %d, want %d", name, res.StatusCode, tt.status)
		}
	}
	// The click-out is requested on a domain that belongs to another account.
	foreign := w.newAccount()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'foreign.test', true)`, uuid.New(), foreign)
	w.reload()
	if res := w.get("/out", host("foreign.test"), cookie(click, id, pathID, l, uuid.Nil)); res.StatusCode != 404 {
		t.Errorf("a click of an account is followed on the domain of another with the status %d, want 404", res.StatusCode)
	}
	if res := w.get("/out?clickid=" + models.FormatClickID(models.NewClickID())); res.StatusCode != 404 {
		t.Errorf("an unknown click gets the status %d, want 404", res.StatusCode)
	}
}

func TestClickOutKeepsTheOfferOfABoundVisitor(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l := w.lander("https://lander.test/")
	offers, addresses := []m{to(l)}, []m{to(l)}
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		offers = append(offers, to(w.offer("https://"+n+".test/", uuid.Nil)))
		addresses = append(addresses, m{"url": "https://" + n + ".test/?c={clickid}", "weight": 1})
	}
	bind := m{"bind_visitors": "streams_landers_offers"}
	w.campaign("summer-sale", bind, path("lander", nil, offers...))
	w.campaign("by-address", bind, path("lander", nil, addresses...))
	w.campaign("no-lander", bind, path("redirect", nil, addresses[1:]...))
	w.reload()
	for _, alias := range []string{"summer-sale", "by-address"} {
		w.checkOffer(alias, "/out")
	}
	w.checkOffer("no-lander", "/no-lander")
}

// checkOffer visits a campaign repeatedly as one visitor, and checks that the path `out` leads to the same address
// each time.
func (w *env) checkOffer(alias, out string) {
	w.Helper()
	jar := map[string]*http.Cookie{}
	visit := func(target string) string {
		var list []*http.Cookie
		for _, c := range jar {
			list = append(list, c)
		}
		res := w.get(target, withCookies(list))
		for _, c := range res.Cookies() {
			jar[c.Name] = c
		}
		to, _, _ := strings.Cut(res.Header.Get("Location"), "?")
		return to
	}
	visit("/" + alias)
	first := visit(out)
	for range 10 {
		if repeated := visit(out); repeated != first {
			w.Fatalf("%s: the first click-out leads to %s, a later one to %s, want the same offer", alias, first, repeated)
		}
		visit("/" + alias)
		if repeated := visit(out); repeated != first {
			w.Fatalf("%s: the click-out leads to %s, and after another visit to %s, want the same offer", alias, first, repeated)
		}
	}
}

func TestClickOutWithoutAnOpenOfferFallsBack(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l, o := w.lander("https://lander.test/"), w.offer("https://one.test/", uuid.Nil)
	w.campaign("summer-sale", m{"fallback_url": "https://f.test/"}, path("lander", nil, to(l), to(o)))
	w.reload()
	landed := w.get("/summer-sale")
	dbtest.Exec(w, w.db, `UPDATE offers SET is_active = false WHERE id = $1`, o)
	w.reload()
	if got := w.location("/out", withCookies(landed.Cookies())); got != "https://f.test/" {
		t.Errorf("with its offer switched off, the link leads to %s, want the fallback", got)
	}
}

// TestClickOutOfAReplacedFlow checks that a visitor gets the campaign's fallback if the flow is replaced while the visitor is on
// its lander. Without a fallback the visitor gets a 404.
func TestClickOutOfAReplacedFlow(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l, o := w.lander("https://lander.test/?c={clickid}"), w.offer("https://one.test/", uuid.Nil)
	id := w.campaign("summer-sale", m{"fallback_url": "https://f.test/?s={sub1}"}, path("lander", nil, to(l), to(o)))
	withoutFallback := w.campaign("no-fallback", nil, path("lander", nil, to(l), to(o)))
	w.reload()
	landed, nowhere := w.get("/summer-sale?sub1=a"), w.get("/no-fallback")
	_, click, _ := strings.Cut(landed.Header.Get("Location"), "?c=")
	for _, id := range []uuid.UUID{id, withoutFallback} {
		dbtest.Exec(w, w.db, `UPDATE campaigns SET streams = $2 WHERE id = $1`, id,
			`[{"id": "`+uuid.NewString()+`", "action": "redirect", "destinations": [{"url": "https://new.test/"}]}]`)
	}
	w.reload()
	if got := w.location("/out", withCookies(landed.Cookies())); got != "https://f.test/?s=a" {
		t.Errorf("a click-out by cookie leads to %s, want the fallback with sub1 of the click", got)
	}
	if got := w.location("/out?sub1=b&clickid=" + click); got != "https://f.test/?s=b" {
		t.Errorf("a click-out by click id leads to %s, want the fallback with sub1 of the request", got)
	}
	w.h = w.handler(w.spool, "") // another process, which the click has not reached yet
	if got := w.location("/out", withCookies(landed.Cookies())); got != "https://f.test/?s=" {
		t.Errorf("a click-out that is known by the cookie alone leads to %s, want the fallback with an empty sub1", got)
	}
	if res := w.get("/out", withCookies(nowhere.Cookies())); res.StatusCode != http.StatusNotFound {
		t.Errorf("a click-out with neither a destination nor a fallback gets the status %d, want 404", res.StatusCode)
	}
}

// visitorOf returns the cookie of the visitor who made a click.
func visitorOf(c *models.Click) edit {
	name := visitorCookieName
	if c.Domain == sharedHost {
		name += models.FormatClickID(c.AccountID)
	}
	return header("Cookie", name+"="+models.FormatClickID(c.VisitorID))
}

// TestClickIDTellsNothingOfItsVisitor sends another visitor's click id. The offer's address is filled with the data of the
// sender, even if the sender forges a click cookie.
func TestClickIDTellsNothingOfItsVisitor(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l := w.lander("https://lander.test/")
	o := w.offer("https://one.test/?c={clickid}&ip={ip}&ua={user_agent}&s={sub1}&e={external_id}&v={visitor_id}&n={campaign_name}",
		uuid.Nil)
	w.campaign("summer-sale", nil, path("lander", nil, to(l), to(o)))
	w.reload()
	landed := w.get("/summer-sale?sub1=theirs&vid=theirs", header("User-Agent", "theirs/1.0"), peer("9.9.9.9:1"))
	c := w.spool.last()
	id := models.FormatClickID(c.ID)
	redirectOf := func(edits ...edit) string {
		return w.location("/out?clickid="+id+"&sub1=mine&vid=mine",
			append(edits, func(r *http.Request) { r.Header.Set("User-Agent", "mine/1.0") })...)
	}
	ids := string(appendIDs(nil, c.ID, c.CampaignID, c.StreamID, c.LanderID, uuid.Nil))
	for name, got := range map[string]string{
		"click id": redirectOf(), "made-up cookie": redirectOf(header("Cookie", clickCookieName+"="+ids)),
		"made-up cookie with a visitor id": redirectOf(header("Cookie", clickCookieName+"="+ids+"; "+visitorCookieName+"="+id)),
		"memory empty": func() string {
			w.h.recent.InvalidateAll()
			return redirectOf(header("Cookie", clickCookieName+"="+ids))
		}(),
	} {
		if strings.Contains(got, "theirs") || strings.Contains(got, "9.9.9.9") || !strings.Contains(got, "c="+id) ||
			!strings.Contains(got, "ip=8.8.8.8&ua=mine%2F1.0&s=mine&e=mine&") || strings.Contains(got, models.FormatClickID(c.VisitorID)) ||
			strings.Contains(got, c.VisitorID.String()) || strings.HasSuffix(got, "&n=") {
			t.Errorf("%s: sent to %s, want an address with the data of the sender only", name, got)
		}
	}
	w.h.recent.Set(c.ID, copyOf(c))
	if got := redirectOf(withCookies(landed.Cookies())); !strings.Contains(got, "ip=9.9.9.9&ua=theirs%2F1.0&s=theirs&e=theirs&") {
		t.Errorf("the visitor who made the click is sent to %s, want an address with the visitor's data", got)
	}
}
