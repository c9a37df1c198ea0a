package crawler_test

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/seal"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/bot"
	"switchyard/models/parttest"
	"switchyard/workers"
	"switchyard/workers/crawler"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
)

type env struct {
	*testing.T
	db       *db.DB
	client   *jobs.Client
	accounts [2]uuid.UUID
	spool    *spool.Spool
	names    names
	ahead    atomic.Int64 // how far the worker's clock is ahead
}

// names looks up names at a DNS server that the test can replace.
type names struct {
	now     atomic.Pointer[egress.Names]
	lookups atomic.Int64
}

func (n *names) LookupAddr(ctx context.Context, addr netip.Addr) ([]string, error) {
	n.lookups.Add(1)
	return n.now.Load().LookupAddr(ctx, addr)
}

func (n *names) Addresses(ctx context.Context, name string) ([]netip.Addr, error) {
	return n.now.Load().Addresses(ctx, name)
}

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{T: t, db: dbtest.New(t), accounts: [2]uuid.UUID{uuid.New(), uuid.New()}}
	for i, id := range w.accounts {
		dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key, bot_disabled) VALUES ($1, 'A', 'growth', $2, '{ai_crawler}')`, id, strconv.Itoa(i))
	}
	box, err := seal.New(w.db)
	if err != nil {
		t.Fatal(err)
	}
	if w.spool, err = spool.Open(t.TempDir(), spool.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.spool.Close() })
	queue := jobstest.Redis(t)
	w.client = jobs.Connect(queue)
	rt := workers.New(workers.Options{DB: w.db, Redis: queue, Client: w.client, Grace: 4 * time.Second})
	crawler.Register(rt, store.New(w.db, box), crawler.Options{
		Clicks: click.Log{Conn: w.db}, Names: &w.names,
		Now: func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
	})
	jobstest.Run(t, rt.Run)
	return w
}

const (
	google = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
	bing   = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
	other  = "GoogleOther"
	duck   = "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)"
	curl   = "curl/8.5.0"
)

// visit stores a click of an account with the fields that the redirect sets.
func (w *env) visit(account int, addr, agent string, changes ...func(*models.Click)) {
	w.Helper()
	signals := map[string]bot.Signals{other: bot.AICrawler, curl: bot.HTTPLibrary}[agent]
	if signals == 0 {
		signals = bot.DeclaredBot
	}
	c := &models.Click{
		ID: models.NewClickID(), AccountID: w.accounts[account], CampaignID: w.accounts[account], UniqueHours: 24,
		Cost: decimal.RequireFromString("0.01"), UniqueKey: [16]byte{1}, BotSignals: uint64(signals),
		Visitor: models.Visitor{IP: netip.MustParseAddr(addr), UserAgent: agent},
	}
	c.BotScore, c.IsBot, c.BotReason = bot.Score(signals, bot.NewSettings(0, []string{"ai_crawler"}))
	for _, change := range changes {
		change(c)
	}
	if err := w.spool.Append(w.Context(), spool.Record{Click: c}); err != nil {
		w.Fatal(err)
	}
	if err := ingest.NewIngester(w.spool, w.db, ingest.Options{}).Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// verify lets the worker decide the claims that are due when its clock is ahead by the given time. It waits until the undecided
// claims are exactly those in the text `left`, such as "192.0.2.8 1": address and number of attempts.
func (w *env) verify(ahead time.Duration, left string) {
	w.Helper()
	w.ahead.Store(int64(ahead))
	if _, err := jobs.Submit(w.Context(), w.client, jobs.SweepCrawlers, uuid.Nil, jobs.Tick{}); err != nil {
		w.Fatal(err)
	}
	const claims = `SELECT coalesce(string_agg(concat(address, ' ', attempts), ', ' ORDER BY address), '') FROM crawler_claims`
	await.Until(w, "all claims are decided except "+left, func() bool { return dbtest.Get[string](w, w.db, claims) == left })
	w.balanced()
}

func (w *env) balanced() {
	w.Helper()
	counted := dbtest.Get[string](w, w.db, `SELECT concat_ws(' ', sum(clicks), sum(unique_clicks), sum(bot_clicks), trim_scale(sum(cost))) FROM ledger`)
	stored := dbtest.Get[string](w, w.db, `SELECT concat_ws(' ', count(*) FILTER (WHERE NOT is_bot), count(*) FILTER (WHERE is_unique), count(*) FILTER (WHERE is_bot),
		trim_scale(coalesce(sum(cost) FILTER (WHERE NOT is_bot), 0))) FROM clicks`)
	if counted != stored {
		w.Errorf("the ledger has %s, the clicks %s", counted, stored)
	}
}

// TestCrawlers checks clicks that claim to be from a crawler. A click gets the crawler's name if a host name of its address belongs to
// the crawler's operator and that name has the same address. Otherwise the click is marked as fake. DuckDuckBot has no known host
// names, so its click is not looked up. Without an answer of DNS, an address is looked up again for an hour.
func TestCrawlers(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	w := newEnv(t)
	zones := map[string]string{
		"2.0.192.in-addr.arpa": "1 PTR crawl-1.googlebot.com.\n2 PTR crawl-2.googlebot.com.\n3 PTR googlebot.com.evil.test.\n" +
			"5 PTR crawl-5.googlebot.com.\n8 PTR eight.google.com.\n9 PTR x.duckduckgo.com.",
		"8.b.d.0.1.0.0.2.ip6.arpa": "5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0 PTR six.evil.test.\n" +
			"5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0 PTR six.search.msn.com.",
		"googlebot.com": "crawl-1 A 192.0.2.1\ncrawl-2 A 192.0.2.1\ncrawl-5 A 192.0.2.5", "search.msn.com": "six AAAA 2001:db8::5",
		"evil.test": "googlebot.com A 192.0.2.3\nsix AAAA 2001:db8::5", "google.com": egresstest.Broken,
		"113.0.203.in-addr.arpa": egresstest.Broken,
	}
	server, stop := egresstest.Named(t, zones)
	w.names.now.Store(egress.NewNames(server))
	for _, v := range [][2]string{
		{"192.0.2.1", google},
		{"192.0.2.1", google},
		{"192.0.2.2", google},
		{"192.0.2.3", google},
		{"192.0.2.4", google},
		{"192.0.2.5", bing},
		{"2001:db8::5", bing},
		{"203.0.113.7", google},
		{"192.0.2.8", google},
		{"192.0.2.9", duck},
		{"192.0.2.3", curl},
		{"192.0.2.4", other},
		{"192.0.2.1", other},
	} {
		w.visit(0, v[0], v[1])
	}
	const found = `SELECT string_agg(concat_ws(' ', host(ip), left(user_agent, 3), nullif(crawler, ''), CASE WHEN bot_signals & $2 <> 0 THEN 'fake' END, is_bot), ', ' ORDER BY ip, user_agent, id)
		FROM clicks WHERE account_id = $1`
	fake := int64(bot.FakeCrawler)
	if got := dbtest.Get[string](w, w.db, `SELECT count(*) FROM clicks WHERE is_bot`); got != "11" {
		t.Fatalf("%s bots before the verification, want 11", got)
	}
	w.verify(0, "192.0.2.8 1, 203.0.113.7 1")
	want := []string{
		"192.0.2.1 Goo GoogleOther f", "192.0.2.1 Moz Googlebot t", "192.0.2.1 Moz Googlebot t", "192.0.2.2 Moz fake t",
		"192.0.2.3 Moz fake t", "192.0.2.3 cur t", "192.0.2.4 Goo fake t", "192.0.2.4 Moz fake t", "192.0.2.5 Moz fake t",
		"192.0.2.8 Moz t", "192.0.2.9 Duc t", "203.0.113.7 Moz t", "2001:db8::5 Moz Bingbot t",
	}
	if got := dbtest.Get[string](w, w.db, found, w.accounts[0], fake); got != strings.Join(want, ", ") {
		t.Errorf("found\n%s, want\n%s", got, strings.Join(want, ", "))
	}
	if n := w.names.lookups.Load(); n != 10 {
		t.Errorf("%d look-ups of addresses were made, want 10", n)
	}

	// A stored answer is also used for the clicks of another account, even while no DNS server answers.
	stop()
	w.visit(1, "192.0.2.1", google)
	w.visit(1, "192.0.2.2", google)
	w.visit(1, "192.0.2.77", google)
	w.verify(90*time.Second, "192.0.2.8 2, 192.0.2.77 1, 203.0.113.7 2")
	if got := dbtest.Get[string](w, w.db, found, w.accounts[1], fake); got != "192.0.2.1 Moz Googlebot t, 192.0.2.2 Moz fake t, 192.0.2.77 Moz t" {
		t.Errorf("clicks of another account: %s", got)
	}
	w.verify(3*time.Minute, "192.0.2.8 2, 192.0.2.77 2, 203.0.113.7 2")

	// Once DNS gives an answer, it decides the claims that waited for it.
	zones["google.com"], zones["113.0.203.in-addr.arpa"] = "eight A 192.0.2.8", "7 PTR crawl-7.googlebot.com."
	server, stop = egresstest.Named(t, zones)
	w.names.now.Store(egress.NewNames(server))
	w.verify(10*time.Minute, "")
	const late = `SELECT string_agg(concat_ws(' ', host(ip), nullif(crawler, ''), bot_signals & $1 <> 0), ', ' ORDER BY ip) FROM clicks
		WHERE host(ip) IN ('192.0.2.8', '192.0.2.77', '203.0.113.7')`
	if got := dbtest.Get[string](w, w.db, late, fake); got != "192.0.2.8 Googlebot f, 192.0.2.77 t, 203.0.113.7 t" {
		t.Errorf("the clicks that were decided later are %s", got)
	}

	stop()
	w.visit(0, "198.51.100.1", google)
	w.verify(20*time.Minute, "198.51.100.1 1")
	w.verify(2*time.Hour, "")
	if got := dbtest.Get[string](w, w.db, `SELECT concat_ws(' ', crawler, bot_signals) FROM clicks WHERE host(ip) = '198.51.100.1'`); got != fmt.Sprint(" ", int64(bot.DeclaredBot)) {
		t.Errorf("without an answer from DNS, the click is %q", got)
	}
	w.verify(30*time.Hour, "")
	await.Until(t, "old answers are deleted", func() bool { return dbtest.Get[string](w, w.db, `SELECT count(*) FROM crawler_answers`) == "0" })
}

// TestManyClaims checks that a run looks up at most the allowed number of addresses, and that the next run looks up the others.
func TestManyClaims(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	w := newEnv(t)
	server, _ := egresstest.Named(t, map[string]string{"2.0.192.in-addr.arpa": "1 PTR crawl-1.googlebot.com."})
	w.names.now.Store(egress.NewNames(server))
	for i := range 100 {
		w.visit(0, fmt.Sprint("192.0.2.", 10+i), google)
	}
	sweep := func(left string) {
		t.Helper()
		if _, err := jobs.Submit(t.Context(), w.client, jobs.SweepCrawlers, uuid.Nil, jobs.Tick{}); err != nil {
			t.Fatal(err)
		}
		const due = `SELECT count(*)::text FROM crawler_claims WHERE attempts = 0`
		await.Until(t, left+" claims are left", func() bool {
			return dbtest.Get[string](w, w.db, due) == left && dbtest.Get[string](w, w.db, `SELECT count(*)::text FROM crawler_claims`) == left
		})
	}
	sweep("40")
	if n := w.names.lookups.Load(); n != 60 {
		t.Errorf("%d addresses were looked up in one run, want 60", n)
	}
	sweep("0")
	if n := dbtest.Get[string](w, w.db, `SELECT count(*) FROM clicks WHERE bot_signals & $1 = 0`, int64(bot.FakeCrawler)); n != "0" {
		t.Errorf("%s clicks are not marked as fake crawlers", n)
	}
}

// TestHiddenAddresses checks that a click whose address is stored only in part makes no claim.
func TestHiddenAddresses(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.visit(0, "192.0.2.0", google, func(c *models.Click) { c.AddressKey = 1 })
	w.visit(0, "192.0.2.1", google)
	if claims := dbtest.Get[string](w, w.db, `SELECT string_agg(host(address), ' ') FROM crawler_claims`); claims != "192.0.2.1" {
		t.Errorf("claims of the addresses %s, want 192.0.2.1", claims)
	}
}
