package report

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/ledger"
	"switchyard/models"
)

// splitShare limits how many hours are split: one in so many. With more, all hours are read from the rows.
const splitShare = 4

// plan decides where the facts of a question come from. Copies of the ledger have whole days or hours, the ledger has
// whole hours. The rest of the window comes from the next finer one, and in the end from the rows.
func plan(q Query) (*builder, error) {
	if len(q.Dimensions) > MaxDimensions || len(q.Filters) > MaxFilters {
		return nil, models.Invalid("invalid_dimension", "at most %d dimensions and %d filters", MaxDimensions, MaxFilters)
	}
	b := &builder{limit: q.Limit}
	if b.limit <= 0 {
		b.limit = MaxRows
	}
	b.account = b.arg(q.AccountID)
	for _, name := range q.Dimensions {
		d, err := find(name)
		if err != nil {
			return nil, err
		}
		b.dims = append(b.dims, d)
	}
	for _, f := range q.Filters {
		if err := b.filter(f); err != nil {
			return nil, err
		}
	}
	if q.spans != nil {
		b.dims = append(b.dims, b.spanned(q.spans))
	}
	first, last := ceil(q.From, time.Hour), q.To.Truncate(time.Hour)
	if q.FromRows || !b.all(dimension.ledger) || !first.Before(last) {
		b.fromRows(q.From, q.To)
		return b, nil
	}
	b.fromRows(q.From, first)
	if first.Before(q.kept) {
		archive := earlier(q.kept, last)
		b.fromHours(first, archive, nil)
		first = archive
	}
	split := straddled(q.spans, first, last)
	if time.Duration(len(split))*splitShare*time.Hour > last.Sub(first) {
		b.fromRows(first, q.To)
		return b, nil
	}
	b.fromHours(first, last, split)
	b.fromRows(last, q.To)
	b.fromRowsOf(split)
	return b, nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func ceil(t time.Time, step time.Duration) time.Time {
	if c := t.Truncate(step); c.Before(t) {
		return c.Add(step)
	}
	return t
}

// all reports whether something holds for every dimension of the question.
func (b *builder) all(has func(dimension) bool) bool {
	misses := func(d dimension) bool { return !has(d) }
	return !slices.ContainsFunc(b.dims, misses) && !slices.ContainsFunc(b.filters, misses)
}

// fromHours adds whole hours, without some, from the smallest copy of the ledger that has all dimensions.
func (b *builder) fromHours(first, last time.Time, without []time.Time) {
	at := slices.IndexFunc(ledger.Rollups, func(r ledger.Rollup) bool {
		return b.all(func(d dimension) bool { return d.in(r.Step, r.Keys) })
	})
	if at < 0 {
		b.fromLedger(first, last, without, false)
		return
	}
	r := ledger.Rollups[at]
	low, high := ceil(first, r.Step), last.Truncate(r.Step)
	if !low.Before(high) {
		b.fromLedger(first, last, without, false)
		return
	}
	b.fromRollup(r.Name, low, high, without)
	b.fromLedger(low, high, without, true)
	b.fromLedger(first, low, without, false)
	b.fromLedger(high, last, without, false)
}

// spanned is the dimension whose values are the numbers of spans. Spans are computed here and not in SQL, because two
// programs with different rules of time zones would lose or double a bucket.
func (b *builder) spanned(list []span) dimension {
	starts, step := make([]time.Time, len(list)), day
	for i, s := range list {
		starts[i] = s.start
		if i > 0 && !s.start.Equal(s.start.Truncate(day)) {
			step = time.Hour
		}
	}
	expr := "width_bucket(%s, " + b.arg(texts(starts)) + "::timestamptz[])"
	return dimension{name: "span", expr: expr, kind: timed, show: "%s::text", step: step}
}

func (b *builder) filter(f Filter) error {
	d, err := find(f.Dimension)
	if err != nil {
		return err
	}
	values := make([]string, len(f.Values))
	for i, v := range f.Values {
		if utf8.RuneCountInString(v) > MaxFilterLen {
			return models.Invalid("invalid_dimension", "a filter has at most %d characters", MaxFilterLen)
		}
		values[i] = strings.ToValidUTF8(strings.ReplaceAll(v, "\x00", ""), "\uFFFD")
	}
	b.filters = append(b.filters, d)
	switch d.kind { // values that no row shows are left out
	case id:
		b.values = append(b.values, b.arg(uuids(values))+`::uuid[]`)
	case number:
		b.values = append(b.values, b.arg(numbers(values))+`::bigint[]`)
	case text, addr, timed:
		b.values = append(b.values, b.arg(values)+`::text[]`)
	}
	return nil
}

// uuids keeps the values that are UUIDs; an empty one is the zero UUID.
func uuids(values []string) []string {
	ids := make([]string, 0, len(values))
	for _, v := range values {
		if v == "" {
			ids = append(ids, uuid.Nil.String())
		} else if u, err := uuid.Parse(v); err == nil && u != uuid.Nil {
			ids = append(ids, u.String())
		}
	}
	return ids
}

// numbers keeps the values that are numbers as they are shown; an empty one is zero.
func numbers(values []string) []int64 {
	list := make([]int64, 0, len(values))
	for _, v := range values {
		n, err := strconv.ParseInt(v, 10, 64)
		if v == "" || err == nil && n != 0 && strconv.FormatInt(n, 10) == v {
			list = append(list, n)
		}
	}
	return list
}

func texts(list []time.Time) []string {
	return db.Map(list, func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) })
}
