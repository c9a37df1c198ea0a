package issuer

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

func (w *worker) request(ctx context.Context, args jobs.CertificateArgs) (out jobs.Certificate, err error) {
	account := workers.Account(ctx)
	d, err := w.store.Domains().Find(ctx, account, args.Domain)
	switch {
	case err != nil:
		return out, err
	case w.o.Issuer == nil:
		return out, models.EdgeNotConfigured()
	case !w.o.TrustsAll && !d.IsVerified:
		return out, models.EdgeError("unverified", "the domain has to be verified first: see POST /domains/{id}/verify")
	}
	c, err := w.store.Certificates().Find(ctx, account, args.Domain)
	if err != nil {
		return out, err
	}
	if c.Wanted && w.isRecent(c) && c.Failure == "" {
		return jobAnswer(c), nil
	}
	id := store.CertificateOf{AccountID: account, DomainID: args.Domain}
	if err := w.store.Certificates().Request(ctx, id, w.o.Issuer.Name(), w.o.Now()); err != nil {
		return out, err
	}
	return w.queryNow(ctx, id, true)
}

// isRecent reports whether the issuer reported the state less than Options.Rest ago.
func (w *worker) isRecent(c models.Certificate) bool {
	return c.CheckedAt != nil && w.o.Now().Sub(*c.CheckedAt) < w.o.Rest
}

// leaseWait is how long a call waits for a certificate that another worker holds.
const leaseWait = 10 * time.Second

// queryNow asks the issuer while a user waits. If another worker holds the certificate for longer than leaseWait, it returns the
// stored state.
func (w *worker) queryNow(ctx context.Context, id store.CertificateOf, request bool) (jobs.Certificate, error) {
	limited, cancel := context.WithTimeout(ctx, leaseWait)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		h, ok, err := w.store.Certificates().Begin(ctx, id, w.o.Now(), lease, false)
		if err != nil {
			return jobs.Certificate{}, err
		}
		if ok {
			c, err := w.queryEdge(ctx, h, call{issuer: w.o.Issuer, request: request || h.ExternalID == "", counts: request, awaited: true})
			return jobAnswer(c), err
		}
		select {
		case <-tick.C:
		case <-limited.Done():
			c, err := w.store.Certificates().Find(ctx, id.AccountID, id.DomainID)
			return jobAnswer(c), err
		}
	}
}

func jobAnswer(c models.Certificate) jobs.Certificate {
	return jobs.Certificate{Host: c.Hostname, Edge: c.Edge, CertificateState: c.Public()}
}

// findStored returns the stored certificate of a domain. The error is not_found, edge_not_configured, or one of the database.
func (w *worker) findStored(ctx context.Context, account, domain uuid.UUID) (models.Certificate, error) {
	c, err := w.store.Certificates().Find(ctx, account, domain)
	if err == nil && w.o.Issuer == nil {
		err = models.EdgeNotConfigured()
	}
	return c, err
}

func (w *worker) read(ctx context.Context, args jobs.CertificateArgs) (out jobs.Certificate, err error) {
	account := workers.Account(ctx)
	c, err := w.findStored(ctx, account, args.Domain)
	switch {
	case err != nil:
		return out, err
	case !c.Wanted || c.Edge != w.o.Issuer.Name() || c.ExternalID == "" || w.isRecent(c):
		return jobAnswer(c), nil
	}
	return w.queryNow(ctx, store.CertificateOf{AccountID: account, DomainID: args.Domain}, false)
}

// release releases a certificate for a waiting user. If the issuer refuses, the release is tried again later.
func (w *worker) release(ctx context.Context, args jobs.CertificateArgs) (out jobs.ReleasedCertificate, err error) {
	account := workers.Account(ctx)
	c, err := w.findStored(ctx, account, args.Domain)
	if err != nil {
		return out, err
	}
	job, err := w.store.Certificates().Release(ctx, account, args.Domain)
	if err == nil {
		err = w.scheduleCheck(ctx, account, args.Domain)
	}
	if err != nil {
		return out, err
	}
	if job == uuid.Nil {
		return jobs.ReleasedCertificate{Detail: "There was no certificate. None will be requested until you request one."}, nil
	}
	var refusal error
	err = workers.RunNow(ctx, w.runtime, jobs.ReleaseAtEdge, uuid.Nil, job, false,
		func(ctx context.Context, u *workers.Run[jobs.ReleaseAtEdgeArgs, jobs.None]) error {
			refusal = w.releaseAtEdge(ctx, u)
			return refusal
		})
	out = jobs.ReleasedCertificate{
		Deleted: true, Detail: c.Hostname + " is no longer served over HTTPS by the edge. No certificate is requested until you request one.",
	}
	if _, isHeld := errors.AsType[*jobrow.RefusalError](err); isHeld { // another worker may still work on the certificate
		out.Detail = c.Hostname + " will soon no longer be served over HTTPS by the edge. No certificate is requested until you request one."
		err = nil
	}
	if e, ok := models.AsError(refusal); ok {
		return jobs.ReleasedCertificate{}, models.Errorf(e.Kind, e.Code, "%s; the release is tried again automatically", e.Message)
	}
	return out, errors.Join(refusal, err)
}
