// Package plan watches what accounts use of their plans.
package plan

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// Register adds the handlers to a runtime. Now is the clock, time.Now if nil.
func Register(r *workers.Runtime, s *store.Store, now func() time.Time) {
	if now == nil {
		now = time.Now
	}
	w := &watcher{store: s, client: r.Client(), now: now}
	workers.Handle(r, jobs.WatchPlans, w.watch)
}

type watcher struct {
	store  *store.Store
	client *jobs.Client
	now    func() time.Time
}

// watch announces plan.limit_reached, once a month per account. It may be missed or repeated: the row of the month
// decides. One account that fails does not keep the others waiting.
func (w *watcher) watch(ctx context.Context, _ jobs.Tick) (jobs.None, error) {
	passed, err := w.store.Usage().Passed(ctx, w.now())
	if err != nil {
		return jobs.None{}, err
	}
	var failed error
	for _, l := range passed {
		deliveries, err := w.store.Usage().Announce(ctx, l)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		slog.InfoContext(ctx, "plan allowance passed", "account_id", l.AccountID, "plan", l.Plan)
		if len(deliveries) > 0 {
			w.client.DispatchFor(ctx, l.AccountID, models.KindDeliverWebhook, deliveries...)
		}
	}
	return jobs.None{}, failed
}
