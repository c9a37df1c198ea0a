package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/measure"
)

// builder collects the parts of a statement, which select the facts, and the arguments of the statement.
type builder struct {
	dialect dialect
	share   share
	account string // its placeholder
	prices  prices
	goals   string // placeholder of the goals; empty: all goals
	dims    []dimension
	filters []condition
	clocks  map[string]dimension // the dimensions that have a clock, filters included, by name
	args    []any
	parts   []string
	read    []stretch // stretches that are read click by click, or from the ledger itself
	scans   bool      // read has more than the ends of a window

	compares bool                 // the query compares two stretches of time
	before   bool                 // parts are now added for the second stretch
	first    map[string]dimension // the clocks of the first stretch

	order     string
	minClicks int
	limit     int
	totals    bool
}

func (b *builder) arg(v any) string {
	b.args = append(b.args, v)
	return "$" + strconv.Itoa(len(b.args))
}

// part adds a SELECT of facts from a source. Dimensions are named by their place (d0, d1), figures by their name.
func (b *builder) part(at, from string, figure func(*measure.Measure) string) {
	var s strings.Builder
	s.WriteString("SELECT ")
	for i, d := range b.dims {
		fmt.Fprintf(&s, "%s AS d%d, ", b.dialect.raw(d, at), i)
	}
	if b.compares {
		fmt.Fprintf(&s, "%t AS before, ", b.before)
	}
	for i, m := range measure.Counters {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(figure(m) + " AS " + m.Name)
	}
	s.WriteString("\nFROM " + from)
	for _, c := range b.filters {
		s.WriteString(" AND " + b.dialect.condition(c, at))
	}
	b.parts = append(b.parts, s.String())
}

// counted returns the SQL of the amount that a row of the ledger adds to a figure.
func (b *builder) counted(m *measure.Measure) string {
	if m.IsAmount() && b.prices.hour != "" {
		return "f." + m.Name + " * " + b.prices.hour
	}
	return "f." + m.Name
}

// fromLedger adds whole hours of the ledger: all rows, or with unmerged only the rows that its copies do not have yet.
func (b *builder) fromLedger(from, to time.Time, without []time.Time, unmerged bool) {
	if !from.Before(to) {
		return
	}
	if !unmerged {
		b.read = append(b.read, stretch{from: from, to: to, ledger: true})
	}
	where := "ledger f WHERE " + b.during(from, to, without)
	if unmerged {
		where += " AND NOT f.merged"
	}
	b.part("f.hour", where, b.counted)
}

func (b *builder) fromRollup(name string, from, to time.Time, without []time.Time) {
	b.part("f.hour", "ledger_rollups f WHERE f.rollup = '"+name+"' AND "+b.during(from, to, without), b.counted)
}

func (b *builder) during(from, to time.Time, without []time.Time) string {
	where := fmt.Sprintf("f.account_id = %s AND f.hour >= %s AND f.hour < %s", b.account, b.arg(from), b.arg(to))
	if len(without) > 0 {
		where += " AND f.hour <> ALL (" + b.arg(texts(without)) + "::timestamptz[])"
	}
	return where
}

func (b *builder) ofClick(m *measure.Measure) string { return b.prices.in.Replace(m.OfClick()) }

func (b *builder) ofConversion(m *measure.Measure) string {
	return b.prices.in.Replace(m.OfConversion())
}

// fromRows adds the clicks of a window, all conversions of these clicks, whatever the time of the conversion, and spend without
// clicks.
func (b *builder) fromRows(from, to time.Time) {
	if !from.Before(to) {
		return
	}
	b.read = append(b.read, stretch{from: from, to: to})
	switch b.share {
	case everything:
		b.fromIDs("", b.arg(models.FloorClickID(from)), b.arg(models.FloorClickID(to)))
		b.fromSpend(from, to)
	case otherFacts:
		b.fromSpend(from, to)
	case clickFacts: // fromCopy adds all stretches together
	}
}

// fromRowsOf does the same as fromRows for single hours.
func (b *builder) fromRowsOf(hours []time.Time) {
	if len(hours) == 0 {
		return
	}
	lows, highs := make([]string, len(hours)), make([]string, len(hours))
	for i, h := range hours {
		b.read = append(b.read, stretch{from: h, to: h.Add(time.Hour)})
		lows[i], highs[i] = models.FloorClickID(h).String(), models.FloorClickID(h.Add(time.Hour)).String()
	}
	list := fmt.Sprintf("unnest(%s::uuid[], %s::uuid[]) w (low, high), ", b.arg(lows), b.arg(highs))
	b.fromIDs(list, "w.low", "w.high")
	b.fromSpendOf(hours)
}

// fromIDs adds the clicks with ids in [low, high) and their conversions. low and high are SQL expressions. list is the FROM item
// that they refer to, or empty.
func (b *builder) fromIDs(list, low, high string) {
	clicks := fmt.Sprintf("f.account_id = %s AND f.id >= %s AND f.id < %s", b.account, low, high)
	conversions := fmt.Sprintf("v.account_id = %s AND v.click_id >= %s AND v.click_id < %s", b.account, low, high)
	if b.goals != "" {
		conversions += " AND v.goal = ANY (" + b.goals + ")"
	}
	b.part("f.at", list+"clicks f WHERE "+clicks, b.ofClick)
	b.part("f.at", list+"conversions v JOIN clicks f ON f.id = v.click_id WHERE "+conversions+" AND "+clicks, b.ofConversion)
}
