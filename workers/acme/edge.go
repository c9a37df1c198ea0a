package acme

import (
	"context"
	"errors"
	"sync"
	"time"

	"switchyard/db/certstore"
	"switchyard/models"
)

// Edge is the install's own edge. An Issuer obtains its certificates, and web processes serve them.
type Edge struct {
	issuer *Issuer

	mu      sync.Mutex
	running map[string]*running // by host
}

// running is an order that is under way in this process.
type running struct {
	done chan struct{}
	cert certstore.Certificate
	err  error
}

// NewEdge makes the edge of an issuer.
func NewEdge(i *Issuer) *Edge { return &Edge{issuer: i, running: map[string]*running{}} }

// Name names the edge.
func (*Edge) Name() string { return models.EdgeOwn }

// requestTime is how long a request waits for its certificate. An order that takes longer goes on in the background.
const requestTime = 80 * time.Second

// Request obtains a host's certificate. It refuses a host that is not verified, so that no account can use up the limits that
// CAs set for this install, or make CAs check other people's hosts.
func (e *Edge) Request(ctx context.Context, of models.Certificate) (models.CertificateState, error) {
	if !of.Verified {
		return models.CertificateState{}, models.EdgeError("unverified", "the domain has to be verified before it gets a certificate")
	}
	r := e.begin(ctx, of.Hostname)
	wait := time.NewTimer(requestTime)
	defer wait.Stop()
	select {
	case <-r.done:
		return e.told(of.Hostname, r.cert, r.err)
	case <-wait.C:
		return underWay(of.Hostname), nil
	case <-ctx.Done():
		return models.CertificateState{}, ctx.Err()
	}
}

// begin starts an order, or returns the order that is already under way in this process.
func (e *Edge) begin(ctx context.Context, host string) *running {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.running[host]; r != nil {
		return r
	}
	r := &running{done: make(chan struct{})}
	e.running[host] = r
	go func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Duration(len(e.issuer.cas))*issueTime)
		defer cancel()
		r.cert, r.err = e.issuer.Ensure(limited, host)
		e.mu.Lock()
		delete(e.running, host)
		e.mu.Unlock()
		close(r.done)
	}()
	return r
}

// told returns the state of a certificate after an order.
func (e *Edge) told(host string, c certstore.Certificate, err error) (models.CertificateState, error) {
	if errors.Is(err, ErrBusy) {
		return underWay(host), nil
	}
	if r, ok := errors.AsType[*RefusalError](err); ok {
		return models.CertificateState{}, models.EdgeError(r.Code, "%s", r.Message)
	}
	if err != nil {
		return models.CertificateState{}, err
	}
	return e.issued(c)
}

func underWay(host string) models.CertificateState {
	return models.CertificateState{
		ExternalID: host, SSLStatus: models.SSLPendingIssuance, Errors: []string{},
		Detail: "The certificate authority is being asked for the certificate.",
	}
}

// issued returns the state of a certificate that exists.
func (e *Edge) issued(c certstore.Certificate) (models.CertificateState, error) {
	leaf, err := leafOf(c.PEM)
	if err != nil {
		return models.CertificateState{}, err
	}
	s := models.CertificateState{
		ExternalID: c.Host, SSLStatus: models.SSLActive, Serving: true, Errors: []string{}, Detail: "HTTPS works.",
		IssuedAt: &leaf.NotBefore, ExpiresAt: &leaf.NotAfter, RenewAt: &c.RenewAt,
	}
	if !e.issuer.o.Now().Before(leaf.NotAfter) {
		s.SSLStatus, s.Serving, s.Detail = models.SSLExpired, false, "The certificate has expired and could not be renewed."
	}
	return s, nil
}

// Read returns the state of a host's certificate, and asks its CA when to renew it.
func (e *Edge) Read(ctx context.Context, of models.Certificate) (models.CertificateState, error) {
	c, ok, err := e.issuer.Advise(ctx, of.Hostname)
	switch {
	case err != nil:
		return models.CertificateState{}, err
	case ok:
		return e.issued(c)
	}
	busy, err := e.issuer.o.Store.Claimed(ctx, of.Hostname)
	if err != nil {
		return models.CertificateState{}, err
	}
	if busy {
		return underWay(of.Hostname), nil
	}
	// The process that was asking the CA has died, so the certificate has to be requested again.
	return models.CertificateState{SSLStatus: models.SSLIssuanceTimeout, Errors: []string{}, Detail: "The certificate was not issued."}, nil
}

// Release deletes a host's certificate and its key. It does not revoke the certificate, because no one else has the key.
func (e *Edge) Release(ctx context.Context, of models.Certificate) error {
	return e.issuer.o.Store.Release(ctx, of.Hostname)
}
