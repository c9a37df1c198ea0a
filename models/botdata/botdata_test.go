package botdata_test

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/models/bot"
	"switchyard/models/botdata"
)

var today = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

func TestFilesOfEachForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		want          []string
		dated         string
	}{
		{"tor.txt", "# exits\r\n192.0.2.7\r\n\r\n 2001:DB8::1 # one more\n192.0.2.7\n::ffff:192.0.2.8", []string{"192.0.2.7", "2001:db8::1", "192.0.2.8"}, "2026-11-20"},
		{"spam_ip.netset", "192.0.2.64/26 ; SBL1\n192.0.2.10-192.0.2.12\n192.0.2.0-192.0.2.31\n192.0.2.70/26", []string{"192.0.2.64/26", "192.0.2.10-192.0.2.12", "192.0.2.0/27"}, "2026-11-20"},
		{"bad-referrers.txt", "Spam.example\nhttps://www.seo-offers.example/path\nкириллица.example", []string{"spam.example", "seo-offers.example", "xn--80apaahia1b8c.example"}, "2026-11-20"},
		{"crawlers.txt", "# own\nAcmeBot\\/\n^Checker#\\d", []string{"AcmeBot\\/", "^Checker#\\d"}, "2026-11-20"},
		{"crawler-user-agents.json", `[{"pattern": "AcmeBot\\/", "url": "x"}, {"pattern": "[wW]atcher"}]`, []string{"AcmeBot\\/", "[wW]atcher"}, "2026-11-20"},
		{"ip-ranges.json", `{"syncToken":"1","createDate":"2026-10-02-13-14-15","prefixes":[{"ip_prefix":"192.0.2.0/24","region":"r"}],"ipv6_prefixes":[{"ipv6_prefix":"2001:db8::/32"}]}`, []string{"192.0.2.0/24", "2001:db8::/32"}, "2026-10-02"},
		{"cloud.json", "\u200b" + `{"creationTime":"2026-10-03T10:20:30.12345","prefixes":[{"ipv4Prefix":"192.0.2.0/25"},{"ipv6Prefix":"2001:db8::/33"}]}`, []string{"192.0.2.0/25", "2001:db8::/33"}, "2026-10-03"},
		{"public_ip_ranges.json", `{"last_updated_timestamp":"2026-10-04T10:20:30.123456","regions":[{"cidrs":[{"cidr":"192.0.2.128/25"}]}]}`, []string{"192.0.2.128/25"}, "2026-10-04"},
		{"ServiceTags_Public_20261005.json", `{"values":[{"name":"AzureCloud","properties":{"addressPrefixes":["192.0.2.0/28","2001:db8::/48"]}}]}`, []string{"192.0.2.0/28", "2001:db8::/48"}, "2026-11-20"},
	} {
		kind, known := botdata.KindOfFile("some/dir/" + c.name)
		if !known {
			t.Errorf("%s: the kind is not found", c.name)
			continue
		}
		l := botdata.NewList(kind)
		if err := l.Read(c.name, []byte(c.content), today); err != nil || !slices.Equal(l.Entries, c.want) {
			t.Errorf("%s has the entries %q (error %v), want %q", c.name, l.Entries, err, c.want)
		}
		if got := l.Dated.Format(time.DateOnly); got != c.dated {
			t.Errorf("%s has the date %s, want %s", c.name, got, c.dated)
		}
		packed, err := botdata.Pack(l.Entries)
		if err != nil {
			t.Fatal(err)
		}
		if unpacked, err := botdata.Unpack(packed); err != nil || !slices.Equal(unpacked, l.Entries) {
			t.Errorf("the packed entries of %s are unpacked as %q (error %v), want %q", c.name, unpacked, err, l.Entries)
		}
	}
	if _, known := botdata.KindOfFile("list.txt"); known {
		t.Error("list.txt has a kind, although its name contains no kind")
	}
}

