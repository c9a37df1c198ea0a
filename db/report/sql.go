package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/exchangerate"
	"switchyard/models"
	"switchyard/models/measure"
)

// builder writes a query in the SQL of a database.
type builder struct {
	*query
	dialect dialect
	prices  prices
	account string // the placeholder of the account's id
	args    []any
	spans   map[*clock]string // the SQL of clocks
	before  bool              // true while the second period is written
	dims    []dimension       // the dimensions of the period that is being written, with the SQL of their clocks
	filters []filter
	parts   []string
}

// filter is a condition with the placeholder of its values.
type filter struct {
	condition
	list string
}

// dialect writes the parts of a statement in the SQL of a database. In both dialects conversions have the alias v, and all
// other rows the alias f.
type dialect interface {
	// raw returns the expression by which facts are grouped. at is the name of the column with the time of the facts.
	raw(d dimension, at string) string
	// asText returns the expression that turns a raw value into a text.
	asText(d dimension, raw string) string
	// sortable returns an expression that sorts raw values in the order of PostgreSQL, with missing values last.
	sortable(d dimension, raw string) string
	// labelled returns the expression of a dimension that follows from the campaign.
	labelled(b *builder, d dimension) string
	// span returns the SQL of the number that a clock gives to the time %s. It is 0 before the clock's spans.
	span(b *builder, c *clock) string
	// values returns the list of a filter's values, without values that no row can have.
	values(b *builder, c condition) string
	// condition returns the SQL that keeps facts by their values. at is the name of the column with the time of the facts.
	condition(f filter, at string) string
	// quotient returns the SQL of a figure by which groups are sorted or kept: the first sum divided by the second, or only the
	// first if the second is empty. It is NULL if the divisor is zero.
	quotient(over, under measure.Sum) string
	// bound returns a number for a comparison with quotient.
	bound(value decimal.Decimal, over, under measure.Sum) string
	// facts adds the parts that select the facts of a period.
	facts(b *builder, p *period)
}

// write returns a builder with the SQL of the facts of a query.
func (q *query) write(dialect dialect) *builder {
	b := &builder{query: q, dialect: dialect, prices: pricesOf(q.change), spans: map[*clock]string{}}
	b.account = b.arg(q.AccountID)
	for i, p := range q.periods {
		b.before = i > 0
		b.bind(p)
		dialect.facts(b, p)
	}
	return b
}

// bind writes the dimensions and filters of a period.
func (b *builder) bind(p *period) {
	clocked := func(d dimension) dimension {
		if c := d.clock; c != nil {
			if b.spans[c] == "" {
				b.spans[c] = b.dialect.span(b, c)
			}
			d.expr = b.spans[c]
		}
		if d.labels != nil {
			d.expr = b.dialect.labelled(b, d)
		}
		return d
	}
	b.dims = db.Map(p.dims, clocked)
	b.filters = db.Map(p.filters, func(c condition) filter {
		c.dimension = clocked(c.dimension)
		return filter{c, b.dialect.values(b, c)}
	})
}

func (b *builder) arg(v any) string {
	b.args = append(b.args, v)
	return "$" + strconv.Itoa(len(b.args))
}

// part adds a SELECT of facts from a table. Dimensions are named by their position in the query (d0, d1), figures by their name.
// sales says that the facts are conversions, with the alias v.
func (b *builder) part(at, from string, sales bool, figure func(*measure.Measure) string) {
	var s strings.Builder
	s.WriteString("SELECT ")
	for i, d := range b.dims {
		fmt.Fprintf(&s, "%s AS d%d, ", b.dialect.raw(d.of(sales), at), i)
	}
	if b.Compare != nil {
		fmt.Fprintf(&s, "%t AS before, ", b.before)
	}
	for i, m := range measure.Counters {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(figure(m) + " AS " + m.Name)
	}
	s.WriteString("\nFROM " + from)
	for _, f := range b.filters {
		f.dimension = f.of(sales)
		s.WriteString(" AND " + b.dialect.condition(f, at))
	}
	b.parts = append(b.parts, s.String())
}

