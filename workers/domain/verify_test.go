package domain_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/parttest"
	"switchyard/workers"
	"switchyard/workers/domain"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
)

type localResolver struct{}

func (localResolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// verifyEnv is an env with a DNS server (BIND) and web servers. For most hosts the web servers answer as this install does.
type verifyEnv struct {
	*env
	later   atomic.Int64 // how far the worker's clock is ahead
	moved   atomic.Bool  // the web servers answer as a parked domain does
	stopDNS func()
}

func (v *verifyEnv) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := models.BareHost(r.Host)
	if v.moved.Load() || host == "parked.com" || host == "parked.acme.com" || host == "liar.acme.com" || host == "mute.acme.com" {
		_, _ = io.WriteString(w, "This domain is for sale.")
		return
	}
	secret, err := v.store.DomainSecret(r.Context())
	if err != nil || r.URL.Path != models.DomainChallengePath {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, models.DomainProof(secret, host, r.URL.Query().Get("nonce")))
}

// The tokens of the two accounts.
const mine, theirs = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"

// newVerifyEnv returns an env with a DNS server. Most hosts of acme.com show the token of the first account.
func newVerifyEnv(t *testing.T) *verifyEnv {
	t.Helper()
	acme := []string{"@ A 192.0.2.200\n@ AAAA 2001:db8::200\ngo CNAME also\nalso CNAME track.example.org.\nliar CNAME track.example.org.\n" +
		"parked A 192.0.2.9\nproxied A 192.0.2.7\nhalf A 192.0.2.200\nhalf A 192.0.2.9\nopen CNAME track.example.org.\nmute CNAME track.example.org.\n" +
		"target CNAME " + mine + ".track.example.org.\nforeign CNAME " + theirs + ".track.example.org."}
	for _, name := range slices.Concat([]string{"", ".go", ".liar", ".parked", ".proxied", ".half", ".none"}, sweptNames()) {
		acme = append(acme, "_switchyard"+name+" TXT "+mine)
	}
	server, stop := egresstest.Named(t, map[string]string{
		"example.org": "track A 192.0.2.200\ntrack AAAA 2001:db8::200\n*.track A 192.0.2.200",
		"example.com": "@ A 192.0.2.200\n_switchyard TXT " + mine,
		"acme.com":    strings.Join(acme, "\n"),
		"parked.com":  "@ A 192.0.2.9",
		"broken.com":  egresstest.Broken,
	})
	v := newVerifyEnvBy(t, egress.NewNames(server))
	v.stopDNS = stop
	return v
}

// sweptNames returns the names below acme.com that TestSweepDomains adds, each with a leading dot.
func sweptNames() (names []string) {
	for i := range 40 {
		names = append(names, ".h"+string(rune('a'+i%26))+string(rune('a'+i/26)))
	}
	return names
}

