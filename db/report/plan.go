package report

import (
	"cmp"
	"maps"
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

// splitShare limits the number of hours that are split, to one in splitShare. If there are more, all hours are read from the
// rows.
const splitShare = 4

// share selects the facts of a query that a statement reads.
type share uint8

const (
	everything share = iota
	clickFacts       // clicks and their conversions
	otherFacts       // all other facts: spend without clicks, and hours whose clicks are not kept
)

// plan decides from which tables PostgreSQL reads the facts of a query, for each of its stretches of time.
func plan(q Query) (*builder, error) { return planIn(q, postgres{}, everything) }

func planIn(q Query, in dialect, of share) (*builder, error) {
	if err := checkSize(q); err != nil {
		return nil, err
	}
	b := &builder{dialect: in, share: of, limit: q.Limit, minClicks: q.MinClicks, totals: q.Totals, compares: q.Compare != nil}
	if b.limit <= 0 {
		b.limit = MaxRows
	}
	b.account, b.prices = b.arg(q.AccountID), pricesOf(q.change)
	if len(q.Goals) > 0 {
		q.FromRows = true
		if of != otherFacts {
			b.goals = b.arg(q.Goals)
		}
	}
	if err := b.choose(&q, q.From, q.To); err != nil {
		return nil, err
	}
	var err error
	if b.order, err = b.orderBy(q); err != nil {
		return nil, err
	}
	b.facts(q, q.From, q.To)
	if q.Compare == nil {
		return b, nil
	}
	first := b.dims
	b.before, b.first = true, b.clocks
	if err := b.choose(&q, q.Compare.From, q.Compare.To); err != nil {
		return nil, err
	}
	b.facts(q, q.Compare.From, q.Compare.To)
	for i, d := range b.dims {
		if d.clock != nil {
			maps.Copy(d.clock.labels, first[i].clock.labels)
		}
	}
	return b, nil
}

func checkSize(q Query) error {
	for _, f := range q.Filters {
		if slices.ContainsFunc(f.Values, func(v string) bool { return utf8.RuneCountInString(v) > MaxFilterLen }) {
			return models.Invalid("invalid_dimension", "a filter has at most %d characters", MaxFilterLen)
		}
	}
	if len(q.Dimensions) > MaxDimensions || len(q.Filters) > MaxFilters {
		return models.Invalid("invalid_dimension", "at most %d dimensions and %d filters", MaxDimensions, MaxFilters)
	}
	return nil
}

// choose sets the dimensions and filters of a stretch of time.
func (b *builder) choose(q *Query, from, to time.Time) error {
	b.dims, b.filters, b.clocks = nil, nil, map[string]dimension{}
	for _, name := range q.Dimensions {
		d, err := b.dimension(q, name, from, to)
		if err != nil {
			return err
		}
		b.dims = append(b.dims, d)
	}
	for _, f := range q.Filters {
		d, err := b.dimension(q, f.Dimension, from, to)
		if err != nil {
			return err
		}
		b.filters = append(b.filters, condition{d, b.values(d, f), f.Not})
	}
	if q.spans != nil {
		b.dims = append(b.dims, b.spanned(q.spans, nil))
	}
	return nil
}

// dimension returns the dimension with a name. A dimension of time outside UTC, or in a comparison, gets a clock.
func (b *builder) dimension(q *Query, name string, from, to time.Time) (dimension, error) {
	d, err := find(name)
	if err != nil || !q.byClock(d) {
		return d, err
	}
	if by, known := b.clocks[name]; known {
		return by, nil
	}
	c, err := newClock(d, from, to, cmp.Or(q.Zone, time.UTC))
	if err != nil {
		return d, err
	}
	if other, compared := b.first[name]; compared && d.inOrder {
		c.follow(other.clock)
	}
	by := b.spanned(c.spans, c.codes)
	by.name, by.clock, by.inOrder = d.name, c, d.inOrder
	b.clocks[name] = by
	return by, nil
}

// facts decides which tables the facts of a stretch of time come from. Copies of the ledger have whole days or hours, the ledger
// has whole hours. The rest of the window comes from the next finer table, and in the end from the rows.
func (b *builder) facts(q Query, from, to time.Time) {
	if b.share == clickFacts {
		defer b.fromCopy(from, len(b.read))
	}
	if !from.Before(to) { // a part without facts that has every column
		switch b.share {
		case everything:
			b.fromIDs("", b.arg(uuid.Nil), b.arg(uuid.Nil))
		case otherFacts:
			b.fromSpend(from, from)
		case clickFacts:
		}
		return
	}
	first, last := ceil(from, time.Hour), to.Truncate(time.Hour)
	if rows := q.FromRows || !b.all(dimension.ledger); rows || !first.Before(last) {
		b.scans = b.scans || rows
		b.fromRows(from, to)
		return
	}
	b.fromRows(from, first)
	if first.Before(q.oldestDay) {
		archive := earlier(q.oldestDay, last)
		b.fromHours(first, archive, nil)
		first = archive
	}
	if q.change != nil || b.share != everything { // during a change of currency, the ledger has amounts in both currencies
		b.fromRows(first, to)
		return
	}
	starts := q.spans
	for _, d := range b.clocks {
		starts = slices.Concat(starts, d.clock.spans)
	}
	split := straddled(starts, first, last)
	if time.Duration(len(split))*splitShare*time.Hour > last.Sub(first) {
		b.scans = true
		b.fromRows(first, to)
		return
	}
	b.fromHours(first, last, split)
	b.fromRows(last, to)
	b.fromRowsOf(split)
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

// all reports whether has returns true for every dimension and filter of the query.
func (b *builder) all(has func(dimension) bool) bool {
	return !slices.ContainsFunc(b.dims, func(d dimension) bool { return !has(d) }) &&
		!slices.ContainsFunc(b.filters, func(c condition) bool { return !has(c.dimension) })
}

// fromHours adds whole hours in [first, last), except the hours in without. It reads them from the smallest copy of the ledger
// that has all dimensions.
func (b *builder) fromHours(first, last time.Time, without []time.Time) {
	if b.share == clickFacts {
		return
	}
	at := slices.IndexFunc(ledger.Rollups, func(r ledger.Rollup) bool {
		return b.all(func(d dimension) bool { return d.in(r.Step, r.Keys) })
	})
	if at < 0 {
		b.scans = b.scans || first.Before(last)
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

// spanned returns the dimension whose values are the numbers of spans, or their codes. Spans are computed here and not in SQL. If
// two programs had different time zone rules, a bucket could be lost or counted twice.
func (b *builder) spanned(list []span, codes []int64) dimension {
	step := day
	for i, s := range list {
		if i > 0 && !s.start.Equal(s.start.Truncate(day)) {
			step = time.Hour
		}
	}
	return dimension{name: "span", expr: b.dialect.span(b, list, codes), kind: local, step: step}
}

// condition keeps the facts whose value in a dimension is among the values of a placeholder, or is not among them.
type condition struct {
	dimension
	values string
	not    bool
}

// values returns the placeholder of a filter's values. It leaves out values that no row can have.
func (b *builder) values(d dimension, f Filter) string {
	values := make([]string, len(f.Values))
	for i, v := range f.Values {
		values[i] = strings.ToValidUTF8(strings.ReplaceAll(v, "\x00", ""), "\uFFFD")
	}
	return b.dialect.values(b, d, values)
}

// chosen returns the numbers of a filter's values. For values in order of time, it returns their numbers in the first stretch,
// even while it plans the second stretch of a comparison.
func (b *builder) chosen(d dimension, values []string) []int64 {
	if b.before && d.inOrder {
		return b.first[d.name].clock.numbers(values)
	}
	return d.clock.numbers(values)
}

// uuids returns the values that are UUIDs. An empty value becomes the zero UUID.
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

// numbers returns the values that are numbers in the form in which they are shown. An empty value becomes zero.
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
