package click

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
)

// foreign adds a link of another tracker to a campaign. The zero domain stands for all domains of the account.
func (w *env) foreign(account, domain uuid.UUID, form, id string, campaign uuid.UUID) {
	w.Helper()
	dbtest.Exec(w, w.db, `INSERT INTO foreign_links (id, account_id, domain_id, form, foreign_id, campaign_id) VALUES ($1, $2, $3, $4, $5, $6)`,
		uuid.New(), account, uuid.NullUUID{UUID: domain, Valid: domain != uuid.Nil}, form, id, campaign)
}

// TestForeignLinks follows links of other trackers on a domain whose account has imported them, and on domains without imported
// links.
func TestForeignLinks(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	url := func(u string) m { return m{"url": u, "weight": 1} }
	old := w.campaign("imported-one", nil, path("redirect", nil, url("https://old.test/?z={sub1}")))
	w.campaign("summer-sale", m{"domain_id": w.ownDomain}, path("redirect", nil, url("https://own.test/")))
	paused := w.campaign("imported-two", m{"status": "paused"}, path("redirect", nil, url("https://no.test/")))
	for form, ids := range map[string][]string{
		"path": {"x", "Ab~c", "0a2b3c4d-1111-2222-3333-444455556666", "über", "summer-sale", "go", "out"}, "query": {"K1"}, "php": {"K2"}, "go": {"77"}, "cf": {"0f"},
	} {
		for _, id := range ids {
			w.foreign(w.account, uuid.Nil, form, id, old)
		}
	}
	w.foreign(w.account, uuid.Nil, "path", "resting", paused)
	stranger, theirs := w.newAccount(), uuid.New()
	dbtest.Exec(t, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'theirs.example.test', true)`, theirs, stranger)
	w.reload()
	for target, want := range map[string]string{
		"/x?zone=5": "https://old.test/?z=5", "/x/": "https://old.test/?z=", "/x.": "https://old.test/?z=", "/Ab~c": "https://old.test/?z=",
		"/0a2b3c4d-1111-2222-3333-444455556666?sub1=s": "https://old.test/?z=s", "/%C3%BCber": "https://old.test/?z=", "/go": "https://old.test/?z=",
		"/click?key=K1&zone=7": "https://old.test/?z=7", "/click.php?key=K1": "https://old.test/?z=", "/click.php?key=K2": "https://old.test/?z=",
		"/index.php?key=K2": "https://old.test/?z=", "/?key=K1": "https://old.test/?z=", "/go/77": "https://old.test/?z=", "/cf/r/0f": "https://old.test/?z=",
		"/summer-sale": "https://own.test/", "/": "https://www.example.test/", "/?a=b": "https://www.example.test/",
	} {
		if got := w.location(target, host(ownHost)); got != want {
			t.Errorf("%s: to %s, want %s", target, got, want)
		}
		if target == "/summer-sale" || strings.HasPrefix(target, "/?a") || target == "/" {
			continue
		}
		if c := w.spool.last(); c.CampaignID != old || c.Domain != ownHost {
			t.Errorf("%s: the click is %+v, want one of the imported campaign on the account's domain", target, c)
		}
		for _, elsewhere := range []string{sharedHost, "theirs.example.test"} {
			if res := w.get(target, host(elsewhere)); res.StatusCode != http.StatusNotFound {
				t.Errorf("%s on %s gets the status %d, want 404", target, elsewhere, res.StatusCode)
			}
		}
	}
	for _, target := range []string{
		"/ab~c", "/y", "/resting", "/go/78", "/cf/r/1f", "/click?key=K3", "/index.php", "/out", "/go/77/1", "/x/y", "/click/x",
	} {
		if res := w.get(target, host(ownHost)); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s gets the status %d, want 404", target, res.StatusCode)
		}
	}
	if res := w.send(http.MethodPost, "/x", "", host(ownHost)); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST gets the status %d, want 405", res.StatusCode)
	}
}

// TestForeignLinkOfADomain: a link that was imported for one domain does not work on another domain. On its own domain it takes
// precedence over a link for all domains.
func TestForeignLinkOfADomain(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	second := uuid.New()
	dbtest.Exec(t, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'two.example.test', true)`, second, w.account)
	all := w.campaign("imported-one", nil, path("redirect", nil, m{"url": "https://all.test/", "weight": 1}))
	one := w.campaign("imported-two", nil, path("redirect", nil, m{"url": "https://one.test/", "weight": 1}))
	w.foreign(w.account, w.ownDomain, "path", "x", one)
	w.reload()
	if res := w.get("/x", host("two.example.test")); res.StatusCode != http.StatusNotFound {
		t.Errorf("the link on another domain gets the status %d, want 404", res.StatusCode)
	}
	w.foreign(w.account, uuid.Nil, "path", "x", all)
	w.reload()
	for name, want := range map[string]string{ownHost: "https://one.test/", "two.example.test": "https://all.test/"} {
		if got := w.location("/x", host(name)); got != want {
			t.Errorf("%s: to %s, want %s", name, got, want)
		}
	}
	dbtest.Exec(t, w.db, `DELETE FROM foreign_links`)
	w.reload()
	if res := w.get("/x", host(ownHost)); res.StatusCode != http.StatusNotFound {
		t.Errorf("a deleted link gets the status %d, want 404", res.StatusCode)
	}
}

