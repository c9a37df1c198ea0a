// Package correction works through CSV files of customers: conversions to record or revise, and spend by day and source.
//
// A dry run looks and writes nothing. Otherwise a part of the rows is written in one transaction with what became of
// them, under the fence of the job, so that a worker that takes over goes on behind it; a row that cannot be taken is
// refused by itself. Doing a file again finds everything as it is.
package correction

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, s *store.Store) {
	workers.RegisterRow(r, jobs.CorrectConversions, file[conversion, conversionOutcome]{
		runtime: r, store: s, atOnce: 500,
		read: readConversions, preview: previewConversions, apply: applyConversions,
	}.run)
	workers.RegisterRow(r, jobs.CorrectCosts, file[cost, costOutcome]{
		runtime: r, store: s, atOnce: 100,
		read: readCosts, preview: previewCosts, apply: applyCosts,
	}.run)
}

// outcome is what became of a row.
type outcome interface {
	Taken() bool
	Amount() decimal.Decimal
}

// file is how the files of a kind are worked through.
type file[R any, O outcome] struct {
	runtime *workers.Runtime
	store   *store.Store
	atOnce  int // rows in one transaction: not so many that those who record conversions wait long
	// read understands a file as far as that is possible without looking at its clicks.
	read    func(ctx context.Context, s *store.Store, account uuid.UUID, text string) ([]R, error)
	preview func(ctx context.Context, c db.Conn, account uuid.UUID, rows []R) ([]O, error)
	// apply writes rows and gives the webhook deliveries that follow.
	apply func(ctx context.Context, c db.Conn, account uuid.UUID, rows []R) ([]O, []uuid.UUID, error)
}

func (f file[R, O]) run(ctx context.Context, u *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[O]]) error {
	account := u.Job.AccountID.UUID
	text, err := f.store.Corrections().Text(ctx, account, u.Job.ID)
	if err != nil {
		return err
	}
	rows, err := f.read(ctx, f.store, account, text)
	if err != nil {
		return err
	}
	var outcomes []O
	if u.Args.Apply {
		for u.Args.Next < len(rows) {
			if err := f.part(ctx, u, rows); err != nil {
				return err
			}
		}
		outcomes, err = f.outcomes(ctx, u.Job.ID)
	} else {
		outcomes, err = f.preview(ctx, f.store.Conn(), account, rows)
	}
	if err != nil {
		return err
	}
	return u.Commit(ctx, answer(u.Args, outcomes), func(c db.Conn) error {
		return f.store.On(c).Corrections().Remove(ctx, u.Job.ID)
	})
}

// part writes the next rows and what became of them. Deliveries that are not dispatched, because the worker dies first,
// are found by the reconciler.
func (f file[R, O]) part(ctx context.Context, u *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[O]], rows []R,
) error {
	var deliveries []uuid.UUID
	account := u.Job.AccountID.UUID
	err := u.Step(ctx, func(c db.Conn) (jobs.CorrectionArgs, error) {
		a, end := u.Args, min(u.Args.Next+f.atOnce, len(rows))
		outcomes, more, err := f.apply(ctx, c, account, rows[a.Next:end])
		if err != nil {
			return a, err
		}
		deliveries = more
		err = f.store.On(c).Corrections().AddPart(ctx, u.Job.ID, a.Next, outcomes)
		a.Next = end
		return a, err
	})
	if err == nil && len(deliveries) > 0 {
		f.runtime.Client().DispatchFor(ctx, account, models.KindDeliverWebhook, deliveries...)
	}
	return err
}

// outcomes reads what became of all rows, whoever wrote them.
func (f file[R, O]) outcomes(ctx context.Context, job uuid.UUID) ([]O, error) {
	parts, err := f.store.Corrections().Parts(ctx, job)
	if err != nil {
		return nil, err
	}
	var all []O
	for _, raw := range parts {
		var part []O
		if err := json.Unmarshal(raw, &part); err != nil {
			return nil, fmt.Errorf("correction: outcomes: %w", err)
		}
		all = append(all, part...)
	}
	return all, nil
}

func answer[O outcome](a jobs.CorrectionArgs, outcomes []O) jobs.CorrectionAnswer[O] {
	out := jobs.CorrectionAnswer[O]{
		DryRun: !a.Apply, Total: len(outcomes), Truncated: a.Truncated, Outcomes: outcomes,
	}
	for _, o := range outcomes {
		if o.Taken() {
			out.Accepted++
		}
		out.Sum = out.Sum.Add(o.Amount())
	}
	out.Refused = out.Total - out.Accepted
	return out
}

// each gives the outcomes of rows: those of refused ones by refuse, those of the others from what is done with them.
func each[R, I, O, V any](rows []R, refuse func(R) (O, bool), input func(R) I, do func([]I) ([]V, error),
	take func(R, V) O,
) ([]O, error) {
	out := make([]O, len(rows))
	var inputs []I
	var places []int
	for i, r := range rows {
		refused, is := refuse(r)
		if is {
			out[i] = refused
			continue
		}
		inputs, places = append(inputs, input(r)), append(places, i)
	}
	done, err := do(inputs)
	if err != nil {
		return nil, err
	}
	for i, at := range places {
		out[at] = take(rows[at], done[i])
	}
	return out, nil
}
