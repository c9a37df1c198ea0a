package report

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/models"
)

// maxBuckets is the largest number of buckets in an answer: the hours of more than two years.
const maxBuckets = 20_000

// maxSpans is the largest number of spans of a `clock`, or of a trend whose buckets recur every week: the hours of eleven years.
const maxSpans = 100_000

// TrendQuery asks for figures by buckets of local time in its zone. It ignores Dimensions, Limit, Sort, MinClicks, Compare and
// Totals of the Query.
type TrendQuery struct {
	Query
	Bucket string
}

// Trend holds the figures of one bucket. Start is zero for buckets that recur every week.
type Trend struct {
	Label string
	Start time.Time
	models.Figures
	Loss *models.ClickLoss // click loss of the days and sources for which it is known; nil: unknown
}

// Trends returns the figures of every bucket of the window in order, including empty ones. Weekdays and hours of the week are
// always complete. A window with too many buckets is cut to the time with traffic. If that is still too long, the error is
// invalid_input.
func (r Reader) Trends(ctx context.Context, q TrendQuery) ([]Trend, error) {
	request := q
	if err := CheckBucket(q.Bucket); err != nil {
		return nil, err
	}
	q.From, q.To, q.Zone = q.From.UTC(), q.To.UTC(), cmp.Or(q.Zone, time.UTC)
	cuts, err := q.cutWindow(ctx, r.Conn)
	if err != nil {
		return nil, err
	}
	list, places := q.emptyBuckets(cuts)
	if len(cuts) == 0 {
		return list, nil
	}
	const inOrder = true
	q.buckets = clockOf(cuts, inOrder)
	q.Dimensions, q.Limit, q.Sort, q.MinClicks, q.Compare, q.Totals = nil, len(cuts), "", 0, nil, false
	err = r.Each(ctx, q.Query, func(row Row) error {
		at, known := places[row.Dims[0]]
		if !known {
			return fmt.Errorf("report: trends: a row of bucket %q", row.Dims[0])
		}
		list[at].Figures = row.Figures
		return nil
	})
	if err != nil {
		return list, err
	}
	return list, r.addLoss(ctx, request, list)
}

// cutWindow returns the spans of the window, which it shrinks if there are too many.
func (q *TrendQuery) cutWindow(ctx context.Context, c db.Conn) ([]span, error) {
	limit := maxBuckets
	if _, folded := week[q.Bucket]; folded {
		limit = maxSpans
	}
	if cuts := spans(q.From, q.To, q.Zone, grains[q.Bucket], limit); cuts != nil || !q.From.Before(q.To) {
		return cuts, nil
	}
	if err := q.shrink(ctx, c); err != nil || !q.From.Before(q.To) {
		return nil, err
	}
	cuts := spans(q.From, q.To, q.Zone, grains[q.Bucket], limit)
	if cuts == nil {
		return nil, tooManyBuckets()
	}
	return cuts, nil
}

const selectTraffic = `
SELECT coalesce(min(hour), 'epoch') AS first, coalesce(max(hour) + interval '1 hour', 'epoch') AS last
FROM ledger WHERE account_id = $1 AND hour >= $2 AND hour < $3`

// shrink cuts the window to the time from the account's first to its last hour with traffic.
func (q *Query) shrink(ctx context.Context, c db.Conn) error {
	traffic, err := db.Get[struct {
		First time.Time `db:"first"`
		Last  time.Time `db:"last"`
	}](ctx, c, "traffic of account", selectTraffic, q.AccountID, q.From.Truncate(time.Hour), q.To)
	if err != nil {
		return err
	}
	if traffic.First.After(q.From) {
		q.From = traffic.First.UTC()
	}
	if traffic.Last.Before(q.To) {
		q.To = traffic.Last.UTC()
	}
	return nil
}

// week maps the buckets that recur every week to all their labels in order.
var week = map[string][]string{
	Weekday: labels(grains[Weekday]), WeekdayHour: labels(grains[WeekdayHour]),
}

// labels returns the labels of a week from Monday to Sunday in UTC.
func labels(g grain) []string {
	monday := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	var out []string
	for at := int64(0); at < 7*daySeconds; at += g.seconds {
		out = append(out, g.label(monday.Add(time.Duration(at)*time.Second)))
	}
	return out
}

// emptyBuckets returns the buckets of an answer with zero figures, and the index of each label.
func (q *TrendQuery) emptyBuckets(cuts []span) ([]Trend, map[string]int) {
	list, places := make([]Trend, 0, len(cuts)), make(map[string]int, len(cuts))
	for _, label := range week[q.Bucket] {
		places[label] = len(list)
		list = append(list, Trend{Label: label})
	}
	for _, s := range cuts {
		if _, known := places[s.label]; !known {
			places[s.label] = len(list)
			list = append(list, Trend{Label: s.label, Start: s.start})
		}
	}
	return list, places
}
