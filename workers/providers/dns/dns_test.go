package dns_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libdns/libdns"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/dns"
	"switchyard/workers/providers/dns/dnstest"
	"switchyard/workers/providers/rest"
	"switchyard/workers/providers/rest/resttest"
)

// main is a zone with more records than any provider returns in one page.
const main = "shop.example.com"

func newEnv() *dnstest.Zones {
	order := []string{main}
	for i := range 230 {
		order = append(order, fmt.Sprintf("zone%03d.example.net", i))
	}
	records := []libdns.RR{
		{Name: "@", Type: "A", Data: "192.0.2.1", TTL: time.Hour},
		{Name: "@", Type: "TXT", Data: "hello", TTL: time.Hour},
		{Name: "www", Type: "CNAME", Data: "old.example.org.", TTL: time.Hour},
	}
	for i := range 620 {
		records = append(records, libdns.RR{Name: fmt.Sprintf("h%03d", i), Type: "A", Data: "192.0.2.9", TTL: time.Hour})
	}
	records = append(records, libdns.RR{Name: "last", Type: "AAAA", Data: "2001:db8::7", TTL: time.Hour})
	return dnstest.NewZones(map[string][]libdns.RR{main: records}, order...)
}

// fakes returns the names of all providers with an HTTP API.
func fakes(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, p := range models.DNSProviders {
		if p.Name != "rfc2136" { // it is tested with a real server
			names = append(names, p.Name)
		}
	}
	if have := slices.Sorted(maps.Keys(dnstest.Fakes)); !slices.Equal(have, slices.Sorted(slices.Values(names))) {
		t.Fatalf("the fakes are %v, but the providers are %v", have, names)
	}
	return names
}

// TestProviders runs the suite for each provider against a fake of its API.
func TestProviders(t *testing.T) {
	t.Parallel()
	for _, name := range fakes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEnv()
			s := newSuite(t, name, w)
			t.Run("zones of all pages", s.zones)
			t.Run("records of a name", s.records)
			t.Run("a record is set", s.set)
			t.Run("failures", s.failures)
		})
	}
}

