package export

import (
	"context"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/workers"
)

// read answers a report that is too large for a request. Older answers of its kind are deleted with the commit.
func (m *maker) read(ctx context.Context, u *workers.Run[jobs.ReportArgs, jobs.ReportAnswer]) error {
	account := u.Job.AccountID.UUID
	q := report.Query{
		AccountID: account, From: u.Args.From, To: u.Args.To, Dimensions: u.Args.Dimensions, Limit: u.Args.Limit,
	}
	for _, f := range u.Args.Filters {
		q.Filters = append(q.Filters, report.Filter{Dimension: f.Dimension, Values: f.Values})
	}
	rows, err := m.reports.Performance(ctx, q)
	if err != nil {
		return err
	}
	answer := jobs.ReportAnswer{Args: u.Args, Rows: make([]jobs.ReportRow, len(rows))}
	for i, r := range rows {
		answer.Rows[i] = jobs.ReportRow(r)
	}
	answer.Labels, err = m.store.LabelsOf(ctx, account, q.Dimensions, func(i int) []string {
		return db.Map(rows, func(r report.Row) string { return r.Dims[i] })
	})
	if err != nil {
		return err
	}
	return u.Commit(ctx, answer, func(c db.Conn) error {
		return jobrow.KeepNewest(ctx, c, u.Job.Kind, account, jobs.ReportsKept)
	})
}
