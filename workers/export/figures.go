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

// figureNames are the headings of the columns of figures: the names that they have in answers.
var figureNames = func() (names []string) {
	for field := range reflect.TypeFor[models.FigureRow]().Fields() {
		names = append(names, field.Tag.Get("json"))
	}
	return names
}()

// figureCells are the cells of the columns of figures. They hold what answers show. One without a value is empty.
func figureCells(v models.Figures) (cells []string) {
	for _, cell := range reflect.ValueOf(v.Row()).Fields() {
		switch value := cell.Interface().(type) {
		case int64:
			cells = append(cells, strconv.FormatInt(value, 10))
		case models.Money:
			cells = append(cells, value.Shown())
		case *models.Money:
			text := ""
			if value != nil {
				text = value.Shown()
			}
			cells = append(cells, text)
		}
	}
	return cells
}

// withFigures are columns, and those of figures behind them. What foreign texts there are is in the columns.
func withFigures(foreign bool, names ...string) []export.Heading {
	columns := db.Map(names, func(n string) export.Heading { return export.Heading{Name: n, Foreign: foreign} })
	return append(columns, db.Map(figureNames, func(n string) export.Heading { return export.Heading{Name: n} })...)
}

// performance writes a column for each dimension and each figure.
func (m *maker) performance(ctx context.Context, u *run, f *file) error {
	args := u.Args.ReportArgs
	args.Limit = models.MaxExportRows + 1
	q, err := report.NewQuery(u.Job.AccountID.UUID, args)
	if err != nil {
		return err
	}
	w, err := m.write(ctx, q.AccountID, f, withFigures(true, q.Dimensions...))
	if err != nil {
		return err
	}
	err = m.reports.Each(ctx, q, func(r report.Row) error {
		return w.add(ctx, append(slices.Clone(r.Dims), figureCells(r.Figures)...))
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
	list, err := m.reports.Trends(ctx, report.TrendQuery{Query: q, Bucket: u.Args.Bucket})
	if err != nil {
		return err
	}
	w, err := m.write(ctx, q.AccountID, f, withFigures(false, u.Args.Bucket))
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := w.add(ctx, append([]string{r.Label}, figureCells(r.Figures)...)); err != nil {
			return err
		}
	}
	return w.flush(ctx)
}
