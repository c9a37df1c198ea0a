package retention

import (
	"context"
	"time"

	"switchyard/db"
	"switchyard/db/click"
	dbretention "switchyard/db/retention"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

type eraseRun = workers.Run[jobs.EraseArgs, jobs.EraseAnswer]

// erase returns the handler of jobs.EraseVisitor. The handler goes through the clicks of an account in batches.
func erase(clicks click.Log) func(context.Context, *eraseRun) error {
	return func(ctx context.Context, u *eraseRun) error {
		for done := false; !done; {
			err := u.Step(ctx, func(c db.Conn) (a jobs.EraseArgs, err error) {
				a, done, err = eraseOnce(ctx, c, u, clicks)
				return a, err
			})
			if err != nil {
				return err
			}
		}
		return u.Commit(ctx, u.Args.Erased, nil)
	}
}

func eraseOnce(ctx context.Context, c db.Conn, u *eraseRun, clicks click.Log) (a jobs.EraseArgs, done bool, err error) {
	a = u.Args
	v := click.Visitor{AccountID: u.Job.AccountID.UUID, ID: a.Visitor, ClickID: a.Click}
	if a.Until.IsZero() {
		oldest, err := click.OldestDay(ctx, c, v.AccountID)
		if err != nil {
			return a, false, err
		}
		a.After, a.Until = models.FloorClickID(oldest), time.Now().UTC().Truncate(time.Millisecond)
	}
	out, err := dbretention.Erase(ctx, clicks, c, v, a.After, a.Until, clicksAtOnce)
	a.After = out.After
	a.Erased.Clicks += out.Clicks
	a.Erased.SmartlinkClicks += out.SmartlinkClicks
	a.Erased.Postbacks += out.Postbacks
	a.Erased.SiteEvents += out.Events
	return a, out.Done, err
}
