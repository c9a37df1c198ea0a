// Package acme is the issuer of an install that serves HTTPS itself. It obtains certificates from CAs by ACME for verified
// domains and for the install's own hosts. It renews them when the CA advises it or, without advice, when a third of their
// lifetime is left.
//
// The ACME client is acmez, which sends requests through the client of workers/egress. Web processes serve the answers to a CA's
// challenges, which are stored in the database. Only one process at a time works on the certificate of a host. If it dies,
// another starts over when the lease ends.
package acme

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"switchyard/db/certstore"
	"switchyard/models/interval"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// CA is a certificate authority.
type CA struct {
	Directory string // URL of the ACME directory
	// EABKey and EABSecret bind our ACME account to an account at the CA, if it requires that.
	EABKey, EABSecret string
}

// Options are the options of New.
type Options struct {
	Store  *certstore.Store
	Egress *egress.Client // must accept answers of MaxBody bytes
	CAs    []CA           // if one fails, the next is asked
	Email  string         // contact address for CAs; may be empty
	Now    func() time.Time
	Lease  time.Duration // of a claim on a host; default half a minute
}

// MaxBody is the maximum size of a CA's answer in bytes.
const MaxBody = 256 << 10

// Time limits.
const (
	defaultLease = 30 * time.Second
	pollTimeout  = 90 * time.Second // for one validation, and for one finalization
	issueTime    = 4 * time.Minute  // for all orders of a certificate at one CA
	callTime     = 20 * time.Second // for one request
)

// atOnce is the number of hosts for which a process obtains certificates in parallel. Others wait.
const atOnce = 16

// An account of this install may make AccountOrders orders at once, and one more after each AccountOrderInterval. Renewals do not
// count. Let's Encrypt accepts 300 orders in three hours from an install. One account can use at most 180 of them.
const (
	AccountOrders        = 150
	AccountOrderInterval = 6 * time.Minute
)

// Issuer obtains certificates. It is safe for concurrent use.
type Issuer struct {
	o      Options
	cas    []*authority
	places chan struct{}

	mu      sync.Mutex
	running map[string]*running
}

type authority struct {
	CA
	client *acmez.Client

	mu      sync.Mutex
	account *acme.Account // nil until this process has asked for it
}

// New returns an Issuer.
func New(o Options) *Issuer {
	o.Now = workers.Clock(o.Now)
	o.Lease = cmp.Or(o.Lease, defaultLease)
	i := &Issuer{o: o, places: make(chan struct{}, atOnce), running: map[string]*running{}}
	solver := solver{o.Store}
	for _, ca := range o.CAs {
		i.cas = append(i.cas, &authority{CA: ca, client: &acmez.Client{
			Client: &acme.Client{
				Directory: ca.Directory, HTTPClient: o.Egress.HTTP(callTime), UserAgent: "switchyard", PollTimeout: pollTimeout,
			},
			ChallengeSolvers: map[string]acmez.Solver{
				acme.ChallengeTypeHTTP01: solver, acme.ChallengeTypeTLSALPN01: solver,
			},
		}})
	}
	return i
}

// ErrBusy means that another issuer is working on the certificate.
var ErrBusy = errors.New("acme: another issuer is working on the certificate of the host")

// Ensure returns a host's certificate. If the certificate is missing or due for renewal, Ensure first obtains a new one. If a
// renewal fails, the old certificate stays stored. The error is ErrBusy, a *RefusalError, or an error of the context or of the
// certificate store, for example certstore.ErrLost.
func (i *Issuer) Ensure(ctx context.Context, host string) (certstore.Certificate, error) {
	if c, ok, err := i.fresh(ctx, host); err != nil || ok {
		return c, err
	}
	select {
	case i.places <- struct{}{}:
		defer func() { <-i.places }()
	case <-ctx.Done():
		return certstore.Certificate{}, ctx.Err()
	}
	fence, ok, err := i.o.Store.Claim(ctx, host, i.o.Lease)
	if err != nil {
		return certstore.Certificate{}, err
	}
	if !ok {
		return certstore.Certificate{}, ErrBusy
	}
	ctx, stop := i.extendClaim(ctx, host, fence)
	defer stop()
	if c, ok, err := i.fresh(ctx, host); err != nil || ok { // another issuer may have been faster
		return c, err
	}
	return i.issue(ctx, host, fence)
}

