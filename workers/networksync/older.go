package networksync

import (
	"context"
	"errors"
	"time"

	"switchyard/db/integration"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/workers/platformjob"
	"switchyard/workers/providers/networks"
)

// older reads the orders of older days. While there are too many orders, it leaves out the second half of the days, and the next
// import begins with the first day that was left out. A single day with too many orders is an error.
func (y *syncer) older(ctx context.Context, u *run, o opened, from, to time.Time) ([]networks.Order, error) {
	for {
		orders, err := o.Orders(ctx, from, to, y.o.Most)
		if !errors.Is(err, networks.ErrTooMany) {
			return orders, err
		}
		if !from.Before(to) {
			return nil, models.Invalid(models.TooManyRows,
				"%s has more than %d orders: its orders are not imported again, and the import goes on with the next days",
				from.Format(time.DateOnly), y.o.Most)
		}
		to = from.Add(to.Sub(from) / 2).Truncate(24 * time.Hour)
		if err := y.imports.Shorten(ctx, u, to); err != nil {
			return nil, err
		}
	}
}

// recordOlder stores how an import of older orders ended. After several failures the next days follow, because a platform that
// refuses some days may answer for others.
func recordOlder(ctx context.Context, s *store.Store, c models.Integration, e platformjob.OlderEnd) error {
	k := integration.NewNetworks(s)
	end := integration.OlderEnd{Failure: e.Failure}
	var wait time.Duration
	if e.Failure == "" || e.Code == models.TooManyRows {
		end.First, wait = models.NextOlder(e.Now.UTC(), e.From, e.To)
	} else {
		last, err := k.Changes(ctx, c.AccountID, c.TargetID)
		if err != nil {
			return err
		}
		if end.First, end.Failures = &e.From, last.Failures+1; end.Failures%models.FailingIntegration == 0 {
			end.First, _ = models.NextOlder(e.Now.UTC(), e.From, e.To)
		}
		wait = models.NextOlderTry(end.Failures)
	}
	end.At = e.Now.Add(interval.Vary(wait))
	return k.RecordOlder(ctx, c, end, e.Now)
}
