package click

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
)

func (s *memorySpool) smart() (list []*models.SmartlinkClick) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Smart != nil {
			list = append(list, r.Smart)
		}
	}
	return list
}

func smartRuleOf(url string, conditions ...m) m {
	return m{"id": uuid.NewString(), "name": "r", "logic": "and", "conditions": conditions, "destination_url": url}
}

func is(attribute string, values ...string) m {
	return m{"attribute": attribute, "operator": "in", "value": values}
}

// smartlink creates an active smartlink on the account's own domain.
func (w *env) smartlink(slug, url string, rules ...m) uuid.UUID {
	w.Helper()
	if rules == nil {
		rules = []m{}
	}
	text, err := json.Marshal(rules)
	if err != nil {
		w.Fatal(err)
	}
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO smartlinks (id, account_id, domain_id, source_id, slug, destination_url, rules)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, id, w.account, w.ownDomain, w.source, slug, url, string(text))
	return id
}

func TestSmartlinkTakesTheFirstRule(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	us := smartRuleOf("https://us.test/{sub1}?c={clickid}&e={external_id}&d={domain}", is("country", "US"), is("device_type", "desktop"))
	late := smartRuleOf("https://late.test/", is("country", "US", "DE"))
	id := w.smartlink("deal", "https://rest.test/?z={sub2}#x", smartRuleOf("https://never.test/", is("country", "FR")), us, late)
	w.smartlink("off", "https://off.test/")
	dbtest.Exec(w, w.db, `UPDATE smartlinks SET is_active = false WHERE slug = 'off'`)
	w.smartlink("gone", "https://gone.test/")
	dbtest.Exec(w, w.db, `UPDATE smartlinks SET deleted_at = now() WHERE slug = 'gone'`)
	w.reload()
	onOwnHost := host(ownHost)
	got := w.location("/deal?zone=a%20b&vid=V1", onOwnHost)
	list := w.spool.smart()
	if len(list) != 1 {
		t.Fatalf("%d clicks are recorded, want 1", len(list))
	}
	c := list[0]
	want := "https://us.test/a%20b?c=" + models.FormatClickID(c.ID) + "&e=V1&d=" + ownHost
	if got != want || c.Destination != want || c.DestinationURL != us["destination_url"] || c.RuleID.String() != us["id"] {
		t.Errorf("sent to %s\nwant    %s\nclick %+v", got, want, c)
	}
	if c.SmartlinkID != id || c.AccountID != w.account || c.SourceID != w.source || c.Subs[0] != "a b" || c.CampaignID != uuid.Nil {
		t.Errorf("the recorded click is %+v, want the smartlink, its source and the parameter of the source", c)
	}
	phone := header("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1")
	if got := w.location("/deal/", onOwnHost, phone); got != "https://late.test/" {
		t.Errorf("a phone is sent to %s, want the address of the later rule", got)
	}
	if got := w.location("/deal?sub2=two", onOwnHost, peer("192.0.2.1:4000")); got != "https://rest.test/?z=two#x" {
		t.Errorf("a visitor that matches no rule is sent to %s, want the smartlink's own address", got)
	}
	if last := w.spool.smart()[2]; last.RuleID != uuid.Nil || last.DestinationURL != "https://rest.test/?z={sub2}#x" {
		t.Errorf("the recorded click is %+v, want no rule and the smartlink's own address", last)
	}
	for target, edits := range map[string][]edit{
		"/off": {onOwnHost}, "/gone": {onOwnHost}, "/DEAL": {onOwnHost}, "/deal/x": {onOwnHost}, "/deal": {}, "/none": {onOwnHost},
	} {
		if res := w.get(target, edits...); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s gets the status %d, want 404", target, res.StatusCode)
		}
	}
	if n := len(w.spool.clicks()); n != 0 {
		t.Errorf("%d clicks of campaigns are recorded for a smartlink, want none", n)
	}
}

