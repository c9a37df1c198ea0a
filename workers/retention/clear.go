package retention

import (
	"context"
	"slices"
	"time"

	"switchyard/db"
	"switchyard/db/click"
	dbretention "switchyard/db/retention"
	"switchyard/jobs"
	"switchyard/workers"
)

// clicksAtOnce limits the clicks of one transaction, which blocks the recording of conversions for them.
const clicksAtOnce = 1000

type (
	clearRun  = workers.Run[jobs.ClearArgs, jobs.ClearAnswer]
	clearFunc func(context.Context, click.Log, db.Conn, dbretention.ClearQuery, int) (dbretention.Cleared, error)
)

// clearing returns a handler that calls each function until it is done, each call in a transaction. A worker that takes over
// calls all functions again. Finished functions find nothing to delete.
func clearing(clicks click.Log, funcs ...clearFunc) func(context.Context, *clearRun) error {
	return func(ctx context.Context, u *clearRun) error {
		for _, clear := range funcs {
			for done := false; !done; {
				err := u.Step(ctx, func(c db.Conn) (a jobs.ClearArgs, err error) {
					a, done, err = clearOnce(ctx, clicks, c, u, clear)
					return a, err
				})
				if err != nil {
					return err
				}
			}
		}
		a := u.Args
		return u.Commit(ctx, jobs.ClearAnswer{
			Of: a.Of, From: a.From, To: a.To, Clicks: a.Clicks, BotClicks: a.BotClicks, Conversions: a.Conversions,
			Found: len(a.Found),
		}, nil)
	}
}

func clearOnce(ctx context.Context, clicks click.Log, c db.Conn, u *clearRun, clear clearFunc) (jobs.ClearArgs, bool, error) {
	a := u.Args
	out, err := clear(ctx, clicks, c, dbretention.ClearQuery{
		AccountID: u.Job.AccountID.UUID, Of: a.Of, From: a.From.Truncate(time.Millisecond),
		To: a.To.Truncate(time.Millisecond), After: a.After,
	}, clicksAtOnce)
	a.After, a.Clicks, a.BotClicks = out.After, a.Clicks+out.Clicks, a.BotClicks+out.BotClicks
	a.Conversions += out.Conversions
	a.Found = slices.Clone(a.Found)
	for _, id := range out.Of {
		if !slices.Contains(a.Found, id) {
			a.Found = append(a.Found, id)
		}
	}
	return a, out.Done, err
}
