package store

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/db/jobrow"
	"switchyard/models"
)

// Jobs accesses the jobs that accounts request.
type Jobs struct{ s *Store }

// Jobs returns access to the jobs.
func (s *Store) Jobs() Jobs { return Jobs{s} }

// Submit inserts the row of a job. The error is plan_limit if the account would then have more open jobs than its plan allows. A
// row that already exists does not change. Call it in a transaction, so that the account stays locked until the row is committed,
// and plan_limit undoes the insert.
func (j Jobs) Submit(ctx context.Context, row models.Job) error {
	plan, err := j.s.lockedPlan(ctx, row.AccountID.UUID)
	if err != nil {
		return err
	}
	if err := jobrow.Insert(ctx, j.s.c, row); err != nil {
		return err
	}
	open, err := jobrow.CountOpen(ctx, j.s.c, row.AccountID.UUID, "")
	if err == nil && open > plan.OpenJobs {
		err = models.PlanLimit("the plan %q allows %d jobs that wait or run; wait until one has ended", plan.Name, plan.OpenJobs)
	}
	return err
}

// Unfinished returns the arguments of an account's jobs of one kind that wait, run or have failed.
func (j Jobs) Unfinished(ctx context.Context, account uuid.UUID, kind string) ([]json.RawMessage, error) {
	return jobrow.Unfinished(ctx, j.s.c, account, kind)
}