func TestSmartlinkChangesAreFollowed(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.smartlink("deal", "https://one.test/")
	dir := t.TempDir()
	w.h = w.handler(w.spool, dir)
	onOwnHost := host(ownHost)
	if got := w.location("/deal", onOwnHost); got != "https://one.test/" {
		t.Fatal(got)
	}
	dbtest.Exec(w, w.db, `UPDATE smartlinks SET destination_url = 'https://two.test/', slug = 'other' WHERE id = $1`, id)
	w.reload()
	if res := w.get("/deal", onOwnHost); res.StatusCode != http.StatusNotFound {
		t.Errorf("the old slug gets the status %d, want 404", res.StatusCode)
	}
	if got := w.location("/other", onOwnHost); got != "https://two.test/" {
		t.Error(got)
	}
	// The copy on disk has the smartlink and the signing secret.
	kept, copied := w.h.routes.Current(), filepath.Join(dir, "copy")
	if err := routing.WriteDiskCache(copied, kept); err != nil {
		t.Fatal(err)
	}
	r, err := routing.ReadDiskCache(copied)
	if err != nil || len(store.RoutingRows[*store.RoutingSmartlink](r)) != 1 || r.LanderSecret == nil || string(r.LanderSecret) != string(kept.SigningSecret()) {
		t.Errorf("the copy lacks smartlinks or the secret: %v", err)
	}
	dbtest.Exec(w, w.db, `DELETE FROM smartlinks WHERE id = $1`, id)
	w.reload()
	if res := w.get("/other", onOwnHost); res.StatusCode != http.StatusNotFound {
		t.Errorf("a deleted smartlink gets the status %d, want 404", res.StatusCode)
	}
}

func TestSmartlinkDoesNotCountHeadAndPrefetch(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.smartlink("deal", "https://a.test/?c={clickid}")
	w.reload()
	if got := w.location("/deal", host(ownHost), func(r *http.Request) { r.Method = http.MethodHead }); got != "https://a.test/?c=" {
		t.Error(got)
	}
	for _, e := range prefetchEdits {
		w.checkPrefetch("/deal", host(ownHost), e)
	}
	if n := len(w.spool.smart()); n != 0 {
		t.Errorf("%d prefetches are counted as clicks, want none", n)
	}
	w.location("/deal", host(ownHost), header("User-Agent", "Googlebot/2.1 (+http://www.google.com/bot.html)"))
	if list := w.spool.smart(); len(list) != 1 || !list[0].IsBot {
		t.Errorf("the clicks after a bot's visit are %v, want one click of a bot", list)
	}
	w.spool.full = true
	if got := w.location("/deal", host(ownHost)); got != "https://a.test/?c="+got[len("https://a.test/?c="):] {
		t.Error(got) // visitors are sent on even if the disk is full
	}
}

