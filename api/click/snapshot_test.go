package click

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db"
	dbclick "switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models/await"
	"switchyard/models/flow"
)

func (w *env) run() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.Context()))
	done := make(chan error, 1)
	go func() { done <- w.h.Run(ctx) }()
	w.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.Error(err)
		}
	})
}

func TestChangesAreLiveByNotice(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.run()
	o := w.offer("https://one.test/", uuid.Nil)
	id := w.campaign("summer-sale", nil, path("offer", nil, to(o)))
	location := func(target string, edits ...edit) string { return w.get(target, edits...).Header.Get("Location") }
	becomes := func(what, target, want string, edits ...edit) {
		t.Helper()
		await.Until(t, what, func() bool { return location(target, edits...) == want })
	}
	becomes("the campaign is there", "/summer-sale", "https://one.test/")
	compiled := w.h.routes.Current().Campaign(id)
	dbtest.Exec(w, w.db, `UPDATE offers SET url = 'https://two.test/' WHERE id = $1`, o)
	becomes("the offer's new address", "/summer-sale", "https://two.test/")
	if c := w.h.routes.Current().Campaign(id); c.Plan != compiled.Plan {
		t.Error("a change of an offer compiled the campaign again")
	}
	dbtest.Exec(w, w.db, `UPDATE offers SET is_active = false WHERE id = $1`, o)
	becomes("the offer is paused", "/summer-sale", "")
	dbtest.Exec(w, w.db, `UPDATE offers SET is_active = true WHERE id = $1`, o)
	becomes("the offer is back", "/summer-sale", "https://two.test/")
	dbtest.Exec(w, w.db, `UPDATE campaigns SET alias = 'winter-sale' WHERE id = $1`, id)
	becomes("the new alias", "/winter-sale", "https://two.test/")
	becomes("the old alias", "/summer-sale", "")
	dbtest.Exec(w, w.db, `UPDATE campaigns SET domain_id = $2 WHERE id = $1`, id, w.ownDomain)
	becomes("the own domain", "/winter-sale", "https://two.test/", host(ownHost))
	dbtest.Exec(w, w.db, `UPDATE domains SET host = 'renamed.test' WHERE id = $1`, w.ownDomain)
	becomes("the new host", "/winter-sale", "https://two.test/", host("renamed.test"))
	becomes("the old host", "/winter-sale", "", host(ownHost))
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = false WHERE id = $1`, w.ownDomain)
	becomes("a domain that is not verified", "/winter-sale", "", host("renamed.test"))
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = true WHERE id = $1`, w.ownDomain)
	becomes("the domain is back", "/winter-sale", "https://two.test/", host("renamed.test"))
	dbtest.Exec(w, w.db, `DELETE FROM campaigns WHERE id = $1`, id)
	becomes("the campaign is deleted", "/winter-sale", "", host("renamed.test"))
}

func TestACampaignThatComesBeforeItsOfferIsCompletedByIt(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	o := uuid.New()
	w.campaign("summer-sale", nil, path("offer", nil, to(o)))
	w.reload()
	if res := w.get("/summer-sale"); res.StatusCode != http.StatusNotFound {
		t.Fatalf("a campaign whose offer does not exist yet gets the status %d, want 404", res.StatusCode)
	}
	dbtest.Exec(w, w.db, `INSERT INTO offers (id, account_id, name, url) VALUES ($1, $2, 'late', 'https://late.test/')`, o, w.account)
	w.reload()
	if got := w.location("/summer-sale"); got != "https://late.test/" {
		t.Errorf("once the offer exists, the visitor is sent to %s, want the offer", got)
	}
	dbtest.Exec(w, w.db, `UPDATE offers SET deactivated_at = now() WHERE id = $1`, o)
	w.reload()
	if res := w.get("/summer-sale"); res.StatusCode != http.StatusNotFound {
		t.Errorf("a campaign whose offer is deactivated gets the status %d, want 404", res.StatusCode)
	}
	dbtest.Exec(w, w.db, `UPDATE offers SET deactivated_at = NULL WHERE id = $1`, o)
	w.reload()
	if got := w.location("/summer-sale"); got != "https://late.test/" {
		t.Errorf("once the offer is restored, the visitor is sent to %s, want the offer", got)
	}
}

