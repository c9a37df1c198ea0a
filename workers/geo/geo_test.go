package geo_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/geodatabase"
	"switchyard/db/ingest"
	"switchyard/db/seal"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/bot"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/geo"
	"switchyard/workers/providers/geolookup"
)

const key = "token-1"

// env is an account with a campaign, and a fake provider that knows 198.51.x.0/24: a hosting network in Sweden for an odd x, a
// household in Norway for an even x.
type env struct {
	*testing.T
	db       *db.DB
	store    *store.Store
	client   *jobs.Client
	account  uuid.UUID
	campaign uuid.UUID
	spool    *spool.Spool

	mu    sync.Mutex
	asked []string // addresses
	down  bool
}

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{T: t, db: dbtest.New(t), account: uuid.New(), campaign: uuid.New()}
	dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'growth', 'k')`, w.account)
	box, err := seal.New(w.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	w.store = store.New(w.db, box)
	if w.spool, err = spool.Open(t.TempDir(), spool.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.spool.Close() })
	queue := jobstest.Redis(t)
	w.client = jobs.Connect(queue)
	rt := workers.New(workers.Options{DB: w.db, Redis: queue, Client: w.client, Grace: 4 * time.Second})
	geo.Register(rt, w.store, geo.Options{Clicks: click.Log{Conn: w.db}, Lookups: w.provider()})
	jobstest.Run(t, rt.Run)
	return w
}

// provider starts a fake of IPinfo.
func (w *env) provider() *geolookup.Client {
	w.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(w.serve))
	w.Cleanup(server.Close)
	return geolookup.New(geolookup.Options{
		Egress: egresstest.Client(w, server, egress.Options{}), URL: server.URL, Timeout: await.Timeout,
	})
}

func (w *env) serve(rw http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/json") // a refused key is also tried with the API of IPinfo's former plans
	ip := netip.MustParseAddr(path[strings.LastIndex(path, "/")+1:])
	w.mu.Lock()
	down := w.down
	w.asked = append(w.asked, ip.String())
	w.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "Bearer "+key:
		rw.WriteHeader(http.StatusForbidden)
	case down:
		rw.WriteHeader(http.StatusBadGateway)
	case ip == geolookup.Known:
		_, _ = rw.Write([]byte(`{"geo":{"country_code":"US"}}`))
	case ip.As4()[2]%2 == 1:
		_, _ = rw.Write([]byte(`{"geo":{"country_code":"SE","city":"Lund"},"as":{"asn":"AS64501","name":"Host"},"is_hosting":true}`))
	default:
		_, _ = rw.Write([]byte(`{"geo":{"country_code":"NO"},"as":{"asn":"AS64502","name":"Home"}}`))
	}
}

// visit stores n clicks, a minute old, from each of several networks 198.51.x.0/24, where x counts up from the given first number.
// Some clicks have a conversion.
func (w *env) visit(first, networks, n int) {
	w.Helper()
	var converted []uuid.UUID
	for i := range networks * n {
		c := &models.Click{
			ID: models.NewClickID(), AccountID: w.account, CampaignID: w.campaign, LanderID: uuid.New(), UniqueHours: 24,
			Cost: decimal.RequireFromString("0.01"), UniqueCost: decimal.RequireFromString("0.002"), UniqueKey: [16]byte{byte(first), byte(i), byte(i >> 8)},
			Visitor: models.Visitor{IP: netip.AddrFrom4([4]byte{198, 51, byte(first + i%networks), byte(i / networks)}), Country: "DE", ProxyKind: "none"},
		}
		if i%3 == 0 { // makes a click a bot only together with a hosting network
			c.BotSignals = uint64(bot.NoAcceptLanguage)
		}
		c.BotScore, c.IsBot, c.BotReason = bot.Score(bot.Signals(c.BotSignals), bot.Settings{})
		floor := models.FloorClickID(models.ClickTime(c.ID).Add(-time.Minute)) // a minute back
		copy(c.ID[:6], floor[:6])
		if err := w.spool.Append(w.Context(), spool.Record{Click: c}); err != nil {
			w.Fatal(err)
		}
		if i%5 == 0 {
			converted = append(converted, c.ID)
		}
	}
	if err := ingest.NewIngester(w.spool, w.db, ingest.Options{}).Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
	payout := decimal.RequireFromString("3.5")
	for _, id := range converted {
		err := db.Tx(w.Context(), w.db, func(c db.Conn) error {
			_, err := conversion.Record(w.Context(), click.Log{}, c, conversion.Input{
				ClickID: id, Payout: &payout, Status: models.StatusApproved, Source: models.FromPostback,
			})
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
	}
}

// lookUp looks up the new clicks, and checks that the ledger has the same sums by country as the stored clicks and conversions.
// It returns the number of requests to the provider.
func (w *env) lookUp() (asked int) {
	w.Helper()
	w.mu.Lock()
	before := len(w.asked)
	w.mu.Unlock()
	last := dbtest.Get[string](w, w.db, `SELECT max(id::text) FROM clicks`)
	if _, err := jobs.Submit(w.Context(), w.client, jobs.SweepGeo, uuid.Nil, jobs.Tick{}); err != nil {
		w.Fatal(err)
	}
	await.Until(w, "clicks are looked up", func() bool {
		return dbtest.Get[string](w, w.db, `SELECT (looked_after = $1::uuid AND leased_until IS NULL)::text FROM geo_databases`, last) == "true"
	})
	counted := dbtest.Get[string](w, w.db, `SELECT string_agg(concat_ws(' ', country, clicks, uniq, bots, approved, cost, revenue), ', ' ORDER BY country) FROM (
		SELECT country, sum(clicks) AS clicks, sum(unique_clicks) AS uniq, sum(bot_clicks) AS bots, sum(approved) AS approved,
			trim_scale(sum(cost)) AS cost, trim_scale(sum(revenue)) AS revenue
		FROM ledger GROUP BY country HAVING sum(clicks) + sum(bot_clicks) <> 0
	) l`)
	stored := dbtest.Get[string](w, w.db, `SELECT string_agg(concat_ws(' ', country, clicks, uniq, bots, approved, cost, revenue), ', ' ORDER BY country) FROM (
		SELECT country, count(*) FILTER (WHERE NOT is_bot) AS clicks, count(*) FILTER (WHERE is_unique) AS uniq,
			count(*) FILTER (WHERE is_bot) AS bots, sum(coalesce(v.n, 0)) AS approved,
			trim_scale(coalesce(sum(c.cost) FILTER (WHERE NOT is_bot), 0)) AS cost, trim_scale(sum(coalesce(v.payout, 0))) AS revenue
		FROM clicks c LEFT JOIN (SELECT click_id, count(*) AS n, sum(payout) AS payout FROM conversions GROUP BY 1) v ON v.click_id = c.id
		GROUP BY country
	) c`)
	if counted != stored {
		w.Errorf("the sums by country are %s in the ledger, and %s in the clicks and conversions", counted, stored)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked) - before
}

func (w *env) connect(key string) error {
	w.Helper()
	sealed, err := geodatabase.New(w.store).Seal(w.account, key)
	if err != nil {
		w.Fatal(err)
	}
	ticket, err := jobs.Submit(w.Context(), w.client, jobs.ConnectGeo, w.account,
		jobs.ConnectGeoArgs{Provider: "ipinfo", Key: sealed, Enabled: true})
	if err != nil {
		w.Fatal(err)
	}
	_, err = jobs.Await(w.Context(), ticket)
	return err
}

// TestLookUps checks that a key is tried before it is saved, and that look-ups keep to the limit of the account's plan. A failure of
// the provider is stored, and leaves the clicks unchanged.
func TestLookUps(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	if err := w.connect("wrong"); err == nil || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "wrong") {
		t.Errorf("connecting with a wrong key: %v, want a refusal that does not repeat the key", err)
	}
	w.mu.Lock()
	w.down = true
	w.mu.Unlock()
	if e, ok := models.AsError(w.connect(key)); !ok || e.Code != "network_error" || e.Kind != models.KindBadGateway ||
		!strings.Contains(e.Message, "the provider answered 502") {
		t.Errorf("connecting while the provider is down: %v, want network_error with the status", e)
	}
	w.mu.Lock()
	w.down = false
	w.mu.Unlock()
	if n := dbtest.Get[string](w, w.db, `SELECT count(*) FROM geo_databases`); n != "0" {
		t.Error("a refused or untried key was saved")
	}
	if err := w.connect(key); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[string](w, w.db, `SELECT count(*) FROM geo_databases WHERE position('token' IN encode(key, 'escape')) > 0`); n != "0" {
		t.Error("the key is stored in clear")
	}
	// Clicks up to looked_after are never looked up, so it is moved to before the clicks of visit.
	dbtest.Exec(w, w.db, `UPDATE geo_databases SET looked_after = $1`, models.FloorClickID(time.Now().Add(-10*time.Minute)))

	const share = 60 / jobs.GeoSweeps // look-ups in one sweep: the plan allows 60 in a minute
	w.visit(0, share+10, 6)
	if n := w.lookUp(); n != share {
		t.Errorf("%d look-ups, the plan allows %d", n, share)
	}
	const clicksByPlace = `SELECT string_agg(concat_ws(' ', geo_source, country, isp, proxy_kind, n), ', ' ORDER BY geo_source, country) FROM (
		SELECT geo_source, country, isp, proxy_kind, count(*) AS n FROM clicks GROUP BY 1, 2, 3, 4) k`
	// Each network has six clicks, and ten networks were not looked up.
	if got, want := dbtest.Get[string](w, w.db, clicksByPlace), fmt.Sprintf(" DE  none %d, ipinfo NO Home none %d, ipinfo SE Host datacenter %d", 10*6, share*3, share*3); got != want {
		t.Errorf("clicks are %q, want %q", got, want)
	}
	if n := dbtest.Get[string](w, w.db, `SELECT count(*) FROM clicks WHERE is_bot <> (bot_signals = $1)`, int64(bot.Datacenter|bot.NoAcceptLanguage)); n != "0" {
		t.Errorf("%s clicks have a score that does not match their signals", n)
	}
	if n := dbtest.Get[string](w, w.db, `SELECT count(*) FROM clicks WHERE is_bot AND bot_reason = 'datacenter' AND NOT is_unique`); n != "18" { // six in each of the networks 3, 9 and 15
		t.Errorf("%s clicks became bots, want 18", n)
	}

	w.visit(0, share, 2)
	if n := w.lookUp(); n != 0 {
		t.Errorf("%d networks were looked up again", n)
	}
	w.mu.Lock()
	w.down = true
	w.mu.Unlock()
	w.visit(100, 3, 1)
	if n := w.lookUp(); n < 1 || n > 3 {
		t.Errorf("%d look-ups of a provider that is down, want 1 to 3", n)
	}
	d, err := geodatabase.New(w.store).Find(t.Context(), w.account)
	if err != nil || d.FailingSince == nil || d.Failure != "the provider answered 502" {
		t.Errorf("the database after a failure is %+v, want the failure stored: %v", d, err)
	}
	w.mu.Lock()
	w.down = false
	w.mu.Unlock()
	w.visit(200, 2, 1)
	if n := w.lookUp(); n != 2 {
		t.Errorf("%d look-ups after the failure, want 2", n)
	}
	if d, err = geodatabase.New(w.store).Find(t.Context(), w.account); err != nil || d.FailingSince != nil || d.Failure != "" {
		t.Errorf("the provider works again, but the failure is not cleared: %+v, %v", d, err)
	}
	if n := dbtest.Get[string](w, w.db, `SELECT count(*) FROM clicks WHERE geo_source = '' AND country <> 'DE'`); n != "0" {
		t.Errorf("%s clicks do not name the provider of their place", n)
	}
}
