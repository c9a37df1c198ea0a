package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// both holds the figures of a group in the window of a query and in the period of its comparison.
type both struct{ now, before sums }

// recount calculates the expected answer to a query from the facts of the month. Groups without figures are left out.
func (m *monthEnv) recount(q Query) map[string]*both {
	out := map[string]*both{}
	m.recountIn(q, q.From, q.To, out, func(g *both) *sums { return &g.now })
	if q.Compare != nil {
		m.recountIn(q, q.Compare.From, q.Compare.To, out, func(g *both) *sums { return &g.before })
	}
	for key, g := range out {
		if *g == (both{}) {
			delete(out, key)
		}
	}
	return out
}

// recountIn adds the figures of the facts in a window to the groups of out. For each group, side returns the half to which the
// figures belong.
func (m *monthEnv) recountIn(q Query, from, to time.Time, out map[string]*both, side func(*both) *sums) {
	plain, keep := m.splitFilters(q, from, to)
	numbers := make([]func(*monthFact) uint32, len(q.Dimensions))
	pools := make([]*pool, len(q.Dimensions))
	for i, d := range q.Dimensions {
		at, name := place(d), m.namer(q, d, from, to)
		pools[i], numbers[i] = &m.pools[at], func(f *monthFact) uint32 { return f.values[at] }
		if name != nil {
			names := &pool{}
			pools[i], numbers[i] = names, func(f *monthFact) uint32 { return names.number(name(f)) }
		}
	}
	groups := map[[MaxDimensions]uint32]*sums{}
	m.within(from, to, plain, func(f *monthFact) {
		if !keep(f) {
			return
		}
		var key [MaxDimensions]uint32
		for i, number := range numbers {
			key[i] = number(f)
		}
		if groups[key] == nil {
			groups[key] = &sums{}
		}
		groups[key].add(&f.total)
	})
	for key, s := range groups {
		values := make([]string, len(pools))
		for i, p := range pools {
			values[i] = p.list[key[i]]
		}
		name := strings.Join(values, "|")
		if out[name] == nil {
			out[name] = &both{}
		}
		*side(out[name]) = *s
	}
}

// splitFilters returns the filters for monthEnv.within, and a function that applies the other filters of a query to a fact.
func (m *monthEnv) splitFilters(q Query, from, to time.Time) (plain []Filter, keep func(*monthFact) bool) {
	keep = func(*monthFact) bool { return true }
	for _, x := range q.Filters {
		name := m.namer(q, x.Dimension, from, to)
		if name == nil {
			plain = append(plain, x)
			continue
		}
		inner := keep
		keep = func(f *monthFact) bool { return inner(f) && slices.Contains(x.Values, name(f)) != x.Not }
	}
	return plain, keep
}

// namer returns a function that names the bucket of a fact, or nil if the name is always the fact's own value. The name may differ
// in a time zone other than UTC, and in a comparison: the buckets of the second period have the names of their counterparts.
func (m *monthEnv) namer(q Query, dimension string, from, to time.Time) func(*monthFact) string {
	bucket, isTime := map[string]string{
		"date": "day", "hour": "hour", "month": "month", "day_of_week": "weekday", "hour_of_day": "",
	}[dimension]
	inOrder := bucket != "weekday" && bucket != ""
	loc := time.UTC
	if q.Zone != nil {
		loc = q.Zone
	}
	if !isTime || loc == time.UTC && (q.Compare == nil || !inOrder) {
		return nil
	}
	local := func(f *monthFact) string {
		if bucket == "" {
			return strconv.Itoa(f.at.In(loc).Hour())
		}
		return localName(bucket, f.at, loc)
	}
	if q.Compare == nil || !inOrder || from.Equal(q.From) && to.Equal(q.To) {
		return local
	}
	first, counterparts := bucketNames(bucket, q.From, q.To, loc), map[string]string{}
	for i, name := range bucketNames(bucket, from, to, loc) {
		if i < len(first) {
			counterparts[name] = first[i]
		}
	}
	return func(f *monthFact) string { return counterparts[local(f)] }
}