// fresh returns the host's certificate. ok is false if it is missing or due for renewal.
func (i *Issuer) fresh(ctx context.Context, host string) (c certstore.Certificate, ok bool, err error) {
	c, ok, err = i.o.Store.Find(ctx, host)
	return c, ok && i.o.Now().Before(c.RenewAt), err
}

// extendClaim extends the claim of a host until stop is called, which ends the claim. The returned context ends when another
// issuer takes over the host, but not while PostgreSQL is merely unavailable.
//
// workers.MaintainLease would also end when PostgreSQL has not answered for the length of a lease. Continuing does no harm here,
// because Save refuses an issuer that has lost the host. Stopping would do harm, because orders at the CA count against the
// limits of this install.
func (i *Issuer) extendClaim(ctx context.Context, host string, fence int64) (held context.Context, stop func()) {
	held, cancel := context.WithCancelCause(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(i.o.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-tick.C:
			}
			if err := i.o.Store.Extend(held, host, fence, i.o.Lease); errors.Is(err, certstore.ErrLost) {
				cancel(err)
				return
			}
		}
	})
	return held, func() {
		cancel(nil)
		done.Wait()
		free, end := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer end()
		if err := i.o.Store.EndClaim(free, host, fence); err != nil {
			slog.WarnContext(ctx, "claim of a host not released, it ends with its lease", "host", host, "error", err)
		}
	}
}

// issue asks the CAs one after the other until one issues the certificate, and stores it. If all of them fail, the error is a
// *RefusalError.
func (i *Issuer) issue(ctx context.Context, host string, fence int64) (c certstore.Certificate, err error) {
	old, _, err := i.o.Store.Find(ctx, host)
	if err != nil {
		return c, err
	}
	var refused error
	for _, ca := range i.cas {
		began := time.Now()
		if c, err = i.obtain(ctx, ca, host, old); err == nil {
			if err = i.save(ctx, fence, c); err == nil {
				slog.InfoContext(ctx, "certificate issued", "host", host, "ca", ca.Directory, "not_after", c.NotAfter,
					"ms", time.Since(began).Milliseconds())
			}
			return c, err
		}
		if cause := context.Cause(ctx); cause != nil {
			return c, cause
		}
		slog.WarnContext(ctx, "no certificate", "host", host, "ca", ca.Directory, "error", err)
		refused = moreTelling(refused, err)
	}
	return c, refusal(refused)
}

// saveRetryWait is the wait between two attempts to store a certificate.
const saveRetryWait = time.Second

// save stores a certificate. While PostgreSQL is unavailable, it retries until the context ends, because the certificate would
// otherwise have to be ordered again. The error is certstore.ErrLost if another issuer has taken over the host.
func (i *Issuer) save(ctx context.Context, fence int64, c certstore.Certificate) error {
	for {
		err := i.o.Store.Save(ctx, fence, c)
		if err == nil || errors.Is(err, certstore.ErrLost) {
			return err
		}
		slog.WarnContext(ctx, "certificate not stored yet", "host", c.Host, "error", err)
		if interval.Sleep(ctx, saveRetryWait) != nil {
			return err
		}
	}
}

// obtain obtains a certificate from one CA. If the CA no longer knows our account, obtain creates the account again with the same
// key. If the CA no longer knows the certificate to be replaced, the order does not name the old certificate.
func (i *Issuer) obtain(ctx context.Context, ca *authority, host string, old certstore.Certificate) (certstore.Certificate, error) {
	ctx, cancel := context.WithTimeout(ctx, issueTime)
	defer cancel()
	c, err := i.order(ctx, ca, host, old)
	if isProblem(err, acme.ProblemTypeAccountDoesNotExist) {
		ca.mu.Lock()
		ca.account = nil
		ca.mu.Unlock()
		c, err = i.order(ctx, ca, host, old)
	}
	if old.CA == ca.Directory && isProblem(err, acme.ProblemTypeMalformed) {
		c, err = i.order(ctx, ca, host, certstore.Certificate{})
	}
	return c, err
}

