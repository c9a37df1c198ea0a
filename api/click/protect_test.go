package click

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
)

const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"

func (w *env) protect(lander uuid.UUID, p m) {
	w.Helper()
	p["enabled"] = true
	text, err := json.Marshal(p)
	if err != nil {
		w.Fatal(err)
	}
	dbtest.Exec(w, w.db, `UPDATE landers SET protection = $2 WHERE id = $1`, lander, string(text))
}

// protectedCampaign creates a campaign on the account's own domain. Its only lander is protected.
func (w *env) protectedCampaign(alias, url string, p m) uuid.UUID {
	w.Helper()
	l := w.lander(url)
	w.protect(l, p)
	w.campaign(alias, m{"domain_id": w.ownDomain}, path("lander", nil, to(l), to(w.offer("https://offer.test/", uuid.Nil))))
	w.reload()
	return l
}

func TestProtectedLanderLists(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	const page, elsewhere = "https://page.test/", "https://else.test/?s=a"
	from := func(url string) edit { return header("Referer", url) }
	bot := header("User-Agent", "Googlebot/2.1 (+http://www.google.com/bot.html)")
	for name, c := range map[string]struct {
		p     m
		edits []edit
		want  string
	}{
		"no lists":        {m{}, nil, page},
		"country":         {m{"countries": []string{"US"}}, nil, page},
		"other country":   {m{"countries": []string{"DE"}}, nil, elsewhere},
		"denied country":  {m{"denyCountries": []string{"US"}}, nil, elsewhere},
		"not denied":      {m{"denyCountries": []string{"DE"}}, nil, page},
		"unknown country": {m{"denyCountries": []string{"US"}}, []edit{peer("192.0.2.1:1")}, page},
		"unknown country, though a list requires one": {m{"countries": []string{"US"}}, []edit{peer("192.0.2.1:1")}, elsewhere},
		"device":            {m{"devices": []string{"desktop"}}, nil, page},
		"other device":      {m{"devices": []string{"desktop"}}, []edit{header("User-Agent", iPhone)}, elsewhere},
		"referrer":          {m{"referrers": []string{"news.test"}}, []edit{from("https://www.news.test/x")}, page},
		"similar referrer":  {m{"referrers": []string{"news.test"}}, []edit{from("https://badnews.test/x")}, elsewhere},
		"no referrer":       {m{"referrers": []string{"news.test"}}, nil, elsewhere},
		"bot":               {m{"blockBots": true}, []edit{bot}, elsewhere},
		"bots let in":       {m{}, []edit{bot}, page},
		"not enabled":       {m{"countries": []string{"DE"}, "off": true}, nil, page},
		"no fallback":       {m{"countries": []string{"DE"}, "fallbackUrl": ""}, nil, "404"},
		"forbidden":         {m{"countries": []string{"DE"}, "fallbackStatus": 403}, nil, "403"},
		"fallback is a 404": {m{"countries": []string{"DE"}, "fallbackStatus": 404}, nil, "404"},
	} {
		alias := strings.NewReplacer(" ", "-", ",", "").Replace("list-" + name)
		p := m{"fallbackUrl": "https://else.test/?s={sub1}"}
		for k, v := range c.p {
			p[k] = v
		}
		l := w.protectedCampaign(alias, page, p)
		if p["off"] == true {
			dbtest.Exec(w, w.db, `UPDATE landers SET protection = protection || '{"enabled": false}' WHERE id = $1`, l)
			w.reload()
		}
		res := w.get("/"+alias+"?sub1=a", append(c.edits, host(ownHost))...)
		got := res.Header.Get("Location")
		if got == "" {
			got = map[int]string{403: "403", 404: "404"}[res.StatusCode]
		}
		if got != c.want {
			t.Errorf("%s: %d %q, want %q", name, res.StatusCode, got, c.want)
		}
		click := w.spool.last()
		if seen := click.LanderID == l; seen != (c.want == page) {
			t.Errorf("%s: the click says that the page was seen: %t, want %t", name, seen, !seen)
		}
		if c.want == page {
			continue
		}
		// A visitor that the page refused cannot reach the offer either.
		if out := w.get("/out", host(ownHost), withCookies(res.Cookies())); out.StatusCode != http.StatusNotFound {
			t.Errorf("%s: the click-out of a refused visitor gets %d to %s, want 404", name, out.StatusCode, out.Header.Get("Location"))
		}
	}
}

