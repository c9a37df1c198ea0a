package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// NewQuery returns the query for the arguments of a request. The error is invalid_input if the time zone does not exist.
func NewQuery(account uuid.UUID, a models.ReportArgs) (Query, error) {
	zone, err := Zone(a.TZ)
	return Query{
		AccountID: account, From: a.From.UTC(), To: a.To.UTC(), Dimensions: a.Dimensions, Filters: a.Filters, Goals: a.Goals, Zone: zone,
		Compare: a.Compare, Sort: a.Sort, MinClicks: a.MinClicks, Having: a.Having, Limit: a.Limit, Totals: a.Totals,
	}, err
}

// Answer returns the rows that answer a request of an account: groups, or buckets in order. maxClicks is as in Query.
func (r Reader) Answer(ctx context.Context, account uuid.UUID, a models.ReportArgs, maxClicks int64) ([]Row, error) {
	q, err := NewQuery(account, a)
	if err != nil {
		return nil, err
	}
	q.MaxClicks = maxClicks
	if a.Bucket == "" {
		rows, err := r.Performance(ctx, q)
		if err != nil {
			return nil, err
		}
		losses, err := r.Losses(ctx, q)
		for i := range rows {
			rows[i].Loss = losses.ForRow(rows[i])
		}
		return rows, err
	}
	list, err := r.Trends(ctx, TrendQuery{q, a.Bucket})
	rows := make([]Row, len(list))
	for i, t := range list {
		rows[i] = Row{Dims: []string{t.Label, ""}, Figures: t.Figures, Loss: t.Loss}
		if !t.Start.IsZero() {
			rows[i].Dims[1] = t.Start.UTC().Format(time.RFC3339Nano)
		}
	}
	return rows, err
}