func (i *Issuer) order(ctx context.Context, ca *authority, host string, old certstore.Certificate) (out certstore.Certificate, err error) {
	account, err := i.accountAt(ctx, ca)
	if err != nil {
		return out, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return out, err
	}
	csr, err := acmez.NewCSR(key, []string{host})
	if err != nil {
		return out, fmt.Errorf("acme: request for %s: %w", host, err)
	}
	params, err := acmez.OrderParametersFromCSR(account, csr)
	if err != nil {
		return out, fmt.Errorf("acme: order for %s: %w", host, err)
	}
	if old.CA == ca.Directory {
		params.Replaces, _ = leafOf(old.PEM) // on an error, the order names no certificate to replace
	}
	chains, err := ca.client.ObtainCertificate(ctx, params)
	if err != nil {
		return out, err
	}
	if len(chains) == 0 {
		return out, errors.New("acme: the CA gave no certificate")
	}
	return i.pack(ctx, ca, host, key, chains[0].ChainPEM)
}

func (i *Issuer) pack(ctx context.Context, ca *authority, host string, key *ecdsa.PrivateKey, chain []byte) (out certstore.Certificate, err error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return out, err
	}
	keyAndChain := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), chain...)
	leaf, err := leafOf(keyAndChain)
	if err == nil {
		err = leaf.VerifyHostname(host)
	}
	if err != nil {
		return out, fmt.Errorf("acme: the CA's certificate is not valid for %s: %w", host, err)
	}
	out = certstore.Certificate{Host: host, PEM: keyAndChain, CA: ca.Directory, NotAfter: leaf.NotAfter}
	out.RenewAt = i.renewal(ctx, ca, leaf)
	// A CA may advise to renew a certificate immediately. The renewal then waits for a tenth of the certificate's lifetime.
	if soonest := i.o.Now().Add(lifetime(leaf) / 10); out.RenewAt.Before(soonest) {
		out.RenewAt = soonest
	}
	return out, nil
}

func lifetime(leaf *x509.Certificate) time.Duration { return leaf.NotAfter.Sub(leaf.NotBefore) }

// renewal returns when to renew a certificate: at the time that the CA advises, but no later than when a tenth of its lifetime is
// left, and without advice when a third is left.
func (i *Issuer) renewal(ctx context.Context, ca *authority, leaf *x509.Certificate) time.Time {
	unadvised := leaf.NotAfter.Add(-lifetime(leaf) / 3)
	info, err := ca.client.GetRenewalInfo(ctx, leaf)
	if err != nil || info.SelectedTime.IsZero() {
		return unadvised
	}
	if latest := leaf.NotAfter.Add(-lifetime(leaf) / 10); info.SelectedTime.After(latest) {
		return latest
	}
	return info.SelectedTime
}

// RenewalAdvice asks the CA again when to renew the host's certificate, and returns the certificate. ok is false if it is
// missing.
func (i *Issuer) RenewalAdvice(ctx context.Context, host string) (c certstore.Certificate, ok bool, err error) {
	c, ok, err = i.o.Store.Find(ctx, host)
	if err != nil || !ok {
		return c, ok, err
	}
	leaf, err := leafOf(c.PEM)
	if err != nil {
		return c, false, err
	}
	for _, ca := range i.cas {
		if ca.Directory == c.CA {
			limited, cancel := context.WithTimeout(ctx, callTime)
			at := i.renewal(limited, ca, leaf)
			cancel()
			if at.Before(c.RenewAt) { // RenewAt only moves to an earlier time
				c.RenewAt = at
				err = i.o.Store.SetRenewal(ctx, host, at)
			}
		}
	}
	return c, true, err
}

func leafOf(text []byte) (*x509.Certificate, error) {
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, fmt.Errorf("acme: certificate: %w", err)
	}
	return pair.Leaf, nil
}
