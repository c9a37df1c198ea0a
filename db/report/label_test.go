package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/parttest"
)

// TestGroupsAndTags checks reports by the groups and tags of campaigns, and filters by them. A click counts once for each tag of
// its campaign, and once in the totals. If the report has a condition on figures, the totals are the sums of its rows.
func TestGroupsAndTags(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	h := newHistoryEnv(t, 43)
	labels := []struct {
		group string
		tags  []string
	}{{"Push, DE", []string{"q4", "hot", "x\"y"}}, {"Push, DE", []string{"hot"}}, {"", nil}, {"Pop", []string{"q4"}}}
	h.ids["campaign"] = nil
	for _, l := range labels {
		id := uuid.New()
		h.ids["campaign"] = append(h.ids["campaign"], id)
		dbtest.Exec(t, h.d, `INSERT INTO domains (id, host) VALUES ($1, $2)`, id, id.String()+".example.com")
		dbtest.Exec(t, h.d, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, group_name, tags) VALUES ($1, $2, $3, $3, $1, $4, $5)`,
			id, h.account, id.String(), l.group, pq.StringArray(append([]string{}, l.tags...)))
	}
	dbtest.Exec(t, h.d, `UPDATE campaigns SET deleted_at = now() WHERE id = $1`, h.ids["campaign"][3])
	h.ids["campaign"] = append(h.ids["campaign"], uuid.New()) // a campaign that does not exist
	storeClicks(t, h, h.start, h.start.Add(2*time.Hour), 90)
	values := func(f *fact, name string) []string {
		at := slices.Index(h.ids["campaign"], f.click.CampaignID)
		switch {
		case name == "country":
			return []string{f.click.Country}
		case at >= len(labels) || name == "group" && labels[at].group == "" || name == "tag" && labels[at].tags == nil:
			return []string{""}
		case name == "group":
			return []string{labels[at].group}
		}
		return labels[at].tags
	}
	type groups map[string]int64 // clicks, including clicks of bots
	recount := func(q Query) (groups, int64) {
		out, total := groups{}, int64(0)
		for _, f := range h.facts {
			shown := map[string][]string{}
			for _, name := range []string{"group", "tag", "country"} {
				shown[name] = slices.DeleteFunc(slices.Clone(values(f, name)), func(v string) bool {
					return slices.ContainsFunc(q.Filters, func(x Filter) bool { return x.Dimension == name && !x.Not && !slices.Contains(x.Values, v) })
				})
			}
			kept := true
			for _, x := range q.Filters {
				has := slices.ContainsFunc(values(f, x.Dimension), func(v string) bool { return slices.Contains(x.Values, v) })
				kept = kept && has != x.Not
			}
			if !kept {
				continue
			}
			total++
			keys := []string{""}
			for _, d := range q.Dimensions {
				var longer []string
				for _, k := range keys {
					for _, v := range shown[d] {
						longer = append(longer, k+"|"+v)
					}
				}
				keys = longer
			}
			for _, k := range keys {
				out[k]++
			}
		}
		return out, total
	}
	is := func(name string, values ...string) Filter { return Filter{Dimension: name, Values: values} }
	not := func(name string, values ...string) Filter { return Filter{Dimension: name, Values: values, Not: true} }
	h.onBoth(func() {
		h.t.Helper()
		for _, dims := range []string{"tag", "group", "tag,country", "group,tag", "country"} {
			for _, filters := range [][]Filter{
				nil,
				{is("tag", "hot")},
				{is("tag", "hot", "")},
				{not("tag", "q4")},
				{not("tag", "")},
				{is("group", "Push, DE")},
				{is("group", "")},
				{not("group", "", "Pop")},
				{is("group", "Push, DE"), not("tag", "q4"), is("country", "DE")},
				{is("tag", "none")},
				{is("tag", "hot"), not("tag", "q4")},
			} {
				for _, fromRows := range []bool{false, true} {
					q := Query{
						AccountID: h.account, From: h.start.Add(-day), To: h.start.Add(day), Dimensions: strings.Split(dims, ","), Filters: filters,
						Totals: true, FromRows: fromRows, Sort: strings.Split(dims, ",")[0],
					}
					want, total := recount(q)
					rows, err := h.reader.Performance(h.t.Context(), q)
					if err != nil {
						h.t.Fatalf("by %s, %v: %v", dims, filters, err)
					}
					got, last := groups{}, rows[len(rows)-1]
					for _, r := range rows[:len(rows)-1] {
						got["|"+strings.Join(r.Dims, "|")] = r.Clicks + r.BotClicks
					}
					if fmt.Sprint(got) != fmt.Sprint(want) || !last.Total || last.Clicks+last.BotClicks != total {
						h.t.Errorf("by %s, %v, from rows %v: %v, total %+v, want %v, total %d", dims, filters, fromRows, got, last, want, total)
					}
				}
			}
		}
		q := Query{
			AccountID: h.account, From: h.start.Add(-day), To: h.start.Add(day), Dimensions: []string{"tag"}, Totals: true,
			Having: []models.FigureFilter{{Figure: "clicks", Op: ">", Value: decimal.Zero}},
		}
		rows, err := h.reader.Performance(h.t.Context(), q)
		var sum models.Figures
		for _, r := range rows[:max(0, len(rows)-1)] {
			sum = sum.Plus(r.Figures)
		}
		if err != nil || len(rows) != 5 || sumsOf(sum) != sumsOf(rows[4].Figures) {
			h.t.Errorf("with a condition: %+v, %v, want 4 tags and a last row with their sums", rows, err)
		}
	})
}
