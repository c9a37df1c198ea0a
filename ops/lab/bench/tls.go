package bench

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
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"switchyard/db"
	"switchyard/db/certstore"
	"switchyard/db/seal"
	"switchyard/ops/client"
	"switchyard/ops/devstack"
)

const (
	goalKept       = 0.5 // share of the bare server's rate, on kept connections
	goalHandshakes = 0.9 // share of the bare server's rate, with a full handshake for each request
	certificates   = 10_000
	handshakeRate  = 200 // handshakes per second, over all hosts
)

var encryptionKey = bytes.Repeat([]byte("b"), 32)

type issuer struct {
	key   *ecdsa.PrivateKey
	cert  *x509.Certificate
	store *certstore.Store
	db    *db.DB
}

func (r *run) newIssuer(ctx context.Context) (*issuer, error) {
	i := &issuer{}
	var err error
	if i.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bench"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &i.key.PublicKey, i.key)
	if err != nil {
		return nil, err
	}
	if i.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	if i.db, err = db.Open(ctx, r.fleet.DatabaseURL, db.Options{Name: "bench"}); err != nil {
		return nil, err
	}
	box, err := seal.New(i.db, encryptionKey)
	i.store = certstore.New(i.db, box)
	return i, err
}

func (i *issuer) issue(ctx context.Context, host string, serial int64) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, i.cert, &key.PublicKey, i.key)
	if err != nil {
		return nil, err
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
	for _, cert := range [][]byte{der, i.cert.Raw} {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})...)
	}
	fence, ok, err := i.store.Claim(ctx, host, time.Minute)
	if err == nil && !ok {
		err = errors.New("bench: another issuer has claimed the host")
	}
	if err != nil {
		return nil, err
	}
	return text, i.store.Save(ctx, fence, certstore.Certificate{
		Host: host, PEM: text, CA: "bench", NotAfter: template.NotAfter, RenewAt: template.NotAfter,
	})
}

func (r *run) secureSetUp(ctx context.Context) (err error) {
	if r.issuer, err = r.newIssuer(ctx); err != nil {
		return err
	}
	text, err := r.issuer.issue(ctx, "localhost", 2)
	if err != nil {
		return err
	}
	file := filepath.Join(r.fleet.Dir, "bare.pem")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	first, err := devstack.FreePort()
	if err != nil {
		return err
	}
	second, err := devstack.FreePort(first)
	if err != nil {
		return err
	}
	r.bare, r.real = "127.0.0.1:"+strconv.Itoa(first), "127.0.0.1:"+strconv.Itoa(second)
	if _, err := r.fleet.SpawnSelf("bare", "--addr", r.bare, "--certificate", file); err != nil {
		return err
	}
	if _, err := r.fleet.SpawnWith([]string{"TLS_ADDR=" + r.real}, "web"); err != nil {
		return err
	}
	for _, name := range []string{"worker", "clock"} {
		if _, err := r.fleet.Spawn(name); err != nil {
			return err
		}
	}
	if err := r.fleet.WaitReady(ctx); err != nil {
		return err
	}
	if _, r.api, err = r.fleet.Account(ctx, "Bench", "scale"); err != nil {
		return err
	}
	return r.create(ctx, "bench-campaign")
}

// Certificates are not verified, because that is work of the client and not of the server.
func secureClient() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, ServerName: "localhost", InsecureSkipVerify: true}
}

func (r *run) secure(ctx context.Context) error {
	load := Load{
		Connections: r.Connections, Duration: r.Duration, Status: "302", TLS: secureClient(),
		Requests: visits(r.visitors, r.link.Host, r.link.RequestURI()),
	}
	warm := load
	warm.Addr, warm.Duration = r.real, 2*time.Second
	if _, err := r.visit(ctx, &turns{}, warm); err != nil {
		return err
	}
	for _, kind := range []struct {
		what  string
		fresh bool
		goal  float64
	}{{"kept connections", false, goalKept}, {"full handshakes", true, goalHandshakes}} {
		var bare, tracked turns
		bareLoad, realLoad := load, load
		bareLoad.Addr, realLoad.Addr = r.bare, r.real
		bareLoad.Fresh, realLoad.Fresh = kind.fresh, kind.fresh
		for i := range r.Rounds {
			if _, err := bare.run(ctx, bareLoad, r.fleet.Find("bare")); err != nil {
				return err
			}
			if _, err := r.visit(ctx, &tracked, realLoad); err != nil {
				return err
			}
			r.logf("TLS, %s, round %d of %d: bare %.0f/s, tracking link %.0f/s", kind.what, i+1, r.Rounds, bare.rates[i], tracked.rates[i])
		}
		ratio := median(tracked.rates) / median(bare.rates)
		r.add(fmt.Sprintf("TLS, %s: bare gin handler, %d connections", kind.what, r.Connections), bare.String(), "", true)
		r.add(fmt.Sprintf("TLS, %s: tracking link", kind.what), tracked.String(), "", true)
		r.add("tracking link / bare handler", fmt.Sprintf("%.2f", ratio), fmt.Sprintf(">= %.2f", kind.goal), ratio >= kind.goal)
	}
	return nil
}

