package reporting

import (
	"cmp"
	"errors"

	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
)

// form is a kind of report. job reads the report if it reads too many clicks. show converts the result to the answer.
type form[T any] struct {
	job    slow.Job[models.ReportArgs, jobs.ReportAnswer, T]
	answer func(jobs.ReportAnswer) T
}

func newForm[T any](job jobs.Job[models.ReportArgs, jobs.ReportAnswer], show func(jobs.ReportAnswer) T) form[T] {
	return form[T]{slow.New(job, show), show}
}

// read answers a report directly, or by a job if it reads too many clicks. If an open job of the account has the same arguments,
// the call waits for that job.
func (f form[T]) read(d Deps, c *route.Call, args models.ReportArgs) (shown T, err error) {
	rows, err := d.reports(c).Answer(c.Context(), c.Account.ID, args, cmp.Or(d.Large, report.Large))
	if errors.Is(err, report.ErrLarge) {
		return f.job.Join(c, d.Jobs, args)
	}
	if err != nil {
		return shown, err
	}
	labels, err := labelsOf(c, args.Dimensions, rows)
	return f.answer(jobs.ReportAnswer{Args: args, Labels: labels, Rows: rows}), err
}
