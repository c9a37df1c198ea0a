package export

import (
	"context"
	"reflect"
	"strconv"

	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
)

// figureNames are the headings of the columns of figures: the names that they have in answers.
var figureNames = func() (names []string) {
	for field := range reflect.TypeFor[models.FigureRow]().Fields() {
		names = append(names, field.Tag.Get("json"))
	}
	return names
}()

// figures adds the cells of the columns of figures. They hold what answers show. One without a value is empty.
func (f *file) figures(v models.Figures) {
	for _, cell := range reflect.ValueOf(v.Row()).Fields() {
		switch value := cell.Interface().(type) {
		case int64:
			f.cell(strconv.FormatInt(value, 10), false)
		case models.Money:
			f.cell(value.Shown(), false)
		case *models.Money:
			text := ""
			if value != nil {
				text = value.Shown()
			}
			f.cell(text, false)
		}
	}
}

// labelBatch is how many rows get their names by one query.
const labelBatch = 1000

// performance writes a column for each dimension, and one more for the names of a dimension of ids.
func (m *maker) performance(ctx context.Context, u *run, f *file) error {
	args := u.Args.ReportArgs
	args.Limit = models.MaxExportRows + 1
	q, err := report.NewQuery(u.Job.AccountID.UUID, args)
	if err != nil {
		return err
	}
	var names []string
	named := make([]bool, len(q.Dimensions))
	for i, d := range q.Dimensions {
		names = append(names, d)
		if named[i] = store.HasLabels(d); named[i] {
			names = append(names, d+"_name")
		}
	}
	if err := f.head(ctx, append(names, figureNames...)); err != nil {
		return err
	}
	var batch []report.Row
	write := func() error {
		labels, err := m.labels(ctx, q, named, batch)
		if err != nil {
			return err
		}
		for _, r := range batch {
			for i, value := range r.Dims {
				f.cell(value, true)
				if named[i] {
					f.cell(labels[i][value], true)
				}
			}
			f.figures(r.Figures)
			if err := f.row(ctx); err != nil {
				return err
			}
		}
		batch = batch[:0]
		return nil
	}
	err = m.reports.Each(ctx, q, func(r report.Row) error {
		if batch = append(batch, r); len(batch) < labelBatch {
			return nil
		}
		return write()
	})
	if err != nil {
		return err
	}
	return write()
}

// labels reads the names of the values of rows: for each dimension with names, a map from value to name.
func (m *maker) labels(ctx context.Context, q report.Query, named []bool, rows []report.Row,
) ([]map[string]string, error) {
	labels := make([]map[string]string, len(named))
	for i, name := range q.Dimensions {
		if !named[i] {
			continue
		}
		var values []string
		for _, r := range rows {
			values = append(values, r.Dims[i])
		}
		var err error
		if labels[i], err = m.store.Labels(ctx, q.AccountID, name, values); err != nil {
			return nil, err
		}
	}
	return labels, nil
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
	if err := f.head(ctx, append([]string{u.Args.Bucket}, figureNames...)); err != nil {
		return err
	}
	for _, r := range list {
		f.cell(r.Label, false)
		f.figures(r.Figures)
		if err := f.row(ctx); err != nil {
			return err
		}
	}
	return nil
}
