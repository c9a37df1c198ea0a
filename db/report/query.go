package report

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/models"
	"switchyard/models/measure"
)

// splitShare limits the hours of a window that are split, which means that they are read from the rows because two spans meet in
// them. If more than one hour in splitShare had to be split, all hours are read from the rows.
const splitShare = 4

// query is a Query with all decisions about how it is answered.
type query struct {
	Query
	known    map[string]dimension // all dimensions, including the dimensions of filters, by name
	sort     string               // the figure or dimension that groups are sorted by
	descends bool
	// campaigns has the campaigns with a group or a tag, if the query needs them.
	campaigns []campaignLabels
	periods   []*period // the window, and the period with which it is compared
	scans     bool      // more than the two ends of a window is read from the rows or from the ledger itself
	copied    reach
	inCopy    bool // ClickHouse answers
	// postgresFacts has the facts that are only in PostgreSQL, as lines of tab-separated fields for ClickHouse. It may be empty.
	postgresFacts string
	// oldestDay is the first moment whose clicks are kept. An earlier hour in which two spans meet cannot be split, so that hour
	// counts in the first span. oldestDay is zero if the query does not need it.
	oldestDay time.Time
	// change is the running change of the account's currency, or nil.
	change *exchangerate.Change
}

type period struct {
	from, to  time.Time
	known     map[string]dimension // as in query, with the clocks of this period
	dims      []dimension
	filters   []condition
	stretches []stretch
	rollup    string // the rollup of the ledger that stretches come from
}

// stretch is a part of a period whose facts come from one source.
type stretch struct {
	source   source
	from, to time.Time
}

// source is a place where facts are read. Reading from fromRollup or from a later source costs little: see slowStretches.
type source uint8

const (
	fromRows     source = iota // clicks, all their conversions (at any time), and spend without clicks
	fromSplit                  // the same for an hour in which two spans meet; stretches of the ledger leave it out
	fromCopy                   // the same as fromRows, but clicks and conversions come from ClickHouse
	fromLedger                 // the ledger
	fromRollup                 // the rollup of the ledger that the period names
	fromUnmerged               // the rows of the ledger that its rollups do not contain yet
)

// condition keeps the facts whose value in a dimension is among values, or is not among them.
type condition struct {
	dimension
	values  []string
	numbers []int64 // the clock's numbers of the values, if there is a clock
	not     bool
}

// newQuery decides from which tables of PostgreSQL the facts of a query come, and which clicks are also in ClickHouse. If the
// window has too many buckets, it is cut to the hours with traffic, except in a comparison. Trends cuts the window of a trend itself.
func (r Reader) newQuery(ctx context.Context, request Query) (*query, error) {
	q := &query{Query: request, known: map[string]dimension{}}
	if err := q.check(); err != nil {
		return nil, err
	}
	if err := q.loadLabels(ctx, r.Conn); err != nil {
		return nil, err
	}
	clocked, long := q.buckets != nil, false // long: the window has more than maxSpans buckets of a time dimension
	for _, d := range q.known {
		if q.byClock(d) {
			clocked, long = true, long || q.To.Sub(q.From) > maxSpans*time.Duration(d.grain.seconds)*time.Second
		}
	}
	if long && q.buckets == nil && q.Compare == nil {
		if err := q.shrink(ctx, r.Conn); err != nil {
			return nil, err
		}
	}
	change, open, err := exchangerate.FindChange(ctx, r.Conn, q.AccountID)
	switch {
	case err != nil:
		return nil, err
	case open:
		q.change, q.oldestDay = &change, change.Kept
	case clocked:
		if q.oldestDay, err = click.OldestDay(ctx, r.Conn, q.AccountID); err != nil {
			return nil, err
		}
	}
	if err := q.setPeriods(); err != nil {
		return nil, err
	}
	if list := q.slowStretches(); r.Copy != nil && (len(list) > 0 || r.CopyOnly) {
		q.copied, err = r.findReach(ctx, q.change != nil, list, q.scans)
	}
	return q, err
}

