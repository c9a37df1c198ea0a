package exchangerate

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/db/exchangerate"
	"switchyard/db/spend"
	"switchyard/jobs"
	"switchyard/workers"
)

const (
	// olderEvery is how often findCurrencies checks whether the transactions from before the change have ended.
	olderEvery = 200 * time.Millisecond
	// orphanedAtOnce is the period whose conversions one transaction of restateOrphaned restates.
	orphanedAtOnce = 30 * 24 * time.Hour
)

type currencyRun = workers.Run[jobs.ChangeCurrencyArgs, jobs.ChangeCurrencyAnswer]

// changeCurrency converts an account's amounts to its new currency (restates them). The job stores its progress, so
// an attempt after an interruption skips what is converted already.
func (w *worker) changeCurrency(ctx context.Context, u *currencyRun) error {
	account := u.Job.AccountID.UUID
	answer := jobs.ChangeCurrencyAnswer{From: u.Args.From, To: u.Args.To}
	k, open, err := exchangerate.FindChange(ctx, w.db, account)
	if err != nil {
		return err
	}
	if !open || k.Job != u.Job.ID { // the change has ended already
		return u.Commit(ctx, answer, nil)
	}
	if err := w.findCurrencies(ctx, u, k); err != nil {
		return err
	}
	if err := w.restateStored(ctx, u, k); err != nil {
		return err
	}
	if err := step(ctx, u, func(c db.Conn, _ *jobs.ChangeCurrencyArgs) error {
		return spend.RestateArchive(ctx, c, account)
	}); err != nil {
		return err
	}
	if err := w.restateOrphaned(ctx, u, k); err != nil {
		return err
	}
	return u.Commit(ctx, answer, func(c db.Conn) error { return exchangerate.EndChange(ctx, c, k) })
}

// step runs one batch in a transaction that also stores the job's progress. It repeats the transaction after a conflict.
func step(ctx context.Context, u *currencyRun, do func(db.Conn, *jobs.ChangeCurrencyArgs) error) error {
	return db.RetryConflicts(func() error {
		return u.Step(ctx, func(c db.Conn) (jobs.ChangeCurrencyArgs, error) {
			next := u.Args
			err := do(c, &next)
			return next, err
		})
	})
}

// findCurrencies waits until no transaction can write amounts in the former currency any more. Then it finds the amounts to
// restate.
func (w *worker) findCurrencies(ctx context.Context, u *currencyRun, k exchangerate.Change) error {
	if u.Args.Found {
		return nil
	}
	older, err := spend.OpenTransactions(ctx, w.o.Clicks.Conn, nil)
	tick := time.NewTicker(olderEvery)
	defer tick.Stop()
	for len(older) > 0 && err == nil {
		select {
		case <-ctx.Done():
			return fmt.Errorf("rates: transactions from before the change: %w", context.Cause(ctx))
		case <-tick.C:
			older, err = spend.OpenTransactions(ctx, w.o.Clicks.Conn, older)
		}
	}
	if err != nil {
		return err
	}
	// Only clicks in PostgreSQL are restated, so clicks that only ClickHouse has are inserted into PostgreSQL again.
	if err := w.o.Clicks.Thaw(ctx, k.Account, k.Kept, k.Since); err != nil {
		return err
	}
	return step(ctx, u, func(c db.Conn, next *jobs.ChangeCurrencyArgs) error {
		next.Found = true
		return spend.RecordKeysToRestate(ctx, c, k)
	})
}

// restateStored restates the amounts of the clicks that are kept and of their conversions.
func (w *worker) restateStored(ctx context.Context, u *currencyRun, k exchangerate.Change) error {
	return w.restateKeys(ctx, k.Account, k.Kept, func(restate func(db.Conn) error) error {
		return step(ctx, u, func(c db.Conn, _ *jobs.ChangeCurrencyArgs) error { return restate(c) })
	})
}

// restateOrphaned restates conversions whose clicks are no longer kept.
func (w *worker) restateOrphaned(ctx context.Context, u *currencyRun, k exchangerate.Change) error {
	end := k.Since.AddDate(0, 0, 1)
	for u.Args.Orphaned.Before(end) {
		if err := step(ctx, u, func(c db.Conn, next *jobs.ChangeCurrencyArgs) (err error) {
			if next.Orphaned.IsZero() {
				next.Orphaned, err = spend.FirstOrphaned(ctx, c, k, end)
				return err
			}
			from := next.Orphaned
			next.Orphaned = from.Add(orphanedAtOnce)
			return spend.RestateOrphaned(ctx, c, k, from, next.Orphaned)
		}); err != nil {
			return err
		}
	}
	return nil
}
