// Package correction processes CSV files of customers: conversions to record or revise, and spend by day and source.
//
// A dry run writes nothing. Otherwise rows are written in batches. A batch and its outcomes commit together, under
// the fence of the job, so that a worker that takes over continues after it. A row that cannot be applied is refused
// alone. Processing a file again changes nothing.
package correction

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers"
)

// Clicks changes conversions and spend. clicklog.Log implements it.
type Clicks interface {
	CorrectConversions(ctx context.Context, c db.Conn, account uuid.UUID, list []clicklog.ConversionInput, write bool) (
		[]clicklog.Corrected, []models.JobRef, error)
	SetSpend(ctx context.Context, c db.Conn, account uuid.UUID, list ...clicklog.Spend) ([]int64, error)
	PreviewSpend(ctx context.Context, c db.Conn, account uuid.UUID, list []clicklog.Spend) ([]int64, error)
	SpendRates(ctx context.Context, c db.Conn, account uuid.UUID, list []clicklog.Spend) ([]decimal.NullDecimal, error)
}

type corrector struct{ clicks Clicks }

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, s *store.Store, clicks Clicks) {
	workers.RegisterRow(r, jobs.CorrectConversions, file[conversion, conversionOutcome]{
		runtime: r, store: s, batchSize: 500, read: readConversions, process: corrector{clicks}.conversions,
	}.run)
	workers.RegisterRow(r, jobs.CorrectCosts, file[cost, costOutcome]{
		runtime: r, store: s, batchSize: 100, read: readCosts, process: corrector{clicks}.costs,
	}.run)
}

// outcome is the outcome of a row.
type outcome interface {
	IsAccepted() bool
	Amount() decimal.Decimal
}

// file describes how the files of one kind are processed.
type file[R row, O outcome] struct {
	runtime   *workers.Runtime
	store     *store.Store
	batchSize int // rows in one transaction, which blocks the recording of other conversions
	// read reads a file and checks its rows without looking at clicks.
	read func(ctx context.Context, s *store.Store, account uuid.UUID, text string) ([]R, error)
	// process returns the outcomes of rows. If write is true, it also writes the rows, and returns the jobs to dispatch after the
	// commit.
	process func(ctx context.Context, c db.Conn, account uuid.UUID, of jobs.CorrectionArgs, rows []R, write bool) (
		[]O, []models.JobRef, error)
	// ended is called with the answer, in the transaction that ends the job. It may be nil.
	ended func(ctx context.Context, c db.Conn, account, job uuid.UUID, a jobs.CorrectionAnswer[O]) error
	// kept returns the part of the answer that is stored. If it is nil, the whole answer is stored.
	kept func(a jobs.CorrectionAnswer[O]) jobs.CorrectionAnswer[O]
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
			if err := f.writeBatch(ctx, u, rows); err != nil {
				return err
			}
		}
		outcomes, err = f.outcomes(ctx, u.Job.ID)
	} else {
		outcomes, _, err = f.process(ctx, f.store.Conn(), account, u.Args, rows, false)
	}
	if err != nil {
		return err
	}
	found := answer(u.Args, outcomes)
	kept := found
	if f.kept != nil {
		kept = f.kept(found)
	}
	return u.Commit(ctx, kept, func(c db.Conn) error {
		if f.ended != nil {
			if err := f.ended(ctx, c, account, u.Job.ID, found); err != nil {
				return err
			}
		}
		return f.store.On(c).Corrections().Remove(ctx, u.Job.ID)
	})
}

// writeBatch writes the next rows and their outcomes. If the worker dies before it dispatches the jobs that announce the changes,
// the reconciler dispatches them.
func (f file[R, O]) writeBatch(ctx context.Context, u *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[O]], rows []R,
) error {
	var tell []models.JobRef
	account := u.Job.AccountID.UUID
	err := u.Step(ctx, func(c db.Conn) (jobs.CorrectionArgs, error) {
		a, end := u.Args, min(u.Args.Next+f.batchSize, len(rows))
		outcomes, more, err := f.process(ctx, c, account, a, rows[a.Next:end], true)
		if err != nil {
			return a, err
		}
		tell = more
		err = f.store.On(c).Corrections().AddPart(ctx, u.Job.ID, a.Next, outcomes)
		a.Next = end
		return a, err
	})
	if err == nil {
		f.runtime.Client().Dispatch(ctx, tell...)
	}
	return err
}

// outcomes reads the outcomes of all rows, including the outcomes of earlier attempts.
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
		Network: a.Network,
	}
	for _, o := range outcomes {
		if o.IsAccepted() {
			out.Accepted++
			out.Sum = out.Sum.Add(o.Amount())
		}
	}
	out.Refused = out.Total - out.Accepted
	return out
}

// row is a row of a file. Refused returns the verdict of a refused row.
type row interface {
	Refused() (correction.Verdict, bool)
}

// each returns the outcome of each row. show returns the outcome of a refused row. input converts each other row to an input, do
// processes all inputs, and accept converts its results to outcomes.
func each[R row, I, O, V any](rows []R, show func(R, correction.Verdict) O, input func(R) I, do func([]I) ([]V, error),
	accept func(R, V) O,
) ([]O, error) {
	out := make([]O, len(rows))
	var inputs []I
	var positions []int
	for i, r := range rows {
		if verdict, refused := r.Refused(); refused {
			out[i] = show(r, verdict)
			continue
		}
		inputs, positions = append(inputs, input(r)), append(positions, i)
	}
	done, err := do(inputs)
	if err != nil {
		return nil, err
	}
	for i, at := range positions {
		out[at] = accept(rows[at], done[i])
	}
	return out, nil
}
