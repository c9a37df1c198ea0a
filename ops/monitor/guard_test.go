package monitor_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"switchyard/ops/monitor"
)

type call struct{ peer, host, pass, proto, header, value string }

func (a call) status(h http.Handler) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.RemoteAddr, r.Host = "127.0.0.1:1234", "localhost:8081"
	if a.peer != "" {
		r.RemoteAddr = a.peer
	}
	if a.host != "" {
		r.Host = a.host
	}
	if a.proto == "HTTP/1.0" {
		r.ProtoMajor, r.ProtoMinor = 1, 0
	}
	if a.header != "" {
		r.Header.Set(a.header, a.value)
	}
	if a.pass != "" {
		r.SetBasicAuth("anyone", a.pass)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestMetricsWithoutPassword: if no password is set, only this machine can read the metrics, and not through a proxy.
func TestMetricsWithoutPassword(t *testing.T) {
	t.Parallel()
	h := monitor.New(monitor.Options{Registry: monitor.NewRegistry(nil)})
	for _, a := range []call{
		{},
		{host: "127.0.0.1"},
		{host: "[::1]:8081", peer: "[::1]:99"},
		{peer: "[::ffff:127.0.0.1]:99"},
		{header: "X-Prometheus-Scrape-Timeout-Seconds", value: "10"},
		{header: "User-Agent", value: "curl/8"},
		{header: "Sec-Fetch-Mode", value: "navigate"},
		{header: "Sec-Ch-Ua-Platform", value: `"Linux"`},
	} {
		if w := a.status(h); w.Code != http.StatusOK {
			t.Errorf("%+v: %d", a, w.Code)
		}
	}
	refused := []call{
		{peer: "10.0.0.7:99"},
		{peer: "192.0.2.1:99"},
		{peer: "@"},
		{proto: "HTTP/1.0"},
	}
	for _, host := range []string{
		"go.customer.example", "localhost.customer.com", "127.0.0.1.nip.io", "10.0.0.7", "web",
	} {
		refused = append(refused, call{host: host})
	}
	for _, name := range []string{
		"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Server", "Via", "X-Real-Ip",
		"X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fly-Client-Ip",
		"X-Envoy-External-Address", "X-Request-Start", "X-Original-Forwarded-For", "X-Amzn-Trace-Id", "X-Anything-Else",
		"Sec-Forwarded-For", "Sec-Real-Ip", "Sec-Anything", "Sec-Ch-Ua-Else",
	} {
		refused = append(refused, call{header: name, value: "127.0.0.1"}, call{header: name, value: ""})
	}
	for _, a := range refused {
		if w := a.status(h); w.Code != http.StatusNotFound && w.Code != http.StatusMisdirectedRequest {
			t.Errorf("%+v: %d, %.80s", a, w.Code, w.Body)
		}
	}
}

// TestForeignHost: a request for a customer's domain is refused, even with the password.
func TestForeignHost(t *testing.T) {
	t.Parallel()
	h := monitor.New(monitor.Options{Registry: monitor.NewRegistry(nil), Password: password, Host: "Ops.Example.com"})
	for host, want := range map[string]int{
		"go.customer.com": 421, "go.customer.com.": 421, "CUSTOMER.COM:8081": 421, "customer.example": 421,
		"10.1.2.3:8081": 200, "[fd00::7]:8081": 200, "web": 200, "web.default.svc.cluster.local:8081": 200,
		"box.internal":         200,
		"ops.example.com:8081": 200, "localhost": 200,
	} {
		if w := (call{host: host, pass: password}).status(h); w.Code != want {
			t.Errorf("the metrics under the host %q: status %d, want %d", host, w.Code, want)
		}
	}
}

// TestWrongPasswords: after ten wrong passwords a client has to wait, even with the right password. Other clients do not wait. The
// header X-Forwarded-For counts only if a trusted proxy sent it.
func TestWrongPasswords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	h := monitor.New(monitor.Options{
		Registry: monitor.NewRegistry(nil), Password: password, Now: func() time.Time { return now },
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})
	guess := func(n int, a call) (refused int) {
		for i := range n {
			a.pass = "guess " + strconv.Itoa(i)
			if w := a.status(h); w.Code == http.StatusTooManyRequests {
				refused++
			}
		}
		return refused
	}
	attacker := call{peer: "203.0.113.5:99"}
	if n := guess(100, attacker); n != 90 {
		t.Errorf("%d of 100 guesses were refused, want 90", n)
	}
	attacker.pass = password
	w := attacker.status(h)
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "10" {
		t.Errorf("the right password after 100 guesses: status %d, Retry-After %q, want 429 and 10", w.Code, w.Header().Get("Retry-After"))
	}
	if w := (call{peer: "203.0.113.6:99", pass: password}).status(h); w.Code != http.StatusOK {
		t.Errorf("the right password from another address: status %d, want 200", w.Code)
	}
	if w := (call{peer: "203.0.113.5:99"}).status(h); w.Code != http.StatusUnauthorized {
		t.Errorf("a request without a password: status %d, want 401", w.Code)
	}
	now = now.Add(11 * time.Second)
	if w := attacker.status(h); w.Code != http.StatusOK {
		t.Errorf("the right password after the wait: status %d, want 200", w.Code)
	}

	if n := guess(100, call{peer: "[2001:db8::1]:99"}) + guess(100, call{peer: "[2001:db8::ffff]:99"}); n != 190 {
		t.Errorf("%d of 200 guesses from one network were refused, want 190", n)
	}
	proxied := call{peer: "10.0.0.1:99", header: "X-Forwarded-For", value: "198.51.100.1, 203.0.113.77"}
	if n := guess(100, proxied); n != 90 {
		t.Errorf("%d of 100 guesses through a proxy were refused, want 90", n)
	}
	other := call{peer: "10.0.0.1:99", header: "X-Forwarded-For", value: "203.0.113.77, 203.0.113.78", pass: password}
	if w := other.status(h); w.Code != http.StatusOK {
		t.Errorf("the right password of another client of the proxy: status %d, want 200", w.Code)
	}
	refused := 0
	for i := range 100 {
		refused += guess(1, call{peer: "192.0.2.7:99", header: "X-Forwarded-For", value: fmt.Sprintf("198.51.100.%d", i)})
	}
	if refused != 90 {
		t.Errorf("%d of 100 guesses under invented addresses were refused, want 90", refused)
	}
}

