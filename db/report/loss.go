package report

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db/spend"
	"switchyard/models"
)

// lossDimensions are the dimensions by which click losses are known: source and day (UTC).
var lossDimensions = []string{"source_id", "date"}

// Losses has the click losses of the groups of a query: how many of the clicks that a traffic source has reported did not arrive.
// Only days and sources with reported clicks count.
type Losses struct {
	// Known is false if the click losses cannot be known: see lossKnown.
	Known bool

	dimensions []string
	groups     map[[2]string]*models.ClickLoss
	total      *models.ClickLoss
}

// Losses returns the click losses of the groups of a query.
func (r Reader) Losses(ctx context.Context, q Query) (Losses, error) {
	out := Losses{Known: lossKnown(q), dimensions: q.Dimensions, groups: map[[2]string]*models.ClickLoss{}}
	if !out.Known {
		return out, nil
	}
	err := r.eachLoss(ctx, q, func(d spend.LossDay) {
		key := lossKey(q.Dimensions, []string{d.SourceID.String(), d.Day.Format(time.DateOnly)}, lossDimensions)
		out.groups[key] = out.groups[key].Plus(d.ClickLoss)
		out.total = out.total.Plus(d.ClickLoss)
	})
	return out, err
}

// ForRow returns the click loss of a group or of the totals. It is nil if no loss is known.
func (l Losses) ForRow(row Row) *models.ClickLoss {
	if row.Total {
		return l.total
	}
	return l.groups[lossKey(l.dimensions, row.Dims, l.dimensions)]
}

// LossKnown reports whether the click loss of buckets can be known. It is known for days, weekdays and months in UTC, if the
// query covers whole days and filters only by source.
func (q TrendQuery) LossKnown() bool {
	return grains[q.Bucket].seconds == daySeconds && inUTC(q.Query) && coversWholeDays(q.Query)
}

func (r Reader) addLoss(ctx context.Context, q TrendQuery, list []Trend) error {
	if !q.LossKnown() {
		return nil
	}
	sums := map[string]*models.ClickLoss{}
	err := r.eachLoss(ctx, q.Query, func(d spend.LossDay) {
		label := grains[q.Bucket].label(d.Day.UTC())
		sums[label] = sums[label].Plus(d.ClickLoss)
	})
	for i := range list {
		list[i].Loss = sums[list[i].Label]
	}
	return err
}

// eachLoss calls fn with each day of the query's sources and window.
func (r Reader) eachLoss(ctx context.Context, q Query, fn func(spend.LossDay)) error {
	days, err := spend.ClickLoss(ctx, r.Conn, q.AccountID, nil, q.From, q.To.Add(-time.Millisecond))
	for _, d := range days {
		if chosen(q.Filters, d.SourceID) {
			fn(d)
		}
	}
	return err
}

// lossKnown reports whether the click loss of a query's groups can be known. The query must group only by lossDimensions (by date
// only in UTC), cover whole days, and filter at most by source.
func lossKnown(q Query) bool {
	return len(q.Dimensions) > 0 && (inUTC(q) || !slices.Contains(q.Dimensions, "date")) && coversWholeDays(q) &&
		!slices.ContainsFunc(q.Dimensions, func(name string) bool { return !slices.Contains(lossDimensions, name) })
}

func inUTC(q Query) bool { return q.Zone == nil || q.Zone == time.UTC }

// coversWholeDays reports whether a query begins and ends at midnight in UTC, and filters by nothing except the source.
func coversWholeDays(q Query) bool {
	isMidnight := func(t time.Time) bool { return t.UTC().Truncate(day).Equal(t) }
	return isMidnight(q.From) && isMidnight(q.To) && q.From.Before(q.To) &&
		!slices.ContainsFunc(q.Filters, func(f Filter) bool { return f.Dimension != "source_id" })
}

// lossKey returns a group's values of lossDimensions. The value of a dimension by which the query does not group is empty.
// names[i] is the dimension of values[i].
func lossKey(dimensions, values, names []string) (key [2]string) {
	for i, name := range lossDimensions {
		if at := slices.Index(names, name); at >= 0 && slices.Contains(dimensions, name) {
			key[i] = values[at]
		}
	}
	return key
}

func chosen(filters []Filter, source uuid.UUID) bool {
	for _, f := range filters {
		if slices.Contains(f.Values, source.String()) == f.Not {
			return false
		}
	}
	return true
}