// TestForeignClickOut follows the old tracker's click-out addresses, which a landing page may still have.
func TestForeignClickOut(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	l := w.lander("https://page.test/?t={clickid}")
	first, second := w.offer("https://one.test/", uuid.Nil), w.offer("https://two.test/", uuid.Nil)
	id := w.campaign("imported-one", nil, path("lander", nil, to(l), m{"id": first, "slot": 1}, m{"id": second, "slot": 2}))
	w.foreign(w.account, uuid.Nil, "path", "x", id)
	w.reload()
	landed := w.get("/x", host(ownHost))
	click := models.FormatClickID(w.spool.last().ID)
	for target, want := range map[string]string{
		"/click": "https://one.test/", "/click/1": "https://one.test/", "/click/2": "https://two.test/", "/cf/click": "https://one.test/",
		"/cf/click/2": "https://two.test/", "/?_lp=1&_token=abc": "https://one.test/", "/click?lp=1": "https://one.test/",
		"/click.php?lp=1&to_offer=2&uclick=abc": "https://two.test/", "/index.php?lp=1": "https://one.test/",
	} {
		before := len(w.spool.outs())
		if got := w.location(target, host(ownHost), withCookies(landed.Cookies())); got != want {
			t.Errorf("%s: to %s, want %s", target, got, want)
		}
		if outs := w.spool.outs(); len(outs) != before+1 || models.FormatClickID(outs[before].ClickID) != click {
			t.Errorf("%s: the click-outs are %+v, want one, of the visitor's click", target, outs[before:])
		}
		if res := w.get(target, withCookies(landed.Cookies())); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s on a shared domain gets the status %d, want 404", target, res.StatusCode)
		}
	}
	for _, target := range []string{"/?_lp=1&_token=", "/click?cid=", "/click/1?clickid=", "/cf/click?cf_click_id=", "/click?lp=1&uclick="} {
		if got := w.location(target+click, host(ownHost)); got != "https://one.test/" {
			t.Errorf("%s without a cookie leads to %s, want https://one.test/", target, got)
		}
	}
}

func (s *memorySpool) messages() (list []*models.Postback) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Postback != nil {
			list = append(list, r.Postback)
		}
	}
	return list
}

