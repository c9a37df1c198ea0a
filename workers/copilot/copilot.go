// Package copilot judges the figures of accounts and stores suggestions. It also runs the rules of accounts, which change
// campaigns automatically. models/copilot and models/autorule decide which figures lead to a suggestion or a change.
package copilot

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	dbcopilot "switchyard/db/copilot"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/workers"
)

// Reports reads figures and estimates the cost of reading them. report.Reader implements it.
type Reports interface {
	Performance(ctx context.Context, q report.Query) ([]report.Row, error)
	Cost(ctx context.Context, q report.Query) (int64, error)
}

// atOnce is the maximum number of accounts for which one sweep starts a refresh.
const atOnce = 50

// Register adds the handlers to a runtime. now is the clock; nil means time.Now.
func Register(r *workers.Runtime, s *store.Store, reports Reports, now func() time.Time) {
	w := &worker{store: s, reports: reports, client: r.Client(), now: workers.Clock(now)}
	workers.RegisterTick(r, jobs.SweepCopilot, w.sweep)
	workers.Register(r, jobs.RefreshCopilot, func(ctx context.Context, _ jobs.None) (jobs.CopilotRefreshed, error) {
		return w.refresh(ctx, workers.Account(ctx))
	})
	workers.RegisterTick(r, jobs.SweepRules, w.sweepRules)
	workers.RegisterRow(r, jobs.RunRules, w.runRules)
	workers.RegisterRow(r, jobs.ReplayRule, w.replayRule)
}

type worker struct {
	store   *store.Store
	reports Reports
	client  *jobs.Client
	now     func() time.Time
}

// sweep starts a refresh for each account that is due. If a refresh is lost, its account is due again after an hour.
func (w *worker) sweep(ctx context.Context) error {
	due, err := dbcopilot.NewSuggestions(w.store).ClaimDue(ctx, w.now(), atOnce)
	for _, account := range due {
		_, failed := jobs.Submit(ctx, w.client, jobs.RefreshCopilot, account, jobs.None{})
		err = errors.Join(err, failed)
	}
	return err
}

// refresh judges the figures of an account and stores the suggestions.
func (w *worker) refresh(ctx context.Context, id uuid.UUID) (out jobs.CopilotRefreshed, err error) {
	account, err := w.store.FindAccount(ctx, id)
	if err != nil {
		return out, err
	}
	now := w.now().UTC().Truncate(time.Microsecond) // the precision that the database stores
	r, err := w.read(ctx, account, now)
	if err != nil {
		return out, err
	}
	list, scope := copilot.Judge(r.in)
	scope.Skipped = len(r.skipped)
	k := dbcopilot.NewSuggestions(w.store)
	err = k.Save(ctx, id, dbcopilot.FoundSuggestions{
		List: list, Judged: scope.Judged(), Scope: &scope, At: now, Next: next(account, now), Unread: r.unread, Skipped: r.skipped,
	})
	if err != nil {
		return out, err
	}
	slog.DebugContext(ctx, "account judged", "judged", scope.Judged(), "suggestions", len(list))
	out = jobs.CopilotRefreshed{At: now, Judged: scope.Judged()}
	out.Open, err = k.CountOpen(ctx, id, now)
	return out, err
}

// next returns when an account is judged again: once a day, at a time of day that depends on the account's id.
func next(a models.Account, now time.Time) time.Time {
	offset := time.Duration(binary.BigEndian.Uint32(a.ID[12:])) % (24 * 60 * 60) * time.Second
	start := a.DayStart(now)
	at := start.Add(offset)
	if !at.After(now) {
		at = start.AddDate(0, 0, 1).Add(offset)
	}
	return at
}
