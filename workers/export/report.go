package export

import (
	"context"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// read computes a report that is too large for a request. The transaction that stores the answer deletes older answers of the same
// kind of job: the account keeps the newest ones, at most jobs.StoredReports.
func (m *maker) read(ctx context.Context, u *workers.Run[models.ReportArgs, jobs.ReportAnswer]) error {
	account := u.Job.AccountID.UUID
	rows, err := m.reports.Answer(ctx, account, u.Args, 0) // 0: any number of clicks
	if err != nil {
		return err
	}
	answer := jobs.ReportAnswer{Args: u.Args, Rows: rows}
	answer.Labels, err = m.store.LabelsOf(ctx, account, u.Args.Dimensions, func(i int) []string {
		return db.Map(rows, func(r report.Row) string { return r.Dims[i] })
	})
	if err == nil {
		answer.SubNames, err = m.store.SubNames(ctx, account, u.Args.Filters)
	}
	if err != nil {
		return err
	}
	return u.Commit(ctx, answer, func(c db.Conn) error {
		return jobrow.RetainNewest(ctx, c, u.Job.Kind, account, jobs.StoredReports)
	})
}
