package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
)

// ratios are the SQL of the figures of an answer that follow from its measures, by their names in answers.
var ratios = map[string]string{
	"conversions":  "approved + pending",
	"profit":       "revenue - cost",
	"lp_ctr":       "lp_clicks::numeric / nullif(lp_views, 0)",
	"cr":           "(approved + pending)::numeric / nullif(clicks, 0)",
	"roi":          "(revenue - cost) / nullif(cost, 0)",
	"epc":          "revenue / nullif(clicks, 0)",
	"cpc":          "cost / nullif(clicks, 0)",
	"cpa":          "cost / nullif(approved + pending, 0)",
	"approve_rate": "approved::numeric / nullif(approved + rejected + pending, 0)",
}

// Sorts lists the figures by which an answer can be sorted: all of its columns.
func Sorts() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	for name := range ratios {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// orderBy is the order that a query asks for. Groups that are alike come with the most clicks first, then by their
// values; those without a figure come last.
func (b *builder) orderBy(q Query) (string, error) {
	name, descends := strings.CutPrefix(q.Sort, "-")
	if q.Sort == "" {
		name, descends = "clicks", true
	}
	expr := ratios[name]
	if at := slices.IndexFunc(b.dims, func(d dimension) bool { return d.name == name }); at >= 0 {
		expr = group(at)
	}
	if slices.ContainsFunc(measures, func(m measure) bool { return m.name == name }) {
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
	for i := range b.dims {
		order = append(order, group(i))
	}
	return strings.Join(order, ", "), nil
}

func group(i int) string { return "d" + strconv.Itoa(i) }

const ofBefore = "before_" // in front of the measures of the stretch that is compared with

// columns are the measures of an answer, and the SQL of their sums.
func (b *builder) columns() (names, sums []string) {
	sum := func(prefix, of string) {
		for _, m := range measures {
			names = append(names, prefix+m.name)
			sums = append(sums, "coalesce(sum("+m.name+")"+of+", 0) AS "+prefix+m.name)
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

// sql groups the facts by raw values and turns only what is answered into texts. The last column is a row's place; the
// totals have none.
func (b *builder) sql() string {
	var groups, texts []string
	for i, d := range b.dims {
		groups = append(groups, group(i))
		texts = append(texts, d.shown(groups[i])+", ")
	}
	names, sums := b.columns()
	figures := strings.Join(names, ", ")
	facts := "WITH facts AS (\n" + strings.Join(b.parts, "\nUNION ALL\n") + "\n), sums AS (\nSELECT " +
		strings.Join(append(slices.Clone(groups), sums...), ", ") + "\nFROM facts"
	if len(groups) == 0 {
		return facts + "\n)\nSELECT " + figures + ", 1 AS place FROM sums"
	}
	where := "(" + figures + ") <> (" + strings.Repeat("0, ", len(names)-1) + "0)"
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

// total are the sums of all groups.
func (b *builder) total(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = "coalesce(sum(" + name + "), 0)"
	}
	return strings.Join(list, ", ")
}
