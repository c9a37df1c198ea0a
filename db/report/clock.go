package report

import (
	"context"
	"slices"
	"strconv"
	"time"

	"switchyard/db/click"
	"switchyard/db/exchangerate"
	"switchyard/models"
)

// clock numbers the values of a dimension of time in a window, by the local time of a zone. Local time is computed here and not
// in SQL. If two programs had different time zone rules, a bucket could be lost or counted twice. Values that follow one another
// in time are numbered in that order, from 1. Other values are used as their own numbers.
type clock struct {
	spans  []span
	codes  []int64 // of each span
	labels map[int64]string
}

// newClock returns the clock of a dimension in [from, to).
func newClock(d dimension, from, to time.Time, zone *time.Location) (*clock, error) {
	c := &clock{spans: spans(from, to, zone, d.grain, maxSpans), codes: []int64{}, labels: map[int64]string{}}
	if c.spans == nil && from.Before(to) {
		return nil, tooManyBuckets()
	}
	known := map[string]int64{}
	for _, s := range c.spans {
		code, ok := known[s.label]
		if !ok {
			if code = int64(len(known)) + 1; !d.inOrder {
				code, _ = strconv.ParseInt(s.label, 10, 64)
			}
			known[s.label], c.labels[code] = code, s.label
		}
		c.codes = append(c.codes, code)
	}
	return c, nil
}

// follow makes the clock use the names of another clock, bucket by bucket in order. Buckets beyond the last bucket of first get
// the number 0 and have no name.
func (c *clock) follow(first *clock) {
	for i, code := range c.codes {
		if _, counterpart := first.labels[code]; !counterpart {
			c.codes[i] = 0
		}
	}
	clear(c.labels)
}

func tooManyBuckets() error {
	return models.Invalid("invalid_input", "the window has too many buckets: take a shorter one or a larger bucket")
}

// label returns the value with a number, which is given as a text.
func (c *clock) label(number string) string {
	n, _ := strconv.ParseInt(number, 10, 64)
	return c.labels[n]
}

// numbers returns the numbers of some values. An hour without an offset matches every hour with that name.
func (c *clock) numbers(values []string) []int64 {
	wanted := map[string]bool{}
	for _, v := range values {
		wanted[v] = true
	}
	out := []int64{}
	for code, label := range c.labels {
		if wanted[label] || len(label) > len(time.DateTime) && wanted[label[:len(time.DateTime)]] {
			out = append(out, code)
		}
	}
	return out
}

// byClock reports whether the query needs a clock for a dimension. It does for a dimension of time outside UTC, or if stretches
// of time are compared bucket by bucket.
func (q *Query) byClock(d dimension) bool {
	return d.kind == timed && (q.Zone != nil && q.Zone != time.UTC || q.Compare != nil && d.inOrder)
}

// clocked returns the dimensions of the query that need a clock, filters included.
func (q *Query) clocked() ([]dimension, error) {
	var list []dimension
	names := slices.Clone(q.Dimensions)
	for _, f := range q.Filters {
		names = append(names, f.Dimension)
	}
	for _, name := range names {
		d, err := find(name)
		if err != nil {
			return nil, err
		}
		if q.byClock(d) {
			list = append(list, d)
		}
	}
	return list, nil
}

// prepare sets the fields of a query that its plan needs.
func (r Reader) prepare(ctx context.Context, q Query) (Query, error) {
	q, err := r.prepareClocks(ctx, q)
	if err != nil {
		return q, err
	}
	change, open, err := exchangerate.FindChange(ctx, r.Conn, q.AccountID)
	if open {
		q.change, q.oldestDay = &change, change.Kept
	}
	return q, err
}

// prepareClocks sets the fields that the plan of a query with clocks needs. It shrinks a window that has too many buckets to the
// hours in which the account had traffic.
func (r Reader) prepareClocks(ctx context.Context, q Query) (Query, error) {
	list, err := q.clocked()
	if err != nil || len(list) == 0 || !q.oldestDay.IsZero() {
		return q, err
	}
	if q.Compare == nil && slices.ContainsFunc(list, func(d dimension) bool {
		return q.To.Sub(q.From) > maxSpans*time.Duration(d.grain.seconds)*time.Second
	}) {
		if err := q.shrink(ctx, r.Conn); err != nil {
			return q, err
		}
	}
	q.oldestDay, err = click.OldestDay(ctx, r.Conn, q.AccountID)
	return q, err
}
