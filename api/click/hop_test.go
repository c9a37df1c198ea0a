package click

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
)

// TestDoubleMeta follows the two pages of double_meta, and checks that the second page leads only to signed addresses.
func TestDoubleMeta(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	const destination = "https://d.test/p?a={sub1}&b=%26#{_sub1}"
	campaign := w.campaign("double-meta", nil, path("redirect", m{"transition": "double_meta"}, m{"url": destination, "weight": 1}))
	w.reload()
	follow := func(address string) (string, http.Header) {
		t.Helper()
		res := w.get(address)
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Fatalf("%s answers %d with the headers %v, want 200 with no-referrer", address, res.StatusCode, res.Header)
		}
		return addressIn(string(body)), res.Header
	}
	second, _ := follow("/double-meta?sub1=%22%3E%26x")
	if !strings.HasPrefix(second, "/out/go?") || strings.Contains(second, "d.test/") {
		t.Fatalf("the first page leads to %s, want /out/go without a visible destination", second)
	}
	want := w.spool.last().Destination
	last, header := follow(second)
	if last != want || !strings.HasPrefix(want, "https://d.test/p?a=%22") || header["Set-Cookie"] != nil {
		t.Errorf("the second page leads to %s, want the recorded destination %s and no cookie: %v", last, want, header)
	}
	if n := len(w.spool.clicks()); n != 1 {
		t.Errorf("%d clicks are recorded, want 1", n)
	}
	u, err := url.Parse(second)
	if err != nil {
		t.Fatal(err)
	}
	for name, forged := range map[string]url.Values{
		"another address": {"k": {u.Query().Get("k")}, "u": {"https://evil.test/"}},
		"no key":          {"u": {want}},
		"half a key":      {"k": {u.Query().Get("k")[:8]}, "u": {want}},
		"no address":      {"k": {u.Query().Get("k")}},
	} {
		if res := w.get("/out/go?" + forged.Encode()); res.StatusCode != http.StatusNotFound {
			t.Errorf("a second page with %s gets the status %d, want 404", name, res.StatusCode)
		}
	}
	if res := w.get(second, host(ownHost)); res.StatusCode != http.StatusNotFound {
		t.Errorf("the second page on another domain gets the status %d, want 404", res.StatusCode)
	}
	s := signer(w.h.routes.Current().SigningSecret())
	signed := func(campaign uuid.UUID, life time.Duration) int {
		t.Helper()
		link := hopLink{campaign: campaign, expires: time.Now().Add(life)}
		return w.get(s.hop(link, sharedHost, want)).StatusCode
	}
	foreign := w.newAccount()
	theirs, theirDomain := uuid.New(), uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'foreign.test', true)`, theirDomain, foreign)
	dbtest.Exec(w, w.db, `INSERT INTO campaigns (id, account_id, name, alias, domain_id) VALUES ($1, $2, 'n', 'their-own', $3)`,
		theirs, foreign, theirDomain)
	w.reload()
	if got := signed(campaign, hopLife); got != http.StatusOK {
		t.Errorf("a fresh link gets the status %d, want 200", got)
	}
	if got := signed(campaign, -time.Second); got != http.StatusNotFound {
		t.Errorf("an expired link gets the status %d, want 404", got)
	}
	if got := signed(uuid.New(), hopLife); got != http.StatusNotFound {
		t.Errorf("a link of an unknown campaign gets the status %d, want 404", got)
	}
	link := hopLink{campaign: campaign, expires: time.Now().Add(hopLife)}
	if res := w.get(s.hop(link, "foreign.test", want), host("foreign.test")); res.StatusCode != http.StatusNotFound {
		t.Errorf("a link on a domain of another account gets the status %d, want 404", res.StatusCode)
	}
	for _, end := range []string{`status = 'paused'`, `status = 'active', deleted_at = now()`} {
		dbtest.Exec(w, w.db, `UPDATE campaigns SET `+end+` WHERE id = $1`, campaign)
		w.reload()
		if got := signed(campaign, hopLife); got != http.StatusNotFound {
			t.Errorf("after %s a link of the campaign gets the status %d, want 404", end, got)
		}
	}
}
