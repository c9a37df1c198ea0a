package export

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/export"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/measure"
)

// figureNames are the headings of figures: their names in answers. lossNames are the headings of the click loss, which is a
// member of its own in answers.
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

// cellsOf returns the cells of a row of figures, with the same text as in answers. A missing value is an empty cell.
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

// figureColumns are the columns of a file's figures, then of its formulas, and if loss is set, of the click loss. places has the
// positions of the chosen figures in figureNames; nil means all. If rounded is set, figures and results have the decimals that
// the dashboard shows.
type figureColumns struct {
	places   []int
	formulas []string
	values   []measure.Expression // the parsed formulas
	loss     bool
	rounded  bool
}

// columnsOf returns the columns of a file. A file with chosen columns has only these and its formulas. The API has checked both.
func columnsOf(a jobs.ExportArgs, lossKnown bool) figureColumns {
	c := figureColumns{loss: lossKnown && len(a.Columns) == 0, rounded: len(a.Headings) > 0}
	c.formulas, c.values, _ = measure.ParseExpressions(a.Formulas)
	for _, name := range a.Columns {
		c.places = append(c.places, slices.Index(figureNames, name))
	}
	return c
}

func (c figureColumns) pick(all []string) []string {
	if c.places == nil {
		return all
	}
	return db.Map(c.places, func(i int) string { return all[i] })
}

// cells returns the cells of a row. If loss is nil, the cells of the click loss are empty.
func (c figureColumns) cells(values []string, f models.Figures, loss *models.ClickLoss) []string {
	figures := cellsOf(f.Row())
	picked := c.pick(figures)
	if c.rounded {
		for i, place := range c.places {
			picked[i] = roundedCell(picked[i], measure.Find(figureNames[place]).DisplayDigits())
		}
	}
	out := append(slices.Clone(values), picked...)
	for _, e := range c.values {
		result := resultOf(e, figures)
		if c.rounded {
			result = roundedCell(result, 2)
		}
		out = append(out, result)
	}
	switch {
	case c.loss && loss != nil:
		out = append(out, cellsOf(loss.Row())...)
	case c.loss:
		out = append(out, make([]string, len(lossNames))...)
	}
	return out
}

// roundedCell rounds a number to the given number of decimals. A number that they cannot show, such as 0.00123 with 2 decimals, is
// rounded to two significant digits instead: 0.0012.
func roundedCell(cell string, digits int) string {
	n, err := decimal.NewFromString(cell)
	if err != nil {
		return cell
	}
	if first := n.NumDigits() + int(n.Exponent()); !n.IsZero() && first <= -digits {
		digits = 2 - first
	}
	return n.Round(int32(digits)).String() //nolint:gosec // a number of decimals
}

// resultOf returns the result of a formula, with up to 6 decimals, or empty if it has no value.
func resultOf(e measure.Expression, figures []string) string {
	value, ok := e(func(name string) (decimal.Decimal, bool) {
		n, err := decimal.NewFromString(figures[slices.Index(figureNames, name)])
		return n, err == nil
	})
	if !ok {
		return ""
	}
	return value.Round(6).String()
}

// foreignHeading is for a column whose cells may contain foreign text, heading for all others.
func foreignHeading(name string) export.Heading { return export.Heading{Name: name, Foreign: true} }
func heading(name string) export.Heading        { return export.Heading{Name: name} }

// after returns columns, followed by the headings of c.
func (c figureColumns) after(columns []export.Heading) []export.Heading {
	columns = append(append(columns, db.Map(c.pick(figureNames), heading)...), db.Map(c.formulas, heading)...)
	if c.loss {
		columns = append(columns, db.Map(lossNames, heading)...)
	}
	return columns
}

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
	columns := columnsOf(u.Args, losses.Known)
	w, err := m.write(ctx, u, f, columns.after(db.Map(q.Dimensions, foreignHeading)), names)
	if err != nil {
		return err
	}
	err = m.reports.Each(ctx, q, func(r report.Row) error {
		return w.add(ctx, columns.cells(r.Dims, r.Figures, losses.ForRow(r)))
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
	columns := columnsOf(u.Args, t.LossKnown())
	w, err := m.write(ctx, u, f, columns.after([]export.Heading{heading(t.Bucket)}), nil)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := w.add(ctx, columns.cells([]string{r.Label}, r.Figures, r.Loss)); err != nil {
			return err
		}
	}
	return w.flush(ctx)
}
