// Package issuer obtains certificates for domains from this install's issuer. A verified domain gets its certificate
// automatically. A failed request is retried after growing waits. When a domain is deleted, its certificate is released.
//
// A worker holds the lease of a certificate's row while it asks the issuer, so only one worker asks at a time. If it dies,
// another worker asks again when the lease ends, and the issuer adopts what already exists.
package issuer

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// Issuer issues and releases certificates. Logs, metrics and errors call it the edge. A refusal is an error of models.EdgeError,
// or a *models.EdgeRefusalError.
type Issuer interface {
	Name() string
	// Request requests a certificate. Called again, it retries a failed certificate, and renews one after its RenewAt. It must
	// return within a minute and a half; a longer request continues in the background, and Read returns its state.
	Request(ctx context.Context, cert models.Certificate) (models.CertificateState, error)
	// Read returns the state of a requested certificate.
	Read(ctx context.Context, cert models.Certificate) (models.CertificateState, error)
	// Release deletes a host at the issuer. It is no error if the host no longer exists. If ExternalID is empty, it deletes
	// everything that was created for the host since AskedAt.
	Release(ctx context.Context, cert models.Certificate) error
}

// Options of Register.
type Options struct {
	Issuer Issuer // nil: no issuer
	// Background is the issuer for the sweep, for which no caller waits. The default is Issuer.
	Background Issuer
	// TrustsAll means that the issuer verifies the owner of a host, so that a domain need not be verified.
	TrustsAll bool
	Now       func() time.Time // default time.Now
	// Orders limits the certificates that an account may request. Renewals do not count. Calls limits the requests to the issuer
	// that the account's users may cause. Both keep one account from using up this install's limits at the issuer. They return 0,
	// or how long to wait. nil means no limit.
	Orders, Calls func(ctx context.Context, account uuid.UUID) (wait time.Duration)
	// Rest is how long the issuer's last answer is reused. The default is 5 seconds.
	Rest time.Duration
}

// Register registers the handlers.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	if o.Background == nil {
		o.Background = o.Issuer
	}
	o.Rest = cmp.Or(o.Rest, 5*time.Second)
	w := &worker{o: o, store: s, runtime: r, failures: r.NewCounter("switchyard_edge_failures_total",
		"Failed requests to the edge, by reason: credentials (the edge refuses them), busy, refused (any other refusal, or no answer).", "edge", "reason")}
	workers.Register(r, jobs.RequestCertificate, w.request)
	workers.Register(r, jobs.ReadCertificate, w.read)
	workers.Register(r, jobs.ReleaseCertificate, w.release)
	workers.RegisterRow(r, jobs.ReleaseAtEdge, w.releaseAtEdge)
	workers.RegisterTick(r, jobs.SweepCertificates, w.sweep)
}

type worker struct {
	o        Options
	store    *store.Store
	runtime  *workers.Runtime
	failures *prometheus.CounterVec

	sweeping sync.Mutex
	// pausedUntil is when the sweep's pause ends, in Unix nanoseconds. The sweep pauses after the issuer has refused the credentials.
	pausedUntil atomic.Int64
}

// issuerTime limits one request to the issuer. During the request the worker renews its lease. If the worker dies, another one
// takes over when the lease ends.
const (
	issuerTime = 100 * time.Second
	lease      = 15 * time.Second
)

// call is a request to the issuer about a certificate.
type call struct {
	issuer  Issuer
	request bool // otherwise only the state is read
	counts  bool // a failure counts as an attempt and sets the next check; not if a user only reads the state
	awaited bool // a user of the account waits for the answer
}

// errLost means that the result of a request is no longer needed.
var errLost = models.EdgeError("released", "the certificate was released meanwhile, or it now belongs to another domain")

