package workers

import (
	"context"
	"errors"
	"log/slog"

	"switchyard/db/jobrow"
)

// reconcileBatch is how many due rows are read with one query.
const reconcileBatch = 1000

// Reconcile enqueues the rows that are due, that no worker holds, and that have no task: Redis was emptied, the worker
// was killed, or the web process died between its commit and the dispatch. Rows whose task waits in the queue are left.
// Each queue is checked on its own, so that rows waiting in one that is paused, or that no worker serves, hide no
// others.
func (r *Runtime) Reconcile(ctx context.Context) error {
	kinds := map[string][]string{}
	for kind, p := range r.policies {
		kinds[p.Queue] = append(kinds[p.Queue], kind)
	}
	var failed error
	for _, list := range kinds {
		failed = errors.Join(failed, r.reconcileKinds(ctx, list))
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
			return nil // the oldest rows have their tasks; so have the younger ones, or the next tick finds them
		}
		after = due[len(due)-1]
	}
}

// repair enqueues those of the due rows that have no task, and returns their number.
func (r *Runtime) repair(ctx context.Context, due []jobrow.Due) (int, error) {
	lost := due[:0:0]
	for _, d := range due {
		gone, err := r.o.Client.LostRow(ctx, d.JobRef)
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
	rows, err := jobrow.Regenerate(ctx, r.o.DB, lost)
	if err != nil {
		return 0, err
	}
	return len(rows), r.o.Client.DispatchRows(ctx, rows...)
}
