package report

import (
	"slices"
	"strconv"
	"time"

	"switchyard/models"
)

// clock assigns numbers to the values of a dimension of time, by the local time of a zone. Local time is computed here, because a
// database with other time zone rules could lose a bucket or count it twice. Values that follow one another in time are numbered
// from 1. Other values are their own numbers, such as 1 to 7 for weekdays.
type clock struct {
	spans  []span
	codes  []int64 // number of each span
	labels map[int64]string
}

func newClock(d dimension, from, to time.Time, zone *time.Location) (*clock, error) {
	list := spans(from, to, zone, d.grain, maxSpans)
	if list == nil && from.Before(to) {
		return nil, tooManyBuckets()
	}
	return clockOf(list, d.inOrder), nil
}

func clockOf(list []span, inOrder bool) *clock {
	c := &clock{spans: list, codes: []int64{}, labels: map[int64]string{}}
	known := map[string]int64{}
	for _, s := range c.spans {
		code, ok := known[s.label]
		if !ok {
			code = int64(len(known)) + 1
			if !inOrder {
				code, _ = strconv.ParseInt(s.label, 10, 64)
			}
			known[s.label], c.labels[code] = code, s.label
		}
		c.codes = append(c.codes, code)
	}
	return c
}

// dimension returns the dimension whose values are the numbers of the clock.
func (c *clock) dimension(name string, inOrder bool) dimension {
	step := day
	if slices.ContainsFunc(c.spans[min(1, len(c.spans)):], func(s span) bool { return !s.start.Equal(s.start.Truncate(day)) }) {
		step = time.Hour
	}
	return dimension{name: name, kind: local, step: step, clock: c, inOrder: inOrder}
}

// follow prepares c for a comparison with the clock of the first period, bucket by bucket. Buckets without a counterpart get the
// number 0. The labels of the first clock name the buckets.
func (c *clock) follow(first *clock) {
	for i, code := range c.codes {
		if _, counterpart := first.labels[code]; !counterpart {
			c.codes[i] = 0
		}
	}
	clear(c.labels)
}

func tooManyBuckets() error {
	return models.Invalid("invalid_input", "the window has too many buckets: take a shorter window or a larger bucket")
}

func (c *clock) label(number string) string {
	n, _ := strconv.ParseInt(number, 10, 64)
	return c.labels[n]
}

// numbers returns the numbers of values. An hour without an offset matches every hour with that name.
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

// byClock reports whether the query needs a clock for a dimension: outside UTC, or if periods are compared bucket by bucket.
func (q *Query) byClock(d dimension) bool {
	return d.kind == timed && (q.Zone != nil && q.Zone != time.UTC || q.Compare != nil && d.inOrder)
}
