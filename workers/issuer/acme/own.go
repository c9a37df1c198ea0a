package acme

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"switchyard/jobs"
	"switchyard/workers"
)

// ownCheck is the time between two checks of one of the install's own hosts. If no CA issues the certificate, the time is ownRetry,
// doubled with each further refusal in a row, up to ownMaxRetry.
const (
	ownCheck    = 12 * time.Hour
	ownRetry    = time.Minute
	ownMaxRetry = 6 * time.Hour
)

// Register registers the sweep of the install's own hosts, whose certificates no other job requests because they are no account's
// domains. The sweep also deletes expired challenges. If i is nil, it does nothing.
func Register(r *workers.Runtime, i *Issuer, hosts []string) {
	workers.RegisterTick(r, jobs.SweepOwnHosts, func(ctx context.Context) error {
		if i == nil {
			return nil
		}
		var all sync.WaitGroup
		errs := make([]error, len(hosts))
		for n, host := range hosts {
			all.Go(func() { errs[n] = i.renewOwn(ctx, host) })
		}
		all.Wait()
		return errors.Join(append(errs, i.o.Store.DeleteExpiredChallenges(ctx))...)
	})
}

// renewOwn obtains or renews the certificate of one of the install's own hosts, if its check is due.
func (i *Issuer) renewOwn(ctx context.Context, host string) error {
	attempts, next, err := i.o.Store.Attempts(ctx, host)
	if err != nil || i.o.Now().Before(next) {
		return err
	}
	_, fresh, err := i.fresh(ctx, host)
	if err == nil && fresh {
		_, _, err = i.RenewalAdvice(ctx, host)
	}
	if err != nil {
		return err
	}
	_, err = i.Ensure(ctx, host)
	wait := ownCheck
	_, refused := errors.AsType[*RefusalError](err)
	switch {
	case err == nil:
		attempts = 0
	case errors.Is(err, ErrBusy):
		return nil
	case !refused:
		return err
	default:
		slog.ErrorContext(ctx, "no certificate for a host of this install", "host", host, "attempts", attempts+1, "error", err)
		// A shift by 16 already exceeds ownMaxRetry, and a much larger one would overflow.
		wait = min(ownRetry<<min(attempts, 16), ownMaxRetry)
		attempts++
	}
	return i.o.Store.SetAttempts(ctx, host, attempts, i.o.Now().Add(wait))
}
