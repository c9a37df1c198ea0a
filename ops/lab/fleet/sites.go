package fleet

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"time"
)

// Sites is an https server that stands in for servers of third parties, under their real names. The service trusts its
// certificate, because the authority of the Receiver has issued it.
type Sites struct {
	hosts   []string
	address string
	roots   *x509.CertPool
	server  *http.Server
}

// Sites starts a server for hosts on a free port of loopback.
func (r *Receiver) Sites(h http.Handler, hosts ...string) (*Sites, error) {
	cert, err := r.authority.issue(hosts...)
	if err != nil {
		return nil, fmt.Errorf("fleet: sites: %w", err)
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fleet: sites: %w", err)
	}
	s := &Sites{hosts: hosts, address: l.Addr().String(), roots: x509.NewCertPool()}
	s.roots.AddCert(r.authority.cert)
	s.server = &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	go func() { _ = s.server.ServeTLS(l, "", "") }()
	return s, nil
}

// Setting returns the setting that makes the service connect to this server for the hosts.
func (s *Sites) Setting() string {
	list := make([]string, len(s.hosts))
	for i, host := range s.hosts {
		list[i] = host + "=" + s.address
	}
	return "EGRESS_HOSTS=" + strings.Join(list, ",")
}

// Transport returns a transport that sends every request of a test to this server.
func (s *Sites) Transport() http.RoundTripper {
	return &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.address)
		},
	}
}

// Close ends the server.
func (s *Sites) Close() error { return s.server.Close() }

// authority issues certificates for servers on this machine.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "switchyard test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, err
}

// issue issues a certificate for the names, and for 127.0.0.1.
func (a *authority) issue(names ...string) (leaf tls.Certificate, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return leaf, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return leaf, err
	}
	site := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: names[0]},
		NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: names,
	}
	der, err := x509.CreateCertificate(rand.Reader, site, a.cert, &key.PublicKey, a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