// TestInventedClients: a client that makes a trusted proxy forward invented addresses has to wait after 100 guesses. So do the
// proxy's other clients, unless they gave the right password before.
func TestInventedClients(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	h := monitor.New(monitor.Options{
		Registry: monitor.NewRegistry(nil), Password: password, Now: func() time.Time { return now },
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})
	by := func(proxy, client, pass string) int {
		return call{peer: proxy + ":99", header: "X-Forwarded-For", value: client, pass: pass}.status(h).Code
	}
	if code := by("10.0.0.1", "203.0.113.7", password); code != http.StatusOK {
		t.Fatal(code)
	}
	refused := 0
	for i := range 1000 {
		if by("10.0.0.1", fmt.Sprintf("198.51.%d.%d", i>>8, i&255), "guess") == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 900 {
		t.Errorf("%d of 1000 guesses under invented addresses were refused, want 900", refused)
	}
	for client, want := range map[string]int{"203.0.113.7": http.StatusOK, "203.0.113.8": http.StatusTooManyRequests} {
		if code := by("10.0.0.1", client, password); code != want {
			t.Errorf("the right password from %s: status %d, want %d", client, code, want)
		}
	}
	if code := by("10.0.0.2", "203.0.113.8", password); code != http.StatusOK {
		t.Errorf("the right password through another proxy: status %d, want 200", code)
	}
	now = now.Add(time.Second)
	if code := by("10.0.0.1", "203.0.113.9", password); code != http.StatusOK {
		t.Errorf("the right password after the wait: status %d, want 200", code)
	}
}

// TestManyAddresses: guesses from more addresses than the guard remembers do not lock out other clients.
func TestManyAddresses(t *testing.T) {
	t.Parallel()
	h := monitor.New(monitor.Options{Registry: monitor.NewRegistry(nil), Password: password})
	for i := range 10_000 {
		a := call{peer: fmt.Sprintf("100.%d.%d.9:99", i>>8, i&255), pass: "guess"}
		if w := a.status(h); w.Code != http.StatusUnauthorized {
			t.Fatalf("%+v: %d", a, w.Code)
		}
	}
	if w := (call{peer: "203.0.113.6:99", pass: password}).status(h); w.Code != http.StatusOK {
		t.Errorf("the right password from another address: status %d, want 200", w.Code)
	}
}

// TestHeaders: each answer of the operators' pages has the security headers.
func TestHeaders(t *testing.T) {
	t.Parallel()
	h := monitor.New(monitor.Options{Registry: monitor.NewRegistry(nil), Password: password})
	for _, path := range []string{"/metrics", "/healthz", "/readyz", "/ops/none"} {
		got := get(h, path, password).Header()
		for name, want := range map[string]string{
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cache-Control":           "no-store",
			"Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		} {
			if got.Get(name) != want {
				t.Errorf("%s: the header %s is %q", path, name, got.Get(name))
			}
		}
	}
}
