package issuer

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"switchyard/db/store"
	"switchyard/models"
)

const (
	sweptAtOnce   = 200
	checkedAtOnce = 16 // in parallel, because certificate authorities answer slowly
)

// unverifiedRest is the time until the next check of a domain that is not verified.
const unverifiedRest = 6 * time.Hour

// sweep requests the certificates of verified domains and checks all that are due. A process runs one sweep at a time. Sweeps in
// other processes claim other certificates.
func (w *worker) sweep(ctx context.Context) error {
	if w.o.Issuer == nil || !w.sweeping.TryLock() {
		return nil
	}
	defer w.sweeping.Unlock()
	if err := w.requestVerified(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil && !w.paused() {
		due, err := w.store.Certificates().ListDue(ctx, w.o.Issuer.Name(), w.o.Now(), sweptAtOnce)
		if err != nil || len(due) == 0 {
			return err
		}
		if w.checkAll(ctx, due) == 0 {
			return ctx.Err() // ListDue would return the same certificates again
		}
	}
	return ctx.Err()
}

// requestVerified requests certificates for all domains of ListUnrequested.
func (w *worker) requestVerified(ctx context.Context) error {
	for {
		list, err := w.store.Certificates().ListUnrequested(ctx, w.o.Issuer.Name(), sweptAtOnce)
		if err != nil {
			return err
		}
		for _, id := range list {
			err := w.store.Certificates().Request(ctx, id, w.o.Issuer.Name(), w.o.Now())
			if err != nil && !errors.Is(err, models.NotFound("domain")) {
				return err
			}
		}
		if len(list) < sweptAtOnce {
			return nil
		}
	}
}

// checkAll checks certificates in parallel and returns how many leases it got. It stops early when the issuer refuses the
// credentials.
func (w *worker) checkAll(ctx context.Context, due []store.CertificateOf) (begun int) {
	var count atomic.Int64
	var g errgroup.Group
	g.SetLimit(checkedAtOnce)
	for _, id := range due {
		if ctx.Err() != nil || w.paused() {
			break
		}
		g.Go(func() error {
			ok, err := w.checkDue(ctx, id)
			if _, refused := models.AsError(err); err != nil && !refused && ctx.Err() == nil {
				slog.WarnContext(ctx, "certificate not checked", "account_id", id.AccountID, "domain_id", id.DomainID, "error", err)
			}
			if ok {
				count.Add(1)
			}
			return nil
		})
	}
	_ = g.Wait() // no function returns an error
	return int(count.Load())
}

// checkDue checks a due certificate, and requests it if necessary. ok is false if another worker holds it or it is no longer due.
func (w *worker) checkDue(ctx context.Context, id store.CertificateOf) (ok bool, err error) {
	now := w.o.Now()
	h, ok, err := w.store.Certificates().Begin(ctx, id, now, lease, true) // only if it is due
	if err != nil || !ok {
		return ok, err
	}
	if !h.Verified && !w.o.TrustsAll {
		next := now.Add(unverifiedRest)
		_, err := w.store.Certificates().Finish(ctx, h, now, &next)
		return true, err
	}
	_, err = w.queryEdge(ctx, h, call{issuer: w.o.Background, request: h.NeedsRequest(now), counts: true})
	return true, err
}
