package click

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
)

// customer is an account with a campaign on the shared domain.
type customer struct {
	*env
	name string
}

func (w *env) customer(name string) customer {
	w.Helper()
	copied := *w
	copied.account, copied.source = w.newAccount(), uuid.New()
	dbtest.Exec(copied, copied.db, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, 'Push')`, copied.source, copied.account)
	c := customer{&copied, name}
	lander, offer := c.lander("https://lander-"+name+".test/"), c.offer("https://offer-"+name+".test/?c={clickid}", uuid.Nil)
	c.campaign("campaign-"+name, nil, path("lander", nil, to(lander), to(offer)))
	return c
}

// click follows the customer's link with the cookies that the browser has, and returns the click and the cookies after it.
func (c customer) click(jar []*http.Cookie) (id string, after []*http.Cookie) {
	c.Helper()
	res := c.get("/campaign-"+c.name, withCookies(jar))
	if res.StatusCode != http.StatusFound {
		c.Fatalf("%s: %d", c.name, res.StatusCode)
	}
	return models.FormatClickID(c.spool.last().ID), mergeCookies(jar, res.Cookies())
}

func mergeCookies(jar, set []*http.Cookie) []*http.Cookie {
	last := map[string]*http.Cookie{}
	for _, c := range append(jar[:len(jar):len(jar)], set...) {
		last[c.Name] = c
	}
	var all []*http.Cookie
	for _, c := range last {
		all = append(all, c)
	}
	return all
}

func (s *memorySpool) postbacks() (list []*models.Postback) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Postback != nil {
			list = append(list, r.Postback)
		}
	}
	return list
}

// TestTwoAccountsInOneBrowser: one browser clicks the links of two accounts on the shared domain, in either order. A later
// request belongs to the account of the click that it names. If it names no click, it belongs to the account whose landing page
// the visitor comes from. If that page is not known, it belongs to no account.
func TestTwoAccountsInOneBrowser(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	a, b := w.customer("a"), w.customer("b")
	w.reload()
	for _, order := range [][2]customer{{a, b}, {b, a}} {
		clicks, jar := map[string]string{}, []*http.Cookie(nil)
		for _, c := range order {
			clicks[c.name], jar = c.click(jar)
		}
		if first, second := w.spool.clicks()[len(w.spool.clicks())-2], w.spool.last(); first.VisitorID == second.VisitorID {
			t.Error("both accounts see the same visitor id")
		}
		for _, name := range []string{"a", "b"} {
			want := "https://offer-" + name + ".test/?c=" + clicks[name]
			if got := w.location("/out/1?clickid="+clicks[name], withCookies(jar)); got != want {
				t.Errorf("the button of %s leads to %s, want %s", name, got, want)
			}
			if got := w.location("/out/1", withCookies(jar), header("Referer", "https://lander-"+name+".test/page")); got != want {
				t.Errorf("the button of %s that names no click leads to %s, want %s", name, got, want)
			}
			before := len(w.spool.postbacks())
			w.get("/pixel.gif?clickid="+clicks[name]+"&payout=99.5&conversion_id=ORDER-"+name, withCookies(jar))
			got := w.spool.postbacks()[before:]
			if len(got) != 1 || got[0].Params["clickid"] != clicks[name] || got[0].Params["conversion_id"] != "ORDER-"+name {
				t.Errorf("the sale of %s is stored as %+v, want one with its own click", name, got)
			}
		}
		if res := w.get("/out/1", withCookies(jar)); res.StatusCode != http.StatusNotFound {
			t.Errorf("a button that names neither a click nor its page leads to %d %s", res.StatusCode, res.Header.Get("Location"))
		}
		before := len(w.spool.postbacks())
		w.get("/pixel.gif?payout=99.5", withCookies(jar))
		if got := w.spool.postbacks()[before:]; len(got) != 0 {
			t.Errorf("a sale that names no click is recorded: %+v", got)
		}
	}
}

// TestCookieFromBeforeAccounts: a browser may still have a click cookie of a shared domain without an account in the cookie's name.
// Such a cookie works, and the account's own cookie takes precedence over it.
func TestCookieFromBeforeAccounts(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	a := w.customer("a")
	w.reload()
	first, jar := a.click(nil)
	for _, c := range jar {
		if c.Name == clickCookieName+models.FormatClickID(a.account) {
			c.Name = clickCookieName
		}
	}
	if got, want := w.location("/out", withCookies(jar)), "https://offer-a.test/?c="+first; got != want {
		t.Errorf("with the old cookie alone: to %s, want %s", got, want)
	}
	second, jar := a.click(jar)
	if got, want := w.location("/out", withCookies(jar)), "https://offer-a.test/?c="+second; got != want {
		t.Errorf("with both cookies: to %s, want %s", got, want)
	}
	w.get("/pixel.gif?payout=3", withCookies(jar))
	if p := w.spool.postback(); p == nil || p.Params["clickid"] != second {
		t.Errorf("the sale is stored as %+v, want the second click", p)
	}
}

// TestTwoCampaignsInOneBrowser: a request belongs to the click that it names, even if this is not the last click of the browser.
func TestTwoCampaignsInOneBrowser(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	var ids []string
	for _, name := range []string{"one", "two"} {
		lander, offer := w.lander("https://lander.test/"+name), w.offer("https://"+name+".test/?c={clickid}", uuid.Nil)
		w.campaign("campaign-"+name, m{"domain_id": w.ownDomain}, path("lander", nil, to(lander), to(offer)))
	}
	w.reload()
	var jar []*http.Cookie
	for _, name := range []string{"one", "two"} {
		jar = mergeCookies(jar, w.get("/campaign-"+name, host(ownHost), withCookies(jar)).Cookies())
		ids = append(ids, models.FormatClickID(w.spool.last().ID))
	}
	if got, want := w.location("/out?clickid="+ids[0], host(ownHost), withCookies(jar)), "https://one.test/?c="+ids[0]; got != want {
		t.Errorf("the first page leads to %s, want %s", got, want)
	}
	if got, want := w.location("/out", host(ownHost), withCookies(jar)), "https://two.test/?c="+ids[1]; got != want {
		t.Errorf("a request that names no click: to %s, want %s", got, want)
	}
	w.get("/pixel.gif?clickid="+ids[0]+"&payout=3", host(ownHost), withCookies(jar))
	if p := w.spool.postback(); p == nil || p.Params["clickid"] != ids[0] {
		t.Errorf("the sale of the first click is stored as %+v", p)
	}
	for _, c := range jar {
		if c.Name != visitorCookieName && c.Name != clickCookieName {
			t.Errorf("a domain that belongs to the account sets the cookie %s", c.Name)
		}
	}
}