// newVerifyEnvBy returns an env whose worker asks the given DNS.
func newVerifyEnvBy(t *testing.T, names domain.Names) *verifyEnv {
	t.Helper()
	v := &verifyEnv{env: &env{T: t, db: dbtest.New(t), account: uuid.New(), other: uuid.New()}}
	for id, token := range map[uuid.UUID]string{v.account: mine, v.other: theirs} {
		dbtest.Exec(v, v.db, `INSERT INTO accounts (id, name, plan, site_key, domain_token) VALUES ($1, 'A', 'scale', $2, $2)`, id, token)
	}
	box, err := seal.New(v.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	redis := jobstest.Redis(t)
	v.store, v.client = store.New(v.db, box), jobs.Connect(redis)
	plain, secure := httptest.NewServer(v), httptest.NewTLSServer(v)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	o := domain.Options{
		Names: names, Tracker: models.DomainTracker{Host: tracker, OwnTargets: true},
		Pages: egresstest.Client(t, secure, egress.Options{Schemes: []string{"http", "https"}, Resolver: localResolver{}}),
		Now:   func() time.Time { return time.Now().Add(time.Duration(v.later.Load())) },
	}
	_, o.Ports.HTTP, _ = net.SplitHostPort(plain.Listener.Addr().String())
	_, o.Ports.HTTPS, _ = net.SplitHostPort(secure.Listener.Addr().String())
	rt := workers.New(workers.Options{DB: v.db, Redis: redis, Client: v.client, Grace: 4 * time.Second})
	domain.Register(rt, v.store, o)
	jobstest.Run(t, rt.Run)
	return v
}

func (v *verifyEnv) add(account uuid.UUID, hosts ...string) map[string]uuid.UUID {
	v.Helper()
	added, _, err := v.store.Domains().Add(v.Context(), account, hosts, models.DomainSettings{
		DomainFields: models.DomainFields{Crawlers: "disallow"},
	})
	if err != nil {
		v.Fatal(err)
	}
	out := map[string]uuid.UUID{}
	for _, d := range added {
		out[d.Host] = d.ID
	}
	return out
}

// verifyAt sets the worker's clock ahead by the given duration, and verifies a domain.
func (v *verifyEnv) verifyAt(account, id uuid.UUID, later time.Duration) jobs.VerifiedDomain {
	v.Helper()
	v.later.Store(int64(later))
	got, err := run(v.env, jobs.VerifyDomain, account, jobs.VerifyDomainArgs{ID: id})
	if err != nil {
		v.Fatal(err)
	}
	return got
}

func boolText(b *bool) string {
	switch {
	case b == nil:
		return "unknown"
	case *b:
		return "yes"
	}
	return "no"
}

// TestVerify: a domain is verified if this install answers at the domain, whatever addresses DNS has, and if DNS shows that the
// domain belongs to the account.
func TestVerify(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	v := newVerifyEnv(t)
	for _, c := range []struct {
		host, points, https string
		verified            bool
		records, detail     string
	}{
		{"go.acme.com", "yes", "no", true, "CNAME also.acme.com", "The domain leads here. HTTPS does not work"},
		{"example.com", "yes", "yes", true, "A 192.0.2.200", "The domain leads here."},
		{"acme.com", "yes", "no", true, "AAAA 2001:db8::200", "The domain leads here."},
		{"proxied.acme.com", "no", "no", true, "A 192.0.2.7", "through another server"},
		{"half.acme.com", "no", "no", true, "A 192.0.2.9", "through another server"},
		{"parked.acme.com", "no", "no", false, "A 192.0.2.9", "The domain leads elsewhere: A 192.0.2.9. Set a CNAME of parked.acme.com to " +
			mine + "." + tracker + ". Set a TXT record of _switchyard.parked.acme.com to " + mine + "."},
		{"liar.acme.com", "yes", "no", false, "CNAME track.example.org", "does not answer as this service"},
		{"parked.com", "no", "no", false, "A 192.0.2.9", "A 192.0.2.9. Point parked.com at " + tracker +
			" by an ALIAS, ANAME or flattened CNAME, or, where your DNS has none of these, set A 192.0.2.200 and AAAA 2001:db8::200."},
		{"none.acme.com", "no", "no", true, "", ""},
		{"a.broken.com", "unknown", "no", false, "", "could not be asked whether the domain belongs to this account"},
		{"target.acme.com", "yes", "no", true, "CNAME " + mine + "." + tracker, "The domain leads here. HTTPS"},
		{"foreign.acme.com", "no", "no", false, "", "DNS does not show that the domain belongs to this account. Set a TXT record of _switchyard.foreign.acme.com to " + mine + "."},
		{"mute.acme.com", "yes", "no", false, "", "DNS does not show that the domain belongs to this account. Set a TXT record of _switchyard.mute.acme.com to " + mine + "."},
		{"open.acme.com", "yes", "no", false, "", "DNS does not show that the domain belongs to this account. Set a TXT record of _switchyard.open.acme.com to " + mine + "."},
	} {
		id := v.add(v.account, c.host)[c.host]
		got := v.verifyAt(v.account, id, 0)
		if boolText(got.Points) != c.points || boolText(got.HTTPS) != c.https || got.Verified != c.verified || got.Expected != mine+"."+tracker ||
			c.records != "" && !slices.Contains(got.Records, c.records) || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%s: points %s, https %s, %+v", c.host, boolText(got.Points), boolText(got.HTTPS), got)
		}
		d, err := v.store.Domains().Find(t.Context(), v.account, id)
		if err != nil || d.IsVerified != c.verified || boolText(d.Points) != c.points || d.CheckedAt == nil {
			t.Errorf("%s is stored as %+v, %v", c.host, d, err)
		}
	}
	_, err := run(v.env, jobs.VerifyDomain, v.other, jobs.VerifyDomainArgs{ID: v.add(v.account, "mine.acme.com")["mine.acme.com"]})
	v.wantCode(err, "not_found")
}

