package report

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db/clicklog"
	"switchyard/models"
)

// lossDimensions are those that the clicks which traffic sources counted have: they are told by day (UTC) and source.
var lossDimensions = []string{"source_id", "date"}

// lossKnown reports whether the click loss of the groups of a query can be told: only what sources are told apart by groups and
// chooses, over whole days.
func lossKnown(q Query) bool {
	whole := func(t time.Time) bool { return t.UTC().Truncate(24 * time.Hour).Equal(t) }
	utc := q.Zone == nil || q.Zone == time.UTC || !slices.Contains(q.Dimensions, "date")
	return len(q.Dimensions) > 0 && utc && whole(q.From) && whole(q.To) && q.From.Before(q.To) &&
		!slices.ContainsFunc(q.Dimensions, func(name string) bool { return !slices.Contains(lossDimensions, name) }) &&
		!slices.ContainsFunc(q.Filters, func(f Filter) bool { return f.Dimension != "source_id" })
}

// addLoss gives groups, and the totals, their click loss. It is of those days and sources of which the clicks were told; where there are
// none, or where it cannot be told, it is left out.
func (r Reader) addLoss(ctx context.Context, q Query, rows []Row) error {
	if !lossKnown(q) || len(rows) == 0 {
		return nil
	}
	days, err := clicklog.Log{}.ClickLoss(ctx, r.Conn, q.AccountID, nil, q.From, q.To.Add(-time.Millisecond))
	if err != nil {
		return err
	}
	sums, total := map[[2]string]*models.ClickLoss{}, (*models.ClickLoss)(nil)
	for _, d := range days {
		if !chosen(q.Filters, d.SourceID) {
			continue
		}
		key := lossKey(q.Dimensions, []string{d.SourceID.String(), d.Day.Format(time.DateOnly)}, lossDimensions)
		sums[key] = sums[key].Plus(d.ClickLoss)
		total = total.Plus(d.ClickLoss)
	}
	for i := range rows {
		if rows[i].Loss = total; !rows[i].Total {
			rows[i].Loss = sums[lossKey(q.Dimensions, rows[i].Dims, q.Dimensions)]
		}
	}
	return nil
}

// lossKey are the values that a group has in lossDimensions, as far as the dimensions tell them apart. names are those of values.
func lossKey(dimensions, values, names []string) (key [2]string) {
	for i, name := range lossDimensions {
		if at := slices.Index(names, name); at >= 0 && slices.Contains(dimensions, name) {
			key[i] = values[at]
		}
	}
	return key
}

// chosen reports whether filters by source keep one.
func chosen(filters []Filter, source uuid.UUID) bool {
	for _, f := range filters {
		if slices.Contains(f.Values, source.String()) == f.Not {
			return false
		}
	}
	return true
}
