package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

// measure is a figure, and the SQL of the amount that a click (f) and a conversion (v) add to it. For a row that adds nothing,
// the SQL gives NULL, which is the cheapest value to sum. Money is in the account's currency: without a rate it adds nothing. The
// expressions in braces are replaced by the expressions of the prices.
type measure struct{ name, click, conversion string }

const none = "NULL"

func when(condition, expr string) string { return `CASE WHEN ` + condition + ` THEN ` + expr + ` END` }

func status(name, expr string) string { return when(`v.status = '`+name+`'`, expr) }

func human(expr string) string { return when(`NOT f.is_bot`, expr) }

// measures lists the measures in the order in which Performance reads them.
var measures = []measure{
	{"clicks", human("1"), none},
	{"unique_clicks", when("f.is_unique AND NOT f.is_bot", "1"), none},
	{"bot_clicks", when("f.is_bot", "1"), none},
	{"lp_views", human("f.lp_views"), none},
	{"lp_clicks", human("f.lp_clicks"), none},
	{"approved", none, status(models.StatusApproved, "1")},
	{"pending", none, status(models.StatusPending, "1")},
	{"rejected", none, status(models.StatusRejected, "1")},
	{"chargebacks", none, status(models.StatusChargeback, "1")},
	{"cost", human("f.cost * {click rate}"), "{cost}"},
	{"revenue", none, status(models.StatusApproved, "v.payout * {rate}")},
	{"pending_revenue", none, status(models.StatusPending, "v.payout * {rate}")},
}

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
func (b *builder) part(at, from string, figure func(measure) string) {
	var s strings.Builder
	s.WriteString("SELECT ")
	for i, d := range b.dims {
		fmt.Fprintf(&s, "%s AS d%d, ", b.dialect.raw(d, at), i)
	}
	if b.compares {
		fmt.Fprintf(&s, "%t AS before, ", b.before)
	}
	for i, m := range measures {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(figure(m) + " AS " + m.name)
	}
	s.WriteString("\nFROM " + from)
	for _, c := range b.filters {
		s.WriteString(" AND " + b.dialect.condition(c, at))
	}
	b.parts = append(b.parts, s.String())
}

// counted returns the SQL of the amount that a row of the ledger adds to a figure.
func (b *builder) counted(m measure) string {
	if m.isMoney() && b.prices.hour != "" {
		return "f." + m.name + " * " + b.prices.hour
	}
	return "f." + m.name
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

func (b *builder) ofClick(m measure) string { return b.prices.in.Replace(m.click) }

func (b *builder) ofConversion(m measure) string { return b.prices.in.Replace(m.conversion) }

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
