package export

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"switchyard/db"
	"switchyard/db/export"
	"switchyard/db/report"
	"switchyard/models"
)

// figureNames are the headings of the columns of figures: the names that the figures have in answers. lossNames are the headings
// of the click loss, which has its own member in answers.
var (
	figureNames = namesOf[models.FigureRow]("")
	lossNames   = namesOf[models.LossRow]("click_loss.")
)

func namesOf[T any](prefix string) (names []string) {
	for field := range reflect.TypeFor[T]().Fields() {
		names = append(names, prefix+field.Tag.Get("json"))
	}
	return names
}

// cellsOf returns the cells of a row of figures, with the same text as in answers. The cell of a missing value is empty.
func cellsOf(row any) (cells []string) {
	for _, cell := range reflect.ValueOf(row).Fields() {
		switch value := cell.Interface().(type) {
		case int64:
			cells = append(cells, strconv.FormatInt(value, 10))
		case models.Money:
			cells = append(cells, value.Text())
		case *models.Money:
			text := ""
			if value != nil {
				text = value.Text()
			}
			cells = append(cells, text)
		}
	}
	return cells
}

// cells returns the cells of a row: its values, its figures and, if withLoss is true, its click loss. The cells of the click loss are
// empty if loss is nil.
func cells(values []string, f models.Figures, withLoss bool, loss *models.ClickLoss) []string {
	out := append(slices.Clone(values), cellsOf(f.Row())...)
	switch {
	case withLoss && loss != nil:
		out = append(out, cellsOf(loss.Row())...)
	case withLoss:
		out = append(out, make([]string, len(lossNames))...)
	}
	return out
}

// The headings of a column whose cells may contain foreign text, and of a column whose cells cannot.
func foreignHeading(name string) export.Heading { return export.Heading{Name: name, Foreign: true} }
func heading(name string) export.Heading        { return export.Heading{Name: name} }

// withFigures returns columns, followed by the headings of the figures and, if withLoss is true, of the click loss.
func withFigures(columns []export.Heading, withLoss bool) []export.Heading {
	if columns = append(columns, db.Map(figureNames, heading)...); withLoss {
		columns = append(columns, db.Map(lossNames, heading)...)
	}
	return columns
}

// performance writes a column for each dimension and each figure.
func (m *maker) performance(ctx context.Context, u *run, f *file) error {
	args := u.Args.ReportArgs
	args.Limit = models.MaxExportRows + 1
	q, err := report.NewQuery(u.Job.AccountID.UUID, args)
	if err != nil {
		return err
	}
	losses, err := m.reports.Losses(ctx, q)
	if err != nil {
		return err
	}
	names, err := m.subNames(ctx, u)
	if err != nil {
		return err
	}
	w, err := m.write(ctx, q.AccountID, f, withFigures(db.Map(q.Dimensions, foreignHeading), losses.Known), names)
	if err != nil {
		return err
	}
	err = m.reports.Each(ctx, q, func(r report.Row) error {
		return w.add(ctx, cells(r.Dims, r.Figures, losses.Known, losses.ForRow(r)))
	})
	if err != nil {
		return err
	}
	return w.flush(ctx)
}

func (m *maker) trends(ctx context.Context, u *run, f *file) error {
	q, err := report.NewQuery(u.Job.AccountID.UUID, u.Args.ReportArgs)
	if err != nil {
		return err
	}
	t := report.TrendQuery{Query: q, Bucket: u.Args.Bucket}
	list, err := m.reports.Trends(ctx, t)
	if err != nil {
		return err
	}
	w, err := m.write(ctx, q.AccountID, f, withFigures([]export.Heading{heading(t.Bucket)}, t.LossKnown()), nil)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := w.add(ctx, cells([]string{r.Label}, r.Figures, t.LossKnown(), r.Loss)); err != nil {
			return err
		}
	}
	return w.flush(ctx)
}
