package certs

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db/certstore"
	"switchyard/db/seal"
	"switchyard/models/await"
)

// authority issues certificates below one root.
type authority struct {
	testing.TB
	key   *ecdsa.PrivateKey
	cert  *x509.Certificate
	roots *x509.CertPool
	next  atomic.Int64
}

func newAuthority(tb testing.TB) *authority {
	tb.Helper()
	a := &authority{TB: tb, roots: x509.NewCertPool()}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err == nil {
		a.cert, err = x509.ParseCertificate(der)
	}
	if err != nil {
		tb.Fatal(err)
	}
	a.roots.AddCert(a.cert)
	return a
}

func (a *authority) issue(host string) []byte {
	a.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1 + a.next.Add(1)), DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	return append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})...)
}

// memory is a Store in memory. It does not encrypt.
type memory struct {
	mu         sync.Mutex
	hosts      map[string]certstore.Sealed
	challenges []certstore.Challenge
	away       bool
	wrongKey   bool
	queries    int
}

var (
	errAway      = errors.New("postgres is away")
	sealedPrefix = []byte("sealed:")
)

func (m *memory) put(host string, version int64, text []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hosts == nil {
		m.hosts = map[string]certstore.Sealed{}
	}
	m.hosts[host] = certstore.Sealed{Host: host, Version: version, Sealed: append(bytes.Clone(sealedPrefix), text...)}
}

func (m *memory) query() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queries++; m.away {
		return errAway
	}
	return nil
}

func (m *memory) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.queries
}

func (m *memory) Versions(context.Context) (map[string]int64, error) {
	if err := m.query(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]int64{}
	for host, s := range m.hosts {
		all[host] = s.Version
	}
	return all, nil
}

func (m *memory) Load(_ context.Context, hosts []string) (list []certstore.Sealed, err error) {
	if err := m.query(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, host := range hosts {
		if s, ok := m.hosts[host]; ok {
			list = append(list, s)
		}
	}
	return list, nil
}

func (m *memory) Open(_ context.Context, c certstore.Sealed) ([]byte, error) {
	text, ok := bytes.CutPrefix(c.Sealed, sealedPrefix)
	if !ok || m.wrongKey {
		return nil, seal.ErrOpen
	}
	return text, nil
}

func (m *memory) Challenges(context.Context) ([]certstore.Challenge, error) {
	if err := m.query(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]certstore.Challenge(nil), m.challenges...), nil
}

func serve(t *testing.T, c *Certificates, g *Guard) (address string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{
		TLSConfig: c.Config(), ReadHeaderTimeout: time.Minute, ConnState: g.ConnState,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, r.Proto, " ", r.Host) }),
	}
	go func() { _ = srv.ServeTLS(l, "", "") }()
	t.Cleanup(func() { _ = srv.Close() })
	return l.Addr().String()
}

func get(address, host string, a *authority) (string, error) {
	transport := &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: a.roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		},
	}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Get("https://" + host + "/")
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

func serves(hosts ...string) func(string) bool {
	return func(host string) bool {
		for _, h := range hosts {
			if h == host {
				return true
			}
		}
		return false
	}
}

