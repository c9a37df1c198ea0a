package workers

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

const (
	reconcileBatch = 1000 // due rows that are read with one query
	repairBatch    = 100  // how many of these rows are looked up in Redis at once
)

// Reconcile enqueues rows that are due, are held by no worker and have no task. Rows get into this state when Redis was emptied,
// a worker was killed, or the web process died between its commit and the dispatch. Rows whose task waits in the queue are left
// alone. Each queue is checked on its own. Otherwise many rows that wait in a paused queue, or in a queue without workers, could
// keep lost rows of other queues from being found.
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

// reconcileTick skips a tick while the previous run is still going. Otherwise runs would pile up while Redis is slow, and slow
// it down further.
func (r *Runtime) reconcileTick(ctx context.Context) error {
	if !r.reconciling.TryLock() {
		return nil
	}
	defer r.reconciling.Unlock()
	return r.Reconcile(ctx)
}

func (r *Runtime) reconcileKinds(ctx context.Context, kinds []string) error {
	var after jobrow.Due
	for {
		due, err := jobrow.ListDue(ctx, r.o.DB, kinds, after, reconcileBatch)
		if err != nil || len(due) == 0 {
			return err
		}
		n := 0
		for part := range slices.Chunk(due, repairBatch) {
			repaired, err := r.repair(ctx, part)
			n += repaired
			if err != nil {
				return err
			}
		}
		if n > 0 {
			slog.InfoContext(ctx, "lost rows enqueued", "rows", n)
		}
		if len(due) < reconcileBatch || n == 0 {
			return nil // after a full batch with n == 0, younger rows are left to a later run, when fewer older rows are due
		}
		after = due[len(due)-1]
	}
}

// repair enqueues the due rows that have no task, and returns their number. Rows enqueued before an error stay enqueued, so
// that each run gets further than the previous one, however slowly Redis answers.
func (r *Runtime) repair(ctx context.Context, due []jobrow.Due) (int, error) {
	lost, err := r.o.Client.LostRows(ctx, db.Map(due, func(d jobrow.Due) models.JobRef { return d.JobRef })...)
	if err != nil || len(lost) == 0 {
		return 0, err
	}
	rows, err := jobrow.Regenerate(ctx, r.o.DB, lost)
	if err != nil {
		return 0, err
	}
	r.metrics.repairs.Add(float64(len(rows)))
	return len(rows), r.o.Client.DispatchRows(ctx, rows...)
}
