package exchangerate

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/exchangerate"
	"switchyard/db/spend"
	"switchyard/jobs"
	"switchyard/models"
)

const (
	// restatedAtOnce is the maximum number of clicks or conversions that one transaction restates.
	restatedAtOnce = 1000
	// restateEvery is the length of a period in which all restatements of an account are submitted with the same job id.
	restateEvery = 5 * time.Minute
	// deletedAtOnce is the maximum number of rates that are deleted at once.
	deletedAtOnce = 5000
)

// updateFixed computes missing rates of accounts, and again the rates that follow from a replaced published rate (see
// exchangerate.UpdateFixed). It starts a restatement for each account that needs one, and deletes expired rates.
func (w *worker) updateFixed(ctx context.Context) error {
	if err := exchangerate.UpdateFixed(ctx, w.db); err != nil {
		return err
	}
	accounts, err := exchangerate.AccountsToRestate(ctx, w.db)
	if err != nil {
		return err
	}
	now := w.o.Now()
	for _, account := range accounts {
		id := uuid.NewSHA1(account, fmt.Append(nil, "restate ", now.Truncate(restateEvery).Unix()))
		if _, err := jobs.Submit(ctx, w.client, jobs.RestateMoney, account, jobs.None{}, jobs.WithID(id)); err != nil {
			return fmt.Errorf("rates: %w", err)
		}
	}
	return exchangerate.DeleteExpired(ctx, w.db, now.AddDate(0, 0, -models.LongestHistory()-models.RateDays), deletedAtOnce)
}

// restate restates an account in batches. Each is committed on its own, so if one fails, the next job continues there.
func (w *worker) restate(ctx context.Context, account uuid.UUID) error {
	return w.restateKeys(ctx, account, time.Time{}, func(restate func(db.Conn) error) error {
		return db.RetryConflicts(func() error { return db.Tx(ctx, w.db, restate) })
	})
}

// restateKeys restates the account's amounts for each currency and day whose rate has changed, in batches. `kept` is the value for
// the field Kept of spend.Restatement. inTx calls its argument in a transaction, and again after a conflict.
func (w *worker) restateKeys(ctx context.Context, account uuid.UUID, kept time.Time, inTx func(restate func(db.Conn) error) error) error {
	keys, err := exchangerate.KeysToRestate(ctx, w.db, account)
	if err != nil {
		return err
	}
	for _, key := range keys {
		r := spend.Restatement{Key: key, Kept: kept}
		for done := false; !done; {
			next := r
			err := inTx(func(c db.Conn) (err error) {
				next = r
				done, err = w.o.Restate(ctx, w.o.Clicks, c, &next, restatedAtOnce)
				return err
			})
			if err != nil {
				return err
			}
			r = next
		}
	}
	return nil
}
