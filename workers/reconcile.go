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
	reconcileBatch = 1000 // due rows per query
	repairBatch    = 100  // of these, looked up in Redis at once
)

// Reconcile enqueues rows that are due, are held by no worker and have no task, because Redis was emptied, a worker was killed,
// or the web process died between its commit and the dispatch. It checks each queue on its own, because many rows waiting in a
// paused queue could hide lost rows of other queues.
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

// reconcileTick skips a tick during the previous run. Otherwise runs would pile up while Redis is slow.
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
			return nil // after a full batch with n == 0, younger rows wait for a later run
		}
		after = due[len(due)-1]
	}
}

// repair enqueues due rows without a task and returns their number. They stay enqueued after an error, so each run gets further,
// however slow Redis is.
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
