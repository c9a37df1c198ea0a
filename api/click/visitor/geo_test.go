package visitor

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"switchyard/models/bot"
	"switchyard/models/country"
)

type mm = mmdbtype.Map

func text(s string) mmdbtype.String { return mmdbtype.String(s) }

func named(s string) mm { return mm{"names": mm{"en": text(s), "de": text("nicht " + s)}} }

func writeDB(t *testing.T, name string, networks map[string]mm) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: name, RecordSize: 24})
	if err != nil {
		t.Fatal(err)
	}
	for cidr, fields := range networks {
		_, network, err := net.ParseCIDR(cidr)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Insert(network, fields); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), name+".mmdb")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := tree.WriteTo(file); err != nil {
		t.Fatal(err)
	}
	return path
}

func describeIP(d *Describer, address string) (got Description) {
	r := &http.Request{RemoteAddr: netip.AddrPortFrom(netip.MustParseAddr(address), 1).String(), Header: http.Header{}}
	d.Describe(r, nil, &got)
	return got
}

// A replaced file is read again. If the file is damaged or missing, the previous one stays in use.
func TestReload(t *testing.T) {
	t.Parallel()
	in := func(code string) string {
		return writeDB(t, "GeoLite2-Country", map[string]mm{"81.2.69.0/24": {"country": mm{"iso_code": text(code)}}})
	}
	path := in("FR")
	d := newTestDescriber(t, Options{CityDB: path})
	expect := func(want string) {
		t.Helper()
		if got := describeIP(d, "81.2.69.7").Country; got != want {
			t.Errorf("the address is in %s, want %s", got, want)
		}
	}
	expect("FR")
	d.Reload(t.Context())
	expect("FR")
	var all sync.WaitGroup
	stop := make(chan struct{})
	for range 4 { // visitors arrive during the reload
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					describeIP(d, "81.2.69.7")
				}
			}
		})
	}
	for _, code := range []string{"IE", "NO", "SE"} {
		if err := os.Rename(in(code), path); err != nil {
			t.Fatal(err)
		}
		d.Reload(t.Context())
		runtime.GC() // unmaps files that are no longer in use
		expect(code)
	}
	close(stop)
	all.Wait()
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(bad, path); err != nil {
		t.Fatal(err)
	}
	d.Reload(t.Context())
	expect("SE")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	d.Reload(t.Context())
	expect("SE")
	if err := os.Rename(in("DK"), path); err != nil {
		t.Fatal(err)
	}
	d.Reload(t.Context())
	expect("DK")
}

func TestNestedDatabases(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{
		CityDB: writeDB(t, "GeoIP2-City", map[string]mm{
			"81.2.69.0/24": {
				"country":      mm{"iso_code": text("FR"), "names": mm{"en": text("France")}},
				"continent":    mm{"code": text("EU")},
				"subdivisions": mmdbtype.Slice{named("Brittany"), named("Finistère")},
				"city":         named("Brest\x00"), "location": mm{"time_zone": text("Europe/Paris")},
			},
			"2a00:1450::/32": {"country": mm{"iso_code": text("ie")}},
			"74.125.0.0/16":  {"city": mmdbtype.Uint32(7), "subdivisions": text("odd"), "country": mm{"iso_code": text("LONG")}},
		}),
		ASNDB: writeDB(t, "GeoIP2-ISP", map[string]mm{
			"81.2.69.0/24": {
				"autonomous_system_number": mmdbtype.Uint32(64500), "autonomous_system_organization": text("Example AS"),
				"isp": text("Example ISP"), "organization": text("Example Org"), "connection_type": text("Cable/DSL"),
			},
			"3.0.0.0/8": {
				"autonomous_system_number":       mmdbtype.Uint32(16509),
				"autonomous_system_organization": text("AMAZON-02"),
			},
			"172.32.0.0/11": {
				"autonomous_system_number":       mmdbtype.Uint32(21928),
				"autonomous_system_organization": text("T-MOBILE-AS21928"),
			},
			"62.0.0.0/8": {"autonomous_system_number": mmdbtype.Uint16(9009), "autonomous_system_organization": text("M247")},
			"90.0.0.0/8": {"isp": text("Someone"), "connection_type": text("Cellular")},
		}),
		AnonymousDB: writeDB(t, "GeoIP2-Anonymous-IP", map[string]mm{
			"185.220.101.0/24": {
				"is_anonymous": mmdbtype.Bool(true), "is_tor_exit_node": mmdbtype.Bool(true),
				"is_hosting_provider": mmdbtype.Bool(true),
			},
			"62.1.0.0/16": {"is_anonymous": mmdbtype.Bool(true), "is_anonymous_vpn": mmdbtype.Bool(true)},
			"62.2.0.0/16": {"is_anonymous": mmdbtype.Bool(true), "is_residential_proxy": mmdbtype.Bool(true)},
			"62.3.0.0/16": {"is_hosting_provider": mmdbtype.Bool(true)},
			"62.4.0.0/16": {"relay": mmdbtype.Bool(true)},
		}),
	})
	for range 2 { // the second time from the record cache
		got := describeIP(d, "81.2.69.142")
		if got.Country != "FR" || got.Continent != "EU" || got.Region != "Brittany" || got.City != "Brest" ||
			got.Timezone != "Europe/Paris" {
			t.Errorf("the address is placed at %+v, want Brest in Brittany", got)
		}
		if got.ASN != 64500 || got.ISP != "Example ISP" || got.Organization != "Example Org" ||
			got.ConnectionType != "cable_dsl" || got.MobileOperator != "" || got.ProxyKind != ProxyNone {
			t.Errorf("the network is described as %+v, want the cable network of Example ISP", got)
		}
	}
	if got := describeIP(d, "::ffff:81.2.69.142"); got.City != "Brest" {
		t.Errorf("an IPv4 address in IPv6 form is described as %+v, want the city Brest", got)
	}
	if got := describeIP(d, "2a00:1450::5"); got.Country != "IE" || got.Continent != "EU" {
		t.Errorf("an IPv6 address is described as %+v, want Ireland", got)
	}
	if got := describeIP(d, "74.125.1.1"); got.Country != "US" || got.City != "" || got.Region != "" {
		t.Errorf("a record whose fields have wrong types gives %+v, want only the built-in country US", got)
	}
	if got := describeIP(d, "172.32.1.1"); got.ConnectionType != Cellular || got.MobileOperator != "T-Mobile US" {
		t.Errorf("an address of a known carrier is described as %+v, want the cellular network of T-Mobile US", got)
	}
	if got := describeIP(d, "90.1.1.1"); got.MobileOperator != "Someone" {
		t.Errorf("an address of a cellular connection is described as %+v, want the operator Someone", got)
	}
	for address, want := range map[string]struct {
		kind   string
		signal bot.Signals
	}{
		"3.1.1.1":       {ProxyDatacenter, bot.Datacenter},
		"185.220.101.4": {ProxyTor, bot.TorExit},
		"62.1.1.1":      {ProxyVPN, bot.VPNOrProxy},
		"62.2.1.1":      {ProxyProxy, bot.VPNOrProxy},
		"62.3.1.1":      {ProxyDatacenter, bot.Datacenter},
		"62.4.1.1":      {ProxyRelay, 0},
	} {
		const network = bot.Datacenter | bot.TorExit | bot.VPNOrProxy
		if got := describeIP(d, address); got.ProxyKind != want.kind || got.Signals&network != want.signal {
			t.Errorf("%s is called %s with the signals %b, want %s with %b", address, got.ProxyKind, got.Signals&network, want.kind, want.signal)
		}
	}
}