// TestForeignPostbacks reports conversions at the paths that other trackers use.
func TestForeignPostbacks(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	campaign := w.campaign("imported-one", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.foreign(w.account, uuid.Nil, "path", "x", campaign)
	dbtest.Exec(t, w.db, `UPDATE domains SET https_only = true WHERE id = $1`, w.ownDomain)
	w.reload()
	click := models.NewClickID()
	id := models.FormatClickID(click)
	for target, source := range map[string]string{
		"/0a1b2c3/postback?subid=": models.FromPostback, "/click?cnv_id=": models.FromPostback, "/click.php?cnv_id=": models.FromPostback,
		"/index.php?cnv_id=": models.FromPostback, "/cf/cv?click_id=": models.FromPostback, "/cf/postback?cid=": models.FromPostback,
		"/conversion.gif?cid=": models.FromPixel, "/postback?cid=": models.FromPostback,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			before := len(w.spool.messages())
			res := w.send(method, target+id+"&payout=3", "", host(ownHost), header("X-Forwarded-Proto", "http"), peer("10.0.0.1:1"))
			list := w.spool.messages()
			if source == models.FromPixel && method == http.MethodPost {
				continue
			}
			if res.StatusCode != http.StatusOK || len(list) != before+1 {
				t.Fatalf("%s %s gets the status %d and stores %d messages, want 200 and one", method, target, res.StatusCode, len(list)-before)
			}
			if p := list[before]; p.ClickID != click || p.AccountID != w.account || p.Source != source || p.Params["payout"] != "3" || p.Forward != nil {
				t.Errorf("%s %s stores %+v, want the click, the account, the source and the payout", method, target, p)
			}
		}
		if strings.HasPrefix(target, "/postback") {
			continue
		}
		if res := w.get(target + id + "&payout=3"); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s on a shared domain gets the status %d, want 404", target, res.StatusCode)
		}
	}
	before := len(w.spool.messages())
	if res := w.send(http.MethodHead, "/cf/cv", "", host(ownHost)); res.StatusCode != http.StatusOK || len(w.spool.messages()) != before {
		t.Errorf("HEAD gets the status %d or is recorded, want 200 and no record", res.StatusCode)
	}
}

// TestPostbacksOfTheOldTracker: a message whose click id has the form of the old tracker's ids is marked to be forwarded. A
// message that was forwarded before, or whose account is not known, is not.
func TestPostbacksOfTheOldTracker(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	dbtest.Exec(t, w.db, `UPDATE accounts SET old_tracker = 'redtrack', old_tracker_url = 'https://old.example.com' WHERE id = $1`, w.account)
	network := w.network()
	w.reload()
	const theirs = "65f0a1b2c3d4e5f60718293a"
	for _, c := range []struct {
		target string
		host   string
		edits  []edit
		want   string
	}{
		{"/postback?clickid=" + theirs + "&sum={payout}&x=%20", ownHost, nil, "/postback?clickid=" + theirs + "&sum={payout}&x=%20"},
		{"/pixel.gif?clickid=" + theirs, ownHost, nil, "/pixel.gif?clickid=" + theirs},
		{"/postback/" + network.String() + "?myclick=" + theirs, sharedHost, nil, "/postback?myclick=" + theirs},
		{"/postback?clickid=" + theirs, ownHost, []edit{header(models.ForwardedHeader, "1")}, ""},
		{"/postback?clickid=" + theirs, sharedHost, nil, ""},
		{"/postback?clickid=unknown", ownHost, nil, ""},
		{"/postback?payout=1", ownHost, nil, ""},
		{"/postback?clickid=" + models.FormatClickID(models.NewClickID()), ownHost, nil, ""},
	} {
		before := len(w.spool.messages())
		if res := w.get(c.target, append(c.edits, host(c.host))...); res.StatusCode != http.StatusOK {
			t.Fatalf("%s gets the status %d, want 200", c.target, res.StatusCode)
		}
		p := w.spool.messages()[before]
		got := ""
		if p.Forward != nil {
			proof, err := storeOn(w.db).OpenProof(t.Context(), p.ID, p.Forward)
			if err != nil {
				t.Fatal(err)
			}
			got = proof.Raw.Query
		}
		if got != c.want {
			t.Errorf("%s on %s: sent on as %q, want %q", c.target, c.host, got, c.want)
		}
	}
	before := len(w.spool.messages())
	w.send(http.MethodPost, "/postback", "clickid="+theirs+"&sum=2", host(ownHost), header("Content-Type", "application/x-www-form-urlencoded"))
	proof, err := storeOn(w.db).OpenProof(t.Context(), w.spool.messages()[before].ID, w.spool.messages()[before].Forward)
	if err != nil || proof.Raw == nil || proof.Raw.Query != "/postback?clickid="+theirs+"&sum=2" {
		t.Errorf("the message to forward is %+v, want the fields of the form in its query; error %v", proof.Raw, err)
	}
	before = len(w.spool.messages())
	// While an account moves from another tracker, all postbacks with an unknown click are stored, not only samples, because the figures
	// of the move count them.
	for range 3 * samplesPerHour {
		w.get("/postback?clickid=unknown", host(ownHost))
	}
	if n := len(w.spool.messages()) - before; n != 3*samplesPerHour {
		t.Errorf("%d of %d messages with an unknown click are stored, want all", n, 3*samplesPerHour)
	}
}
