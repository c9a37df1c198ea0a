// Package plan compares the clicks of accounts with the allowances of their plans, and announces exceeded limits.
package plan

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// Reports counts the clicks of accounts. report.Reader implements it.
type Reports interface {
	ClicksOf(ctx context.Context, accounts []uuid.UUID, from, to time.Time) (map[uuid.UUID]int64, error)
}

// Register adds the handler to a runtime. The parameter `now` is the clock; nil means time.Now.
func Register(r *workers.Runtime, s *store.Store, reports Reports, now func() time.Time) {
	w := &watcher{store: s, reports: reports, client: r.Client(), now: workers.Clock(now)}
	workers.RegisterTick(r, jobs.WatchPlans, w.watch)
}

type watcher struct {
	store   *store.Store
	reports Reports
	client  *jobs.Client
	now     func() time.Time
}

// watch announces plan.limit_reached once a month per account. A failing account does not stop the others.
func (w *watcher) watch(ctx context.Context) error {
	unknown, err := w.store.Usage().UnknownPlans(ctx)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		slog.ErrorContext(ctx, "accounts are on plans that do not exist, so they are allowed nothing: add the plans to PLANS_FILE, "+
			"or move the accounts by `switchyard accounts`", "plans", unknown)
	}
	exceeded, err := w.exceeded(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, l := range exceeded {
		deliveries, err := w.store.Usage().Announce(ctx, l)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		slog.InfoContext(ctx, "plan allowance exceeded", "account_id", l.AccountID, "plan", l.Plan)
		w.client.DispatchFor(ctx, l.AccountID, models.KindDeliverWebhook, deliveries...)
	}
	return failed
}

// exceeded lists the limits that this month's clicks exceed and that were not announced yet.
func (w *watcher) exceeded(ctx context.Context) ([]store.PlanLimit, error) {
	now := w.now()
	limits, err := w.store.Usage().Open(ctx, now)
	if err != nil {
		return nil, err
	}
	accounts := db.Map(limits, func(l store.PlanLimit) uuid.UUID { return l.AccountID })
	month := models.MonthOf(now)
	clicks, err := w.reports.ClicksOf(ctx, accounts, month, month.AddDate(0, 1, 0))
	if err != nil {
		return nil, err
	}
	exceeded := limits[:0]
	for _, l := range limits {
		if l.Clicks = clicks[l.AccountID]; l.Clicks > l.Allowance {
			exceeded = append(exceeded, l)
		}
	}
	return exceeded, nil
}