// TestWrongEntries checks that the first ten wrong entries are reported with their places, and how many others there are.
func TestWrongEntries(t *testing.T) {
	t.Parallel()
	many := func(n int, entry func(int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(entry(i) + "\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		kind    botdata.Kind
		content string
		want    []string
	}{
		{botdata.Tor, "192.0.2.7\n# fine\n300.1.2.3\nexample.com\n", []string{"f:3: \"300.1.2.3\"", "f:4: \"example.com\""}},
		{botdata.Tor, "192.0.2.9-192.0.2.1", []string{"f:1:"}},
		{botdata.Datacenter, "0.0.0.0/0\n8.0.0.0/7\n::/0\n1.0.0.0-9.0.0.0\n10.0.0.0/8", []string{"f:1: \"0.0.0.0/0\" is wider than /8", "f:2:", "f:3: \"::/0\" is wider than /16", "f:4:"}},
		{botdata.Datacenter, `{"prefixes":[{"ip_prefix":"192.0.2.0/24"},{"ip_prefix":"x"}]}`, []string{"f: prefixes[1]: \"x\""}},
		{botdata.Datacenter, "{\"prefixes\":[\n{]}", []string{"f:2: not JSON"}},
		{botdata.Datacenter, `{"prefixes":"none"}`, []string{"not JSON of a form that is known"}},
		{botdata.Datacenter, `{"ranges":["192.0.2.0/24"]}`, []string{"there are no entries"}},
		{botdata.SpamIP, "# nothing\n", []string{"there are no entries"}},
		{botdata.BadReferrer, "spam.example\ncom\nco.uk\nlocalhost\n192.0.2.1\nno domain", []string{"f:2:", "f:3: \"co.uk\" is a public suffix", "f:4:", "f:5:", "f:6:"}},
		{botdata.BadReferrer, `{"domains":[]}`, []string{"is text"}},
		{botdata.Crawler, "Good\n(\nMozilla\n.*\n" + strings.Repeat("x", 1001), []string{"f:2: \"(\" is not an RE2", "f:3: \"Mozilla\" matches a browser that people use", "f:4:", "f:5:"}},
		{botdata.Crawler, `[{"pattern":"a\nb"},{"other":1}]`, []string{"f: [0].pattern: \"a\\nb\" has more", "f: [1].pattern:"}},
		{botdata.Crawler, many(500, func(i int) string { return fmt.Sprintf("x%d[a-z]{50}", i) }), []string{"too complex", "\"x100[a-z]{50}\" has most, 56"}},
		{botdata.Crawler, many(botdata.MaxPatterns+1, func(i int) string { return fmt.Sprint("bot", i) }), []string{"at most 2000 entries"}},
		{botdata.Tor, many(30, func(i int) string { return fmt.Sprint("bad", i) }), []string{"f:10: \"bad9\"", "f: 20 more"}},
	} {
		err := botdata.NewList(c.kind).Read("f", []byte(c.content), today)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %.40q: %v, want %s", c.kind, c.content, err, want)
			}
		}
		if err != nil && strings.Count(err.Error(), "\n") > 10 {
			t.Errorf("%s %.40q: the error has more than 11 lines", c.kind, c.content)
		}
	}
	if err := botdata.NewList(botdata.Tor).Read("f", make([]byte, botdata.MaxFile+1), today); err == nil {
		t.Error("a file over MaxFile is accepted")
	}
}