func TestFlatDatabases(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{
		CityDB: writeDB(t, "flat-city", map[string]mm{"1.2.0.0/16": {
			"country_code": text("jp"), "state1": text("Tokyo"), "city": text("Chiyoda"), "timezone": text("Asia/Tokyo"),
		}}),
		ASNDB: writeDB(t, "flat-asn", map[string]mm{"1.2.0.0/16": {
			"asn": text("AS2497"), "as_name": text("Internet Initiative Japan"), "country": text("XX"),
		}}),
		AnonymousDB: writeDB(t, "flat-privacy", map[string]mm{"1.2.3.0/24": {
			"hosting": text("true"), "vpn": text("true"), "tor": text(""), "proxy": text("false"),
		}}),
	})
	got := describeIP(d, "1.2.3.4")
	if got.Country != "JP" || got.Continent != "AS" || got.Region != "Tokyo" || got.City != "Chiyoda" ||
		got.Timezone != "Asia/Tokyo" || got.ASN != 2497 || got.ISP != "Internet Initiative Japan" ||
		got.Organization != "Internet Initiative Japan" || got.ProxyKind != ProxyVPN {
		t.Errorf("the address is described as %+v, want Chiyoda in Tokyo behind a VPN", got)
	}
	if got := describeIP(d, "1.2.4.4"); got.ProxyKind != ProxyNone {
		t.Errorf("the address is described as %+v, want no proxy", got)
	}
}

func TestDatabaseThatIsNone(t *testing.T) {
	t.Parallel()
	junk := filepath.Join(t.TempDir(), "junk.mmdb")
	if err := os.WriteFile(junk, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{junk, filepath.Join(t.TempDir(), "missing.mmdb")} {
		if d, err := New(Options{ASNDB: path}); err == nil {
			t.Errorf("New accepted %s, which is no database, want an error", path)
			_ = d.Close()
		}
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{})
	type row struct{ Address, Country string }
	seen, six := map[string]bool{}, 0
	for _, want := range readJSON[row](t, "../../../ops/visitors/addresses.json") {
		got := describeIP(d, want.Address)
		if got.Country != want.Country || got.Continent == "" || country.Name(got.Country) == "" {
			t.Errorf("%s: %q in %q, want %s", want.Address, got.Country, got.Continent, want.Country)
		}
		if seen[want.Country] = true; got.IP.Is6() {
			six++
		}
	}
	if len(seen) < 25 || six < 5 {
		t.Errorf("the file has %d countries and %d IPv6 addresses, want at least 25 and 5", len(seen), six)
	}
	for _, private := range []string{
		"10.1.2.3", "127.0.0.1", "192.168.1.1", "255.255.255.255", "0.0.0.0", "::", "::1", "::5", "fe80::1", "fd00::1",
	} {
		if got := describeIP(d, private); got.Country != "" {
			t.Errorf("%s is placed in %s, want no country", private, got.Country)
		}
	}
}