// figure returns a figure by its name, for the order of answers. It is NaN if the divisor is zero.
func (s *sums) figure(name string) float64 {
	conversions := s.approved + s.pending
	ratio := func(a, b int64) float64 {
		if b == 0 {
			return math.NaN()
		}
		return float64(a) / float64(b)
	}
	switch name {
	case "clicks":
		return float64(s.clicks)
	case "bot_clicks":
		return float64(s.bots)
	case "revenue":
		return float64(s.revenue)
	case "profit":
		return float64(s.revenue - s.cost)
	case "conversions":
		return float64(conversions)
	case "cr":
		return ratio(conversions, s.clicks)
	case "roi":
		return ratio(s.revenue-s.cost, s.cost)
	case "cpa":
		return ratio(s.cost, conversions)
	case "lp_ctr":
		return ratio(s.outs, s.views)
	}
	panic(name)
}

var monthSorts = []string{
	"", "-clicks", "clicks", "bot_clicks", "-revenue", "profit", "-conversions", "-cr", "roi", "-cpa", "lp_ctr",
}

// sortKey returns the number by which a group is sorted. Lower numbers come first, and groups without a value last.
func (s *sums) sortKey(by string) float64 {
	name, descends := strings.CutPrefix(by, "-")
	if by == "" {
		name, descends = "clicks", true
	}
	n := s.figure(name)
	if math.IsNaN(n) {
		return math.Inf(1)
	}
	if descends {
		return -n
	}
	return n
}

// sameRows compares an answer with the recount: all groups, or the first ones up to the limit.
func sameRows(q Query, want map[string]*both, list []Row) error {
	if q.Totals && len(q.Dimensions) > 0 {
		var all both
		for _, g := range want {
			all.now.add(&g.now)
			all.before.add(&g.before)
		}
		if err := sameRow(q, &all, list[len(list)-1]); err != nil || !list[len(list)-1].Total {
			return fmt.Errorf("the last row must be the totals: %w", err)
		}
		list = list[:len(list)-1]
	}
	for key, g := range want {
		if max(g.now.clicks, g.before.clicks) < int64(q.MinClicks) {
			delete(want, key)
		}
	}
	limit := q.Limit
	if limit == 0 {
		limit = MaxRows
	}
	if len(list) != min(limit, len(want)) {
		return fmt.Errorf("%d groups, want %d", len(list), min(limit, len(want)))
	}
	seen := make(map[string]bool, len(list))
	least := math.Inf(-1)
	for _, r := range list {
		key := strings.Join(r.Dims, "|")
		g, known := want[key]
		if !known || seen[key] || r.Total {
			return fmt.Errorf("%q is not an expected group, or occurs twice", key)
		}
		if err := sameRow(q, g, r); err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
		seen[key] = true
		if g.now.sortKey(q.Sort) < least {
			return fmt.Errorf("%q with %g comes after a group with %g by %q", key, g.now.sortKey(q.Sort), least, q.Sort)
		}
		least = g.now.sortKey(q.Sort)
	}
	for key, g := range want {
		if !seen[key] && g.now.sortKey(q.Sort) < least {
			return fmt.Errorf("%q with %g is left out, but a group with %g is not", key, g.now.sortKey(q.Sort), least)
		}
	}
	return nil
}

func sameRow(q Query, want *both, r Row) error {
	if got := sumsOf(r.Figures); got != want.now {
		return fmt.Errorf("%+v, want %+v", got, want.now)
	}
	if (r.Before != nil) != (q.Compare != nil) {
		return fmt.Errorf("the figures of the second period are %v, but the query has Compare: %v", r.Before, q.Compare != nil)
	}
	if r.Before != nil && sumsOf(*r.Before) != want.before {
		return fmt.Errorf("before %+v, want %+v", sumsOf(*r.Before), want.before)
	}
	return nil
}
