// Package certs terminates TLS in the web process, with the certificates that workers have obtained. A sealed copy of each
// certificate is kept on disk, so that a process that restarts while PostgreSQL is down can serve it.
package certs

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"switchyard/db"
	"switchyard/db/certstore"
	"switchyard/db/seal"
	"switchyard/models/interval"
)

// Store reads certificates and challenges. *certstore.Store implements it.
type Store interface {
	Versions(ctx context.Context) (map[string]int64, error)
	Load(ctx context.Context, hosts []string) ([]certstore.Sealed, error)
	Open(ctx context.Context, c certstore.Sealed) ([]byte, error)
	Challenges(ctx context.Context) ([]certstore.Challenge, error)
}

// Options are the settings of New.
type Options struct {
	Store Store
	URL   string // the database's URL, for the connection that listens to changes
	Dir   string // the directory of the copies on disk; if it is empty, no copies are kept
	// Serves reports whether this install answers for a host. It must be a look-up in memory.
	Serves func(host string) bool
	// Missing is called for a host for which Serves returns true but which has no certificate, at most once a minute for each host.
	// It may be nil.
	Missing func(ctx context.Context, host string) error
	// OwnHosts lists the install's own hosts. Metrics show the remaining life of their certificates, because no account has an alert
	// for them.
	OwnHosts []string
}

const (
	resyncEvery = 5 * time.Minute // in case a notice was missed
	retryAfter  = time.Second
	loadAtOnce  = 200
	loadTime    = 30 * time.Second
	maxNoticed  = 10_000 // hosts whose notices wait to be handled; at the limit all certificates are compared instead
)

// Certificates holds the certificates of all hosts. It is safe for concurrent use.
type Certificates struct {
	options Options
	metrics metrics

	mu      sync.RWMutex
	hosts   map[string]*entry
	issuers map[[32]byte]*issuer // the intermediates, which many certificates share, by their SHA-256

	noticedMu sync.Mutex
	noticed   map[string]bool
	resync    bool
	wake      chan struct{}

	challenges challenges
	missing    missing
}

// entry is the certificate of a host.
type entry struct {
	cert        *tls.Certificate
	version     int64
	issuers     [][32]byte // the keys of its intermediates in Certificates.issuers
	begins, end int64      // the bounds of its validity, in seconds since 1970
}

// issuer is an intermediate certificate.
type issuer struct {
	der  []byte
	uses int // the number of certificates that it belongs to
}

// New returns a Certificates that holds no certificate yet.
func New(o Options) *Certificates {
	c := &Certificates{
		options: o, metrics: newMetrics(), hosts: map[string]*entry{}, issuers: map[[32]byte]*issuer{},
		noticed: map[string]bool{}, wake: make(chan struct{}, 1), missing: newMissing(),
	}
	c.challenges.store = o.Store
	return c
}

// Start loads the copies on disk and then the certificates in PostgreSQL.
func (c *Certificates) Start(ctx context.Context) {
	c.readCopies(ctx)
	limited, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	if err := c.compare(limited); err != nil {
		slog.WarnContext(ctx, "certificates cannot be read from postgres, serving the copies on disk", "error", err, "copies", c.Len())
	}
}

// Run keeps the certificates up to date until the context ends.
func (c *Certificates) Run(ctx context.Context) {
	var others sync.WaitGroup
	defer others.Wait()
	others.Go(func() {
		if err := db.Listen(ctx, c.options.URL, certstore.Channel, c.handleNotice); err != nil {
			slog.ErrorContext(ctx, "cannot listen to changes of certificates", "error", err)
		}
	})
	others.Go(func() { c.reportMissing(ctx) })
	others.Go(func() { interval.Every(ctx, resyncEvery, func() { c.noticeResync() }) })
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
			if err := c.refresh(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "certificates could not be refreshed", "error", err)
				_ = interval.Sleep(ctx, retryAfter) // the loop checks the context
				c.signal()
			}
		}
	}
}

func (c *Certificates) handleNotice(ctx context.Context, n db.Notice) {
	if n.Resync || n.Payload == certstore.AboutChallenges {
		c.challenges.reload(ctx)
	}
	if n.Payload != certstore.AboutChallenges {
		if n.Resync || n.Payload == "" {
			c.noticeResync()
		} else {
			c.notice(n.Payload)
		}
	}
}

// notice makes the next refresh load a host's certificate. If too many hosts wait for that already, the next refresh compares all certificates.
func (c *Certificates) notice(host string) {
	c.noticedMu.Lock()
	if len(c.noticed) >= maxNoticed {
		c.resync = true
	} else {
		c.noticed[host] = true
	}
	c.noticedMu.Unlock()
	c.signal()
}

// noticeResync makes the next refresh compare all certificates.
func (c *Certificates) noticeResync() {
	c.noticedMu.Lock()
	c.resync = true
	c.noticedMu.Unlock()
	c.signal()
}

// signal wakes Run for a refresh.
func (c *Certificates) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// refresh loads the certificates of the hosts that notices have named, or compares all certificates.
func (c *Certificates) refresh(ctx context.Context) error {
	c.noticedMu.Lock()
	hosts, resync := c.noticed, c.resync
	c.noticed, c.resync = map[string]bool{}, false
	c.noticedMu.Unlock()
	limited, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	var err error
	if resync {
		err = c.compare(limited)
	} else {
		err = c.load(limited, slices.Collect(maps.Keys(hosts)))
	}
	if err != nil {
		c.noticedMu.Lock()
		maps.Copy(c.noticed, hosts)
		c.resync = c.resync || resync
		c.noticedMu.Unlock()
	}
	return err
}