// The ingester stores each click of a smartlink once, and counts it once in the sums by hour.
func TestSmartlinkClickIsStored(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.smartlink("deal", "https://a.test/")
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	w.h = w.handler(log, "")
	for range 3 {
		w.location("/deal", host(ownHost))
	}
	w.location("/deal", host(ownHost), header("User-Agent", "Googlebot/2.1 (+http://www.google.com/bot.html)"))
	for range 2 {
		if err := ingest.NewIngester(log, w.db, ingest.Options{}).Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var n struct {
		Clicks int `db:"clicks"`
		Bots   int `db:"bots"`
		Rows   int `db:"rows"`
	}
	err = w.db.GetContext(t.Context(), &n, `SELECT sum(clicks) AS clicks, sum(bot_clicks) AS bots,
		(SELECT count(*) FROM smartlink_clicks) AS rows FROM smartlink_hours WHERE smartlink_id = $1`, id)
	if err != nil || n.Clicks != 3 || n.Bots != 1 || n.Rows != 4 {
		t.Errorf("stored are %+v, want 3 clicks, 1 click of a bot and 4 rows; error %v", n, err)
	}
}

// tokenHandler returns a handler that answers /deal on the account's own domain.
func tokenHandler(tb testing.TB) *Handler {
	tb.Helper()
	const template = "https://safe.test/p?a={sub1}&b={_sub2}&c={param.x}&d={_param.x}&r={_referrer}&u={_user_agent}" +
		"&k={keyword}&l={campaign_alias}"
	r := benchRouting(1)
	domain, account := uuid.New(), r.Rows[0].Head().ID
	r.Rows = append(r.Rows, &store.RoutingDomain{
		ID: domain, AccountID: uuid.NullUUID{UUID: account, Valid: true}, Host: ownHost,
	})
	sent := m{"attribute": "param.x", "operator": "is_set", "value": true}
	rules, err := json.Marshal([]m{smartRuleOf(template+"&rule=1", sent)})
	if err != nil {
		tb.Fatal(err)
	}
	r.Rows = append(r.Rows, &store.RoutingSmartlink{
		ID: uuid.New(), AccountID: account, DomainID: domain, Slug: "deal", DestinationURL: template, Rules: rules,
	})
	return handlerOf(tb, nowhere{}, r)
}

// staysSafe requests the smartlink. It returns the Location of the redirect, and whether this is one header of one line that
// leads to the template's host.
func staysSafe(ctx context.Context, h *Handler, query, agent, referrer string) (string, bool) {
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	req.URL = &url.URL{Path: "/deal", RawQuery: query}
	req.Host, req.RemoteAddr = ownHost, "8.8.8.8:1"
	req.Header = http.Header{"User-Agent": {agent}, "Referer": {referrer}}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	to := rec.Header().Get("Location")
	return to, rec.Code == http.StatusFound && strings.HasPrefix(to, "https://safe.test/p?a=") &&
		len(rec.Header()["Location"]) == 1 &&
		!strings.ContainsFunc(to, func(r rune) bool { return r < ' ' || r > '~' })
}

func FuzzSmartlinkTokens(f *testing.F) {
	h := tokenHandler(f)
	for _, seed := range [][3]string{
		{"sub1=a&sub2=%0d%0aX:y&x=//evil", chrome, "https://a.test/?q=b"},
		{"x=%00%ff", "\xff", "\x00\r\n"},
		{"sub2=@evil.test/&x=%5c%5cevil", "a\nb", "javascript:x"},
		{strings.Repeat("sub1=a&", 200), "", "//"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, query, agent, referrer string) {
		if to, ok := staysSafe(t.Context(), h, query, agent, referrer); !ok {
			t.Fatalf("the visitor is sent to %q, want an address of the template's host", to)
		}
	})
}

// TestSmartlinkTokenValues fills tokens with 50,000 values made from fragments that could break addresses and headers.
func TestSmartlinkTokenValues(t *testing.T) {
	t.Parallel()
	h := tokenHandler(t)
	parts := []string{
		"\r\n", "\x00", "//", "\\\\", "@", "evil.test", ":", "javascript:", "#", "?", "&", "=", "%", "%0a", "%2f", "{sub1}", "{", "}",
		"\u2028", "\xff", "ä", " ", "<script>", "'", "\"", "a", "https://", "Set-Cookie: a=b", "[", "::1", ";", "\t",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	value := func() string {
		var b strings.Builder
		for range rnd.IntN(8) {
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		return b.String()
	}
	for range 50_000 / 5 {
		values := [5]string{value(), value(), value(), value(), value()}
		query := "sub1=" + url.QueryEscape(values[0]) + "&sub2=" + url.QueryEscape(values[1]) + "&keyword=" + values[2]
		if rnd.IntN(2) == 0 {
			query += "&x=" + url.QueryEscape(values[2])
		}
		if to, ok := staysSafe(t.Context(), h, query, values[3], values[4]); !ok {
			t.Fatalf("with the values %q, the visitor is sent to %q, want an address of the template's host", values, to)
		}
	}
}
