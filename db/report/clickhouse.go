package report

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models/measure"
)

// clickHouse is the SQL dialect of ClickHouse, which has the clicks with the figures of their conversions, and also a row for
// each conversion. Facts that are only in PostgreSQL are sent with the statement.
type clickHouse struct{}

// clickHouseTime has the ClickHouse expressions of a dimension of time, as in dimension.expr and dimension.format, and the type
// of its values.
type clickHouseTime struct{ expr, format, kind string }

const (
	clickHouseMoment = "DateTime('UTC')"
	clickHouseNumber = "Int64"
	clickHouseAmount = "Decimal(76, 38)"
)

func (clickHouse) raw(d dimension, at string) string {
	switch d.kind {
	case timed:
		return strings.ReplaceAll(d.inClickHouse.expr, "%s", at)
	case local:
		return strings.ReplaceAll(d.expr, "%s", at)
	case number:
		return "toInt64(" + d.expr + ")"
	case text, id, addr:
	}
	return d.expr
}

// kindOf returns the type of a dimension's raw values.
func (clickHouse) kindOf(d dimension) string {
	switch d.kind {
	case timed:
		return d.inClickHouse.kind
	case id:
		return "UUID"
	case addr:
		return "IPv6"
	case number, local:
		return clickHouseNumber
	case text:
	}
	return "String"
}

func (clickHouse) asText(d dimension, raw string) string {
	switch d.kind {
	case id:
		return "if(" + raw + " = " + schema.NoID + ", '', toString(" + raw + "))"
	case number:
		return "if(" + raw + " = 0, '', toString(" + raw + "))"
	case addr:
		return schema.Host(raw)
	case timed:
		return strings.ReplaceAll(d.inClickHouse.format, "%s", raw)
	case local:
		return "toString(" + raw + ")"
	case text:
	}
	return "toString(" + raw + ")"
}

// sortable implements dialect. ClickHouse sorts UUIDs and addresses in another order than PostgreSQL.
func (clickHouse) sortable(d dimension, raw string) string {
	switch d.kind {
	case id:
		return "toString(" + raw + ")"
	case addr:
		return fmt.Sprintf("tuple(%[1]s = toIPv6('::'), NOT (%[2]s), %[1]s)", raw, schema.IsV4(raw))
	case text, number, timed, local:
	}
	return raw
}

func (clickHouse) span(b *builder, c *clock) string {
	if len(c.spans) == 0 {
		return "toInt64(0)"
	}
	from := b.arg(db.Map(c.spans, func(s span) int64 { return s.start.UnixMilli() }))
	return fmt.Sprintf("transform(roundDown(toUnixTimestamp64Milli(%%s), CAST(%[1]s, 'Array(Int64)')), CAST(%[1]s, 'Array(Int64)'), "+
		"CAST(%[2]s, 'Array(Int64)'), toInt64(0))", from, b.arg(c.codes))
}

func (clickHouse) values(b *builder, c condition) string {
	switch c.kind {
	case id:
		return "CAST(" + b.arg(uuids(c.values)) + ", 'Array(UUID)')"
	case number:
		return "CAST(" + b.arg(numbers(c.values)) + ", 'Array(Int64)')"
	case local:
		return "CAST(" + b.arg(c.numbers) + ", 'Array(Int64)')"
	case addr:
		return "CAST(" + b.arg(addresses6(c.values)) + ", 'Array(IPv6)')"
	case text, timed:
	}
	return "CAST(" + b.arg(c.values) + ", 'Array(String)')"
}

// addresses6 returns the values that are addresses, as IPv6 addresses. It leaves out values that are not in the form in which
// reports show addresses. An empty value, which means no address, becomes ::.
func addresses6(values []string) []string {
	list := make([]string, 0, len(values))
	for _, v := range values {
		if v == "" {
			list = append(list, netip.IPv6Unspecified().String())
		} else if a, err := netip.ParseAddr(v); err == nil && a.Zone() == "" && a.String() == v && !a.IsUnspecified() {
			list = append(list, netip.AddrFrom16(a.As16()).String())
		}
	}
	return list
}

func (c clickHouse) condition(f filter, at string) string {
	expr := c.raw(f.dimension, at)
	if f.kind == timed {
		expr = c.asText(f.dimension, expr)
	}
	if f.not {
		return expr + " NOT IN (" + f.list + ")"
	}
	return expr + " IN (" + f.list + ")"
}

// quotientScale is 10 to the power of quotientDigits. quotient multiplies the dividend by it where the ratio would otherwise lose
// its decimals.
const (
	quotientScale  = "toInt256('100000000000000000000')"
	quotientDigits = 20
	amountDigits   = 38 // decimals of clickHouseAmount
)

// quotient implements dialect. Amounts are divided in their stored form, as whole numbers.
func (clickHouse) quotient(over, under measure.Sum) string {
	if under.SQL == "" {
		return over.SQL
	}
	a, b := "toInt256("+over.SQL+") * "+quotientScale, "toInt256("+under.SQL+")"
	if over.Amount {
		a = "reinterpretAsInt256(" + over.SQL + ")"
	}
	if under.Amount {
		a, b = a+" * "+quotientScale, "reinterpretAsInt256("+under.SQL+")"
	}
	return "if(" + under.SQL + " = 0, NULL, intDivOrZero(" + a + ", " + b + "))"
}

