package workers

import (
	"context"
	"errors"
	"log/slog"

	"switchyard/db/jobrow"
	"switchyard/jobs"
)

const reconcileBatch = 1000

// Reconcile enqueues the rows that are due, that nobody holds, and whose task is gone: Redis was emptied, the worker
// was killed, or the web process died between its commit and the dispatch. Rows whose task waits its turn are left. Each
// queue is looked at for itself: one that is paused, or that no worker serves, hides the rows of no other.
func (r *Runtime) Reconcile(ctx context.Context) error {
	kinds := map[string][]string{}
	for kind, p := range r.policies {
		kinds[p.Queue] = append(kinds[p.Queue], kind)
	}
	var failed error
	for _, of := range kinds {
		failed = errors.Join(failed, r.reconcileKinds(ctx, of))
	}
	return failed
}

func (r *Runtime) reconcileKinds(ctx context.Context, kinds []string) error {
	var after jobrow.Due
	for {
		due, err := jobrow.ListDue(ctx, r.o.DB, kinds, after, reconcileBatch)
		if err != nil || len(due) == 0 {
			return err
		}
		n, err := r.repair(ctx, due)
		if err != nil {
			return err
		}
		if n > 0 {
			r.metrics.repairs.Add(float64(n))
			slog.InfoContext(ctx, "lost rows enqueued", "rows", n)
		}
		if len(due) < reconcileBatch || n == 0 {
			return nil // the longest waiting of a batch have their tasks: so have those after them, or the next tick sees
		}
		after = due[len(due)-1]
	}
}

func (r *Runtime) repair(ctx context.Context, due []jobrow.Due) (int, error) {
	lost := due[:0:0]
	for _, d := range due {
		gone, err := r.o.Client.LostRow(ctx, RowOf(d))
		if err != nil {
			return 0, err
		}
		if gone {
			lost = append(lost, d)
		}
	}
	if len(lost) == 0 {
		return 0, nil
	}
	renewed, err := jobrow.Regenerate(ctx, r.o.DB, lost)
	if err != nil {
		return 0, err
	}
	rows := make([]jobs.Row, len(renewed))
	for i, d := range renewed {
		rows[i] = RowOf(d)
	}
	return len(rows), r.o.Client.DispatchRows(ctx, rows...)
}

// RowOf names a row of the database for dispatching.
func RowOf(d jobrow.Due) jobs.Row {
	return jobs.Row{Kind: d.Kind, ID: d.ID, Account: d.AccountID.UUID, Generation: d.Generation}
}

func (r *Runtime) reconcile(ctx context.Context, _ jobs.Tick) (jobs.None, error) {
	return jobs.None{}, r.Reconcile(ctx)
}