// TestServe: hosts are served over HTTP/2 with their certificates. A process that starts while PostgreSQL is down uses the copies of
// certificates on its disk.
func TestServe(t *testing.T) {
	t.Parallel()
	a, store, dir := newAuthority(t), &memory{}, filepath.Join(t.TempDir(), "certificates")
	store.put("one.example", 1, a.issue("one.example"))
	store.put("two.example", 2, a.issue("two.example"))
	store.put("wrong.example", 3, a.issue("other.example"))
	o := Options{Store: store, Dir: dir, Serves: serves("one.example", "two.example", "three.example")}
	c := New(o)
	c.Start(t.Context())
	address := serve(t, c, NewGuard())
	for _, host := range []string{"one.example", "two.example", "ONE.example"} {
		if got, err := get(address, host, a); err != nil || !strings.EqualFold(got, "HTTP/2.0 "+host) {
			t.Errorf("a request to %s is answered with %q, want HTTP/2.0 and the host; error %v", host, got, err)
		}
	}
	for _, host := range []string{"three.example", "stranger.example", "wrong.example", "127.0.0.1"} {
		if _, err := get(address, host, a); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
			t.Errorf("a request to %s ends with the error %v, want an unrecognized name", host, err)
		}
	}
	if len(c.issuers) != 1 {
		t.Errorf("%d roots are in memory, want 1, because both certificates have the same root", len(c.issuers))
	}

	version := func(host string) int64 {
		if e := c.hosts[host]; e != nil {
			return e.version
		}
		return 0
	}
	store.put("one.example", 11, a.issue("one.example"))
	store.put("three.example", 4, a.issue("three.example"))
	delete(store.hosts, "two.example")
	for _, host := range []string{"one.example", "two.example", "three.example"} {
		c.notice(host)
	}
	if err := c.refresh(t.Context()); err != nil || version("one.example") != 11 || version("two.example") != 0 ||
		version("three.example") != 4 || c.Len() != 2 || !c.Has("three.example") || len(c.issuers) != 1 {
		t.Errorf("after the notices the hosts are %+v, want one.example renewed, two.example gone, three.example new; error %v", c.hosts, err)
	}
	if _, err := get(address, "two.example", a); err == nil {
		t.Error("a host whose certificate was deleted is served")
	}

	store.away = true
	c.notice("one.example")
	if err := c.refresh(t.Context()); !errors.Is(err, errAway) || !c.noticed["one.example"] {
		t.Errorf("a refresh while PostgreSQL is away returns %v, want errAway with the notice kept", err)
	}
	damaged := filepath.Join(dir, "damaged.example")
	if err := os.WriteFile(damaged, []byte("7\nnothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := New(o)
	again.Start(t.Context())
	if again.Len() != 2 {
		t.Errorf("a process without PostgreSQL has the certificates of %d hosts, want 2", again.Len())
	}
	if got, err := get(serve(t, again, NewGuard()), "three.example", a); err != nil {
		t.Errorf("a request to a host whose certificate was read from its copy is answered with %q, error %v", got, err)
	}
	store.wrongKey = true
	locked := New(o)
	locked.Start(t.Context())
	if kept, err := os.ReadDir(dir); err != nil || locked.Len() != 0 || len(kept) != 3 {
		t.Errorf("a process with another key, while PostgreSQL is away, serves %d hosts, want 0, and keeps %d copies, want 3: %v",
			locked.Len(), len(kept), err)
	}
	store.away, store.wrongKey = false, false
	delete(store.hosts, "three.example")
	again.noticeResync()
	if err := again.refresh(t.Context()); err != nil || again.Has("three.example") || !again.Has("one.example") {
		t.Errorf("after a resync the hosts are %+v, want one.example without three.example; error %v", again.hosts, err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("%d copies are on disk, want 1: %v", len(files), err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "one.example"))
	if err != nil || !bytes.Contains(text, sealedPrefix) {
		t.Errorf("the copy is not sealed as in the database: %v", err)
	}
}

// TestChallenges: a challenge that a CA checks is found even if its notice has not arrived yet.
func TestChallenges(t *testing.T) {
	t.Parallel()
	a, store := newAuthority(t), &memory{}
	c := New(Options{Store: store, Serves: serves("one.example", "two.example")})
	store.challenges = []certstore.Challenge{
		{Host: "one.example", Token: "token-1", Answer: "token-1.thumb"},
		{Host: "one.example", Token: "token-2", PEM: a.issue("one.example")},
		{Host: "stranger.example", Token: "token-3", Answer: "x"},
	}
	for _, tt := range []struct {
		host, path string
		status     int
	}{
		{"one.example", "token-1", 200},
		{"ONE.example:80", "token-1", 200},
		{"two.example", "token-1", 404},
		{"one.example", "token-2", 404},
		{"stranger.example", "token-3", 404},
		{"one.example", "", 404},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://"+tt.host+ChallengePath+tt.path, nil)
		w := httptest.NewRecorder()
		if !c.AnswerHTTP(w, r) || w.Code != tt.status || w.Code == 200 && w.Body.String() != "token-1.thumb" {
			t.Errorf("a challenge at %s%s gets the status %d with %q, want %d", tt.host, tt.path, w.Code, w.Body, tt.status)
		}
	}
	if c.AnswerHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://one.example/.well-known/x", nil)) {
		t.Error("AnswerHTTP answers a path that is not the path of a challenge")
	}

	address := serve(t, c, NewGuard())
	shake := func(host string) (*x509.Certificate, error) {
		config := &tls.Config{ServerName: host, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true}
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			return nil, err
		}
		defer func() { _ = conn.Close() }()
		state := conn.(*tls.Conn).ConnectionState()
		if state.NegotiatedProtocol != "acme-tls/1" {
			return nil, errors.New("another protocol")
		}
		return state.PeerCertificates[0], nil
	}
	first, err := shake("one.example")
	if err != nil {
		t.Fatal(err)
	}
	store.mu.Lock()
	store.challenges[1] = certstore.Challenge{Host: "one.example", Token: "token-4", PEM: a.issue("one.example")}
	store.mu.Unlock()
	if second, err := shake("one.example"); err != nil || second.SerialNumber.Cmp(first.SerialNumber) == 0 {
		t.Errorf("the handshake got the certificate of an earlier order, or the error %v", err)
	}
	for _, host := range []string{"two.example", "stranger.example"} {
		if _, err := shake(host); err == nil {
			t.Errorf("%s: the handshake was answered with a challenge, want an error", host)
		}
	}
}