// orderBy returns the ORDER BY of a query by a figure or a dimension. Missing values come last. Equal groups are sorted by clicks,
// most first, and then by their dimensions.
func (b *builder) orderBy() string {
	expr := ""
	m := measure.Find(b.sort)
	if m != nil && !m.IsCounter() {
		expr = b.dialect.quotient(m.Sums())
	}
	if at := slices.IndexFunc(b.dims, func(d dimension) bool { return d.name == b.sort }); at >= 0 {
		expr = b.dialect.sortable(b.dims[at], group(at))
	}
	if m != nil && m.IsCounter() {
		expr = m.Name
	}
	order := []string{expr + " ASC NULLS LAST"}
	if b.descends {
		order[0] = expr + " DESC NULLS LAST"
	}
	if b.sort != "clicks" {
		order = append(order, "clicks DESC")
	}
	for i, d := range b.dims {
		order = append(order, b.dialect.sortable(d, group(i)))
	}
	return strings.Join(order, ", ")
}

func group(i int) string { return "d" + strconv.Itoa(i) }

const ofBefore = "before_" // prefix of the measures of the second period in a comparison

// prices holds the SQL that converts amounts into the account's currency.
type prices struct {
	ofFacts  *strings.Replacer // replaces the names in braces in the SQL of measures
	ofLedger string            // factor of an amount of the ledger; empty: none
}

// stored uses the rates and costs that are stored with facts.
var stored = prices{ofFacts: strings.NewReplacer("{click rate}", "f.rate", "{rate}", "v.rate", "{cost}", "v.cost", "{spend}", "f.cost")}

// counting is the SQL of the exchange rate that converts the amounts of a conversion.
var counting = exchangerate.Counting("v", "v.recorded_at")

// changing is used while the currency is being changed. Then the stored rates may belong to the former or to the new currency. The
// cost of a conversion is calculated as in package conversion.
var changing = func() prices {
	click, rate := exchangerate.Changing("f", "f.at"), exchangerate.Changing("v", "v.recorded_at")
	scale := strconv.Itoa(models.MoneyScale)
	cost := `CASE WHEN v.status <> '` + models.StatusApproved + `' THEN 0
	WHEN v.given_cost IS NOT NULL THEN round(coalesce(v.given_cost * ` + rate + `, 0), ` + scale + `)
	ELSE round(coalesce(f.conversion_cost * ` + click + `, 0) + coalesce(v.payout * f.revenue_share / 100 * ` + rate + `, 0), ` + scale + `) END`
	return prices{ofFacts: strings.NewReplacer("{click rate}", click, "{rate}", rate, "{cost}", cost, "{spend}", "f.amount * "+click)}
}()

// archive is the factor for amounts of the ledger that are still in the former currency.
const archive = `coalesce((SELECT k.rate FROM account_rates k WHERE k.account_id = $1 AND k.day = (f.hour AT TIME ZONE 'UTC')::date
	AND k.currency = (SELECT h.from_currency FROM currency_changes h WHERE h.account_id = $1)), 1)`

func pricesOf(k *exchangerate.Change) prices {
	switch {
	case k == nil:
		return stored
	case k.Archived:
		return changing
	}
	out := changing
	out.ofLedger = archive
	return out
}

// postgres is the dialect of PostgreSQL.
type postgres struct{}

