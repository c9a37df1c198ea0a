package networksync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers"
	"switchyard/workers/providers/networks"
)

type (
	answer = jobs.CorrectionAnswer[correction.ConversionOutcome]
	run    = workers.Run[jobs.CorrectionArgs, answer]
)

// sync reads the orders of a network and records them like the rows of a file.
func (y *syncer) sync(ctx context.Context, u *run) error {
	rows, err := y.orders(ctx, u)
	if e, ok := models.AsError(err); ok && e.Kind != models.KindInternal && !u.Args.Network.Read {
		return u.Fail(ctx, err, nil)
	}
	if err != nil {
		return err
	}
	out, err := y.imports.Run(ctx, u, rows)
	if err != nil {
		return err
	}
	return u.Commit(ctx, keptOutcomes(out), func(c db.Conn) error {
		changed := 0
		for _, o := range out.Outcomes {
			if changes(o) {
				changed++
			}
		}
		s, account := y.store.On(c), u.Job.AccountID.UUID
		if err := s.IntegrationRuns().End(ctx, account, u.Job.ID, y.o.Now(), store.RunEnd{Matched: out.Accepted, Changed: changed}); err != nil {
			return err
		}
		if err := y.note(ctx, s, account, *out.Network, jobrow.Cause{}, !out.DryRun); err != nil {
			return err
		}
		return s.Corrections().Remove(ctx, u.Job.ID)
	})
}

// changes reports whether an order changed something.
func changes(o correction.ConversionOutcome) bool {
	return o.Accepted && o.Result != correction.Unchanged
}

// keptOutcomes drops refused and unchanged orders from the stored answer of a scheduled import. Scheduled imports read the same
// orders many times, and each answer is stored for the same time as any other.
func keptOutcomes(a answer) answer {
	if a.Network != nil && a.Network.Origin == models.RunByClock {
		a.Outcomes = slices.DeleteFunc(slices.Clone(a.Outcomes), func(o correction.ConversionOutcome) bool { return !changes(o) })
	}
	return a
}

// orders returns the orders that a job imports, as rows. The first attempt reads them from the platform and stores them under
// the id of the job, so that an attempt after a crash continues with the same orders.
func (y *syncer) orders(ctx context.Context, u *run) (rows []correction.Conversion, err error) {
	account := u.Job.AccountID.UUID
	if u.Args.Network.Read {
		text, err := y.store.Corrections().Text(ctx, account, u.Job.ID)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			return nil, fmt.Errorf("networksync: orders: %w", err)
		}
		return rows, nil
	}
	if rows, err = y.fetch(ctx, u); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		return nil, fmt.Errorf("networksync: orders: %w", err)
	}
	return rows, u.Step(ctx, func(c db.Conn) (jobs.CorrectionArgs, error) {
		a, network := u.Args, *u.Args.Network
		network.Read = true
		a.Network = &network
		return a, y.store.On(c).Corrections().Add(ctx, account, u.Job.ID, string(raw))
	})
}

// fetch reads the orders from the platform, as rows. Each call begins the run again. It returns a *models.Error for a failure that
// another attempt would not fix.
func (y *syncer) fetch(ctx context.Context, u *run) ([]correction.Conversion, error) {
	account, of := u.Job.AccountID.UUID, u.Args.Network
	from, err := time.Parse(time.DateOnly, of.From)
	if err != nil {
		return nil, fmt.Errorf("networksync: first day: %w", err)
	}
	to, err := time.Parse(time.DateOnly, of.To)
	if err != nil {
		return nil, fmt.Errorf("networksync: last day: %w", err)
	}
	o, err := y.open(ctx, account, of.NetworkID)
	if err != nil {
		return nil, err
	}
	if err := y.store.IntegrationRuns().Start(ctx, models.IntegrationRun{
		ID: u.Job.ID, AccountID: account, Kind: models.RunNetworkSync, TargetID: of.NetworkID, Provider: o.Provider, Origin: of.Origin,
		From: &from, To: &to, Applied: u.Args.Apply, StartedAt: y.o.Now(),
	}); err != nil {
		return nil, err
	}
	if o.failure != nil {
		return nil, networkError(o.failure)
	}
	most := networks.MaxOrders
	if of.Origin == models.RunByClock { // no caller waits who could choose a shorter range
		most = models.SyncMost
	}
	orders, err := o.Orders(ctx, from, to, most)
	used := o.Used()
	switch {
	case errors.Is(err, networks.ErrTooMany):
		return nil, models.Invalid(models.TooManyRows, "the range has more than %d orders: use a shorter one", most)
	case err != nil && context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, networkError(err)
	}
	if err := y.store.IntegrationRuns().Read(ctx, account, u.Job.ID, used.Requests, used.Pages, len(orders)); err != nil {
		return nil, err
	}
	return y.rows(ctx, account, of.NetworkID, orders, u.Args.Apply)
}

func networkError(err error) error {
	return models.WithRequest(models.Errorf(models.KindBadGateway, "network_error", "%s", err), models.RequestOf(err))
}

// failed stores why a job has failed, in the transaction of c.
func (y *syncer) failed(ctx context.Context, c db.Conn, row models.Job, cause error) error {
	var args jobs.CorrectionArgs
	if err := json.Unmarshal(row.Args, &args); err != nil || args.Network == nil {
		return nil //nolint:nilerr // the arguments do not say which network it was
	}
	s, failure, of := y.store.On(c), jobrow.CauseOf(cause), *args.Network
	end := store.RunEnd{Failure: failure.Message, Request: models.RequestOf(cause)}
	if err := s.IntegrationRuns().End(ctx, row.AccountID.UUID, row.ID, y.o.Now(), end); err != nil {
		return err
	}
	if !models.PlatformFailed(of.Origin, failure.Code) {
		return nil
	}
	return y.note(ctx, s, row.AccountID.UUID, of, failure, false)
}
