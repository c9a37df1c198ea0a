// Package rowimport records rows of conversions or spend from a file or a platform.
//
// A batch of rows and its outcomes commit together, under the fence of the job, so a worker that takes over continues after the
// last batch. A row that cannot be applied is refused, and the others of its batch are still applied. Recording the same
// rows again changes nothing.
package rowimport

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
	"switchyard/models/correction"
	"switchyard/workers"
)

// Outcome says whether a row was accepted, and its amount in the account's currency.
type Outcome interface {
	IsAccepted() bool
	Amount() decimal.Decimal
}

// Importer records the rows of one kind.
type Importer[R Row, O Outcome] struct {
	Runtime   *workers.Runtime
	Store     *store.Store
	BatchSize int // rows per transaction
	// Process returns the outcomes of rows. If write is true, it also writes the changes that the rows make, and returns the jobs
	// to dispatch after the commit.
	Process func(ctx context.Context, c db.Conn, account uuid.UUID, of jobs.CorrectionArgs, rows []R, write bool) (
		[]O, []models.JobRef, error)
}

// Run records rows and returns the job's answer. It continues after the rows of earlier attempts. A dry run writes nothing and
// answers with the changes that rows would make.
func (i Importer[R, O]) Run(ctx context.Context, u *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[O]], rows []R) (
	out jobs.CorrectionAnswer[O], err error,
) {
	var outcomes []O
	if u.Args.Apply {
		for u.Args.Next < len(rows) {
			if err := i.writeBatch(ctx, u, rows); err != nil {
				return out, err
			}
		}
		outcomes, err = i.outcomes(ctx, u.Job.ID)
	} else {
		outcomes, _, err = i.Process(ctx, i.Store.Conn(), u.Job.AccountID.UUID, u.Args, rows, false)
	}
	if err != nil {
		return out, err
	}
	return answer(u.Args, outcomes), nil
}

// writeBatch writes the next rows and their outcomes in one transaction, then dispatches the jobs that Process returned. If the
// worker dies between the two, the reconciler dispatches them.
func (i Importer[R, O]) writeBatch(ctx context.Context, u *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[O]], rows []R,
) error {
	var announced []models.JobRef
	err := u.Step(ctx, func(c db.Conn) (jobs.CorrectionArgs, error) {
		a, end := u.Args, min(u.Args.Next+i.BatchSize, len(rows))
		outcomes, more, err := i.Process(ctx, c, u.Job.AccountID.UUID, a, rows[a.Next:end], true)
		if err != nil {
			return a, err
		}
		announced = more
		err = i.Store.On(c).Corrections().AddPart(ctx, u.Job.ID, a.Next, outcomes)
		a.Next = end
		return a, err
	})
	if err == nil {
		i.Runtime.Client().Dispatch(ctx, announced...)
	}
	return err
}

// outcomes returns the outcomes of all rows, including the rows of earlier attempts.
func (i Importer[R, O]) outcomes(ctx context.Context, job uuid.UUID) ([]O, error) {
	parts, err := i.Store.Corrections().Parts(ctx, job)
	if err != nil {
		return nil, err
	}
	var all []O
	for _, raw := range parts {
		var part []O
		if err := json.Unmarshal(raw, &part); err != nil {
			return nil, fmt.Errorf("rowimport: outcomes: %w", err)
		}
		all = append(all, part...)
	}
	return all, nil
}

func answer[O Outcome](a jobs.CorrectionArgs, outcomes []O) jobs.CorrectionAnswer[O] {
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

// Row is a row that a job records. Refused returns the verdict and true if the row is refused.
type Row interface {
	Refused() (correction.Verdict, bool)
}

// Each returns an outcome for each row. The function show makes the outcome of a refused row. For the other rows, the function input
// converts a row, the function do processes all inputs, and the function accept converts a result.
func Each[R Row, I, O, V any](rows []R, show func(R, correction.Verdict) O, input func(R) I, do func([]I) ([]V, error),
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