func storeOn(d db.Conn) *store.Store {
	box, err := seal.New(d, bytes.Repeat([]byte{7}, 32))
	if err != nil {
		panic(err)
	}
	return store.New(d, box)
}

func depsOn(d db.Conn, s Recorder, v Describer, dir string) Deps {
	return Deps{
		DB: d, Clicks: dbclick.Log{Conn: d}, Usage: report.Reader{Conn: d}, Spool: s, Postbacks: s,
		Proofs: storeOn(d), Visitors: v, DataDir: dir,
	}
}

// unreachableDB returns a database that cannot be reached: the pool opens, but every query fails.
func unreachableDB(tb testing.TB) db.Conn {
	tb.Helper()
	d, err := db.OpenLazy("postgres://nobody@127.0.0.1:1/none?sslmode=disable", db.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return d
}

// replaceableDB is a database that can be replaced by another database.
type replaceableDB struct{ db.Conn }

func TestStartsFromTheCopyOnDisk(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	dir := t.TempDir()
	w.campaign("summer-sale", nil, path("offer", nil, to(w.offer("https://one.test/", uuid.Nil))))
	w.reload()
	before := w.h.routes.Current()
	if err := routing.WriteDiskCache(filepath.Join(dir, "routing.copy"), before); err != nil {
		t.Fatal(err)
	}
	v, err := describer()
	if err != nil {
		t.Fatal(err)
	}
	conn := &replaceableDB{unreachableDB(t)}
	start := func(dir string) *Handler {
		h, err := New(t.Context(), depsOn(conn, w.spool, v, dir))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	w.h = start(dir)
	if got := w.location("/summer-sale"); got != "https://one.test/" || !w.h.Ready() {
		t.Errorf("started from the copy, the handler sends the visitor to %s, want https://one.test/ and a handler that is ready", got)
	}
	if a, b := len(before.Versions()), len(w.h.routes.Current().Versions()); a != b {
		t.Errorf("the copy of %d records was read as %d", a, b)
	}
	// When the database returns, everything is read once, whatever the copy contains.
	conn.Conn = w.db
	dbtest.Exec(w, w.db, `DELETE FROM campaigns`)
	if got := w.reload().get("/summer-sale"); got.StatusCode != http.StatusNotFound {
		t.Errorf("after the database is back and the campaign is deleted, its link gets the status %d, want 404", got.StatusCode)
	}
	conn.Conn = unreachableDB(t)
	for name, content := range map[string]string{"torn": "\x20\x0c", "empty": ""} {
		bad := t.TempDir()
		if err := os.WriteFile(filepath.Join(bad, "routing.copy"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if w.h = start(bad); w.h.Ready() {
			t.Errorf("with a copy that is %s, the handler is ready without a snapshot", name)
		}
		if res := w.get("/postback?clickid=a"); res.StatusCode != http.StatusOK {
			t.Errorf("with a copy that is %s, a postback gets the status %d, want 200", name, res.StatusCode)
		}
	}
	if w.h = start(t.TempDir()); w.get("/summer-sale").StatusCode != http.StatusNotFound {
		t.Error("without a copy and without a database, a campaign is routed")
	}
}

func TestRunWritesTheCopy(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", nil)
	dir := t.TempDir()
	w.h = w.handler(w.spool, dir)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.h.Run(ctx) }()
	at := filepath.Join(dir, "routing.copy")
	await.Until(t, "the copy is there", func() bool { _, err := os.Stat(at); return err == nil })
	dbtest.Exec(w, w.db, `UPDATE campaigns SET alias = 'winter-sale'`)
	await.Until(t, "the change is read", func() bool { return w.h.routes.Changes() > 1 })
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	r, err := routing.ReadDiskCache(at)
	if err != nil || len(campaignsOf(r)) != 1 || campaignsOf(r)[0].Alias != "winter-sale" {
		t.Errorf("the copy holds %+v, want only winter-sale, error %v", r, err)
	}
}

func TestReloadReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	a := w.campaign("campaign-a", nil)
	b := w.campaign("campaign-b", nil)
	w.reload()
	s := w.h.routes.Current()
	w.reload()
	if w.h.routes.Current() != s {
		t.Error("a reload without changes made a new snapshot")
	}
	dbtest.Exec(w, w.db, `UPDATE campaigns SET notes = 'x' WHERE id = $1`, a)
	w.reload()
	now := w.h.routes.Current()
	oldA := s.Campaign(a)
	newA := now.Campaign(a)
	oldB := s.Campaign(b)
	newB := now.Campaign(b)
	if oldA == newA || oldB != newB {
		t.Error("a record other than the changed campaign was read again, or the campaign was not")
	}
}

func TestDailyCapsFollowTheLedger(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	o := w.offer("https://one.test/", uuid.Nil)
	dbtest.Exec(w, w.db, `UPDATE offers SET daily_cap = 2 WHERE id = $1`, o)
	p := path("redirect", m{"daily_cap": 5}, m{"url": "https://capped.test/", "weight": 1})
	offerPath := path("offer", nil, to(o))
	id := w.campaign("capped-path", m{"fallback_url": "https://f.test/"}, p)
	w.campaign("capped-offer", m{"fallback_url": "https://f.test/"}, offerPath)
	w.reload()
	zero := uuid.Nil
	// Four clicks of the path today: its cap has room for one more.
	dbtest.Exec(w, w.db, `INSERT INTO ledger
		SELECT $1::uuid, date_trunc('hour', now()), $2::uuid, $3::uuid, $4::uuid, $4::uuid, $4::uuid,
			'', '', '', '', 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0`,
		w.account, id, p["id"], zero)
	now := time.Now()
	if now.UTC().Hour() == 23 && now.UTC().Minute() == 59 {
		t.Skip("the day is about to end")
	}
	if err := readUsage(t.Context(), w.h, now); err != nil {
		t.Fatal(err)
	}
	if a, b := w.location("/capped-path"), w.location("/capped-path"); a != "https://capped.test/" || b != "https://f.test/" {
		t.Errorf("the visitors were sent to %s, then to %s, want the capped path once, then the fallback", a, b)
	}
	w.checkPassed(t, p["id"], flow.RefusedCapped)
	if got := w.location("/capped-offer"); got != "https://one.test/" {
		t.Errorf("while only the path of the other campaign is at its cap, the visitor is sent to %s, want https://one.test/", got)
	}
	for i := range 2 { // as many conversions as the cap of the offer
		dbtest.Exec(w, w.db, `INSERT INTO conversions
			VALUES ($1, $2, $3, $4, '', 'approved', '', 1, 'USD', 0, NULL, $5, $6, $7::uuid, $7::uuid, 'postback', now(), now())`,
			uuid.New(), w.account, uuid.New(), strconv.Itoa(i), id, o, zero)
	}
	if err := readUsage(t.Context(), w.h, now); err != nil {
		t.Fatal(err)
	}
	if got := w.location("/capped-offer"); got != "https://f.test/" {
		t.Errorf("a visitor of a capped offer is sent to %s, want the fallback", got)
	}
	w.checkPassed(t, offerPath["id"], flow.RefusedDestinations)
	if err := readUsage(t.Context(), w.h, now.Add(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := w.location("/capped-offer"); got != "https://one.test/" {
		t.Errorf("on the next day, a visitor is sent to %s, want the offer", got)
	}
	w.checkPassed(t, uuid.Nil.String(), "")
}

// checkPassed checks which path was passed over for the last click, and why.
func (w *env) checkPassed(t *testing.T, path any, why flow.Refusal) {
	t.Helper()
	if c := w.spool.last(); c.PassedStreamID.String() != path || c.PassedReason != string(why) {
		t.Errorf("passed over %s: %s; want %s: %s", c.PassedStreamID, c.PassedReason, path, why)
	}
}

func TestParseRoutingKey(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	for payload, want := range map[string]bool{
		"offers:" + id.String(): true, "offers:x": false, "api_keys:" + id.String(): false, "": false,
	} {
		if _, ok := store.ParseRoutingKey(payload); ok != want {
			t.Errorf("%q is called a key of routing data: %v, want %v", payload, ok, want)
		}
	}
}

func readUsage(ctx context.Context, h *Handler, now time.Time) error {
	return errors.Join(h.readClicks(ctx, now), h.readConversions(ctx, now))
}

// A link works on every domain of its account. If another campaign or a smartlink has the same alias on one of these domains,
// the link does not work on that domain, even while the other campaign or the smartlink is paused.
func TestALinkOnOtherDomains(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	second, foreign := uuid.New(), uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'second.test', true)`, second, w.account)
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'foreign.test', true)`, foreign, w.newAccount())
	first := w.campaign("summer-sale", m{"domain_id": w.ownDomain}, path("redirect", nil, m{"url": "https://first.test/", "weight": 1}))
	const onOwn, onSecond = ownHost, "second.test"
	check := func(what string, want map[string]string) {
		t.Helper()
		w.reload()
		for at, location := range want {
			if got := w.get("/summer-sale", host(at)).Header.Get("Location"); got != location {
				t.Errorf("%s: %s leads to %q, want %q", what, at, got, location)
			}
		}
	}
	check("alone", map[string]string{
		onOwn: "https://first.test/", onSecond: "https://first.test/", sharedHost: "", "foreign.test": "",
	})
	next := w.campaign("summer-sale", m{"domain_id": second}, path("redirect", nil, m{"url": "https://next.test/", "weight": 1}))
	check("another campaign has the address", map[string]string{onOwn: "https://first.test/", onSecond: "https://next.test/"})
	dbtest.Exec(w, w.db, `UPDATE campaigns SET status = 'paused' WHERE id = $1`, next)
	check("the other campaign is paused", map[string]string{onOwn: "https://first.test/", onSecond: ""})
	dbtest.Exec(w, w.db, `UPDATE campaigns SET deleted_at = now() WHERE id = $1`, next)
	check("the other campaign is deleted", map[string]string{onSecond: "https://first.test/"})
	dbtest.Exec(w, w.db, `INSERT INTO smartlinks (id, account_id, domain_id, slug, destination_url) VALUES ($1, $2, $3, 'summer-sale', 'https://smart.test/')`,
		uuid.New(), w.account, second)
	check("a smartlink has the address", map[string]string{onSecond: "https://smart.test/"})
	dbtest.Exec(w, w.db, `UPDATE smartlinks SET is_active = false`)
	check("the smartlink is paused", map[string]string{onOwn: "https://first.test/", onSecond: ""})
	dbtest.Exec(w, w.db, `UPDATE smartlinks SET is_active = true`)
	check("the smartlink is resumed", map[string]string{onSecond: "https://smart.test/"})
	dbtest.Exec(w, w.db, `DELETE FROM smartlinks`)
	dbtest.Exec(w, w.db, `UPDATE campaigns SET status = 'paused' WHERE id = $1`, first)
	check("paused", map[string]string{onOwn: "", onSecond: ""})
	dbtest.Exec(w, w.db, `UPDATE campaigns SET status = 'active', alias = 'winter-sale' WHERE id = $1`, first)
	check("renamed", map[string]string{onOwn: "", onSecond: ""})
	dbtest.Exec(w, w.db, `UPDATE campaigns SET alias = 'summer-sale', domain_id = $2 WHERE id = $1`, first, w.shared)
	check("on the shared domain", map[string]string{sharedHost: "https://first.test/", onSecond: "https://first.test/", "foreign.test": ""})
}