// certificates measures a web process with many certificates: its start, its memory, and handshakes with all its hosts.
func (r *run) certificates(ctx context.Context) error {
	defer func() { _ = r.issuer.db.Close() }()
	light, _, err := r.secureAnother(ctx, "localhost")
	if err != nil {
		return err
	}
	if err := light.process.Terminate(ctx); err != nil {
		return err
	}
	hosts := make([]string, certificates)
	g, issuing := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for n := range hosts {
		hosts[n] = fmt.Sprintf("h%d.bench.example", n)
		g.Go(func() error {
			_, err := r.issuer.issue(issuing, hosts[n], int64(n)+3)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	heavy, address, err := r.secureAnother(ctx, hosts...)
	if err != nil {
		return err
	}
	r.add(fmt.Sprintf("start of a web process with %d certificates; of one with 1", certificates),
		short(heavy.started)+", "+short(light.started), "", true)
	r.add("memory per certificate", fmt.Sprintf("%.1f kB", float64(heavy.memory-light.memory)/certificates), "", true)
	requests := make([]Request, len(hosts)) // one for each name, so that a request is for the host of its handshake
	for n, host := range hosts {
		requests[n] = request(host, "/", r.visitors.People[n%len(r.visitors.People)], r.visitors.Addresses[n%len(r.visitors.Addresses)].IP, "en")
	}
	result, err := Load{
		Addr: address, Connections: r.Connections, Duration: 5 * r.Duration, Rate: handshakeRate, Status: "404", Fresh: true,
		TLS: secureClient(), Names: hosts, Requests: requests,
	}.Run(ctx)
	if err != nil {
		return err
	}
	r.add(fmt.Sprintf("%d handshakes/s over %d hosts, each with a request", handshakeRate, certificates),
		fmt.Sprintf("p50 %s  p99 %s", short(result.Percentile(0.5)), short(result.Percentile(0.99))), "", true)
	return nil
}

func (r *run) secureAnother(ctx context.Context, hosts ...string) (w web, address string, err error) {
	ports := make([]int, 0, 2)
	for range 2 {
		port, err := devstack.FreePort(ports...)
		if err != nil {
			return w, "", err
		}
		ports = append(ports, port)
	}
	base := &url.URL{Scheme: "http", Host: "127.0.0.1:" + strconv.Itoa(ports[0])}
	w.url, address = base.String(), "127.0.0.1:"+strconv.Itoa(ports[1])
	began := time.Now()
	env := []string{
		"PORT=" + strconv.Itoa(ports[0]), "OPS_ADDR=", "TLS_ADDR=" + address, "DATA_DIR=" + filepath.Join(r.fleet.Dir, "data-"+base.Port()),
	}
	if w.process, err = r.fleet.SpawnWith(env, "web"); err != nil {
		return w, "", err
	}
	starting, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for _, host := range []string{hosts[0], hosts[len(hosts)-1]} {
		err = client.Poll(starting, 20*time.Millisecond, func() (bool, error) {
			config := secureClient()
			config.ServerName = host
			conn, err := (&tls.Dialer{Config: config}).DialContext(starting, "tcp", address)
			if err == nil {
				_ = conn.Close()
			}
			return err == nil, nil
		})
		if err != nil {
			return w, "", fmt.Errorf("bench: a web process with %d certificates: %w", len(hosts), err)
		}
	}
	w.started = time.Since(began)
	w.memory, err = w.process.Memory("VmRSS")
	r.logf("a web process with %d certificates answers %s after its start and uses %d MB", len(hosts), short(w.started), w.memory>>10)
	return w, address, err
}