// TestGuards checks that entries that would classify people as bots are refused, unless Force accepts them and reports them in
// Overruled.
func TestGuards(t *testing.T) {
	t.Parallel()
	var wide, parts strings.Builder
	for i := 11; i < 100; i++ {
		fmt.Fprintf(&wide, "%d.0.0.0/8\n", i)
		fmt.Fprintf(&parts, "%d.0.0.0/11\n", i)
	}
	for _, c := range []struct {
		kind          botdata.Kind
		content, want string // want: text of the error; empty: no error
		entries       int
	}{
		{botdata.Datacenter, wide.String(), "f: the list covers 34.8 % of all IPv4 addresses, and a list of kind datacenter may cover at most 12.5 %", 89},
		{botdata.Tor, parts.String(), "f: the list covers 4.3 % of all IPv4 addresses, and a list of kind tor may cover at most 3.1 %", 89},
		{botdata.Datacenter, parts.String(), "", 89},
		{botdata.VPN, "2600::/16\n2a00::/16\n2001:db8::/32\n", "", 3},
		{botdata.SpamIP, "192.0.2.1\n9.0.0.0-10.0.0.5", "f:2: \"9.0.0.0-10.0.0.5\" has private addresses, of 10.0.0.0/8", 2},
		{botdata.SpamIP, "192.168.1.1", "f:1: \"192.168.1.1\" has private addresses", 1},
		{botdata.Proxy, "fd00::1", "f:1: \"fd00::1\" has private addresses", 1},
		{botdata.Tor, "0.0.0.0/0", "f:1: \"0.0.0.0/0\" is wider than /8", 1},
		{botdata.BadReferrer, "spam.example\nwww.google.com", "f:2: \"www.google.com\" is, or is below, google.com", 2},
		{botdata.BadReferrer, "google.co.uk", "people come from there", 1},
		{botdata.BadReferrer, "l.facebook.com", "people come from there", 1},
		{botdata.BadReferrer, "google-traffic.example\nnotgoogle.com\ngoogle.spam.example", "", 3},
		{botdata.BadReferrer, "co.uk", "is a public suffix", 1},
		{botdata.Crawler, "EvilBot\niPhone OS 1\\d", "f:2: \"iPhone OS 1\\\\d\" matches a browser that people use", 2},
		{botdata.Crawler, "EvilBot", "", 1},
	} {
		err := botdata.NewList(c.kind).Read("f", []byte(c.content), today)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: %v, want %s", c.kind, c.content, err, c.want)
		}
		forced := botdata.NewList(c.kind)
		forced.Force = true
		if err := forced.Read("f", []byte(c.content), today); err != nil || len(forced.Entries) != c.entries {
			t.Errorf("%s %.40q: with Force: %d entries (error %v), want %d", c.kind, c.content, len(forced.Entries), err, c.entries)
		}
		if reported := fmt.Sprint(forced.Overruled); (len(forced.Overruled) == 0) != (c.want == "") || !strings.Contains(reported, c.want) {
			t.Errorf("%s %.40q: with Force: %s, want %s", c.kind, c.content, reported, c.want)
		}
	}
	broken := botdata.NewList(botdata.Tor)
	broken.Force = true
	if err := broken.Read("f", []byte("192.0.2.300"), today); err == nil {
		t.Error("an entry that cannot be read is accepted with Force")
	}
}

func set(lists map[botdata.Kind][]string) *botdata.Set {
	s := &botdata.Set{}
	for kind, entries := range lists {
		s.Put(kind, botdata.Compile(kind, entries))
	}
	return s
}

