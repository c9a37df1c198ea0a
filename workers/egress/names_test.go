package egress_test

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"switchyard/models/parttest"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
)

// TestNames asks a BIND server: a name without records is not an error, a server that cannot answer is.
func TestNames(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	server, stop := egresstest.Named(t, map[string]string{
		"2.0.192.in-addr.arpa":     "1 PTR crawl-1.bot.test.\n2 PTR one.bot.test.\n2 PTR two.bot.test.",
		"8.b.d.0.1.0.0.2.ip6.arpa": "5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0 PTR six.bot.test.",
		"bot.test":                 "crawl-1 A 192.0.2.1\nsix AAAA 2001:db8::5\nsix A 192.0.2.6\nempty TXT x",
		"113.0.203.in-addr.arpa":   egresstest.Broken,
		"broken.test":              egresstest.Broken,
	})
	n := egress.NewNames(server)
	for addr, want := range map[string][]string{
		"192.0.2.1": {"crawl-1.bot.test."}, "::ffff:192.0.2.1": {"crawl-1.bot.test."}, "192.0.2.2": {"one.bot.test.", "two.bot.test."},
		"192.0.2.9": nil, "2001:db8::5": {"six.bot.test."},
	} {
		got, err := n.LookupAddr(t.Context(), netip.MustParseAddr(addr))
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %q, %v", addr, got, err)
		}
	}
	for name, want := range map[string]string{
		"crawl-1.bot.test.": "[192.0.2.1]", "six.bot.test.": "[192.0.2.6 2001:db8::5]", "none.bot.test.": "[]", "empty.bot.test.": "[]",
	} {
		got, err := n.Addresses(t.Context(), name)
		slices.SortFunc(got, netip.Addr.Compare)
		if text := fmt.Sprint(got); err != nil || text != want {
			t.Errorf("%s is at %s, %v", name, text, err)
		}
	}
	fails := func(what string) {
		t.Helper()
		if got, err := n.LookupAddr(t.Context(), netip.MustParseAddr("203.0.113.7")); err == nil {
			t.Errorf("%s: the name is %q", what, got)
		}
		if got, err := n.Addresses(t.Context(), "a.broken.test."); err == nil {
			t.Errorf("%s: the addresses are %v", what, got)
		}
	}
	fails("the server fails")
	stop()
	fails("the server is away")
}
