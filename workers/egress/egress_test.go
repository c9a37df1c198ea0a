package egress_test

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"switchyard/models/netguard"
	"switchyard/workers/egress"
)

// names returns the next answer of a list for each look-up. The last answer is repeated.
type names struct {
	answers [][]string
	lookups atomic.Int64
}

// LookupNetIP implements egress.Resolver.
func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	i := int(n.lookups.Add(1)) - 1
	texts := n.answers[min(i, len(n.answers)-1)]
	if len(texts) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var ips []netip.Addr
	for _, t := range texts {
		ips = append(ips, netip.MustParseAddr(t))
	}
	return ips, nil
}

// server is a TLS server that counts the connections it gets.
type server struct {
	*httptest.Server
	conns atomic.Int64
	ca    string
	port  string
}

func newServer(t *testing.T, h http.HandlerFunc) *server {
	t.Helper()
	c := &server{Server: httptest.NewUnstartedServer(h), ca: filepath.Join(t.TempDir(), "ca.pem")}
	c.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	c.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			c.conns.Add(1)
		}
	}
	c.StartTLS()
	t.Cleanup(c.Close)
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
	if err := os.WriteFile(c.ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(c.URL)
	c.port = u.Port()
	return c
}

func do(t *testing.T, o egress.Options, to string) (egress.Answer, error) {
	t.Helper()
	c, err := egress.New(o)
	if err != nil {
		t.Fatal(err)
	}
	req, cancel, err := egress.Request(t.Context(), 5*time.Second, http.MethodGet, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	return c.Do(req)
}

func class(err error) egress.Class {
	if e, ok := errors.AsType[*egress.Error](err); ok {
		return e.Class
	}
	return ""
}

// TestLongURL: a request to an address that is too long fails with an error that says so, and the longest allowed address is
// requested.
func TestLongURL(t *testing.T) {
	t.Parallel()
	c := newServer(t, func(http.ResponseWriter, *http.Request) {})
	o := egress.Options{CAFile: c.ca, Resolver: &names{answers: [][]string{{"127.0.0.1"}}}, Allow: loopback}
	to := "https://example.com:" + c.port + "/?q="
	to += strings.Repeat("x", netguard.MaxURL-len(to))
	if _, err := do(t, o, to); err != nil {
		t.Errorf("%d bytes: %v", len(to), err)
	}
	_, err := do(t, o, to+"x")
	if class(err) != egress.LongURL || err.Error() != "not sent: the address is longer than 2048 bytes" {
		t.Errorf("%d bytes: %v (%q)", len(to)+1, err, class(err))
	}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func TestNamesOfPrivateAddresses(t *testing.T) {
	t.Parallel()
	c := newServer(t, func(http.ResponseWriter, *http.Request) {})
	for _, answers := range [][]string{
		{"127.0.0.1"},
		{"::1"},
		{"::ffff:127.0.0.1"},
		{"93.184.215.14", "127.0.0.1"},
		{"127.0.0.1", "93.184.215.14"},
		{"0.0.0.0"},
		{"::"},
		{"10.0.0.1"},
		{"169.254.169.254"},
		{"64:ff9b::7f00:1"},
		{"2002:7f00:1::"},
		{"::7f00:1"},
	} {
		_, err := do(t, egress.Options{CAFile: c.ca, Resolver: &names{answers: [][]string{answers}}}, "https://example.com:"+c.port)
		if class(err) != egress.Blocked {
			t.Errorf("%v: %v (%q), want blocked", answers, err, class(err))
		}
	}
	for _, literal := range []string{"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "2130706433", "0x7f.1"} {
		if _, err := do(t, egress.Options{CAFile: c.ca}, "https://"+literal+":"+c.port); class(err) != egress.Blocked {
			t.Errorf("%s: %v, want blocked", literal, err)
		}
	}
	if n := c.conns.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// TestHosts: a host that the operator configured is reached at the configured address, under its own name, and only if the address
// is allowed.
func TestHosts(t *testing.T) {
	t.Parallel()
	c := newServer(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Host)) })
	n := &names{answers: [][]string{{"192.0.2.1"}}}
	o := egress.Options{
		CAFile: c.ca, Resolver: n, Allow: loopback, Hosts: map[string]netip.AddrPort{"example.com": netip.MustParseAddrPort("127.0.0.1:" + c.port)},
	}
	a, err := do(t, o, "https://Example.com/")
	if err != nil || !strings.EqualFold(string(a.Body), "example.com") || n.lookups.Load() != 0 {
		t.Errorf("%s, %v after %d look-ups, want an answer without a look-up", a.Body, err, n.lookups.Load())
	}
	o.Hosts["platforms.test"] = o.Hosts["example.com"] // no public server has this name, and the certificate of the test server does not contain it
	if _, err := do(t, o, "https://platforms.test/"); class(err) != egress.TLS || c.conns.Load() != 2 {
		t.Errorf("a host that the operator configured: %v (%q)", err, class(err))
	}
	if _, err := do(t, o, "https://others.test/"); class(err) != egress.Blocked || c.conns.Load() != 2 {
		t.Errorf("a host that the operator did not configure: %v", err)
	}
	o.Allow = nil
	for _, host := range []string{"example.com", "platforms.test"} {
		if _, err := do(t, o, "https://"+host+"/"); class(err) != egress.Blocked || c.conns.Load() != 2 {
			t.Errorf("a private address of %s was not refused: %v", host, err)
		}
	}
}

