package acme_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/db"
	"switchyard/db/certstore"
	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/models/parttest"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/issuer/acme"
	"switchyard/workers/issuer/acme/acmetest"
)

// env has a certificate store, and servers that answer challenges as web processes do. noHTTP and noTLS each switch off one
// kind of challenge.
type env struct {
	*testing.T
	db            *db.DB
	store         *certstore.Store
	http, tls     net.Listener
	answered      sync.Map // kinds of challenges
	noHTTP, noTLS bool
}

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{T: t, db: dbtest.New(t)}
	box, err := seal.New(w.db, bytes.Repeat([]byte("k"), 32))
	if err != nil {
		t.Fatal(err)
	}
	w.store = certstore.New(w.db, box)
	for _, l := range []*net.Listener{&w.http, &w.tls} {
		if *l, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	servers := []*http.Server{
		{Handler: http.HandlerFunc(w.answer), ReadHeaderTimeout: time.Minute},
		{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute},
	}
	go func() { _ = servers[0].Serve(w.http) }()
	go func() {
		_ = servers[1].Serve(tls.NewListener(w.tls, &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{"acme-tls/1"}, GetCertificate: w.challengeCertificate,
		}))
	}()
	t.Cleanup(func() {
		for _, s := range servers {
			_ = s.Close()
		}
	})
	return w
}

func (w *env) challenge(ctx context.Context, fits func(certstore.Challenge) bool) (certstore.Challenge, bool) {
	list, err := w.store.Challenges(ctx)
	if err != nil {
		w.Error(err)
	}
	for _, c := range list {
		if fits(c) {
			return c, true
		}
	}
	return certstore.Challenge{}, false
}

func (w *env) answer(rw http.ResponseWriter, r *http.Request) {
	c, ok := w.challenge(r.Context(), func(c certstore.Challenge) bool {
		return "/.well-known/acme-challenge/"+c.Token == r.URL.Path && strings.HasPrefix(r.Host, c.Host)
	})
	if !ok || w.noHTTP || c.PEM != nil {
		http.NotFound(rw, r)
		return
	}
	w.answered.Store("http", true)
	_, _ = rw.Write([]byte(c.Answer))
}

func (w *env) challengeCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c, ok := w.challenge(hello.Context(), func(c certstore.Challenge) bool { return c.PEM != nil && c.Host == hello.ServerName })
	if !ok || w.noTLS {
		return nil, errors.New("no challenge")
	}
	w.answered.Store("tls", true)
	pair, err := tls.X509KeyPair(c.PEM, c.PEM)
	return &pair, err
}

func (w *env) ca(eab map[string]string) *acmetest.CA {
	w.Helper()
	return acmetest.Start(w.T, acmetest.Options{
		DNS: acmetest.Everywhere(w.T), EAB: eab,
		HTTPPort: acmetest.Port(w.T, w.http.Addr().String()), TLSPort: acmetest.Port(w.T, w.tls.Addr().String()),
	})
}

// issuer returns the issuer of a process that trusts these CAs. It asks only the first, unless o.CAs is set.
func (w *env) issuer(o acme.Options, trusted ...*acmetest.CA) *acme.Issuer {
	w.Helper()
	var all []byte
	for _, ca := range trusted {
		text, err := os.ReadFile(ca.CAFile)
		if err != nil {
			w.Fatal(err)
		}
		all = append(all, text...)
		if o.CAs == nil {
			o.CAs = []acme.CA{{Directory: ca.Directory}}
		}
	}
	file := filepath.Join(w.TempDir(), "ca.pem")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		w.Fatal(err)
	}
	out, err := egress.New(egress.Options{Allow: egresstest.Loopback, CAFile: file, MaxBody: acme.MaxBody})
	if err != nil {
		w.Fatal(err)
	}
	o.Store, o.Egress = w.store, out
	return acme.New(o)
}

func leaf(t *testing.T, c certstore.Certificate) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(c.PEM, c.PEM)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

func verify(t *testing.T, c certstore.Certificate, ca *acmetest.CA) {
	t.Helper()
	pair, err := tls.X509KeyPair(c.PEM, c.PEM)
	if err != nil {
		t.Fatal(err)
	}
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		between.AddCert(cert)
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: c.Host, Roots: ca.Roots(), Intermediates: between}); err != nil {
		t.Errorf("%s: %v", c.Host, err)
	}
}