func (w *env) verdictOf(query url.Values, edits ...edit) verdict {
	w.Helper()
	res := w.get("/lp/verify?"+query.Encode(), append([]edit{host(ownHost)}, edits...)...)
	if res.StatusCode != http.StatusOK || res.Header.Get("Access-Control-Allow-Origin") != "*" ||
		res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Content-Type") != "application/json" {
		w.Fatalf("the check is answered %d %v, want 200, JSON that any page may read and nothing may store", res.StatusCode, res.Header)
	}
	var body struct{ Data *verdict }
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil || body.Data == nil {
		w.Fatal(err)
	}
	return *body.Data
}

func (w *env) checkVerdict(what string, got verdict, reason string) {
	w.Helper()
	if got.Reason != reason || got.Allowed != (reason == reasonOK || reason == reasonOpen) {
		w.Errorf("%s: %+v, want %s", what, got, reason)
	}
}

func TestSignedLander(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l := w.protectedCampaign("signed-1", "https://page.test/?k={lp_key}&s={sub1}", m{"mode": "signed", "fallbackUrl": "https://else.test/"})
	plain := w.protectedCampaign("signed-2", "https://page.test/?a=b#top", m{"mode": "signed", "bindIp": true, "bindUserAgent": true})
	key := func(alias, name string, edits ...edit) string {
		t.Helper()
		u, err := url.Parse(w.location("/"+alias+"?sub1=x", append(edits, host(ownHost))...))
		if err != nil || u.Host != "page.test" {
			t.Fatal(u, err)
		}
		return u.Query().Get(name)
	}
	k := key("signed-1", "k")
	w.checkVerdict("a good key", w.verdictOf(url.Values{"key": {k}}), reasonOK)
	w.checkVerdict("the same key again, with its page", w.verdictOf(url.Values{"lp_key": {k}, "lander": {l.String()}}), reasonOK)
	for name, bad := range map[string]string{
		"cut": k[1:], "longer": k + "A", "changed": k[:20] + "A" + k[21:], "nonsense": strings.Repeat("_", len(k)), "percent signs": strings.Repeat("%", len(k)),
	} {
		if bad != k {
			w.checkVerdict(name, w.verdictOf(url.Values{"key": {bad}}), reasonBadKey)
		}
	}
	w.checkVerdict("another page's key", w.verdictOf(url.Values{"key": {k}, "lander": {plain.String()}}), reasonBadKey)
	none := w.verdictOf(url.Values{"lander": {l.String()}})
	w.checkVerdict("no key", none, reasonNoKey)
	if none.FallbackURL == nil || *none.FallbackURL != "https://else.test/" {
		t.Errorf("the fallback is %v, want https://else.test/", none.FallbackURL)
	}
	w.checkVerdict("a click id but no key", w.verdictOf(url.Values{"clickid": {models.FormatClickID(w.spool.last().ID)}}), reasonNoKey)
	w.checkVerdict("neither a key nor a page", w.verdictOf(url.Values{}), reasonNoLander)

	to := w.location("/signed-2", host(ownHost))
	if !strings.HasPrefix(to, "https://page.test/?a=b&lp_key=") || !strings.HasSuffix(to, "#top") {
		t.Errorf("the key was not added: %s", to)
	}
	bound := key("signed-2", "lp_key")
	w.checkVerdict("same visitor", w.verdictOf(url.Values{"key": {bound}}), reasonOK)
	w.checkVerdict("same network", w.verdictOf(url.Values{"key": {bound}}, peer("8.8.8.99:1")), reasonOK)
	w.checkVerdict("other network", w.verdictOf(url.Values{"key": {bound}}, peer("8.8.9.8:1")), reasonBadKey)
	w.checkVerdict("other browser", w.verdictOf(url.Values{"key": {bound}}, header("User-Agent", iPhone)), reasonBadKey)
	server := []edit{peer("9.9.9.9:1"), header("User-Agent", "php/8")}
	w.checkVerdict("asked by the page's server", w.verdictOf(url.Values{"key": {bound}, "ip": {"8.8.8.8"}, "ua": {chrome}}, server...), reasonOK)
	w.checkVerdict("asked by the page's server about another visitor", w.verdictOf(url.Values{"key": {bound}, "ip": {"8.8.9.8"}, "ua": {chrome}}, server...), reasonBadKey)

	if res := w.get("/lp/verify?key="+k, host(sharedHost)); res.StatusCode != http.StatusOK {
		t.Errorf("/lp/verify on the shared domain gets the status %d, want 200", res.StatusCode)
	}
	for _, target := range []string{"/lp", "/lp/other", "/lp/verify/x"} {
		if res := w.get(target, host(ownHost)); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s gets the status %d, want 404", target, res.StatusCode)
		}
	}
	w.protect(l, m{"mode": "signed", "countries": []string{"DE"}})
	w.reload()
	w.checkVerdict("a visitor whom the lists refuse", w.verdictOf(url.Values{"key": {k}}), reasonList)
	dbtest.Exec(w, w.db, `UPDATE landers SET protection = '{}' WHERE id = $1`, l)
	w.reload()
	w.checkVerdict("protection switched off", w.verdictOf(url.Values{"lander": {l.String()}}), reasonOpen)
	dbtest.Exec(w, w.db, `UPDATE landers SET deactivated_at = now() WHERE id = $1`, l)
	w.reload()
	w.checkVerdict("the page is gone", w.verdictOf(url.Values{"key": {k}}), reasonNoLander)
}