// TestRebinding: a name is looked up only once, so a second answer of the resolver is never used.
func TestRebinding(t *testing.T) {
	t.Parallel()
	c := newServer(t, func(http.ResponseWriter, *http.Request) {})
	other := []netip.Prefix{netip.MustParsePrefix("127.0.0.7/32")} // no server listens there
	n := &names{answers: [][]string{{"127.0.0.7"}, {"127.0.0.1"}}}
	_, err := do(t, egress.Options{CAFile: c.ca, Resolver: n, Allow: other}, "https://example.com:"+c.port)
	if class(err) == "" || n.lookups.Load() != 1 || c.conns.Load() != 0 {
		t.Errorf("%v after %d look-ups and %d connections, want an error after 1 and 0", err, n.lookups.Load(), c.conns.Load())
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	c := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/target", http.StatusFound)
		case "/target":
			panic("followed")
		case "/big":
			_, _ = io.WriteString(w, strings.Repeat("x", 20_000))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, strings.Repeat("\x00", 1_000_000))
			_ = z.Close()
		default:
			_, _ = io.WriteString(w, "hello")
		}
	})
	o := egress.Options{CAFile: c.ca, Resolver: &names{answers: [][]string{{"127.0.0.1"}}}, Allow: loopback}
	base := "https://example.com:" + c.port
	if a, err := do(t, o, base+"/"); err != nil || a.Status != 200 || string(a.Body) != "hello" {
		t.Errorf("a plain answer: %d %q %v", a.Status, a.Body, err)
	}
	if a, err := do(t, o, base+"/redirect"); err != nil || a.Status != 302 {
		t.Errorf("a redirect was not returned as it is: %d %v", a.Status, err)
	}
	if a, err := do(t, o, base+"/big"); class(err) != egress.TooLarge || a.Status != 200 || len(a.Body) != 16<<10 {
		t.Errorf("an answer that is too large: %d, %d bytes, %v", a.Status, len(a.Body), err)
	}
	if a, err := do(t, o, base+"/bomb"); err != nil || len(a.Body) > 16<<10 || a.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("a compressed answer must stay compressed: %d bytes, %v", len(a.Body), err)
	}
	for name, c := range map[string]struct {
		o    egress.Options
		to   string
		want egress.Class
	}{
		"unknown authority": {egress.Options{Resolver: o.Resolver, Allow: loopback}, base, egress.TLS},
		"wrong name":        {o, "https://other.example.org:" + c.port, egress.TLS},
		"no such name":      {egress.Options{Resolver: &names{answers: [][]string{{}}}}, base, egress.DNS},
		"nobody listens":    {o, "https://example.com:1", egress.Connect},
		"plain http":        {o, "http://example.com:" + c.port, egress.Blocked},
	} {
		_, err := do(t, c.o, c.to)
		if class(err) != c.want {
			t.Errorf("%s: %v (%q), want %q", name, err, class(err), c.want)
		}
		if err != nil && strings.Contains(err.Error(), "example") {
			t.Errorf("%s: the error text contains the address: %v", name, err)
		}
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	c := newServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "direct") })
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	o := egress.Options{CAFile: c.ca, Resolver: &names{answers: [][]string{{"127.0.0.1"}}}, Allow: loopback}
	if a, err := do(t, o, "https://example.com:"+c.port); err != nil || string(a.Body) != "direct" {
		t.Errorf("%q, %v", a.Body, err)
	}
}