// queryEdge asks the issuer about a certificate that this worker holds, and records the answer. The error is the issuer's, the
// database's, or errLost if the answer is no longer needed. If the account has made too many requests, the issuer is not asked,
// and the error has the code edge_too_many.
func (w *worker) queryEdge(ctx context.Context, h store.LeasedCertificate, by call) (models.Certificate, error) {
	if wait := w.tooMany(ctx, h, by); wait > 0 {
		return w.postpone(ctx, h, by, wait)
	}
	answer, failure := w.queryUnderLease(ctx, h, by)
	if _, refused := models.AsError(failure); failure != nil && !refused {
		if ctx.Err() != nil {
			return h.Certificate, ctx.Err() // the worker is stopping, and its lease will expire
		}
		slog.WarnContext(ctx, "edge not asked", "domain_id", h.DomainID, "edge", by.issuer.Name(), "error", failure)
		failure = models.Errorf(models.KindBadGateway, models.EdgeUnavailable, "the edge could not be asked")
	}
	now, served := w.o.Now(), h.Serving
	next := w.applyAnswer(ctx, &h, by, answer, failure, now)
	ok, err := w.store.Certificates().Finish(context.WithoutCancel(ctx), h, now, next)
	if err == nil && ok && h.Serving != served {
		err = w.scheduleCheck(ctx, h.AccountID, h.DomainID)
	}
	switch {
	case err != nil:
		return h.Certificate, errors.Join(failure, err)
	case !ok:
		// The release job waits for this worker's lease, and then finds everything that the worker has created.
		slog.InfoContext(ctx, "certificate released meanwhile", "domain_id", h.DomainID, "domain", h.Hostname)
		return h.Certificate, errLost
	}
	return h.Certificate, failure
}

// tooMany returns how long the account must wait because it has made too many requests.
func (w *worker) tooMany(ctx context.Context, h store.LeasedCertificate, by call) (wait time.Duration) {
	if by.awaited && w.o.Calls != nil {
		wait = w.o.Calls(ctx, h.AccountID)
	}
	if wait == 0 && by.request && !h.Serving && (by.awaited || !underWay(h)) && w.o.Orders != nil {
		wait = w.o.Orders(ctx, h.AccountID)
	}
	return wait
}

// underWay reports whether a requested certificate was neither issued nor failed, because the issuer is busy or the worker has
// died. The sweep then requests it again, which does not count as a new order of the account.
func underWay(h store.LeasedCertificate) bool {
	return h.Failure == "" && (h.SSLStatus == models.SSLPendingIssuance || h.SSLStatus == models.SSLIssuanceTimeout)
}

// putOffSpread spreads the retries of an account's postponed certificates.
const putOffSpread = time.Hour

// postpone ends the lease of a certificate without asking the issuer, and returns an error that says how long to wait. A certificate
// that was to be requested becomes due after the wait and a random part of putOffSpread.
func (w *worker) postpone(ctx context.Context, h store.LeasedCertificate, by call, wait time.Duration) (models.Certificate, error) {
	next, now := h.NextAt, w.o.Now()
	if by.request {
		later := now.Add(wait + rand.N(putOffSpread)) //nolint:gosec // spreads the retries
		next, h.Detail = &later, "The account has requested very many certificates. This one will be requested later automatically."
	}
	if _, err := w.store.Certificates().Finish(context.WithoutCancel(ctx), h, now, next); err != nil {
		return h.Certificate, err
	}
	return h.Certificate, models.EdgeError("too_many", "the account has asked for very many certificates: ask again after %s",
		max(wait.Round(time.Second), time.Second))
}

// appliedAfter is how long web processes need after the issuer's answer to start or stop serving a host.
const appliedAfter = 30 * time.Second

func (w *worker) scheduleCheck(ctx context.Context, account, domain uuid.UUID) error {
	return w.store.Domains().ScheduleCheck(context.WithoutCancel(ctx), account, domain, w.o.Now().Add(appliedAfter))
}

// queryUnderLease asks the issuer and renews the lease during the request. If the lease is lost, it ends the request and returns
// errLost.
func (w *worker) queryUnderLease(ctx context.Context, h store.LeasedCertificate, by call) (models.CertificateState, error) {
	limited, cancel := context.WithTimeout(ctx, issuerTime)
	defer cancel()
	held, abandon := context.WithCancelCause(limited)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		renew := func(ctx context.Context) (bool, error) { return w.store.Certificates().Renew(ctx, h, w.o.Now(), lease) }
		workers.MaintainLease(held, lease, renew, func() { abandon(errLost) })
	})
	defer renewing.Wait()
	defer abandon(nil)
	do := by.issuer.Read
	if by.request {
		do = by.issuer.Request
	}
	answer, err := do(held, h.Certificate)
	if err != nil && errors.Is(context.Cause(held), errLost) {
		err = errLost
	}
	return answer, err
}