// TestChallengesCrowded: while too many requests wait for a read of the challenges, a CA still gets a challenge that is in memory.
func TestChallengesCrowded(t *testing.T) {
	t.Parallel()
	a, store := newAuthority(t), &memory{}
	c := New(Options{Store: store, Serves: serves("one.example")})
	store.challenges = []certstore.Challenge{{Host: "one.example", Token: "token-2", PEM: a.issue("one.example")}}
	c.challenges.reload(t.Context())
	c.challenges.waiting = maxWaiting
	before := store.count()
	if cert := c.forChallenge(t.Context(), "one.example"); cert == nil || store.count() != before {
		t.Errorf("while too many requests wait, the certificate is %v after %d queries, want one without a query", cert, store.count()-before)
	}
}

// TestOwnHosts checks that the metrics show the remaining life of the certificates of the install's own hosts.
func TestOwnHosts(t *testing.T) {
	t.Parallel()
	a, store := newAuthority(t), &memory{}
	store.put("one.example", 1, a.issue("one.example")) // it began an hour ago and ends in an hour
	c := New(Options{Store: store, Serves: serves("one.example", "two.example"), OwnHosts: []string{"one.example", "two.example"}})
	c.Start(t.Context())
	r := prometheus.NewRegistry()
	r.MustRegister(c.Collectors(NewGuard())...)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "switchyard_tls_own_certificate_left" {
				left[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
			}
		}
	}
	if one, there := left["one.example"]; !there || one <= 0 || one > 0.5 || len(left) != 2 || left["two.example"] != 0 {
		t.Errorf("the remaining lifetimes by host are %v, want at most half for one.example and 0 for two.example", left)
	}
	if later := c.lifetimeLeft("one.example", time.Now().Add(2*time.Hour)); later != 0 {
		t.Errorf("an expired certificate has %f left, want 0", later)
	}
}

// counted returns the number of handshakes for each value of the metric's label: served, unknown and missing.
func counted(t *testing.T, c *Certificates) map[string]float64 {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(c.Collectors(NewGuard())...)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "switchyard_tls_handshakes_total" {
				names[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	return names
}

// TestFlood: handshakes for unknown names cause no query. Requests for challenges that do not exist share their queries.
// Connections that send nothing do not keep others out.
func TestFlood(t *testing.T) {
	t.Parallel()
	a, store, reported := newAuthority(t), &memory{}, make(chan string, 1000)
	store.put("one.example", 1, a.issue("one.example"))
	c := New(Options{Store: store, Serves: serves("one.example", "two.example"), Missing: func(_ context.Context, host string) error {
		reported <- host
		return nil
	}})
	c.Start(t.Context())
	address := serve(t, c, NewGuard())
	before := store.count()
	var all sync.WaitGroup
	for n := range 200 {
		all.Go(func() {
			_, _ = get(address, fmt.Sprintf("n%d.example", n), a)
			_, _ = get(address, "two.example", a)
		})
	}
	all.Wait()
	if names := counted(t, c); store.count() != before || names["unknown"] != 200 || names["missing"] != 200 || names["served"] != 0 {
		t.Errorf("%d queries, want none; handshakes by label: %v, want 200 unknown and 200 missing", store.count()-before, names)
	}
	ctx, cancel := context.WithCancel(t.Context())
	all.Go(func() { c.reportMissing(ctx) })
	if host := await.Recv(t, reported); host != "two.example" || len(c.missing.queue) != 0 {
		t.Errorf("Missing was called for %s, and %d more hosts wait, want two.example and none", host, len(c.missing.queue))
	}
	cancel()

	began := time.Now()
	for n := range 300 {
		all.Go(func() {
			r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("http://one.example%s%d", ChallengePath, n), nil)
			c.AnswerHTTP(httptest.NewRecorder(), r)
		})
	}
	all.Wait()
	if most := 2 + int(time.Since(began)/betweenReads); store.count()-before > most {
		t.Errorf("300 requests for unknown challenges caused %d queries, want at most %d", store.count()-before, most)
	}

	guard := newGuard(50, 1000)
	address = serve(t, c, guard)
	var silent []net.Conn
	for range 3 * guard.maxSilent {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, conn)
	}
	await.Until(t, "the oldest silent connections are closed", func() bool { return guard.Closed() >= float64(2*guard.maxSilent) })
	if _, err := get(address, "one.example", a); err != nil {
		t.Errorf("a request fails while silent connections are open: %v", err)
	}
	for _, conn := range silent {
		_ = conn.Close()
	}
	await.Until(t, "no closed connection is counted any more", func() bool {
		guard.mu.Lock()
		defer guard.mu.Unlock()
		return guard.silent.Len() == 0 && len(guard.conns) == 0
	})
}