func TestLanderKeysOfOthers(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l := w.protectedCampaign("signed-1", "https://page.test/?k={lp_key}", m{"mode": "signed"})
	w.account = w.newAccount()
	dbtest.Exec(w, w.db, `UPDATE landers SET account_id = $2 WHERE id = $1`, l, w.account)
	w.reload()
	w.checkVerdict("another account's page", w.verdictOf(url.Values{"lander": {l.String()}}), reasonNoLander)
}

func TestLanderKeyExpires(t *testing.T) {
	t.Parallel()
	s := signer("secret")
	k := landerKey{click: uuid.New(), lander: uuid.New(), expires: time.Unix(1_900_000_000, 0), bindIP: true}
	ip := netip.MustParseAddr("2001:db8:1:2::3")
	text := string(s.append(nil, k, ip, ""))
	got, err := s.parse(text, netip.MustParseAddr("2001:db8:1:2:ffff::1"), "any")
	if err != nil || got != k {
		t.Errorf("the key is read as %+v, want the one that was written, error %v", got, err)
	}
	if _, err := s.parse(text, netip.MustParseAddr("2001:db8:1:3::3"), ""); err == nil {
		t.Error("a key that is bound to a network is accepted from another network")
	}
	if _, err := signer("other").parse(text, ip, ""); err == nil {
		t.Error("a key of another install is accepted")
	}
	w := newEnv(t)
	l := w.protectedCampaign("signed-1", "https://page.test/", m{"mode": "signed"})
	old := landerKey{click: uuid.New(), lander: l, expires: time.Now().Add(-time.Second)}
	w.checkVerdict("an expired key", w.verdictOf(url.Values{"key": {string(signer(w.h.routes.Current().SigningSecret()).append(nil, old, ip, ""))}}), reasonExpired)
}

func TestClickLander(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l := w.protectedCampaign("click-1", "https://page.test/", m{"mode": "click", "ttlSeconds": 60})
	res := w.get("/click-1", host(ownHost))
	u, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	id := u.Query().Get("clickid")
	w.checkVerdict("the click", w.verdictOf(url.Values{"clickid": {id}}), reasonOK)
	w.checkVerdict("the cookie", w.verdictOf(url.Values{}, withCookies(res.Cookies())), reasonOK)
	w.checkVerdict("no click", w.verdictOf(url.Values{"lander": {l.String()}}), reasonNoKey)
	w.checkVerdict("an unknown click", w.verdictOf(url.Values{"clickid": {models.FormatClickID(models.NewClickID())}, "lander": {l.String()}}), reasonNoClick)
	w.checkVerdict("another page's click", w.verdictOf(url.Values{"clickid": {id}, "lander": {w.protectedCampaign("click-2", "https://b.test/", m{"mode": "click"}).String()}}),
		reasonNoClick)
	late := copyOf(w.spool.last())
	floor := models.FloorClickID(time.Now().Add(-2 * time.Minute))
	copy(late.ID[:6], floor[:6])
	w.h.recent.Set(late.ID, late)
	w.checkVerdict("an old click", w.verdictOf(url.Values{"clickid": {models.FormatClickID(late.ID)}}), reasonExpired)
}