// bound implements dialect. The number of a quotient's decimals depends on which of its parts are amounts.
func (clickHouse) bound(value decimal.Decimal, over, under measure.Sum) string {
	if under.SQL == "" {
		return "toDecimal256('" + value.String() + "', 38)"
	}
	var digits int32 = quotientDigits
	if over.Amount {
		digits = amountDigits
	}
	if under.Amount {
		digits += quotientDigits - amountDigits
	}
	return "toInt256('" + value.Shift(digits).Truncate(0).String() + "')"
}

// facts implements dialect. It selects the clicks in ClickHouse and, for a goal or a status, the rows of their conversions.
func (clickHouse) facts(b *builder, p *period) {
	for _, s := range p.stretches {
		if s.source != fromCopy {
			continue
		}
		clicks := "f.account_id = " + b.account + " AND " + schema.Window("f.at", s.from, s.to)
		apart := len(b.Goals) > 0 || !p.all(func(d dimension) bool { return d.ofSale == "" }) // conversions are read from their own table
		b.part("f.at", "clicks AS f FINAL WHERE "+clicks, false, func(m *measure.Measure) string { return m.CopyOfClick(!apart) })
		if !apart {
			continue
		}
		sales := "v.account_id = " + b.account + " AND " + schema.Window("v.click_at", s.from, s.to)
		if len(b.Goals) > 0 {
			sales += " AND v.goal IN (CAST(" + b.arg(b.Goals) + ", 'Array(String)'))"
		}
		b.part("f.at", "(SELECT * FROM conversions AS v FINAL WHERE "+sales+") AS v GLOBAL INNER JOIN (SELECT * FROM clicks AS f FINAL WHERE "+
			clicks+") AS f ON f.id = v.click_id WHERE 1", true, (*measure.Measure).CopyOfSale)
	}
}

// passedFacts returns a SELECT of the facts from PostgreSQL, which are part of the statement.
func (c clickHouse) passedFacts(b *builder) string {
	var list strings.Builder
	for i, d := range b.dims {
		fmt.Fprintf(&list, "%s %s, ", group(i), c.kindOf(d))
	}
	if b.Compare != nil {
		list.WriteString("before Bool, ")
	}
	for i, m := range measure.Counters {
		if i > 0 {
			list.WriteString(", ")
		}
		kind := clickHouseNumber
		if m.IsAmount() {
			kind = clickHouseAmount
		}
		list.WriteString(m.Name + " " + kind)
	}
	return "SELECT * FROM format('TSV', " + b.arg(list.String()) + ", " + b.arg(b.postgresFacts) + ")"
}

// statement returns the statement for ClickHouse. The totals come first, so that a limit does not cut them off.
func (c clickHouse) statement(b *builder) string {
	parts := b.parts
	if b.postgresFacts != "" {
		parts = append(slices.Clone(parts), c.passedFacts(b))
	}
	var groups, texts, keys []string
	for i, d := range b.dims {
		groups = append(groups, "facts."+group(i)+" AS "+group(i))
		keys = append(keys, "facts."+group(i))
		texts = append(texts, c.asText(d, group(i)))
	}
	names, sums := c.sums(b)
	from := " FROM (\n" + strings.Join(parts, "\nUNION ALL\n") + "\n) AS facts"
	if len(groups) == 0 {
		return "SELECT " + strings.Join(names, ", ") + ", 0 AS total FROM (SELECT " + strings.Join(sums, ", ") + from + ")"
	}
	where := b.kept("(" + strings.Join(names, " <> 0 OR ") + " <> 0)")
	if len(b.Having) > 0 { // first choose the groups, then sum them up for the totals
		from = " FROM (\nSELECT * FROM (SELECT " + strings.Join(append(slices.Clone(groups), sums...), ", ") + from + "\nGROUP BY " +
			strings.Join(keys, ", ") + ")\nWHERE " + where + "\n) AS facts"
		sums = db.Map(names, func(name string) string { return "sum(facts." + name + ") AS " + name })
	}
	total, by, limit := "toUInt8(0)", strings.Join(keys, ", "), b.Limit
	if b.Totals {
		total, by, limit = "toUInt8(grouping("+keys[0]+"))", "GROUPING SETS (("+by+"), ())", limit+1
	}
	return "SELECT " + strings.Join(append(texts, names...), ", ") + ", total FROM (\nSELECT " +
		strings.Join(append(groups, sums...), ", ") + ", " + total + " AS total" + from + "\nGROUP BY " + by + "\n)\nWHERE total = 1 OR " + where +
		"\nORDER BY total DESC, " + b.orderBy() + "\nLIMIT " + strconv.Itoa(limit)
}

func (clickHouse) sums(b *builder) (names, sums []string) {
	add := func(prefix, condition string) {
		for _, m := range measure.Counters {
			sum := "sum(facts." + m.Name + ")"
			if condition != "" {
				sum = "sumIf(facts." + m.Name + ", " + condition + ")"
			}
			if !m.IsAmount() {
				sum = "toInt64(" + sum + ")"
			}
			names, sums = append(names, prefix+m.Name), append(sums, sum+" AS "+prefix+m.Name)
		}
	}
	if b.Compare == nil {
		add("", "")
		return names, sums
	}
	add("", "NOT facts.before")
	add(ofBefore, "facts.before")
	return names, sums
}