// facts implements dialect. For a stretch that is read from ClickHouse, it selects only the spend without clicks.
func (postgres) facts(b *builder, p *period) {
	var split []time.Time
	for _, s := range p.stretches {
		if s.source == fromSplit {
			split = append(split, s.from)
		}
	}
	for _, s := range p.stretches {
		switch s.source {
		case fromRows:
			b.clicks("", b.arg(models.FloorClickID(s.from)), b.arg(models.FloorClickID(s.to)))
			b.spend("f.at >= " + b.arg(s.from) + " AND f.at < " + b.arg(s.to))
		case fromCopy:
			b.spend("f.at >= " + b.arg(s.from) + " AND f.at < " + b.arg(s.to))
		case fromLedger:
			b.hours("ledger f WHERE ", s, split)
		case fromUnmerged:
			b.hours("ledger f WHERE NOT f.merged AND ", s, split)
		case fromRollup:
			b.hours("ledger_rollups f WHERE f.rollup = '"+p.rollup+"' AND ", s, split)
		case fromSplit: // selected together after the loop
		}
	}
	if len(split) > 0 {
		lows := db.Map(split, func(h time.Time) string { return models.FloorClickID(h).String() })
		highs := db.Map(split, func(h time.Time) string { return models.FloorClickID(h.Add(time.Hour)).String() })
		b.clicks(fmt.Sprintf("unnest(%s::uuid[], %s::uuid[]) w (low, high), ", b.arg(lows), b.arg(highs)), "w.low", "w.high")
		b.spend("f.at = ANY (" + b.arg(texts(split)) + "::timestamptz[])")
	}
}

// clicks adds the clicks with ids in [low, high) and their conversions. low and high are SQL expressions, and list is the FROM
// item to which they refer, or empty.
func (b *builder) clicks(list, low, high string) {
	clicks := fmt.Sprintf("f.account_id = %s AND f.id >= %s AND f.id < %s", b.account, low, high)
	conversions := fmt.Sprintf("v.account_id = %s AND v.click_id >= %s AND v.click_id < %s", b.account, low, high)
	if len(b.Goals) > 0 {
		conversions += " AND v.goal = ANY (" + b.arg(b.Goals) + ")"
	}
	b.part("f.at", list+"clicks f WHERE "+clicks, false, func(m *measure.Measure) string { return b.prices.ofFacts.Replace(m.ForClick()) })
	b.part("f.at", list+"conversions v JOIN clicks f ON f.id = v.click_id WHERE "+conversions+" AND "+clicks, true,
		func(m *measure.Measure) string { return b.prices.ofFacts.Replace(m.ForConversion()) })
}

// spend adds the spend without clicks, whose only figure is its cost.
func (b *builder) spend(during string) {
	b.part("f.at", "spend_alone f WHERE f.account_id = "+b.account+" AND "+during, false,
		func(m *measure.Measure) string { return b.prices.ofFacts.Replace(m.ForSpend()) })
}

// hours adds whole hours from the ledger or from its rollups. It leaves out the hours in the last argument.
func (b *builder) hours(table string, s stretch, without []time.Time) {
	table += fmt.Sprintf("f.account_id = %s AND f.hour >= %s AND f.hour < %s", b.account, b.arg(s.from), b.arg(s.to))
	if len(without) > 0 {
		table += " AND f.hour <> ALL (" + b.arg(texts(without)) + "::timestamptz[])"
	}
	b.part("f.hour", table, false, func(m *measure.Measure) string {
		if m.IsAmount() && b.prices.ofLedger != "" {
			return "f." + m.Name + " * " + b.prices.ofLedger
		}
		return "f." + m.Name
	})
}

func texts(list []time.Time) []string {
	return db.Map(list, func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) })
}

func (postgres) raw(d dimension, at string) string {
	if d.kind == timed || d.kind == local {
		return strings.ReplaceAll(d.expr, "%s", at)
	}
	return d.expr
}

func (postgres) asText(d dimension, raw string) string {
	switch d.kind {
	case id:
		return `coalesce(nullif(` + raw + `, '00000000-0000-0000-0000-000000000000')::text, '')`
	case number:
		return `coalesce(nullif(` + raw + `, 0)::text, '')`
	case addr:
		return `coalesce(host(` + raw + `), '')`
	case timed:
		return strings.ReplaceAll(d.format, "%s", raw)
	case local:
		return raw + "::text"
	case text:
	}
	return raw
}