// TestFallbackIsFilled checks that the tokens are replaced in the fallback address that a page gets for a refused visitor.
func TestFallbackIsFilled(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	click := func(alias string) *models.Click {
		w.protectedCampaign(alias, "https://page.test/", m{
			"mode": "click", "ttlSeconds": 60, "fallbackUrl": "https://else.test/?s={sub1}&c={campaign_alias}&d={device_type}&x={lp_key}",
		})
		w.get("/"+alias+"?sub1=a%26b", host(ownHost))
		c := copyOf(w.spool.last())
		old := models.FloorClickID(time.Now().Add(-2 * time.Minute))
		copy(c.ID[:6], old[:6])
		w.h.recent.Set(c.ID, c)
		return c
	}
	ownClick, otherClick := click("click-3"), click("click-4")
	idOf := func(c *models.Click) []string { return []string{models.FormatClickID(c.ID)} }
	for what, tt := range map[string]struct {
		query url.Values
		want  string
		edits []edit
	}{
		"click":                       {url.Values{"clickid": idOf(ownClick)}, "s=&c=click-3&d=desktop&x=", nil},
		"its visitor's click":         {url.Values{"clickid": idOf(ownClick)}, "s=a%26b&c=click-3&d=desktop&x=", []edit{visitorOf(ownClick)}},
		"another visitor's click":     {url.Values{"clickid": idOf(ownClick)}, "s=&c=click-3&d=desktop&x=", []edit{visitorOf(otherClick)}},
		"click, by the page's server": {url.Values{"clickid": idOf(ownClick), "ip": {"8.8.8.8"}}, "s=&c=click-3&d=&x=", nil},
		"no click":                    {url.Values{"lander": {ownClick.LanderID.String()}}, "s=&c=&d=desktop&x=", nil},
		"page's server":               {url.Values{"lander": {ownClick.LanderID.String()}, "ip": {"8.8.8.8"}}, "s=&c=&d=&x=", nil},
		"click to another page":       {url.Values{"lander": {ownClick.LanderID.String()}, "clickid": idOf(otherClick)}, "s=&c=&d=desktop&x=", nil},
	} {
		if got := w.verdictOf(tt.query, tt.edits...).FallbackURL; got == nil || *got != "https://else.test/?"+tt.want {
			t.Errorf("%s: %v, want %s", what, got, tt.want)
		}
	}
}

func TestSingleUse(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.protectedCampaign("single-1", "https://page.test/?k={lp_key}", m{"mode": "signed", "singleUse": true})
	key := func() url.Values {
		_, k, _ := strings.Cut(w.location("/single-1", host(ownHost)), "?k=")
		return url.Values{"key": {k}}
	}
	firstKey, secondKey := key(), key()
	w.checkVerdict("first", w.verdictOf(firstKey), reasonOK)
	w.checkVerdict("the first key again", w.verdictOf(firstKey), reasonUsed)
	w.checkVerdict("another key", w.verdictOf(secondKey), reasonOK)
	w.h = w.handler(w.spool, "") // another process
	w.checkVerdict("the used key in another process", w.verdictOf(firstKey), reasonUsed)
	sharedKey := key()
	results := make(chan bool, 8)
	for range 8 {
		go func() { results <- w.verdictOf(sharedKey).Allowed }()
	}
	allowed := 0
	for range 8 {
		if <-results {
			allowed++
		}
	}
	if allowed != 1 {
		t.Errorf("%d of 8 visitors with the same single-use key were let in, want 1", allowed)
	}
}
