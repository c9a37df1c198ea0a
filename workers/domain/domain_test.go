package domain_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/libdns/libdns"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/domain"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/dns"
	"switchyard/workers/providers/dns/dnstest"
	"switchyard/workers/providers/rest/resttest"
)

const tracker = "track.example.org"

// env has two accounts and a worker that calls fakes of DNS providers.
type env struct {
	*testing.T
	db      *db.DB
	store   *store.Store
	client  *jobs.Client
	queued  func() map[string]string // returns the content of Redis, by key
	account uuid.UUID
	other   uuid.UUID
	dns     *dnstest.Zones
	names   *registry
}

// addresses is a fake of DNS. Every name except elsewhere.example has the addresses of the tracking host.
type addresses []netip.Addr

func (a addresses) Addresses(context.Context, string) ([]netip.Addr, error) { return a, nil }

func (a addresses) Records(_ context.Context, name string) ([]egress.Records, error) {
	if name == "elsewhere.example" {
		return []egress.Records{{Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}}, nil
	}
	return []egress.Records{{Addresses: a}}, nil
}

func (a addresses) Texts(context.Context, string) ([]string, error) { return nil, nil }

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{T: t, db: dbtest.New(t), account: uuid.New(), other: uuid.New()}
	for _, id := range []uuid.UUID{w.account, w.other} {
		dbtest.Exec(t, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'scale', $2)`, id, id.String())
	}
	box, err := seal.New(w.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	queue := jobstest.Redis(t)
	w.store, w.client = store.New(w.db, box), jobs.Connect(queue)
	w.queued = func() map[string]string {
		all := map[string]string{}
		for _, key := range queue.Keys(t.Context(), "*").Val() {
			// A dump may be compressed, so the fields of a hash are added as text.
			all[key] = queue.Dump(t.Context(), key).Val() + fmt.Sprint(queue.HGetAll(t.Context(), key).Val())
		}
		return all
	}
	w.dns = dnstest.NewZones(map[string][]libdns.RR{
		"shop.example": {
			{Name: "www", Type: "A", Data: "192.0.2.1", TTL: time.Hour},
			{Name: "old", Type: "CNAME", Data: tracker + ".", TTL: time.Hour},
			{Name: "@", Type: "TXT", Data: "hello", TTL: time.Hour},
			{Name: "by-address", Type: "A", Data: "192.0.2.200", TTL: time.Hour},
			{Name: "half", Type: "A", Data: "192.0.2.200", TTL: time.Hour},
			{Name: "half", Type: "A", Data: "192.0.2.1", TTL: time.Hour},
			{Name: "by-name", Type: "CNAME", Data: "also.shop.example.", TTL: time.Hour},
			{Name: "away", Type: "CNAME", Data: "elsewhere.example.", TTL: time.Hour},
		},
		"deep.shop.example": nil,
		"taken.example":     {{Name: "@", Type: "A", Data: "192.0.2.1", TTL: time.Hour}},
	}, "shop.example", "deep.shop.example", "taken.example")
	server := dnstest.Serve(t, w.dns)
	w.names = newRegistry(t)
	list := w.names.listURL(t)
	rt := workers.New(workers.Options{DB: w.db, Redis: queue, Client: w.client, Grace: 4 * time.Second})
	domain.Register(rt, w.store, domain.Options{
		DNS:   dns.New(dns.Options{Egress: egresstest.Client(t, server, egress.Options{}), URL: server.URL}),
		Names: addresses{netip.MustParseAddr("192.0.2.200"), netip.MustParseAddr("2001:db8::200")}, Tracker: models.DomainTracker{Host: tracker, OwnTargets: true},
		Edge: models.EdgeOwn, Registries: egresstest.Client(t, w.names.server, egress.Options{}), RegistryList: list,
	})
	jobstest.Run(t, rt.Run)
	return w
}

// connect connects a DNS account of the provider's fake. The map `change` replaces some of the fake's credentials.
func (w *env) connect(account uuid.UUID, provider string, change map[string]string) uuid.UUID {
	w.Helper()
	p, _ := models.DNSProviderNamed(provider)
	c := map[string]string{}
	for _, from := range []map[string]string{dnstest.Fakes[provider].Credentials(), change} {
		for field, value := range from {
			c[field] = value
		}
	}
	label := "main"
	id, err := w.store.DNSAccounts().Save(w.Context(), account, uuid.Nil, p, &label, c)
	if err != nil {
		w.Fatal(err)
	}
	return id
}

func run[A, R any](w *env, job jobs.Job[A, R], account uuid.UUID, args A) (R, error) {
	w.Helper()
	ticket, err := jobs.Submit(w.Context(), w.client, job, account, args)
	if err != nil {
		w.Fatal(err)
	}
	return jobs.Await(w.Context(), ticket)
}

func (w *env) wantCode(err error, code string) {
	w.Helper()
	if e, ok := models.AsError(err); !ok || e.Code != code {
		w.Errorf("%v, want %s", err, code)
	}
}

// TestAccounts: a DNS account is tested and its zones are listed. A failure is stored until the account works
// again. It is no failure if the provider asks for fewer requests.
func TestAccounts(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	good := w.connect(w.account, "cloudflare", nil)
	bad := w.connect(w.account, "cloudflare", map[string]string{"api_token": "canary-wrong-token"})
	_, err := run(w, jobs.TestDNS, w.other, jobs.DNSArgs{ID: good})
	w.wantCode(err, "not_connected")
	tested, err := run(w, jobs.TestDNS, w.account, jobs.DNSArgs{ID: good})
	if err != nil || !tested.OK || !slices.Equal(tested.Zones, []string{"deep.shop.example", "shop.example", "taken.example"}) {
		t.Errorf("%+v, %v", tested, err)
	}
	all, err := run(w, jobs.ListDNSZones, w.account, jobs.None{})
	if err != nil || len(all) != 2 || len(all[0].Zones) != 3 || all[1].OK || !strings.Contains(all[1].Message, "Authentication error") {
		t.Errorf("%+v, %v", all, err)
	}
	storedFailure := func(id uuid.UUID) string {
		a, err := w.store.DNSAccounts().Find(t.Context(), w.account, id)
		if err != nil || a.CheckedAt == nil || (a.FailingSince == nil) != (a.Failure == "") {
			t.Errorf("%+v, %v", a, err)
		}
		return a.Failure
	}
	if storedFailure(good) != "" || !strings.Contains(storedFailure(bad), "refused the credentials") {
		t.Errorf("the stored failures are %q and %q, want none and refused credentials", storedFailure(good), storedFailure(bad))
	}
	w.dns.Fail(resttest.Busy)
	if tested, err = run(w, jobs.TestDNS, w.account, jobs.DNSArgs{ID: good}); err != nil || tested.OK || tested.Message == "" || storedFailure(good) != "" {
		t.Errorf("a provider that asks for fewer requests: %+v, %v, stored failure %q", tested, err, storedFailure(good))
	}
	w.dns.Fail(resttest.Down)
	if tested, err = run(w, jobs.TestDNS, w.account, jobs.DNSArgs{ID: good}); err != nil || tested.OK || storedFailure(good) == "" {
		t.Errorf("%+v, %v", tested, err)
	}
	w.dns.Fail(resttest.None)
	if tested, err = run(w, jobs.TestDNS, w.account, jobs.DNSArgs{ID: good}); err != nil || !tested.OK || storedFailure(good) != "" {
		t.Errorf("%+v, %v", tested, err)
	}
	dbtest.Exec(t, w.db, `UPDATE dns_accounts SET secrets = 'x' WHERE id = $1`, good)
	if tested, err = run(w, jobs.TestDNS, w.account, jobs.DNSArgs{ID: good}); err != nil || tested.OK || !strings.Contains(storedFailure(good), "again") {
		t.Errorf("credentials that cannot be decrypted: %+v, want a stored failure: %v", tested, err)
	}
	p, _ := models.DNSProviderNamed("cloudflare")
	_, err = w.store.DNSAccounts().Save(t.Context(), w.account, good, p, nil, nil)
	w.wantCode(err, "invalid_credentials")
	if _, err = w.store.DNSAccounts().Save(t.Context(), w.account, good, p, nil, dnstest.Fakes["cloudflare"].Credentials()); err != nil {
		t.Error(err)
	}
	if tested, err = run(w, jobs.TestDNS, w.account, jobs.DNSArgs{ID: good}); err != nil || !tested.OK {
		t.Errorf("%+v, %v", tested, err)
	}
	if none, err := run(w, jobs.ListDNSZones, w.other, jobs.None{}); err != nil || len(none) != 0 {
		t.Errorf("another account sees %+v, %v, want nothing", none, err)
	}
}

// wantPoints compares the results of pointing hosts. A message must not contain a name with a final dot.
func (w *env) wantPoints(got []models.DNSPoint, want ...string) {
	w.Helper()
	for i, p := range got {
		text := fmt.Sprintf("%s %t %s", p.Host, p.OK, p.Action)
		if p.Record != nil {
			text += " " + p.Record.Type + " " + p.Record.Value
		}
		if i >= len(want) || text != want[i] || p.Message == "" || strings.Contains(p.Message, ".,") {
			w.Errorf("%d: %q (%s), want %q", i, text, p.Message, want)
		}
	}
}

// TestAllAtOnce checks that all DNS accounts of an account are asked at once.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	for range models.MaxDNSAccounts {
		w.connect(w.account, "cloudflare", nil)
	}
	w.dns.Together(models.MaxDNSAccounts)
	all, err := run(w, jobs.ListDNSZones, w.account, jobs.None{})
	if err != nil || len(all) != models.MaxDNSAccounts {
		t.Fatalf("%d, %v", len(all), err)
	}
	for _, a := range all {
		if !a.OK || len(a.Zones) != 3 {
			t.Errorf("%+v", a)
		}
	}
}

// TestPoint: hosts are pointed with the records that their zone accepts, and existing records stay.
func TestPoint(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.connect(w.account, "cloudflare", nil)
	_, err := run(w, jobs.AddDomains, w.other, jobs.AddDomainsArgs{DNS: id, Hosts: []string{"go.shop.example"}})
	w.wantCode(err, "dns_account_not_found")
	before := w.dns.Records("shop.example")
	added, err := run(w, jobs.AddDomains, w.account, jobs.AddDomainsArgs{DNS: id, Hosts: []string{
		"go.shop.example", "shop.example", "x.deep.shop.example", "www.shop.example", "old.shop.example", "taken.example",
		"elsewhere.example", "notshop.example", "by-address.shop.example", "by-name.shop.example", "half.shop.example", "away.shop.example",
	}})
	if err != nil || len(added.Added) != 12 || len(added.Points) != 12 {
		t.Fatalf("%+v, %v", added, err)
	}
	w.wantPoints(added.Points,
		"go.shop.example true created CNAME track.example.org", "shop.example true created CNAME track.example.org",
		"x.deep.shop.example true created CNAME track.example.org", "www.shop.example false conflict A 192.0.2.1",
		"old.shop.example true kept CNAME track.example.org", "taken.example false conflict A 192.0.2.1",
		"elsewhere.example false failed", "notshop.example false failed",
		"by-address.shop.example true kept A 192.0.2.200", "by-name.shop.example true kept CNAME also.shop.example",
		"half.shop.example false conflict A 192.0.2.200", "away.shop.example false conflict CNAME elsewhere.example",
	)
	token, err := db.Get[string](t.Context(), w.db, "token", `SELECT domain_token FROM accounts WHERE id = $1`, w.account)
	if err != nil {
		t.Fatal(err)
	}
	after := w.dns.Records("shop.example")
	// Eight of the hosts are in the zone. Each of them has its proof now, and two have a new CNAME.
	if !slices.Equal(after[:len(before)], before) || len(after) != len(before)+2+8 || len(w.dns.Records("deep.shop.example")) != 2 {
		t.Errorf("the zone has %+v", after)
	}
	for _, name := range []string{"_switchyard", "_switchyard.go", "_switchyard.www"} {
		if !slices.ContainsFunc(after, func(r libdns.RR) bool {
			return r.Name == name && r.Type == "TXT" && strings.Trim(r.Data, `"`) == token
		}) {
			t.Errorf("%s does not have the token %s: %+v", name, token, after)
		}
	}
	_, err = run(w, jobs.AddDomains, w.account, jobs.AddDomainsArgs{DNS: id, Hosts: []string{"go.shop.example"}})
	w.wantCode(err, "duplicate")

	ids := map[string]uuid.UUID{}
	for _, d := range added.Added {
		ids[d.Host] = d.ID
	}
	// The next check of each domain is far away, as after a check that found no records.
	dbtest.Exec(t, w.db, `UPDATE domain_checks SET due_at = '2100-01-01'`)
	pointed, err := run(w, jobs.PointDomain, w.account, jobs.PointDomainArgs{ID: ids["x.deep.shop.example"]})
	const countDue = `SELECT count(*) FROM domain_checks WHERE due_at < '2100-01-01'`
	if n, err := db.Get[int](t.Context(), w.db, "due checks", countDue); n != 1 || err != nil {
		t.Errorf("%d domains are checked at the next tick after one was pointed, %v", n, err)
	}
	if err != nil || !pointed.OK || pointed.Action != models.DNSKept || pointed.Provider != "cloudflare" {
		t.Errorf("%+v, %v", pointed, err)
	}
	if c := pointed.Certificate; c == nil || c.Host != "x.deep.shop.example" || c.SSLStatus != models.SSLNone {
		t.Errorf("the certificate of the pointed domain: %+v", c)
	}
	if again := w.dns.Records("deep.shop.example"); len(again) != 2 {
		t.Errorf("after pointing again, the zone has %+v", again)
	}
	_, err = run(w, jobs.PointDomain, w.account, jobs.PointDomainArgs{ID: ids["elsewhere.example"]})
	w.wantCode(err, "no_provider")
	_, err = run(w, jobs.PointDomain, w.other, jobs.PointDomainArgs{ID: ids["go.shop.example"]})
	w.wantCode(err, "not_found")
	w.dns.Fail(resttest.Down)
	_, err = run(w, jobs.PointDomain, w.account, jobs.PointDomainArgs{ID: ids["go.shop.example"]})
	if w.wantCode(err, "no_provider"); err == nil || !strings.Contains(err.Error(), "could not be asked") {
		t.Errorf("a provider that fails: %v, want an error that says so", err)
	}
	failed, err := run(w, jobs.AddDomains, w.account, jobs.AddDomainsArgs{DNS: id, Hosts: []string{"later.shop.example"}})
	if err != nil || len(failed.Added) != 1 || failed.Points[0].Action != models.DNSFailed {
		t.Errorf("%+v, %v", failed, err)
	}
}