// TestManyConnections: a client does not keep others out if it sends a request on each of many connections and then holds them open.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	a, store := newAuthority(t), &memory{}
	store.put("one.example", 1, a.issue("one.example"))
	c := New(Options{Store: store, Serves: serves("one.example")})
	c.Start(t.Context())
	guard := newGuard(30, 60)
	address := serve(t, c, guard)
	for range 150 {
		conn, err := (&tls.Dialer{Config: &tls.Config{ServerName: "one.example", RootCAs: a.roots}}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: one.example\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if n, err := conn.Read(make([]byte, 1000)); n == 0 {
			t.Fatalf("an honest request is not answered: %v", err)
		}
		guard.mu.Lock()
		if len(guard.conns) > 60 {
			t.Errorf("%d connections are open, want at most 60", len(guard.conns))
		}
		guard.mu.Unlock()
	}
	if guard.Closed() < 90 {
		t.Errorf("%f connections were closed, want at least 90", guard.Closed())
	}
	if _, err := get(address, "one.example", a); err != nil {
		t.Errorf("a request fails while idle connections are open: %v", err)
	}
}

// TestGuardAtWork: while all connections are at work, a new connection is closed and the others stay open.
func TestGuardAtWork(t *testing.T) {
	t.Parallel()
	g := newGuard(10, 3)
	conns := make([]net.Conn, 5)
	for n := range conns {
		var other net.Conn
		conns[n], other = net.Pipe()
		defer func() { _ = other.Close() }()
	}
	for _, conn := range conns[:3] {
		g.ConnState(conn, http.StateNew)
		g.ConnState(conn, http.StateActive)
	}
	g.ConnState(conns[3], http.StateNew)
	g.ConnState(conns[3], http.StateClosed)
	if g.Closed() != 1 || len(g.conns) != 3 || g.conns[conns[3]] != nil {
		t.Errorf("%f connections are closed and %d are open, want 1 and 3", g.Closed(), len(g.conns))
	}
	// An idle connection is closed to admit a new one.
	g.ConnState(conns[1], http.StateIdle)
	g.ConnState(conns[4], http.StateNew)
	if g.conns[conns[1]] != nil || g.conns[conns[4]] == nil || g.silent.Len() != 1 {
		t.Errorf("%d connections are open, %d of them silent, want the idle one closed for the new one", len(g.conns), g.silent.Len())
	}
}

// TestCiphers: TLS 1.2 is allowed with authenticated ciphers only.
func TestCiphers(t *testing.T) {
	t.Parallel()
	a, store := newAuthority(t), &memory{}
	store.put("one.example", 1, a.issue("one.example"))
	c := New(Options{Store: store, Dir: t.TempDir(), Serves: serves("one.example")})
	c.Start(t.Context())
	address := serve(t, c, NewGuard())
	for suite, want := range map[uint16]bool{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: false, tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: false,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256:       false,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:       true,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384:       true,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: true,
	} {
		d := tls.Dialer{Config: &tls.Config{
			ServerName: "one.example", RootCAs: a.roots, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite},
		}}
		conn, err := d.DialContext(t.Context(), "tcp", address)
		if (err == nil) != want {
			t.Errorf("a connection with %s ends with the error %v, want a connection: %t", tls.CipherSuiteName(suite), err, want)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
}
