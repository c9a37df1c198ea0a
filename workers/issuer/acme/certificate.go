package acme

import (
	"context"
	"errors"
	"time"

	"switchyard/db/certstore"
	"switchyard/models"
)

// running is an order that is under way in this process.
type running struct {
	done chan struct{}
	cert certstore.Certificate
	err  error
}

// Name implements issuer.Issuer.
func (*Issuer) Name() string { return models.EdgeOwn }

// requestTime is how long Request waits for a certificate. A longer order continues in the background.
const requestTime = 80 * time.Second

// Request obtains a host's certificate. It refuses a host that is not verified. Otherwise an account could use up the limits that
// CAs set for this install, or make CAs check other people's hosts.
func (i *Issuer) Request(ctx context.Context, cert models.Certificate) (models.CertificateState, error) {
	if !cert.Verified {
		return models.CertificateState{}, models.EdgeError("unverified", "the domain has to be verified before it gets a certificate")
	}
	r := i.begin(ctx, cert.Hostname)
	wait := time.NewTimer(requestTime)
	defer wait.Stop()
	select {
	case <-r.done:
		return i.stateAfterOrder(cert.Hostname, r.cert, r.err)
	case <-wait.C:
		return underWay(cert.Hostname), nil
	case <-ctx.Done():
		return models.CertificateState{}, ctx.Err()
	}
}

// begin starts an order for a host, or returns the order that is under way in this process.
func (i *Issuer) begin(ctx context.Context, host string) *running {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r := i.running[host]; r != nil {
		return r
	}
	r := &running{done: make(chan struct{})}
	i.running[host] = r
	go func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Duration(len(i.cas))*issueTime)
		defer cancel()
		r.cert, r.err = i.Ensure(limited, host)
		i.mu.Lock()
		delete(i.running, host)
		i.mu.Unlock()
		close(r.done)
	}()
	return r
}

func (i *Issuer) stateAfterOrder(host string, c certstore.Certificate, err error) (models.CertificateState, error) {
	if errors.Is(err, ErrBusy) {
		return underWay(host), nil
	}
	if r, ok := errors.AsType[*RefusalError](err); ok {
		return models.CertificateState{}, models.EdgeError(r.Code, "%s", r.Message)
	}
	if err != nil {
		return models.CertificateState{}, err
	}
	return i.issued(c)
}

func underWay(host string) models.CertificateState {
	return models.CertificateState{
		ExternalID: host, SSLStatus: models.SSLPendingIssuance, Errors: []string{},
		Detail: "The certificate authority is being asked for the certificate.",
	}
}

func (i *Issuer) issued(c certstore.Certificate) (models.CertificateState, error) {
	leaf, err := leafOf(c.PEM)
	if err != nil {
		return models.CertificateState{}, err
	}
	s := models.CertificateState{
		ExternalID: c.Host, SSLStatus: models.SSLActive, Serving: true, Errors: []string{}, Detail: "HTTPS works.",
		IssuedAt: &leaf.NotBefore, ExpiresAt: &leaf.NotAfter, RenewAt: &c.RenewAt,
	}
	if !i.o.Now().Before(leaf.NotAfter) {
		s.SSLStatus, s.Serving, s.Detail = models.SSLExpired, false, "The certificate has expired and could not be renewed."
	}
	return s, nil
}

// Read returns the state of a host's certificate, and asks the CA when to renew it.
func (i *Issuer) Read(ctx context.Context, cert models.Certificate) (models.CertificateState, error) {
	c, ok, err := i.RenewalAdvice(ctx, cert.Hostname)
	switch {
	case err != nil:
		return models.CertificateState{}, err
	case ok:
		return i.issued(c)
	}
	busy, err := i.o.Store.Claimed(ctx, cert.Hostname)
	if err != nil {
		return models.CertificateState{}, err
	}
	if busy {
		return underWay(cert.Hostname), nil
	}
	// The order failed or its process died, so the certificate has to be requested again.
	return models.CertificateState{SSLStatus: models.SSLIssuanceTimeout, Errors: []string{}, Detail: "The certificate was not issued."}, nil
}

// Release deletes a host's certificate and its key. It need not revoke the certificate, which nothing can use without the key.
func (i *Issuer) Release(ctx context.Context, cert models.Certificate) error {
	return i.o.Store.Delete(ctx, cert.Hostname)
}