// compare brings memory and disk in line with PostgreSQL.
func (c *Certificates) compare(ctx context.Context) error {
	versions, err := c.options.Store.Versions(ctx)
	if err != nil {
		return err
	}
	var changed []string
	c.mu.RLock()
	for host, version := range versions {
		if e := c.hosts[host]; e == nil || e.version != version {
			changed = append(changed, host)
		}
	}
	for host := range c.hosts {
		if _, ok := versions[host]; !ok {
			changed = append(changed, host)
		}
	}
	c.mu.RUnlock()
	if err := c.load(ctx, changed); err != nil {
		return err
	}
	c.pruneCopies(ctx, versions)
	return nil
}

// load reads the certificates of hosts from PostgreSQL and writes their copies.
func (c *Certificates) load(ctx context.Context, hosts []string) error {
	for chunk := range slices.Chunk(hosts, loadAtOnce) {
		list, err := c.options.Store.Load(ctx, chunk)
		if err != nil {
			return err
		}
		found := make(map[string]bool, len(list))
		var unusable unusable
		for _, s := range list {
			found[s.Host] = true
			if err := c.install(ctx, s); err != nil {
				unusable.add(s.Host, err)
				continue
			}
			c.writeCopy(ctx, s)
		}
		if unusable.count > 0 {
			slog.ErrorContext(ctx, "certificates in postgres are not usable, workers obtain new ones", "unusable", unusable)
		}
		for _, host := range chunk {
			if !found[host] {
				c.set(host, nil)
				c.removeCopy(ctx, host)
			}
		}
	}
	return nil
}

// install opens a certificate and serves it from now on.
func (c *Certificates) install(ctx context.Context, s certstore.Sealed) error {
	text, err := c.options.Store.Open(ctx, s)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return err
	}
	if pair.Leaf.VerifyHostname(s.Host) != nil {
		return errors.New("certs: the certificate belongs to another host")
	}
	e := &entry{cert: &pair, version: s.Version, begins: pair.Leaf.NotBefore.Unix(), end: pair.Leaf.NotAfter.Unix()}
	pair.Leaf = nil // a server does not need the parsed certificate, and it takes the most memory
	c.set(s.Host, e)
	return nil
}

// unusable counts certificates that cannot be used, and keeps the host and error of the first one.
type unusable struct {
	count int
	host  string
	err   error
}

func (u *unusable) add(host string, err error) {
	if u.count++; u.count == 1 {
		u.host, u.err = host, err
	}
}

// LogValue implements slog.LogValuer.
func (u unusable) LogValue() slog.Value {
	if errors.Is(u.err, seal.ErrOpen) {
		u.err = fmt.Errorf("%w: is ENCRYPTION_KEY the same in all processes?", u.err)
	}
	return slog.GroupValue(slog.Int("count", u.count), slog.String("first", u.host), slog.Any("error", u.err))
}

// set replaces the certificate of a host. A nil entry removes it.
func (c *Certificates) set(host string, e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.hosts[host]; old != nil {
		for _, key := range old.issuers {
			if i := c.issuers[key]; i.uses > 1 {
				i.uses--
			} else {
				delete(c.issuers, key)
			}
		}
	}
	if e == nil {
		delete(c.hosts, host)
		return
	}
	for n, der := range e.cert.Certificate[1:] {
		key := sha256.Sum256(der)
		i := c.issuers[key]
		if i == nil {
			i = &issuer{der: der}
			c.issuers[key] = i
		}
		i.uses++
		e.cert.Certificate[n+1] = i.der
		e.issuers = append(e.issuers, key)
	}
	c.hosts[host] = e
}

// Has reports whether a host has a certificate.
func (c *Certificates) Has(host string) bool { return c.find(host) != nil }

// Len returns the number of certificates.
func (c *Certificates) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.hosts)
}

// lifetimeLeft returns the remaining share of the lifetime of a host's certificate, between 0 and 1.
func (c *Certificates) lifetimeLeft(host string, now time.Time) float64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e := c.hosts[host]
	if e == nil || e.end <= e.begins {
		return 0
	}
	return min(1, max(0, float64(e.end-now.Unix())/float64(e.end-e.begins)))
}

func (c *Certificates) find(host string) *tls.Certificate {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if e := c.hosts[host]; e != nil {
		return e.cert
	}
	return nil
}

// challengeProtocol is the only protocol that a CA offers in a TLS-ALPN-01 handshake.
const challengeProtocol = "acme-tls/1"

// Config returns the TLS settings of a listener. They allow only authenticated ciphers for TLS 1.2. TLS 1.3 has no others.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1", challengeProtocol}, GetCertificate: c.forHandshake,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
	}
}

// forHandshake returns the certificate for a handshake. If it returns nil, the handshake ends with the alert unrecognized_name.
func (c *Certificates) forHandshake(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	host := strings.TrimSuffix(strings.ToLower(hello.ServerName), ".")
	if len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == challengeProtocol {
		return c.forChallenge(hello.Context(), host), nil
	}
	cert := c.find(host)
	switch {
	case cert != nil:
		c.metrics.served.Inc()
	case host == "" || !c.options.Serves(host):
		c.metrics.unknown.Inc()
	default:
		c.metrics.missing.Inc()
		c.missing.add(host)
	}
	return cert, nil
}