// TestDomainLeadsElsewhere: a verified domain that leads elsewhere stays verified for three days, and longer if an operator has
// verified it. While DNS does not answer, no domain is lost.
func TestDomainLeadsElsewhere(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	const day = 24 * time.Hour
	v := newVerifyEnv(t)
	id := v.add(v.account, "proxied.acme.com", "parked.acme.com", "half.acme.com")
	proxied, parked, half := id["proxied.acme.com"], id["parked.acme.com"], id["half.acme.com"]
	stray := func() int {
		found, err := v.store.Domains().Stray(t.Context(), v.account, time.Now().Add(time.Duration(v.later.Load())))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	for _, d := range []uuid.UUID{proxied, half} {
		if !v.verifyAt(v.account, d, 0).Verified {
			t.Fatal("the domain is not verified")
		}
	}
	if _, err := v.store.Domains().SetVerified(t.Context(), v.account, parked, true); err != nil {
		t.Fatal(err)
	}
	v.moved.Store(true)
	if got := v.verifyAt(v.account, proxied, day); !got.Verified || stray() != 1 {
		t.Errorf("on the first day: %+v, want verified and reported", got)
	}
	v.verifyAt(v.account, half, day)
	v.verifyAt(v.account, parked, day)
	v.moved.Store(false)
	if v.verifyAt(v.account, half, 2*day); stray() != 2 {
		t.Errorf("%d domains are reported as leading elsewhere, want 2", stray())
	}
	v.moved.Store(true)
	for _, d := range []uuid.UUID{proxied, half, parked} {
		want := d != proxied
		if got := v.verifyAt(v.account, d, 4*day+time.Minute); got.Verified != want {
			t.Errorf("on the fourth day the domain is %+v", got)
		}
	}
	v.stopDNS()
	if got := v.verifyAt(v.account, half, 30*day); !got.Verified || got.Points != nil {
		t.Errorf("while DNS is away: %+v, want verified", got)
	}
	if _, err := v.store.Domains().SetVerified(t.Context(), v.account, half, false); err != nil {
		t.Fatal(err)
	}
	v.moved.Store(false)
	if got := v.verifyAt(v.account, half, 31*day); got.Verified || !strings.Contains(got.Detail, "operator") {
		t.Errorf("a domain that the operator has rejected: %+v, want unverified for that reason", got)
	}
}

// TestExpiredDomainServesAgain checks that a domain taken out of service is still checked weeks later, and serves again if it
// leads here again.
func TestExpiredDomainServesAgain(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	const day = 24 * time.Hour
	v := newVerifyEnv(t)
	id := v.add(v.account, "proxied.acme.com")["proxied.acme.com"]
	dbtest.Exec(v, v.db, `UPDATE domains SET created_at = now() - interval '60 days' WHERE id = $1`, id)
	v.verifyAt(v.account, id, 0)
	v.moved.Store(true)
	v.verifyAt(v.account, id, day)
	if v.verifyAt(v.account, id, 4*day+time.Minute).Verified {
		t.Fatal("the domain is still verified")
	}
	alert := func() string {
		found, err := v.store.Domains().Stray(t.Context(), v.account, time.Now().Add(time.Duration(v.later.Load())))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, d := range found {
			all = append(all, fmt.Sprint(d.Host, " ", d.IsVerified))
		}
		return strings.Join(all, " ")
	}
	if got := alert(); got != "" {
		t.Errorf("a domain without a campaign has the alert %s", got)
	}
	dbtest.Exec(v, v.db, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, streams) VALUES ($1, $2, 'c', 'c', $3, '[]')`,
		uuid.New(), v.account, id)
	if got := alert(); got != "proxied.acme.com false" {
		t.Errorf("the alert of a domain with a campaign is %q", got)
	}
	sweep := func(later time.Duration) bool {
		t.Helper()
		v.later.Store(int64(later))
		if _, err := run(v.env, jobs.SweepDomains, uuid.Nil, jobs.Tick{}); err != nil {
			t.Fatal(err)
		}
		d, err := v.store.Domains().Find(t.Context(), v.account, id)
		if err != nil {
			t.Fatal(err)
		}
		return d.IsVerified
	}
	if sweep(20 * day) {
		t.Error("the domain is verified although it leads elsewhere")
	}
	v.moved.Store(false)
	if !sweep(21*day) || alert() != "" {
		t.Errorf("the domain does not serve again: %s", alert())
	}
}

// TestSweepDomains: the sweep checks all new domains, and checks them again when they are due. After 60 days it no longer
// checks a domain that was never verified.
func TestSweepDomains(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	v := newVerifyEnv(t)
	hosts := []string{"parked.acme.com"}
	for _, name := range sweptNames() {
		hosts = append(hosts, name[1:]+".acme.com")
	}
	id := v.add(v.account, hosts...)
	verified := func() int {
		t.Helper()
		return dbtest.Get[int](t, v.db, `SELECT count(*) FROM domains WHERE is_verified`)
	}
	sweep := func(later time.Duration) {
		t.Helper()
		v.later.Store(int64(later))
		if _, err := run(v.env, jobs.SweepDomains, uuid.Nil, jobs.Tick{}); err != nil {
			t.Fatal(err)
		}
	}
	sweep(time.Second)
	if n := verified(); n != 40 {
		t.Fatalf("%d domains are verified, want 40", n)
	}
	checked := func() time.Time {
		d, err := v.store.Domains().Find(t.Context(), v.account, id["parked.acme.com"])
		if err != nil || d.CheckedAt == nil {
			t.Fatal(d, err)
		}
		return d.CheckedAt.Time
	}
	first := checked()
	sweep(5 * time.Minute)
	if !checked().Equal(first) {
		t.Error("the domain was checked before it was due")
	}
	sweep(11 * time.Minute)
	if checked().Equal(first) {
		t.Error("the domain was not checked when it was due")
	}
	sweep(31 * 24 * time.Hour)
	last := checked()
	sweep(60 * 24 * time.Hour)
	if !checked().Equal(last) {
		t.Error("a domain that was never verified is still checked after 60 days")
	}
}
