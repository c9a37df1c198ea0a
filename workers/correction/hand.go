package correction

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

type hand struct {
	store  *store.Store
	clicks click.Log
}

// set sets a cost. In a dry run it only returns what would change. The cost is set in a transaction of its own, because the
// transaction that ends the job has a short timeout.
func (h hand) set(ctx context.Context, u *workers.Run[jobs.SetCostArgs, jobs.CostSet]) error {
	account, err := h.store.FindAccount(ctx, u.Job.AccountID.UUID)
	if err != nil {
		return err
	}
	out := jobs.CostSet{DryRun: !u.Args.Apply}
	switch {
	case !u.Args.Apply:
		out.Quote, err = spend.Quote(ctx, h.clicks, h.store.Conn(), account, u.Args.Request)
	case u.Args.Done == nil:
		err = u.Step(ctx, func(c db.Conn) (jobs.SetCostArgs, error) {
			a := u.Args
			quote, err := spend.SetByHand(ctx, h.clicks, c, account, a.Request, u.Job.ID)
			a.Done = &quote
			return a, err
		})
	}
	if err != nil {
		if u.Args.Apply {
			return h.fail(ctx, u, err)
		}
		return err
	}
	if u.Args.Done != nil {
		out.ID, out.Quote = u.Job.ID, *u.Args.Done
	}
	if out.Names, err = h.names(ctx, account.ID, out.Quote.Days); err != nil {
		return err
	}
	return u.Commit(ctx, out, nil)
}

// fail ends the job and removes its change from the history, if cause is an error that another attempt would not fix. Otherwise
// it returns cause, so that there is another attempt.
func (h hand) fail(ctx context.Context, u *workers.Run[jobs.SetCostArgs, jobs.CostSet], cause error) error {
	e, ok := models.AsError(cause)
	if !ok || e.Kind == models.KindInternal || e.Kind >= models.KindTooMany {
		return cause
	}
	return u.Fail(ctx, cause, func(c db.Conn, _ workers.NextAttempt) error {
		return h.store.On(c).CostChanges().Remove(ctx, u.Job.AccountID.UUID, u.Job.ID)
	})
}

func (h hand) names(ctx context.Context, account uuid.UUID, days []models.CostDay) (map[string]string, error) {
	ids := db.Map(days, func(d models.CostDay) string { return d.CampaignID.String() })
	return h.store.Labels(ctx, account, "campaign_id", ids)
}

func (h hand) undo(ctx context.Context, u *workers.Run[jobs.UndoCostArgs, jobs.None]) error {
	account := u.Job.AccountID.UUID
	err := u.Step(ctx, func(c db.Conn) (jobs.UndoCostArgs, error) {
		k, err := h.store.On(c).CostChanges().Find(ctx, account, u.Args.ID)
		if err != nil || k.UndoneJob == u.Job.ID {
			return u.Args, err
		}
		if err := spend.Undo(ctx, h.clicks, c, account, u.Args.ID); err != nil {
			return u.Args, err
		}
		return u.Args, h.store.On(c).CostChanges().RecordUndone(ctx, account, u.Args.ID, u.Job.ID, u.Args.By, u.Args.Key)
	})
	if err != nil {
		return err
	}
	return u.Commit(ctx, jobs.None{}, nil)
}