func (postgres) sortable(_ dimension, raw string) string { return raw }

func (postgres) span(b *builder, c *clock) string {
	number := "width_bucket(%s, " + b.arg(texts(db.Map(c.spans, func(s span) time.Time { return s.start }))) + "::timestamptz[])"
	return "coalesce((" + b.arg(c.codes) + "::bigint[])[" + number + "], 0)"
}

func (postgres) values(b *builder, c condition) string {
	switch c.kind {
	case id:
		return b.arg(uuids(c.values)) + `::uuid[]`
	case number:
		return b.arg(numbers(c.values)) + `::bigint[]`
	case local:
		return b.arg(c.numbers) + `::bigint[]`
	case text, addr, timed:
	}
	return b.arg(c.values) + `::text[]`
}

func (p postgres) condition(f filter, at string) string {
	expr := p.raw(f.dimension, at)
	if f.kind == addr || f.kind == timed {
		expr = p.asText(f.dimension, expr)
	}
	if f.not {
		return expr + " <> ALL (" + f.list + ")"
	}
	return expr + " = ANY (" + f.list + ")"
}

func (postgres) quotient(over, under measure.Sum) string {
	if under.SQL == "" {
		return over.SQL
	}
	return "(" + over.SQL + ")::numeric / nullif(" + under.SQL + ", 0)"
}

func (postgres) bound(value decimal.Decimal, _, _ measure.Sum) string { return value.String() }

func (b *builder) columns() (names, sums []string) {
	sum := func(prefix, of string) {
		for _, m := range measure.Counters {
			names = append(names, prefix+m.Name)
			sums = append(sums, "coalesce(sum("+m.Name+")"+of+", 0) AS "+prefix+m.Name)
		}
	}
	if b.Compare == nil {
		sum("", "")
		return names, sums
	}
	sum("", " FILTER (WHERE NOT before)")
	sum(ofBefore, " FILTER (WHERE before)")
	return names, sums
}

// statement returns the statement for PostgreSQL. It groups the facts by raw values, and converts only the values in the answer
// to texts. With Totals, the last column is the row's place in the order, and NULL for the totals.
func (b *builder) statement() string {
	var groups, texts []string
	for i, d := range b.dims {
		groups = append(groups, group(i))
		// A cast without an alias would have the name of its column, and ORDER BY would then sort by the text.
		texts = append(texts, fmt.Sprintf("%s AS t%d, ", b.dialect.asText(d, groups[i]), i))
	}
	names, sums := b.columns()
	figures := strings.Join(names, ", ")
	facts := "WITH facts AS (\n" + strings.Join(b.parts, "\nUNION ALL\n") + "\n), sums AS (\nSELECT " +
		strings.Join(append(slices.Clone(groups), sums...), ", ") + "\nFROM facts"
	if len(groups) == 0 {
		return facts + "\n)\nSELECT " + figures + ", 1 AS place FROM sums"
	}
	where, order := b.kept(measure.NotZero(names)), b.orderBy()
	answer := facts + "\nGROUP BY " + strings.Join(groups, ", ") + "\n), answer AS (\nSELECT * FROM sums\nWHERE " + where +
		"\nORDER BY " + order + "\nLIMIT " + strconv.Itoa(b.Limit) + "\n)\n"
	shown := strings.Join(texts, "") + figures
	if !b.Totals {
		return answer + "SELECT " + shown + ", 1 AS place FROM answer\nORDER BY " + order
	}
	counted := "sums"
	if len(b.Having) > 0 {
		counted += " WHERE " + where
	}
	return answer + "SELECT " + shown + ", row_number() OVER (ORDER BY " + order + ") AS place FROM answer" +
		"\nUNION ALL\nSELECT " + strings.Repeat("'', ", len(groups)) + b.total(names) + ", NULL FROM " + counted + "\nORDER BY place"
}

func (b *builder) total(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = "coalesce(sum(" + name + "), 0)"
	}
	return strings.Join(list, ", ")
}