// applyAnswer applies the issuer's answer and returns the time of the next check; nil: only when a user asks.
func (w *worker) applyAnswer(ctx context.Context, h *store.LeasedCertificate, by call, answer models.CertificateState, failure error,
	now time.Time,
) *time.Time {
	c, counts := &h.Certificate, by.counts
	var wait time.Duration
	if failure == nil {
		if answer.SSLStatus != c.SSLStatus || answer.Serving != c.Serving {
			slog.InfoContext(ctx, "certificate changes", "account_id", c.AccountID, "domain", c.Hostname, "edge", c.Edge,
				"status", answer.SSLStatus, "serving", answer.Serving)
			c.ChangedAt, counts = now, true
		}
		c.CertificateState, c.CheckedAt, c.Failure = answer, &now, ""
	} else if wait = w.recordFailure(ctx, c.Edge, c.Hostname, failure, now); wait == 0 {
		c.Failure = failure.Error()
	}
	switch {
	case c.Failure == "" && c.Serving:
		c.Attempts, c.FailingSince = 0, nil
	case wait == 0 && counts && (c.Failure != "" || models.SSLStuck(c.SSLStatus)):
		c.Attempts++
		if c.FailingSince == nil {
			c.FailingSince = &now
		}
	}
	random := rand.Float64() //nolint:gosec // spreads the checks
	next, ok := c.NextCheck(now, random)
	switch {
	case wait > 0:
		next = now.Add(wait + time.Duration(random*float64(wait)))
	case !counts && h.NextAt != nil && h.NextAt.Before(next): // a call that only reads the state does not delay the next check
		return h.NextAt
	case !ok:
		return nil
	case isUnavailable(failure):
		if latest := now.Add(unavailableWait + time.Duration(random*float64(unavailableWait))); next.After(latest) {
			next = latest
		}
	}
	return &next
}

// unavailableWait is the longest wait, without its random part, after a request that did not reach the issuer. The issuer has
// refused nothing and may answer again at any moment.
const unavailableWait = 30 * time.Minute

// isUnavailable reports whether the issuer, or the certificate authority behind it, could not be reached.
func isUnavailable(failure error) bool {
	e, ok := models.AsError(failure)
	return ok && (e.Code == models.EdgeUnavailable || e.Code == models.EdgeUnreachable)
}

// recordFailure counts and logs a failure, and pauses the sweep if the issuer refuses the credentials. wait is zero unless the
// issuer only asks for fewer requests.
func (w *worker) recordFailure(ctx context.Context, edge, host string, failure error, now time.Time) (wait time.Duration) {
	reason := "refused"
	if f, ok := errors.AsType[*models.EdgeRefusalError](failure); ok {
		switch {
		case f.Wait > 0:
			reason, wait = "busy", f.Wait
		case f.Refused:
			reason = "credentials"
			w.pausedUntil.Store(now.Add(refusedPause).UnixNano())
		}
	}
	w.failures.WithLabelValues(edge, reason).Inc()
	slog.InfoContext(ctx, "edge refuses", "domain", host, "edge", edge, "reason", reason, "error", failure)
	return wait
}

// refusedPause is how long the sweep pauses after the issuer has refused the credentials.
const refusedPause = 5 * time.Minute

func (w *worker) paused() bool { return w.o.Now().UnixNano() < w.pausedUntil.Load() }

func (w *worker) releaseAtEdge(ctx context.Context, u *workers.Run[jobs.ReleaseAtEdgeArgs, jobs.None]) error {
	wait, err := w.deleteAtEdge(ctx, u.Args)
	switch {
	case err == nil:
		return u.Commit(ctx, jobs.None{}, nil)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return u.RetryAfter(ctx, wait, err, nil)
}

// deleteAtEdge asks the issuer to delete a host, unless a domain uses the host again. If the host is at an issuer that this install
// no longer uses, the operator has to delete it there. wait is the shortest time before the next attempt.
func (w *worker) deleteAtEdge(ctx context.Context, a jobs.ReleaseAtEdgeArgs) (wait time.Duration, err error) {
	if w.o.Issuer == nil || w.o.Issuer.Name() != a.Edge {
		return 0, nil
	}
	used, err := w.store.Certificates().InUse(ctx, a.Edge, a.Host, a.ExternalID)
	if err != nil || used {
		return 0, err
	}
	err = w.o.Issuer.Release(ctx, models.Certificate{
		Hostname: a.Host, Edge: a.Edge, AskedAt: &a.AskedAt, CertificateState: models.CertificateState{ExternalID: a.ExternalID},
	})
	if _, refused := models.AsError(err); refused {
		wait = w.recordFailure(ctx, a.Edge, a.Host, err, w.o.Now())
	}
	return wait, err
}
