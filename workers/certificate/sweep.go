package certificate

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
	sweptAtOnce = 200 // certificates that a sweep takes at once
	askedAtOnce = 16  // of them: what an authority takes its time for is waited for together
)

// unverifiedRest is when a domain is looked at again that is not verified any more.
const unverifiedRest = 6 * time.Hour

// sweep asks for the certificates of verified domains, and looks at what is due. In one process one sweep runs at a time;
// those of others take other certificates.
func (w *worker) sweep(ctx context.Context) error {
	if w.o.Edge == nil || !w.sweeping.TryLock() {
		return nil
	}
	defer w.sweeping.Unlock()
	if err := w.wantVerified(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil && !w.paused() {
		due, err := w.store.Certificates().Due(ctx, w.o.Edge.Name(), w.o.Now(), sweptAtOnce)
		if err != nil || len(due) == 0 {
			return err
		}
		if w.lookAll(ctx, due) == 0 {
			return ctx.Err() // others have them
		}
	}
	return ctx.Err()
}

// wantVerified makes the rows of verified domains that the edge was never asked for.
func (w *worker) wantVerified(ctx context.Context) error {
	for {
		list, err := w.store.Certificates().Unasked(ctx, w.o.Edge.Name(), sweptAtOnce)
		if err != nil {
			return err
		}
		for _, of := range list {
			err := w.store.Certificates().Want(ctx, of, w.o.Edge.Name(), w.o.Now())
			if err != nil && !errors.Is(err, models.NotFound("domain")) {
				return err
			}
		}
		if len(list) < sweptAtOnce {
			return nil
		}
	}
}

// lookAll looks at certificates, several at once, and says of how many this worker got the lease. It ends early when the
// edge refuses the credentials.
func (w *worker) lookAll(ctx context.Context, due []store.CertificateOf) (begun int) {
	var count atomic.Int64
	var g errgroup.Group
	g.SetLimit(askedAtOnce)
	for _, of := range due {
		if ctx.Err() != nil || w.paused() {
			break
		}
		g.Go(func() error {
			ok, err := w.look(ctx, of)
			if _, told := models.AsError(err); err != nil && !told && ctx.Err() == nil {
				slog.WarnContext(ctx, "certificate not looked at", "account_id", of.AccountID, "domain_id", of.DomainID, "error", err)
			}
			if ok {
				count.Add(1)
			}
			return nil
		})
	}
	_ = g.Wait() // there is none
	return int(count.Load())
}

// look looks at a certificate that is due, and asks for it if it has to be. ok is false if another worker has it.
func (w *worker) look(ctx context.Context, of store.CertificateOf) (ok bool, err error) {
	now := w.o.Now()
	h, ok, err := w.store.Certificates().Begin(ctx, of, now, lease, true)
	if err != nil || !ok {
		return ok, err
	}
	if !h.Verified && !w.o.TrustsAll {
		next := now.Add(unverifiedRest)
		_, err := w.store.Certificates().Finish(ctx, h, now, &next)
		return true, err
	}
	_, err = w.ask(ctx, h, call{edge: w.o.Background, request: h.NeedsRequest(now), counts: true})
	return true, err
}
