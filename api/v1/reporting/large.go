package reporting

import (
	"cmp"
	"time"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/report"
	"switchyard/jobs"
)

// readReport answers a report: now, or by a job if it reads too many clicks. A call that asks what an open job of the
// account was asked already waits for that one.
func readReport[T any](d Deps, c *route.Call, large slow.Job[jobs.ReportArgs, jobs.ReportAnswer, T],
	show func(jobs.ReportAnswer) T, args jobs.ReportArgs,
) (shown T, err error) {
	q := InWindow(c)
	q.Dimensions, q.Limit = args.Dimensions, args.Limit
	for _, f := range args.Filters {
		q.Filters = append(q.Filters, report.Filter{Dimension: f.Dimension, Values: f.Values})
	}
	clicks, err := d.reports(c).Cost(c.Context(), q)
	if err != nil {
		return shown, err
	}
	if clicks > cmp.Or(d.Large, report.Large) {
		return large.Join(c, d.Jobs, args)
	}
	rows, err := d.reports(c).Performance(c.Context(), q)
	if err != nil {
		return shown, err
	}
	labels, err := labelsOf(c, args.Dimensions, rows)
	return show(jobs.ReportAnswer{
		Args: args, Labels: labels, Rows: answer.Each(rows, func(r report.Row) jobs.ReportRow { return jobs.ReportRow(r) }),
	}), err
}

// rangeOf is the window of a report as answers show it.
func rangeOf(a jobs.ReportArgs) bind.Range {
	return bind.Window{From: a.From.UTC(), To: a.To.UTC().Add(-time.Second)}.Range()
}
