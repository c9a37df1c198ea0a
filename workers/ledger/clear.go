package ledger

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/jobs"
	"switchyard/workers"
)

// clicksAtOnce is how many clicks one transaction deletes: few enough not to hold up those who record conversions.
const clicksAtOnce = 1000

type clearRun = workers.Run[jobs.ClearArgs, jobs.ClearAnswer]

// clear deletes a campaign's clicks part by part. A worker that takes over goes on where the last part was committed.
func (k *keeper) clear(ctx context.Context, u *clearRun) error {
	for done := false; !done; {
		err := u.Step(ctx, func(c db.Conn) (jobs.ClearArgs, error) {
			a := u.Args
			out, err := clicklog.Clear(ctx, c, clearQuery(u.Job.AccountID.UUID, a), clicksAtOnce)
			done = out.Done
			a.After, a.Clicks, a.Conversions = out.After, a.Clicks+out.Clicks, a.Conversions+out.Conversions
			return a, err
		})
		if err != nil {
			return err
		}
	}
	// Doing it again finds nothing, so that a worker that dies here is no harm.
	err := u.Step(ctx, func(c db.Conn) (jobs.ClearArgs, error) {
		a := u.Args
		out, err := clicklog.ClearArchive(ctx, c, clearQuery(u.Job.AccountID.UUID, a))
		a.Clicks, a.Conversions = a.Clicks+out.Clicks, a.Conversions+out.Conversions
		return a, err
	})
	if err != nil {
		return err
	}
	a := u.Args
	return u.Commit(ctx, jobs.ClearAnswer{
		Campaign: a.Campaign, From: a.From, To: a.To, Clicks: a.Clicks, Conversions: a.Conversions,
	}, nil)
}

func clearQuery(account uuid.UUID, a jobs.ClearArgs) clicklog.ClearQuery {
	return clicklog.ClearQuery{
		AccountID: account, CampaignID: a.Campaign, From: a.From.Truncate(time.Millisecond),
		To: a.To.Truncate(time.Millisecond), After: a.After,
	}
}