// check finds the dimensions of a query. It refuses queries beyond the limits.
func (q *query) check() error {
	names := slices.Clone(q.Dimensions)
	for _, f := range q.Filters {
		names = append(names, f.Dimension)
		if slices.ContainsFunc(f.Values, func(v string) bool { return utf8.RuneCountInString(v) > MaxFilterLen }) {
			return models.Invalid("invalid_dimension", "a filter has at most %d characters", MaxFilterLen)
		}
	}
	if len(q.Dimensions) > MaxDimensions || len(q.Filters) > MaxFilters {
		return models.Invalid("invalid_dimension", "at most %d dimensions and %d filters", MaxDimensions, MaxFilters)
	}
	for _, name := range names {
		d, err := find(name)
		if err != nil {
			return err
		}
		q.known[name] = d
	}
	if q.sort, q.descends = strings.CutPrefix(q.Sort, "-"); q.Sort == "" {
		q.sort, q.descends = "clicks", true
	}
	if err := CheckSort(q.Sort, q.Dimensions); err != nil {
		return err
	}
	q.FromRows = q.FromRows || len(q.Goals) > 0
	if q.Limit <= 0 {
		q.Limit = MaxRows
	}
	return nil
}

// CheckSort returns the error invalid_input if a report by these dimensions cannot be sorted in this way. An empty sort is the
// usual order.
func CheckSort(sort string, dimensions []string) error {
	if name := strings.TrimPrefix(sort, "-"); sort != "" && measure.Find(name) == nil && !slices.Contains(dimensions, name) {
		return models.Invalid("invalid_input", "sort must be a figure or a dimension of the report; a minus before it sorts in descending order")
	}
	return nil
}

func (q *query) setPeriods() error {
	first, err := q.newPeriod(q.From, q.To, nil)
	if err != nil {
		return err
	}
	q.periods = []*period{first}
	if q.Compare != nil {
		second, err := q.newPeriod(q.Compare.From, q.Compare.To, first)
		if err != nil {
			return err
		}
		for name, d := range second.known {
			if d.clock != nil {
				maps.Copy(first.known[name].clock.labels, d.clock.labels)
			}
		}
		q.periods = append(q.periods, second)
	}
	for _, p := range q.periods {
		q.chooseSources(p, fromRows)
	}
	return nil
}

// newPeriod returns a period with its dimensions and filters. A dimension of time gets a clock outside UTC, and in a comparison if
// its values are in the order of time. In the second period, such values have the numbers of the first period.
func (q *query) newPeriod(from, to time.Time, first *period) (*period, error) {
	if to.Before(from) {
		to = from
	}
	p := &period{from: from, to: to, known: maps.Clone(q.known)}
	for name, d := range q.known {
		if !q.byClock(d) {
			continue
		}
		c, err := newClock(d, from, to, cmp.Or(q.Zone, time.UTC))
		if err != nil {
			return nil, err
		}
		if first != nil && d.inOrder {
			c.follow(first.known[name].clock)
		}
		p.known[name] = c.dimension(d.name, d.inOrder)
	}
	for _, name := range q.Dimensions {
		p.dims = append(p.dims, p.known[name])
	}
	for _, f := range q.Filters {
		if d := p.known[f.Dimension]; d.labels != nil {
			f = q.ofCampaigns(f, d)
			p.known[f.Dimension], _ = find(f.Dimension)
		}
		c := condition{dimension: p.known[f.Dimension], not: f.Not, values: db.Map(f.Values, func(v string) string {
			return strings.ToValidUTF8(strings.ReplaceAll(v, "\x00", ""), "\uFFFD")
		})}
		if by := c.clock; by != nil {
			if first != nil && c.inOrder {
				by = first.known[f.Dimension].clock
			}
			c.numbers = by.numbers(c.values)
		}
		p.filters = append(p.filters, c)
	}
	if q.buckets != nil {
		const inOrder = true
		p.known["bucket"] = q.buckets.dimension("bucket", inOrder)
		p.dims = append(p.dims, p.known["bucket"])
	}
	return p, nil
}