func TestSet(t *testing.T) {
	t.Parallel()
	s := set(map[botdata.Kind][]string{
		botdata.Tor: {"192.0.2.7"}, botdata.VPN: {"192.0.2.0/28"}, botdata.Proxy: {"2001:db8::5"},
		botdata.Datacenter: {"192.0.2.0/24", "2001:db8::/32", "198.51.100.10-198.51.100.13"}, botdata.SpamIP: {"192.0.2.200"},
		botdata.BadReferrer: {"spam.example", "co.example"}, botdata.Crawler: {"AcmeBot/", "^Watch\\d"},
	})
	for addr, want := range map[string]string{
		"192.0.2.7": "tor", "192.0.2.8": "vpn", "192.0.2.16": "datacenter", "2001:db8::5": "proxy", "2001:db8::6": "datacenter",
		"198.51.100.9": "", "198.51.100.10": "datacenter", "198.51.100.13": "datacenter", "198.51.100.14": "", "203.0.113.1": "",
	} {
		if got := s.ProxyKind(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s is %q, want %q", addr, got, want)
		}
	}
	spam, other := netip.MustParseAddr("192.0.2.200"), netip.MustParseAddr("192.0.2.201")
	for _, c := range []struct {
		addr     netip.Addr
		referrer string
		want     bot.Signals
	}{
		{spam, "", bot.SpamIP},
		{spam, "a.spam.example", bot.SpamIP | bot.BadReferrer},
		{other, "spam.example", bot.BadReferrer},
		{other, "a.b.spam.example", bot.BadReferrer},
		{other, "nospam.example", 0},
		{other, "spam.example.org", 0},
		{other, "example", 0},
		{other, "", 0},
		{netip.Addr{}, "a.co.example", bot.BadReferrer},
	} {
		if got := s.Signals(c.addr, c.referrer); got != c.want {
			t.Errorf("the address %v with the referrer %q has the signals %v, want %v", c.addr, c.referrer, got.Reasons(), c.want.Reasons())
		}
	}
	for agent, want := range map[string]bool{"x AcmeBot/1": true, "Watch7": true, "a Watch7": false, "acmebot/1": false, "": false} {
		if s.Crawlers().Match(agent) != want {
			t.Errorf("%q: matches a crawler: %v, want %v", agent, !want, want)
		}
	}
	for _, empty := range []*botdata.Set{nil, {}} {
		if empty.ProxyKind(spam) != "" || empty.Signals(spam, "spam.example") != 0 || empty.Crawlers() != nil {
			t.Error("an empty set matches an address or a referrer, or has patterns of crawlers")
		}
	}
}

// full returns lists of 100,000 networks of each kind and 100,000 domains. Networks of different kinds do not overlap.
func full() *botdata.Set {
	lists := map[botdata.Kind][]string{}
	for _, k := range []botdata.Kind{botdata.Tor, botdata.VPN, botdata.Proxy, botdata.Datacenter, botdata.SpamIP} {
		for i := range 100_000 {
			lists[k] = append(lists[k], fmt.Sprintf("%d.%d.%d.%d/30", 11+10*int(k)+i>>16, i>>8&255, i&255, 4*int(k)))
		}
	}
	for i := range 100_000 {
		lists[botdata.BadReferrer] = append(lists[botdata.BadReferrer], fmt.Sprintf("spam%d.example", i))
	}
	return set(lists)
}

func TestLookupsAllocateNothing(t *testing.T) {
	s, addr := full(), netip.MustParseAddr("51.1.2.16")
	if s.Signals(addr, "www.a.spam77.example") != bot.SpamIP|bot.BadReferrer {
		t.Error("an entry of the lists does not match")
	}
	if n := testing.AllocsPerRun(100, func() { s.ProxyKind(addr); s.Signals(addr, "www.a.spam77.example") }); n != 0 {
		t.Errorf("a look-up makes %v allocations, want none", n)
	}
}

func BenchmarkSet(b *testing.B) {
	addr := netip.MustParseAddr("81.2.69.142")
	for name, s := range map[string]*botdata.Set{"none": {}, "100k": full()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.ProxyKind(addr)
				s.Signals(addr, "www.news.example.com")
			}
		})
	}
}

// TestBuiltInDates checks that BuiltIns names the versions in go.mod. A new version needs a new date.
func TestBuiltInDates(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range botdata.BuiltIns {
		if b.Kind == botdata.Datacenter { // TestClouds checks this list
			continue
		}
		if !strings.Contains(string(mod), "\t"+b.Module+" "+b.Version+"\n") {
			t.Errorf("go.mod has another version of %s: change version and date in BuiltIns", b.Module)
		}
	}
}
