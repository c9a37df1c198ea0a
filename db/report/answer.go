package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/measure"
)

// Sorts returns the names of the figures by which an answer can be sorted: all of its columns.
func Sorts() []string { return slices.Sorted(slices.Values(measure.Names(measure.Every))) }

// orderBy returns the ORDER BY of a query. Groups with the same figure are sorted by clicks, most first, and then by their
// values. Groups without the figure come last.
func (b *builder) orderBy(q Query) (string, error) {
	name, descends := strings.CutPrefix(q.Sort, "-")
	if q.Sort == "" {
		name, descends = "clicks", true
	}
	expr := ""
	m := measure.Find(name)
	if m != nil && !m.IsCounter() {
		expr = b.dialect.quotient(m.Sums())
	}
	if at := slices.IndexFunc(b.dims, func(d dimension) bool { return d.name == name }); at >= 0 {
		expr = b.dialect.sortable(b.dims[at], group(at))
	}
	if m != nil && m.IsCounter() {
		expr = name
	}
	if expr == "" {
		return "", models.Invalid("invalid_input", "sort must be a figure or a dimension of the report, after a minus descending")
	}
	order := []string{expr + " ASC NULLS LAST"}
	if descends {
		order[0] = expr + " DESC NULLS LAST"
	}
	if name != "clicks" {
		order = append(order, "clicks DESC")
	}
	for i, d := range b.dims {
		order = append(order, b.dialect.sortable(d, group(i)))
	}
	return strings.Join(order, ", "), nil
}

func group(i int) string { return "d" + strconv.Itoa(i) }

const ofBefore = "before_" // prefix of the measures of the compared stretch

// columns returns the names of the measures of an answer, and the SQL of their sums.
func (b *builder) columns() (names, sums []string) {
	sum := func(prefix, of string) {
		for _, m := range measure.Counters {
			names = append(names, prefix+m.Name)
			sums = append(sums, "coalesce(sum("+m.Name+")"+of+", 0) AS "+prefix+m.Name)
		}
	}
	if !b.compares {
		sum("", "")
		return names, sums
	}
	sum("", " FILTER (WHERE NOT before)")
	sum(ofBefore, " FILTER (WHERE before)")
	return names, sums
}

// sql returns the statement.
func (b *builder) sql() string { return b.dialect.statement(b) }

// statement implements dialect. It groups the facts by raw values and converts only the values in the answer to texts. The last
// column is the row's place. It is NULL for the totals.
func (p postgres) statement(b *builder) string {
	var groups, texts []string
	for i, d := range b.dims {
		groups = append(groups, group(i))
		texts = append(texts, fmt.Sprintf("%s AS t%d, ", p.asText(d, groups[i]), i)) // a cast would be named like the column of the order
	}
	names, sums := b.columns()
	figures := strings.Join(names, ", ")
	facts := "WITH facts AS (\n" + strings.Join(b.parts, "\nUNION ALL\n") + "\n), sums AS (\nSELECT " +
		strings.Join(append(slices.Clone(groups), sums...), ", ") + "\nFROM facts"
	if len(groups) == 0 {
		return facts + "\n)\nSELECT " + figures + ", 1 AS place FROM sums"
	}
	where := measure.NotZero(names)
	if b.minClicks > 0 && b.compares {
		where += fmt.Sprintf(" AND greatest(clicks, %sclicks) >= %d", ofBefore, b.minClicks)
	} else if b.minClicks > 0 {
		where += fmt.Sprintf(" AND clicks >= %d", b.minClicks)
	}
	answer := facts + "\nGROUP BY " + strings.Join(groups, ", ") + "\n), answer AS (\nSELECT * FROM sums\nWHERE " + where +
		"\nORDER BY " + b.order + "\nLIMIT " + strconv.Itoa(b.limit) + "\n)\n"
	shown := strings.Join(texts, "") + figures
	if !b.totals {
		return answer + "SELECT " + shown + ", 1 AS place FROM answer\nORDER BY " + b.order
	}
	return answer + "SELECT " + shown + ", row_number() OVER (ORDER BY " + b.order + ") AS place FROM answer" +
		"\nUNION ALL\nSELECT " + strings.Repeat("'', ", len(groups)) + b.total(names) + ", NULL FROM sums\nORDER BY place"
}

// total returns the SQL of the sums of all groups.
func (b *builder) total(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = "coalesce(sum(" + name + "), 0)"
	}
	return strings.Join(list, ", ")
}