// chooseSources decides where the facts of a period come from. Rollups cover whole days or hours, and the ledger whole hours. The
// rest comes from the next finer table, and in the end from the clicks. The parameter clicks is their source: fromRows, or
// fromCopy if ClickHouse answers. ClickHouse has no ledger, so with fromCopy all hours whose clicks are kept come from the
// clicks.
func (q *query) chooseSources(p *period, clicks source) {
	p.stretches = nil
	from, first, last := p.from, ceil(p.from, time.Hour), p.to.Truncate(time.Hour)
	if rows := q.FromRows || !p.all(dimension.inLedger); rows || !first.Before(last) {
		q.scans = q.scans || rows
		p.stretches = []stretch{{clicks, p.from, p.to}}
		return
	}
	if archive := earlier(q.oldestDay, last); first.Before(archive) {
		p.add(clicks, from, first)
		q.addHours(p, first, archive)
		from, first = archive, archive
	}
	var starts []span
	for _, d := range p.known {
		if d.clock != nil {
			starts = append(starts, d.clock.spans...)
		}
	}
	split := straddled(starts, first, last)
	many := time.Duration(len(split))*splitShare*time.Hour > last.Sub(first)
	q.scans = q.scans || many
	if many || clicks == fromCopy || q.change != nil { // during a change of currency, the ledger holds amounts in both currencies
		p.stretches = append(p.stretches, stretch{clicks, from, p.to})
		return
	}
	p.add(fromRows, from, first)
	q.addHours(p, first, last)
	p.add(fromRows, last, p.to)
	for _, hour := range split {
		p.add(fromSplit, hour, hour.Add(time.Hour))
	}
}

// straddled returns the hours within which a span begins. The ledger cannot split such an hour.
func straddled(cuts []span, first, last time.Time) []time.Time {
	var hours []time.Time
	for _, s := range cuts {
		if hour := s.start.Truncate(time.Hour); !s.start.Equal(hour) && !hour.Before(first) && hour.Before(last) {
			hours = append(hours, hour)
		}
	}
	slices.SortFunc(hours, time.Time.Compare)
	return slices.Clip(slices.CompactFunc(hours, time.Time.Equal))
}

func (p *period) add(s source, from, to time.Time) {
	if from.Before(to) {
		p.stretches = append(p.stretches, stretch{s, from, to})
	}
}

// addHours adds the whole hours in [first, last), from the smallest rollup of the ledger that has all dimensions of the query.
func (q *query) addHours(p *period, first, last time.Time) {
	at := slices.IndexFunc(ledger.Rollups, func(r ledger.Rollup) bool {
		return p.all(func(d dimension) bool { return d.in(r.Step, r.Keys) })
	})
	if at < 0 {
		q.scans = q.scans || first.Before(last)
		p.add(fromLedger, first, last)
		return
	}
	r := ledger.Rollups[at]
	p.rollup = r.Name
	low, high := ceil(first, r.Step), last.Truncate(r.Step)
	if !low.Before(high) {
		p.add(fromLedger, first, last)
		return
	}
	p.add(fromRollup, low, high)
	p.add(fromUnmerged, low, high)
	p.add(fromLedger, first, low)
	p.add(fromLedger, high, last)
}

// all reports whether every dimension and filter of the query passes a test.
func (p *period) all(has func(dimension) bool) bool {
	return !slices.ContainsFunc(p.dims, func(d dimension) bool { return !has(d) }) &&
		!slices.ContainsFunc(p.filters, func(c condition) bool { return !has(c.dimension) })
}

// in reports whether a table has the dimension. step is the resolution of its times, and keys are its columns.
func (d dimension) in(step time.Duration, keys []string) bool {
	if d.kind == timed || d.kind == local {
		return step <= d.step
	}
	if d.labels != nil {
		return slices.Contains(keys, "campaign_id")
	}
	return slices.Contains(keys, d.name)
}

// inLedger reports whether the ledger has the dimension.
func (d dimension) inLedger() bool { return d.in(time.Hour, ledger.Dimensions) }

// slowStretches returns the stretches that are read click by click or from the ledger itself, which has about half as many rows
// as there are clicks.
func (q *query) slowStretches() (list []stretch) {
	for _, p := range q.periods {
		for _, s := range p.stretches {
			if s.source < fromRollup && s.from.Before(s.to) {
				list = append(list, s)
			}
		}
	}
	return list
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
