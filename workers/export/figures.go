package export

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/db/report"
	"switchyard/models"
)

// figure is a column of figures.
type figure struct {
	name string
	show func(models.Figures, models.Ratios) string
}

func count(name string, of func(models.Figures) int64) figure {
	return figure{name, func(f models.Figures, _ models.Ratios) string { return whole(of(f)) }}
}

// amount is a column of money, rounded as in answers.
func amount(name string, of func(models.Figures) decimal.Decimal) figure {
	return figure{name, func(f models.Figures, _ models.Ratios) string { return rounded(of(f)) }}
}

// ratio is a column of a ratio. It is empty for a division by zero.
func ratio(name string, of func(models.Ratios) *decimal.Decimal) figure {
	return figure{name, func(_ models.Figures, r models.Ratios) string {
		if d := of(r); d != nil {
			return rounded(*d)
		}
		return ""
	}}
}

const scale = 6 // decimals

func rounded(d decimal.Decimal) string { return d.Round(scale).String() }

var figures = []figure{
	count("clicks", func(f models.Figures) int64 { return f.Clicks }),
	count("unique_clicks", func(f models.Figures) int64 { return f.UniqueClicks }),
	count("bot_clicks", func(f models.Figures) int64 { return f.BotClicks }),
	count("lp_views", func(f models.Figures) int64 { return f.LPViews }),
	count("lp_clicks", func(f models.Figures) int64 { return f.LPClicks }),
	ratio("lp_ctr", func(r models.Ratios) *decimal.Decimal { return r.LPCTR }),
	count("conversions", models.Figures.Conversions),
	count("approved", func(f models.Figures) int64 { return f.Approved }),
	count("pending", func(f models.Figures) int64 { return f.Pending }),
	count("rejected", func(f models.Figures) int64 { return f.Rejected }),
	count("chargebacks", func(f models.Figures) int64 { return f.Chargebacks }),
	ratio("cr", func(r models.Ratios) *decimal.Decimal { return r.CR }),
	amount("cost", func(f models.Figures) decimal.Decimal { return f.Cost }),
	amount("revenue", func(f models.Figures) decimal.Decimal { return f.Revenue }),
	amount("pending_revenue", func(f models.Figures) decimal.Decimal { return f.PendingRevenue }),
	amount("profit", models.Figures.Profit),
	ratio("roi", func(r models.Ratios) *decimal.Decimal { return r.ROI }),
	ratio("epc", func(r models.Ratios) *decimal.Decimal { return r.EPC }),
	ratio("cpc", func(r models.Ratios) *decimal.Decimal { return r.CPC }),
	ratio("cpa", func(r models.Ratios) *decimal.Decimal { return r.CPA }),
	ratio("approve_rate", func(r models.Ratios) *decimal.Decimal { return r.ApproveRate }),
}

func figureNames() []string {
	names := make([]string, len(figures))
	for i, f := range figures {
		names[i] = f.name
	}
	return names
}

func (f *file) figures(v models.Figures) {
	ratios := v.Ratios()
	for _, fig := range figures {
		f.cell(fig.show(v, ratios), false)
	}
}

// labelBatch is how many rows get their names by one query.
const labelBatch = 1000

// performance writes a column for each dimension, and one more for the names of a dimension of ids.
func (m *maker) performance(ctx context.Context, u *run, f *file) error {
	q := report.Query{
		AccountID: u.Job.AccountID.UUID, From: u.Args.From, To: u.Args.To, Dimensions: u.Args.Dimensions,
		Limit: models.MaxExportRows + 1,
	}
	for _, x := range u.Args.Filters {
		q.Filters = append(q.Filters, report.Filter{Dimension: x.Dimension, Values: x.Values})
	}
	var names []string
	named := make([]bool, len(q.Dimensions))
	for i, d := range q.Dimensions {
		names = append(names, d)
		if named[i] = slices.Contains(report.Named(), d); named[i] {
			names = append(names, d+"_name")
		}
	}
	if err := f.head(ctx, append(names, figureNames()...)); err != nil {
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
	err := report.Each(ctx, m.store.Conn(), q, func(r report.Row) error {
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
		if labels[i], err = report.Labels(ctx, m.store.Conn(), q.AccountID, name, values); err != nil {
			return nil, err
		}
	}
	return labels, nil
}

// trends are in UTC, since the contract names no time zone for files.
func (m *maker) trends(ctx context.Context, u *run, f *file) error {
	list, err := report.Trends(ctx, m.store.Conn(), report.TrendQuery{
		AccountID: u.Job.AccountID.UUID, From: u.Args.From, To: u.Args.To, Bucket: u.Args.Bucket, Zone: time.UTC,
	})
	if err != nil {
		return err
	}
	if err := f.head(ctx, append([]string{u.Args.Bucket}, figureNames()...)); err != nil {
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
