package export

import (
	"cmp"
	"context"
	"strconv"

	"github.com/google/uuid"

	"switchyard/db"
	dbdifference "switchyard/db/difference"
	"switchyard/db/export"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/difference"
	"switchyard/workers"
)

// compare stores the differences between the figures of another system (a network or an ad platform) and ours as the job's
// result. In the same transaction it deletes older results. The account keeps its newest ones, up to the number jobs.StoredReports.
func (m *maker) compare(ctx context.Context, u *workers.Run[difference.Args, difference.Result]) error {
	account := u.Job.AccountID.UUID
	out, err := m.readDifference(ctx, account, u.Args)
	if err != nil {
		return err
	}
	campaigns := db.Map(out.Rows, func(r difference.Row) string { return r.Campaign.String() })
	if out.Names, err = m.store.Labels(ctx, account, "campaign_id", campaigns); err != nil {
		return err
	}
	return u.Commit(ctx, out, func(c db.Conn) error {
		return jobrow.RetainNewest(ctx, c, u.Job.Kind, account, jobs.StoredReports)
	})
}

func (m *maker) readDifference(ctx context.Context, account uuid.UUID, a difference.Args) (difference.Result, error) {
	return dbdifference.Reader{Conn: m.store.Conn(), Reports: m.reports}.Read(ctx, account, a)
}

// differenceColumns are the columns of a file of differences. The column "line" is "ours", "theirs" (of the other system),
// "difference", the name of a cause, or "unexplained".
var differenceColumns = []export.Heading{
	{Name: "day"}, {Name: "campaign_id"}, {Name: "line"}, {Name: "clicks"}, {Name: "conversions"}, {Name: "money"}, {Name: "currency"},
}

// difference writes the lines of each day and campaign: ours, theirs, theirs minus ours, each cause, and the unexplained rest.
// Except in "ours", the cells of figures that are not compared are empty.
func (m *maker) difference(ctx context.Context, u *run, f *file) error {
	out, err := m.readDifference(ctx, u.Job.AccountID.UUID, u.Args.Compare)
	if err != nil {
		return err
	}
	w, err := m.write(ctx, u, f, differenceColumns, nil)
	if err != nil {
		return err
	}
	for _, r := range out.Rows {
		line := func(name string, v difference.Figures, written difference.Measures) error {
			cells := []string{r.Day, models.IDText(r.Campaign), name, "", "", "", ""}
			if written.Clicks {
				cells[3] = strconv.FormatInt(v.Clicks, 10)
			}
			if written.Conversions {
				cells[4] = strconv.FormatInt(v.Conversions, 10)
			}
			if written.Money {
				cells[5], cells[6] = models.NewMoney(v.Money).Text(), out.Currency
				if name == "theirs" {
					cells[6] = cmp.Or(out.TheirCurrency, out.Currency)
				}
			}
			return w.add(ctx, cells)
		}
		if err := line("ours", r.Ours, difference.Measures{Clicks: true, Conversions: true, Money: true}); err != nil {
			return err
		}
		lines := append([]difference.Part{{Cause: "theirs", Figures: r.Theirs}, {Cause: "difference", Figures: r.Theirs.Minus(r.Ours)}}, r.Causes...)
		for _, p := range append(lines, difference.Part{Cause: "unexplained", Figures: r.Unexplained}) {
			if err := line(p.Cause, p.Figures, out.Compares); err != nil {
				return err
			}
		}
	}
	return w.flush(ctx)
}
