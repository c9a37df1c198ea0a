package networksync

import (
	"context"
	"slices"
	"time"

	"switchyard/db"
	"switchyard/db/integration"
	"switchyard/db/reported"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/models/interval"
	"switchyard/workers/platformjob"
	"switchyard/workers/providers/networks"
)

// sync reads the orders of a network and records them like the rows of a file.
func (y *syncer) sync(ctx context.Context, u *run) error {
	rows, err := platformjob.Once(ctx, y.imports, u, func() ([]correction.Conversion, error) { return y.fetch(ctx, u) })
	if err != nil {
		return err
	}
	out, err := y.conversions.Run(ctx, u, rows)
	if err != nil {
		return err
	}
	end := integration.RunEnd{Matched: out.Accepted}
	for _, o := range out.Outcomes {
		if changes(o) {
			end.Changed++
		}
	}
	orders, err := y.reported(ctx, u, rows, out.Outcomes)
	if err != nil {
		return err
	}
	const fromFile = true
	return u.Commit(ctx, changedOutcomes(out), func(c db.Conn) error {
		err := reported.SaveOrders(ctx, c, u.Job.AccountID.UUID, u.Args.Network.NetworkID, orders, !fromFile, y.o.Now())
		if err != nil {
			return err
		}
		return y.imports.End(ctx, c, u, end, integration.Result{Synced: !out.DryRun})
	})
}

func changes(o correction.ConversionOutcome) bool {
	return o.Accepted && o.Result != correction.Unchanged
}

// changedOutcomes removes refused and unchanged orders from the stored answer of a scheduled import, which reads the same orders
// many times.
func changedOutcomes(a answer) answer {
	if a.Network.Origin == models.RunByClock {
		a.Outcomes = slices.DeleteFunc(slices.Clone(a.Outcomes), func(o correction.ConversionOutcome) bool { return !changes(o) })
	}
	return a
}

// fetch reads the orders from the platform and returns them as rows. If another attempt would not help, the error is a
// *models.Error.
func (y *syncer) fetch(ctx context.Context, u *run) ([]correction.Conversion, error) {
	account, network := u.Job.AccountID.UUID, u.Args.Network
	o, err := y.open(ctx, account, network.NetworkID)
	if err != nil {
		return nil, err
	}
	from, to, err := y.imports.Begin(ctx, u, o.Provider, u.Args.Apply)
	if err != nil {
		return nil, err
	}
	if o.failure != nil {
		return nil, y.imports.ReadError(ctx, o.failure, 0)
	}
	most := networks.MaxOrders
	if network.Origin == models.RunByClock { // there is no caller who could choose a shorter range
		most = y.o.Most
	}
	var orders []networks.Order
	days := y.imports.Range(&u.Args)
	switch {
	case days.Older:
		orders, err = y.older(ctx, u, o, from, to)
	case !days.Changed:
		orders, err = o.Orders(ctx, from, to, most)
	case days.Saved.Equal(o.SavedAt): // otherwise the connection may be to another account at the network, so nothing is read
		orders, days.Until, err = o.Changes(ctx, days.Since, most)
	}
	if err != nil {
		return nil, y.imports.ReadError(ctx, err, most)
	}
	if err := y.imports.Fetched(ctx, u, o.Used(), len(orders)); err != nil {
		return nil, err
	}
	rows, err := y.rows(ctx, account, network.NetworkID, orders, u.Args.Apply)
	if days, ok := o.Standing(from, to); ok && err == nil {
		rows, err = y.vanished(ctx, o, days, orders, rows, u.Args.Apply)
	}
	return rows, err
}

// recordChanges stores the result of reading changed orders.
func recordChanges(ctx context.Context, s *store.Store, c models.Integration, e platformjob.ChangesEnd) error {
	k := integration.NewNetworks(s)
	last, err := k.Changes(ctx, c.AccountID, c.TargetID)
	if err != nil {
		return err
	}
	failures := 0
	if e.Failure != "" {
		failures, e.To = last.Failures+1, time.Time{}
	}
	next := models.NextChanges(e.Now.Sub(e.To) > models.ChangesEvery, failures)
	return k.RecordChanges(ctx, c, e.To, e.Failure, e.Now.Add(interval.Vary(next)), e.Now)
}