// TestIssue checks that a certificate is issued, stored, and renewed when the CA advises it, and that no key is in the database
// in plain text.
func TestIssue(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	w := newEnv(t)
	ca := w.ca(nil)
	i := w.issuer(acme.Options{Email: "ops@example.org"}, ca)
	c, err := i.Ensure(t.Context(), "go.shop.example")
	if err != nil {
		t.Fatal(err)
	}
	verify(t, c, ca)
	first := leaf(t, c)
	if left := first.NotAfter.Sub(c.RenewAt); left <= 0 || left > first.NotAfter.Sub(first.NotBefore)/2 {
		t.Errorf("the certificate is to be renewed %s before it expires", left)
	}
	if again, err := i.Ensure(t.Context(), "go.shop.example"); err != nil || !bytes.Equal(again.PEM, c.PEM) || ca.Orders() != 1 {
		t.Errorf("after a second Ensure: %d orders, want the same certificate after 1: %v", ca.Orders(), err)
	}

	ca.RenewNow(first)
	if advised, ok, err := i.RenewalAdvice(t.Context(), "go.shop.example"); err != nil || !ok || advised.RenewAt.After(time.Now()) {
		t.Errorf("RenewalAdvice returns the renewal time %s, %t, %v", advised.RenewAt, ok, err)
	}
	renewed, err := i.Ensure(t.Context(), "go.shop.example")
	if err != nil {
		t.Fatal(err)
	}
	verify(t, renewed, ca)
	if second := leaf(t, renewed); second.SerialNumber.Cmp(first.SerialNumber) == 0 || ca.Orders() != 2 ||
		!strings.Contains(ca.Log(), "is a replacement of") || renewed.RenewAt.Before(time.Now()) {
		t.Errorf("after the renewal: %d orders, next renewal at %s", ca.Orders(), renewed.RenewAt)
	}
	noKeyIn(t, w.db, renewed.PEM)

	if err := w.store.Delete(t.Context(), "go.shop.example"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := w.store.Find(t.Context(), "go.shop.example"); ok || err != nil {
		t.Errorf("the released certificate is still stored: %t, %v", ok, err)
	}
}

// noKeyIn fails the test if a row of any table contains the PEM header of a private key, or the private number of the key in the
// given PEM text.
func noKeyIn(t *testing.T, d *db.DB, text []byte) {
	t.Helper()
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	secret := hex.EncodeToString(der[36:68]) // the private number of a P-256 key
	var tables []string
	if err := d.SelectContext(t.Context(), &tables, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, table := range tables {
		var found []string
		if err := d.SelectContext(t.Context(), &found, `SELECT x::text FROM `+table+` x`); err != nil {
			t.Fatal(err)
		}
		for _, row := range found {
			rows++
			if strings.Contains(row, "PRIVATE KEY") || strings.Contains(row, secret) || strings.Contains(row, fmt.Sprintf("%x", "PRIVATE KEY")) {
				t.Errorf("table %s has a key in plain text: %.200s", table, row)
			}
		}
	}
	if len(tables) < 20 || rows < 2 {
		t.Errorf("only %d rows of %d tables were checked", rows, len(tables))
	}
}

// TestChallenges checks that either kind of challenge is enough, and that Ensure returns a reason if none can be answered.
func TestChallenges(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	for _, kind := range []string{"http", "tls", "none"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			w.noHTTP, w.noTLS = kind != "http", kind != "tls"
			ca := w.ca(nil)
			c, err := w.issuer(acme.Options{}, ca).Ensure(t.Context(), "go.shop.example")
			if kind == "none" {
				r, ok := errors.AsType[*acme.RefusalError](err)
				if !ok || r.Code == "unreachable" || r.Message == "" {
					t.Errorf("%+v, %v", r, err)
				}
				if left, err := w.store.Challenges(t.Context()); err != nil || len(left) != 0 {
					t.Errorf("%d challenges were not deleted, %v", len(left), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			verify(t, c, ca)
			if _, ok := w.answered.Load(kind); !ok {
				t.Error("a certificate was issued, but no challenge of this kind was answered")
			}
		})
	}
}

// TestSeveralCAs checks that the next CA is asked while one is unavailable. A CA can require the key of an external account. An
// account that a CA has lost is created again.
func TestSeveralCAs(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	w := newEnv(t)
	secret := "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"
	down, second := w.ca(nil), w.ca(map[string]string{"kid-1": secret})
	down.Stop()
	cas := []acme.CA{{Directory: down.Directory}, {Directory: second.Directory, EABKey: "kid-1", EABSecret: secret}}
	i := w.issuer(acme.Options{CAs: cas}, down, second)
	c, err := i.Ensure(t.Context(), "one.shop.example")
	if err != nil {
		t.Fatal(err)
	}
	if verify(t, c, second); c.CA != second.Directory {
		t.Errorf("the certificate was issued by %s, want the second CA", c.CA)
	}
	wrong := w.issuer(acme.Options{Email: "x@example.org", CAs: []acme.CA{{Directory: second.Directory}}}, second)
	_, err = wrong.Ensure(t.Context(), "two.shop.example")
	if r, ok := errors.AsType[*acme.RefusalError](err); !ok || r.Code != "externalAccountRequired" {
		t.Errorf("without the key of an external account: %v", err)
	}
	second.Stop()
	_, err = i.Ensure(t.Context(), "two.shop.example")
	if r, ok := errors.AsType[*acme.RefusalError](err); !ok || r.Code != "unreachable" {
		t.Errorf("with all CAs down: %v, want unreachable", err)
	}
	second.Restart()
	if c, err = i.Ensure(t.Context(), "two.shop.example"); err != nil {
		t.Fatal(err)
	}
	verify(t, c, second)
}

// TestNotStored checks that a certificate that PostgreSQL refuses at first is stored later, and not ordered again.
func TestNotStored(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	w := newEnv(t)
	ca := w.ca(nil)
	_, err := w.db.ExecContext(t.Context(), `
CREATE SEQUENCE refusals;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF nextval('refusals') < 3 THEN RAISE EXCEPTION 'not now'; END IF;
	RETURN new;
END $$;
CREATE TRIGGER refuse BEFORE UPDATE OF sealed ON edge_hosts FOR EACH ROW EXECUTE FUNCTION refuse()`)
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.issuer(acme.Options{}, ca).Ensure(t.Context(), "go.shop.example")
	if err != nil {
		t.Fatal(err)
	}
	verify(t, c, ca)
	if kept, ok, err := w.store.Find(t.Context(), "go.shop.example"); err != nil || !ok || !bytes.Equal(kept.PEM, c.PEM) || ca.Orders() != 1 {
		t.Errorf("stored: %t, %d orders, %v", ok, ca.Orders(), err)
	}
}

// TestOneIssuer checks that only one of several processes orders the certificate, and that an issuer that has lost its host
// stores nothing.
func TestOneIssuer(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	w := newEnv(t)
	ca := w.ca(nil)
	issuers, got := make([]*acme.Issuer, 6), make([]certstore.Certificate, 6)
	for n := range issuers {
		issuers[n] = w.issuer(acme.Options{}, ca)
	}
	for _, busy := range []bool{true, false} {
		var all sync.WaitGroup
		for n, i := range issuers {
			all.Go(func() {
				var err error
				if got[n], err = i.Ensure(t.Context(), "go.shop.example"); err != nil && (!busy || !errors.Is(err, acme.ErrBusy)) {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	for _, c := range got {
		if len(c.PEM) == 0 || !bytes.Equal(c.PEM, got[0].PEM) {
			t.Error("the processes have different certificates, or no certificate")
		}
	}
	if ca.Orders() != 1 || ca.Accounts() != 1 {
		t.Errorf("%d orders by %d accounts, want 1 by 1", ca.Orders(), ca.Accounts())
	}
	fence, ok, err := w.store.Claim(t.Context(), "go.shop.example", time.Minute)
	if err != nil || !ok {
		t.Fatalf("claim: %t, %v", ok, err)
	}
	if _, ok, err := w.store.Claim(t.Context(), "go.shop.example", time.Minute); ok || err != nil {
		t.Errorf("a second claim of the host was not refused: %v", err)
	}
	if err := w.store.Delete(t.Context(), "go.shop.example"); err != nil {
		t.Fatal(err)
	}
	late := certstore.Certificate{Host: "go.shop.example", PEM: []byte("x"), NotAfter: time.Now(), RenewAt: time.Now()}
	if err := w.store.Save(t.Context(), fence, late); !errors.Is(err, certstore.ErrLost) {
		t.Errorf("an issuer that had lost the host stored its certificate: %v", err)
	}
	if err := w.store.Extend(t.Context(), "go.shop.example", fence, time.Minute); !errors.Is(err, certstore.ErrLost) {
		t.Errorf("an issuer that had lost the host extended its claim: %v", err)
	}
	if left, err := w.store.Versions(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("after the release, certificates are still stored: %v, %v", left, err)
	}
}
