package dns_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libdns/libdns"

	"switchyard/models"
	"switchyard/models/parttest"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/dns"
	"switchyard/workers/providers/rest"
)

// key is the TSIG key of the test's server.
var key = egresstest.Key{Name: "tracker.", Algorithm: "hmac-sha256", Secret: "Y2FuYXJ5LXRzaWcta2V5LW9mLTMyLWJ5dGVzLSEhIQ=="}

// TestServer checks the provider against a real server with a TSIG key.
func TestServer(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	at, _ := egresstest.NamedWithKey(t, map[string]string{
		"shop.example.com": "@ A 192.0.2.1\nwww CNAME old.example.org.\n*.wild A 192.0.2.5\na.empty TXT x",
		"other.example":    "",
	}, key)
	out, err := egress.New(egress.Options{Allow: egresstest.Loopback})
	if err != nil {
		t.Fatal(err)
	}
	form, _ := models.DNSProviderNamed("rfc2136")
	open := func(change map[string]string) dns.Provider {
		c := map[string]string{
			"server": at.String(), "zones": "shop.example.com, other.example.", "key_name": "tracker", "key": key.Secret,
		}
		for field, value := range change {
			c[field] = value
		}
		complete, err := form.Complete(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := dns.New(dns.Options{Egress: out}).Open("rfc2136", complete)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := open(nil)
	if zones, err := p.Zones(t.Context()); err != nil || !slices.Equal(zones, []string{"other.example", "shop.example.com"}) {
		t.Errorf("zones %v, %v", zones, err)
	}
	texts := func(name string) string {
		t.Helper()
		records, err := p.Records(t.Context(), "shop.example.com", name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var list []string
		for _, r := range records {
			if r.Type != "NS" && r.Name == name {
				list = append(list, r.Type+" "+r.Data)
			}
		}
		return strings.Join(list, ", ")
	}
	for name, want := range map[string]string{
		"@": "A 192.0.2.1", "www": "CNAME old.example.org.", "x.wild": "", "none": "", "empty": "", "a.empty": `TXT "x"`,
	} {
		if got := texts(name); got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	for _, r := range []libdns.RR{
		{Name: "go", Type: "CNAME", Data: "track.example.org.", TTL: 5 * time.Minute},
		{Name: "x.wild", Type: "CNAME", Data: "track.example.org.", TTL: 5 * time.Minute},
		{Name: "six", Type: "AAAA", Data: "2001:db8::1", TTL: 5 * time.Minute},
	} {
		if err := p.Append(t.Context(), "shop.example.com", r); err != nil {
			t.Fatal(err)
		}
		if got := texts(r.Name); got != r.Type+" "+r.Data {
			t.Errorf("%s has %q", r.Name, got)
		}
	}
	wrong := "d3Jvbmctd3Jvbmctd3Jvbmctd3Jvbmctd3Jvbmcta2V5ISE="
	for change, want := range map[struct{ field, value string }]string{
		{"key", wrong}: "TSIG", {"key_name", "nobody"}: "TSIG", {"key", "not base64"}: "", {"zones", "foreign.example"}: "refused",
		{"server", "127.0.0.1:1"}: "could not connect", {"server", "10.0.0.1"}: "could not connect", {"server", "127.0.0.1:x"}: "port",
	} {
		_, err := open(map[string]string{change.field: change.value}).Zones(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), change.value) && change.field == "key" {
			t.Errorf("%v: %v", change, err)
		}
		if change.field == "key" && change.value == wrong && !errors.Is(err, rest.ErrRefused) {
			t.Errorf("the error for a wrong key is %v", err)
		}
		if strings.Contains(fmt.Sprint(err), netip.MustParseAddr("127.0.0.1").String()) {
			t.Errorf("the error shows an address: %v", err)
		}
	}
}
