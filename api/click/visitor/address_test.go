package visitor

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestClientIP(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{TrustedProxies: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128"),
		netip.MustParsePrefix("::ffff:192.168.0.0/112"),
	}})
	bothHeaders := http.Header{"X-Forwarded-For": {"1.1.1.1"}, "Forwarded": {"for=9.9.9.9"}}
	xff := func(lines ...string) http.Header { return http.Header{"X-Forwarded-For": lines} }
	forwarded := func(lines ...string) http.Header { return http.Header{"Forwarded": lines} }
	for name, c := range map[string]struct {
		peer   string
		header http.Header
		want   string
	}{
		"direct":                         {"8.8.8.8:1", nil, "8.8.8.8"},
		"direct IPv6":                    {"[2a00:1450::1]:1", nil, "2a00:1450::1"},
		"mapped peer":                    {"[::ffff:8.8.8.8]:1", nil, "8.8.8.8"},
		"zone":                           {"[fe80::1%eth0]:1", nil, "fe80::1"},
		"spoofed by an untrusted peer":   {"8.8.8.8:1", xff("1.1.1.1"), "8.8.8.8"},
		"spoofed Forwarded":              {"8.8.8.8:1", forwarded("for=1.1.1.1"), "8.8.8.8"},
		"spoofed loopback":               {"8.8.8.8:1", xff("127.0.0.1, 10.0.0.1"), "8.8.8.8"},
		"one proxy":                      {"10.0.0.1:1", xff("1.1.1.1"), "1.1.1.1"},
		"prefix written as mapped":       {"192.168.0.7:1", xff("1.1.1.1"), "1.1.1.1"},
		"client wrote its own header":    {"10.0.0.1:1", xff("9.9.9.9, 1.1.1.1"), "1.1.1.1"},
		"client wrote a trusted address": {"10.0.0.1:1", xff("9.9.9.9, 10.0.0.5, 1.1.1.1"), "1.1.1.1"},
		"client wrote a line of its own": {"10.0.0.1:1", xff("9.9.9.9", "1.1.1.1"), "1.1.1.1"},
		"two proxies":                    {"10.0.0.1:1", xff("9.9.9.9, 1.1.1.1,10.2.2.2"), "1.1.1.1"},
		"two proxies, two lines":         {"10.0.0.1:1", xff("1.1.1.1", "10.2.2.2"), "1.1.1.1"},
		"mapped hop":                     {"[::1]:1", xff("::ffff:1.1.1.1"), "1.1.1.1"},
		"hop with port":                  {"10.0.0.1:1", xff("1.1.1.1:5555"), "1.1.1.1"},
		"IPv6 hop with port":             {"10.0.0.1:1", xff("[2a00:1450::1]:443"), "2a00:1450::1"},
		"all trusted":                    {"10.0.0.1:1", xff("10.3.3.3, 10.2.2.2"), "10.3.3.3"},
		"garbage":                        {"10.0.0.1:1", xff("unknown"), "10.0.0.1"},
		"garbage before a proxy":         {"10.0.0.1:1", xff("1.1.1.1, nonsense, 10.2.2.2"), "10.2.2.2"},
		"empty":                          {"10.0.0.1:1", xff(""), "10.0.0.1"},
		"endless":                        {"10.0.0.1:1", xff("1.1.1.1" + strings.Repeat(",10.0.0.9", 5000)), "10.0.0.9"},
		"Forwarded":                      {"10.0.0.1:1", forwarded(`for=9.9.9.9, for="[2a00::1]:443";by=x`), "2a00::1"},
		"Forwarded, order of parameters": {"10.0.0.1:1", forwarded(`proto=http; For=1.1.1.1;by=10.0.0.1`), "1.1.1.1"},
		"Forwarded, hidden":              {"10.0.0.1:1", forwarded(`for=_hidden`), "10.0.0.1"},
		"X-Forwarded-For goes first":     {"10.0.0.1:1", bothHeaders, "1.1.1.1"},
		"no address":                     {"@", nil, "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: c.peer, Header: c.header}
		if got := d.ClientIP(r).String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestUntrustedProxy(t *testing.T) {
	t.Parallel()
	xff := http.Header{"X-Forwarded-For": {"9.9.9.9, 1.1.1.1"}}
	for name, c := range map[string]struct {
		peer   string
		header http.Header
		counts bool // the request is counted as one through an untrusted proxy
	}{
		"loopback":                       {"127.0.0.1:1", xff, true},
		"private":                        {"172.18.0.2:1", xff, true},
		"IPv6, unique local":             {"[fd00::2]:1", xff, true},
		"Forwarded":                      {"172.18.0.2:1", http.Header{"Forwarded": {"for=1.1.1.1"}}, true},
		"without forwarded headers":      {"172.18.0.2:1", nil, false},
		"a visitor who sends the header": {"8.8.8.8:1", xff, false},
		"trusted":                        {"10.0.0.1:1", xff, false},
		"untrusted proxy in front of a trusted one":               {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"1.1.1.1, 192.168.0.3"}}, true},
		"untrusted proxy in front of a trusted one, in two lines": {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"1.1.1.1", "192.168.0.3"}}, true},
		"a visitor on the proxy's own network":                    {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"192.168.0.3"}}, false},
	} {
		d := newTestDescriber(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
		d.ClientIP(&http.Request{RemoteAddr: c.peer, Header: c.header})
		if n, last := d.Untrusted(); (n == 1) != c.counts || last.IsZero() == c.counts {
			t.Errorf("%s: %d requests are counted, the last at %v, want one: %t", name, n, last, c.counts)
		}
	}
}
