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

// readReport returns the answer of a report. The function complete adds all arguments but the window, the time zone and the
// filters. A job computes a report that is too large for a call. Equal calls wait for the same job.
func readReport[T any](
	d Deps, c *route.Call, job slow.Job[models.ReportArgs, jobs.ReportAnswer, T], complete func(*models.ReportArgs) error,
) (out T, err error) {
	args, err := parseReportArgs(c)
	if err == nil {
		err = complete(&args)
	}
	if err != nil {
		return out, err
	}
	rows, err := d.reports(c).Answer(c.Context(), c.Account.ID, args, cmp.Or(d.Large, report.Large))
	if errors.Is(err, report.ErrLarge) {
		return job.Join(c, d.Jobs, args)
	}
	if err != nil {
		return out, err
	}
	labels, err := labelsOf(c, args.Dimensions, rows)
	if err != nil {
		return out, err
	}
	names, err := c.Store.SubNames(c.Context(), c.Account.ID, args.Filters)
	return job.PublicResult(jobs.ReportAnswer{Args: args, Labels: labels, Rows: rows, SubNames: names}), err
}
