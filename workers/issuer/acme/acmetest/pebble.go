// Package acmetest runs Pebble as a CA for tests. Pebble is built as the developers' tools are, and no part of it is linked into
// the service.
package acmetest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/models/await"
	"switchyard/models/parttest"
)

// Options are the options of a CA.
type Options struct {
	DNS               netip.AddrPort // which the CA asks for the addresses of hosts
	HTTPPort, TLSPort int            // at which the CA connects to hosts
	// EAB maps key ids to keys for external account binding. If empty, accounts need no binding.
	EAB map[string]string
}

// CA is a running Pebble. It rejects a fifth of the nonces and delays validations.
type CA struct {
	Directory string
	CAFile    string // PEM file with the certificate of the CA's own address

	tb         testing.TB
	program    string
	dir        string
	management string
	client     *http.Client
	cmd        *exec.Cmd
	ended      chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

var build = sync.OnceValues(func() (string, error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	cmd := exec.Command("go", "tool", "-n", "-modfile=ops/tools/go.mod", "pebble")
	cmd.Dir = root
	// Pebble is built as the developers' tools are, whatever flags the tests have.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var why bytes.Buffer
	cmd.Stderr = &why
	path, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go tool pebble: %w: %s", err, why.Bytes())
	}
	return strings.TrimSpace(string(path)), nil
})

// Start starts a CA. If Pebble cannot be built, for example without a network, the test is skipped.
func Start(tb testing.TB, o Options) *CA {
	tb.Helper()
	parttest.Needs(tb, parttest.Edge)
	program, err := build()
	if err != nil {
		tb.Skipf("there is no pebble: %v", err)
	}
	ca := &CA{tb: tb, program: program, dir: tb.TempDir()}
	ca.CAFile = filepath.Join(ca.dir, "cert.pem")
	pool := ca.writePair()
	ca.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
	}}
	listen, manage := freePort(tb), freePort(tb)
	ca.Directory, ca.management = "https://"+listen+"/dir", "https://"+manage
	config := map[string]any{
		"listenAddress": listen, "managementListenAddress": manage, "certificate": ca.CAFile,
		"privateKey": filepath.Join(ca.dir, "key.pem"), "httpPort": o.HTTPPort, "tlsPort": o.TLSPort,
		"externalAccountBindingRequired": len(o.EAB) > 0, "externalAccountMACKeys": o.EAB,
		"keyAlgorithm": "ecdsa", "retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles": map[string]any{"default": map[string]any{"description": "default", "validityPeriod": 90 * 24 * 60 * 60}}, // in seconds
	}
	text, err := json.Marshal(map[string]any{"pebble": config})
	if err == nil {
		err = os.WriteFile(filepath.Join(ca.dir, "config.json"), text, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	args := []string{"-config", filepath.Join(ca.dir, "config.json"), "-dnsserver", o.DNS.String()}
	ca.start(args)
	tb.Cleanup(func() {
		ca.Stop()
		if tb.Failed() {
			tb.Log(tail(ca.Log()))
		}
	})
	return ca
}

func (ca *CA) start(args []string) {
	ca.tb.Helper()
	ca.cmd = exec.Command(ca.program, args...) //nolint:noctx,gosec // the process ends with the test, and its program was built above
	// The CA refuses a fifth of the nonces, and delays a validation by up to two seconds.
	ca.cmd.Env = append(os.Environ(), "PEBBLE_WFE_NONCEREJECT=20", "PEBBLE_VA_SLEEPTIME=2", "PEBBLE_AUTHZREUSE=0")
	ca.cmd.Stdout, ca.cmd.Stderr = writer{ca}, writer{ca}
	if err := ca.cmd.Start(); err != nil {
		ca.tb.Fatal(err)
	}
	ended, cmd := make(chan struct{}), ca.cmd
	ca.ended = ended
	go func() {
		_ = cmd.Wait() // the error says only that the process was killed
		close(ended)
	}()
	await.Until(ca.tb, "the CA answers", func() bool {
		select {
		case <-ended:
			ca.tb.Fatalf("pebble has ended: %s", tail(ca.Log()))
		default:
		}
		res, err := ca.client.Get(ca.Directory) //nolint:noctx // on this machine
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil
	})
}

// Stop ends the CA.
func (ca *CA) Stop() {
	_ = ca.cmd.Process.Kill()
	<-ca.ended
}

// Restart starts a stopped CA again. It has lost all its data and issues under a new root.
func (ca *CA) Restart() {
	ca.tb.Helper()
	ca.start(ca.cmd.Args[1:])
}

// Root returns the CA's current root certificate as PEM.
func (ca *CA) Root() []byte {
	ca.tb.Helper()
	res, err := ca.client.Get(ca.management + "/roots/0") //nolint:noctx // on this machine
	if err != nil {
		ca.tb.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		ca.tb.Fatalf("root: %d, %v", res.StatusCode, err)
	}
	return text
}

// Roots returns a pool with the CA's current root certificate.
func (ca *CA) Roots() *x509.CertPool {
	ca.tb.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca.Root()) {
		ca.tb.Fatal("the root cannot be read")
	}
	return pool
}

// RenewNow makes the CA advise that a certificate be renewed at once.
func (ca *CA) RenewNow(leaf *x509.Certificate) {
	ca.tb.Helper()
	const window = `{"suggestedWindow": {"start": %q, "end": %q}}`
	now := time.Now()
	answer := fmt.Sprintf(window, now.Add(-2*time.Hour).Format(time.RFC3339), now.Add(-time.Hour).Format(time.RFC3339))
	body, err := json.Marshal(map[string]string{
		"Certificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf.Raw})), "ARIResponse": answer,
	})
	if err != nil {
		ca.tb.Fatal(err)
	}
	res, err := ca.client.Post(ca.management+"/set-renewal-info/", "application/json", bytes.NewReader(body)) //nolint:noctx // on this machine
	if err != nil {
		ca.tb.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		ca.tb.Fatalf("renewal info: %d", res.StatusCode)
	}
}

// Orders returns the number of orders since the CA was first started.
func (ca *CA) Orders() int { return strings.Count(ca.Log(), "Added order ") }

// Accounts returns the number of accounts created since the CA was first started.
func (ca *CA) Accounts() int { return strings.Count(ca.Log(), "accounts in memory") }

// Log returns all output of the CA.
func (ca *CA) Log() string {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	return ca.log.String()
}

type writer struct{ ca *CA }

func (w writer) Write(p []byte) (int, error) {
	w.ca.mu.Lock()
	defer w.ca.mu.Unlock()
	return w.ca.log.Write(p)
}

func tail(text string) string { return text[max(0, len(text)-4000):] }

// writePair writes the certificate and the key of the CA's own address to files, and returns a pool that trusts it.
func (ca *CA) writePair() *x509.CertPool {
	ca.tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		ca.tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA of a test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		ca.tb.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		ca.tb.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for file, text := range map[string][]byte{
		ca.CAFile: cert, filepath.Join(ca.dir, "key.pem"): pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}),
	} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			ca.tb.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

// freePort returns a free local address.
func freePort(tb testing.TB) string {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// Port returns the port of an address.
func Port(tb testing.TB, address string) int {
	tb.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		tb.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatal(err)
	}
	return port
}