// TestLettersBeyondASCII: the name of a zone is in punycode, however the provider spells it.
func TestLettersBeyondASCII(t *testing.T) {
	t.Parallel()
	const zone = "xn--mnchen-3ya.example"
	want := libdns.RR{Name: "go", Type: "CNAME", Data: "track.example.org.", TTL: time.Hour}
	for _, name := range fakes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSuite(t, name, dnstest.NewZones(nil, zone))
			if zones, err := s.Zones(t.Context()); err != nil || !slices.Equal(zones, []string{zone}) {
				t.Fatal(zones, err)
			}
			if err := s.Append(t.Context(), zone, want); err != nil {
				t.Fatal(err)
			}
			got, err := s.Records(t.Context(), zone, want.Name)
			if err != nil || len(got) != 1 || got[0].Name != "go" || got[0].Type != "CNAME" || len(s.fake.Records(zone)) != 1 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

type suite struct {
	name        string
	fake        *dnstest.Zones
	client      *dns.Client
	credentials map[string]string
	dns.Provider
}

func newSuite(t *testing.T, name string, w *dnstest.Zones) *suite {
	t.Helper()
	server := dnstest.Serve(t, w)
	s := &suite{name: name, fake: w, credentials: dnstest.Fakes[name].Credentials()}
	s.client = dns.New(dns.Options{
		Egress: egresstest.Client(t, server, egress.Options{MaxBody: 8 << 20}), URL: server.URL,
	})
	s.Provider = s.open(t, s.credentials)
	return s
}

func (s *suite) open(t *testing.T, credentials map[string]string) dns.Provider {
	t.Helper()
	form, _ := models.DNSProviderNamed(s.name)
	complete, err := form.Complete(credentials, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.client.Open(s.name, complete)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *suite) zones(t *testing.T) {
	zones, err := s.Zones(t.Context())
	if err != nil || len(zones) != 231 || !slices.Contains(zones, main) || !slices.Contains(zones, "zone229.example.net") {
		t.Fatalf("%d zones %v, %v", len(zones), zones, err)
	}
}

func (s *suite) records(t *testing.T) {
	for name, want := range map[string][]string{
		"@": {"A 192.0.2.1", "TXT hello"}, "www": {"CNAME old.example.org"}, "last": {"AAAA 2001:db8::7"}, "none": nil,
		"las": nil,
	} {
		got, err := s.Records(t.Context(), main, name)
		var texts []string
		for _, r := range got {
			if r.Name != name {
				t.Errorf("a record of %s is named %s", name, r.Name)
			}
			texts = append(texts, r.Type+" "+strings.Trim(strings.TrimSuffix(r.Data, "."), `"`))
		}
		slices.Sort(texts)
		texts = slices.DeleteFunc(texts, func(s string) bool { return strings.HasPrefix(s, "NS ") || strings.HasPrefix(s, "SOA ") })
		if err != nil || !slices.Equal(texts, want) {
			t.Errorf("%s has %q, want %q, %v", name, texts, want, err)
		}
	}
}

// set sets records in libdns' form and reads them back.
func (s *suite) set(t *testing.T) {
	form, _ := models.DNSProviderNamed(s.name)
	ttl := max(dnstest.Fakes[s.name].MinTTL, 300)
	all := []libdns.RR{
		{Name: "go", Type: "CNAME", Data: "track.example.org.", TTL: 5 * time.Minute},
		{Name: "a.deep", Type: "A", Data: "192.0.2.7", TTL: 5 * time.Minute},
		{Name: "a.deep", Type: "A", Data: "192.0.2.17", TTL: 5 * time.Minute},
		{Name: "a.deep", Type: "AAAA", Data: "2001:db8::1", TTL: 5 * time.Minute},
		{Name: "_proof.go", Type: "TXT", Data: "0123abc", TTL: 5 * time.Minute},
		{Name: "_proof.go", Type: "TXT", Data: "another", TTL: 5 * time.Minute},
	}
	const emptyZone = "zone007.example.net"
	for _, r := range all {
		if err := s.Append(t.Context(), main, r); err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		r.TTL = time.Duration(ttl) * time.Second
		if r.Type == "TXT" && dnstest.Fakes[s.name].Quotes {
			r.Data = strconv.Quote(r.Data)
		}
		if got := s.fake.Records(main); !slices.Contains(got, r) {
			t.Errorf("the provider has %+v, want %+v", got[len(got)-3:], r)
		}
	}
	if all, err := s.Records(t.Context(), main, "a.deep"); err != nil || len(all) != 3 {
		t.Errorf("a.deep has %+v, %v", all, err)
	}
	if both, err := s.Records(t.Context(), main, "_proof.go"); err != nil || len(both) != 2 || strings.Trim(both[0].Data, `"`) != "0123abc" {
		t.Errorf("_proof.go has %+v, %v", both, err)
	}
	apex := libdns.RR{Name: "@", Type: form.Apex, Data: "track.example.org.", TTL: 5 * time.Minute}
	if form.Apex == models.ApexAddress {
		apex.Type, apex.Data = "A", "192.0.2.8"
	}
	if err := s.Append(t.Context(), emptyZone, apex); err != nil {
		t.Fatal(err)
	}
	for zone, name := range map[string]string{main: "go", emptyZone: "@"} {
		got, err := s.Records(t.Context(), zone, name)
		if err != nil || len(got) != 1 || got[0].Type != "CNAME" && got[0].Type != apex.Type {
			t.Errorf("%s of %s reads back as %+v, %v", name, zone, got, err)
		}
	}
	before := s.fake.Records(main)
	if err := s.Append(t.Context(), main, libdns.RR{Name: "go", Type: "CNAME", Data: "other.example.org.", TTL: 5 * time.Minute}); err == nil {
		t.Error("a second CNAME was set")
	}
	if got := s.fake.Records(main); !slices.Equal(got, before) {
		t.Error("an existing record has changed")
	}
}

// failures: errors show the provider's text and no credentials.
func (s *suite) failures(t *testing.T) {
	form, _ := models.DNSProviderNamed(s.name)
	_, secrets := form.Split(s.credentials)
	wrong := maps.Clone(s.credentials)
	for field := range secrets {
		wrong[field] = other(s.credentials[field])
	}
	_, err := s.open(t, wrong).Zones(t.Context())
	if !errors.Is(err, rest.ErrRefused) {
		t.Errorf("wrong credentials: %v", err)
	}
	s.wantHidden(t, wrong, err)
	for fault, want := range map[resttest.Fault]error{
		resttest.Busy: rest.ErrBusy, resttest.Down: nil, resttest.Elsewhere: nil, resttest.Echo: nil,
	} {
		s.fake.Fail(fault)
		_, err := s.Zones(t.Context())
		_, err2 := s.Records(t.Context(), main, "go")
		err3 := s.Append(t.Context(), main, libdns.RR{Name: "never", Type: "A", Data: "192.0.2.1", TTL: 5 * time.Minute})
		for _, err := range []error{err, err2, err3} {
			if err == nil || want != nil && !errors.Is(err, want) {
				t.Errorf("fault %d: %v", fault, err)
			}
			if s.wantHidden(t, s.credentials, err); fault == resttest.Echo && !strings.Contains(err.Error(), "cannot serve") {
				t.Errorf("the error does not show the provider's text: %v", err)
			}
		}
	}
	s.fake.Fail(resttest.None)
}

// other returns another secret of the same form.
func other(secret string) string {
	if strings.HasPrefix(secret, "{") {
		return strings.Replace(secret, "canary", "wrongone", 1)
	}
	return secret[:len(secret)-1] + "A"
}

func (s *suite) wantHidden(t *testing.T, credentials map[string]string, err error) {
	t.Helper()
	form, _ := models.DNSProviderNamed(s.name)
	_, secrets := form.Split(credentials)
	for field, secret := range secrets {
		if err != nil && (strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "canary")) {
			t.Errorf("the error shows %s: %v", field, err)
		}
	}
}

// lookups resolves every name to this machine and records the names.
type lookups struct {
	mu    sync.Mutex
	names []string
}

func (l *lookups) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names = append(l.names, host)
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// TestGuard: every provider is called through the client that reaches only the public internet.
func TestGuard(t *testing.T) {
	t.Parallel()
	for _, p := range models.DNSProviders {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			names := &lookups{}
			out, err := egress.New(egress.Options{Resolver: names})
			if err != nil {
				t.Fatal(err)
			}
			credentials := map[string]string{"server": net.JoinHostPort("dns.example.com", "53"), "zones": main, "key_name": "k", "key": "c2VjcmV0"}
			if f, ok := dnstest.Fakes[p.Name]; ok {
				credentials = f.Credentials()
			}
			complete, err := p.Complete(credentials, nil)
			if err != nil {
				t.Fatal(err)
			}
			account, err := dns.New(dns.Options{Egress: out}).Open(p.Name, complete)
			if err != nil {
				t.Fatal(err)
			}
			_, zones := account.Zones(t.Context())
			_, records := account.Records(t.Context(), main, "go")
			set := account.Append(t.Context(), main, libdns.RR{Name: "go", Type: "A", Data: "192.0.2.1", TTL: time.Minute})
			for what, err := range map[string]error{"zones": zones, "records": records, "set": set} {
				if err == nil || !strings.Contains(err.Error(), "could not connect") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if names.mu.Lock(); len(names.names) < 3 {
				t.Errorf("only the names %v were looked up, so a request went out without the client", names.names)
			}
			names.mu.Unlock()
		})
	}
}