// TestSecretsStay: whatever a provider answers, no credential is in a row, in a job's payload or answer, or in Redis. TestMain
// checks the log.
func TestSecretsStay(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	ids := map[string]uuid.UUID{}
	for provider := range dnstest.Fakes {
		ids[provider] = w.connect(w.account, provider, nil)
	}
	for _, fault := range []resttest.Fault{resttest.Down, resttest.Busy, resttest.Elsewhere, resttest.Echo, resttest.None} {
		w.dns.Fail(fault)
		for provider, id := range ids {
			tested, err := run(w, jobs.TestDNS, w.account, jobs.DNSArgs{ID: id})
			if err != nil || tested.OK != (fault == resttest.None) || strings.Contains(fmt.Sprintf("%+v", tested), canary) {
				t.Errorf("%s with fault %d: %+v, %v", provider, fault, tested, err)
			}
			host := fmt.Sprintf("%s-%d.shop.example", provider, fault)
			added, err := run(w, jobs.AddDomains, w.account, jobs.AddDomainsArgs{DNS: id, Hosts: []string{host}})
			if err != nil || added.Points[0].OK != (fault == resttest.None) || strings.Contains(fmt.Sprintf("%+v", added), canary) {
				t.Errorf("%s with fault %d: %+v, %v", provider, fault, added, err)
			}
		}
		if _, err := run(w, jobs.ListDNSZones, w.account, jobs.None{}); err != nil {
			t.Error(err)
		}
	}
	var tables []string
	if err := w.db.SelectContext(t.Context(), &tables, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`); err != nil || len(tables) < 10 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	for _, table := range tables { // bytea is shown in hexadecimal digits
		leaks, err := db.Get[int](t.Context(), w.db, table, `SELECT count(*) FROM `+table+` t
			WHERE position($1 IN t::text) > 0 OR position($2 IN t::text) > 0`, canary, hex.EncodeToString([]byte(canary)))
		if err != nil || leaks != 0 {
			t.Errorf("%d rows of %s show a credential, %v", leaks, table, err)
		}
	}
	queued := w.queued()
	for key, content := range queued {
		if strings.Contains(content, canary) {
			t.Errorf("the Redis key %s shows a credential", key)
		}
	}
	if len(queued) == 0 {
		t.Error("Redis is empty, so the test looks at the wrong place")
	}
}

// canary is a part of every credential of the fakes.
const canary = "canary"

// TestMain looks for credentials in the log of all tests.
func TestMain(m *testing.M) {
	var logged bytes.Buffer
	slog.SetDefault(slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	code := m.Run()
	text := logged.String()
	switch {
	case strings.Contains(text, canary):
		fmt.Fprintln(os.Stderr, "the log shows a credential:", text)
		code = 1
	case !strings.Contains(text, "dns account fails") && flag.Lookup("test.run").Value.String() == "":
		fmt.Fprintln(os.Stderr, "nothing was logged: the test looks at the wrong place")
		code = 1
	}
	os.Exit(code)
}
