package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"switchyard/db/exchangerate"
	"switchyard/models"
)

// TestStretches checks the source of each stretch of a window.
func TestStretches(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	hour := func(n float64) time.Time { return start.Add(time.Duration(n * float64(time.Hour))) }
	kathmandu := zone(t, "Asia/Kathmandu")
	for _, x := range []struct {
		from, to float64 // hours
		change   func(*query)
		clicks   source
		want     string
	}{
		{0, 48, nil, fromRows, "rollup 0-48, unmerged 0-48"},
		{0.5, 48.25, nil, fromRows, "rows 0.5-1, rollup 1-48, unmerged 1-48, rows 48-48.25"},
		{0.25, 0.75, nil, fromRows, "rows 0.25-0.75"},
		{5, 5, nil, fromRows, "rows 5-5"},
		{6, 5, nil, fromRows, "rows 6-6"},
		{0.5, 49, by("country"), fromRows, "rows 0.5-1, rollup 24-48, unmerged 24-48, ledger 1-24, ledger 48-49"},
		{1, 23, by("country"), fromRows, "ledger 1-23"},
		{0, 48, by("country", "offer_id"), fromRows, "ledger 0-48, scans"},
		{0, 48, by("city"), fromRows, "rows 0-48, scans"},
		{0, 48, func(q *query) { q.Filters = []Filter{{Dimension: "city"}} }, fromRows, "rows 0-48, scans"},
		{0, 48, func(q *query) { q.Goals = []string{"sale"} }, fromRows, "rows 0-48, scans"},
		{0, 48, func(q *query) { q.change = &exchangerate.Change{} }, fromRows, "rows 0-48"},
		{0.5, 48, nil, fromCopy, "copy 0.5-48"},
		{0.5, 48, func(q *query) { q.oldestDay = hour(24) }, fromCopy, "copy 0.5-1, rollup 1-24, unmerged 1-24, copy 24-48"},
		{0, 24, func(q *query) { q.oldestDay = hour(48) }, fromCopy, "rollup 0-24, unmerged 0-24, copy 24-24"},
		{0, 48, func(q *query) { q.oldestDay, q.change = hour(24), &exchangerate.Change{} }, fromRows, "rollup 0-24, unmerged 0-24, rows 24-48"},
		{0, 48, func(q *query) { by("date")(q); q.Zone = kathmandu }, fromRows, "rollup 0-48, unmerged 0-48, split 18-19, split 42-43"},
		{0, 48, func(q *query) { by("date")(q); q.Zone, q.oldestDay = kathmandu, hour(24) }, fromRows, "rollup 0-24, unmerged 0-24, rollup 24-48, unmerged 24-48, split 42-43"},
		{0, 48, func(q *query) { by("hour")(q); q.Zone = kathmandu }, fromRows, "rows 0-48, scans"},
		{24, 48, func(q *query) { q.Compare = &models.TimeRange{From: hour(0.5), To: hour(24)} }, fromRows, "rollup 24-48, unmerged 24-48; rows 0.5-1, rollup 1-24, unmerged 1-24"},
	} {
		q := &query{Query: Query{From: hour(x.from), To: hour(x.to), Dimensions: []string{"campaign_id"}}, known: map[string]dimension{}}
		if x.change != nil {
			x.change(q)
		}
		if err := q.check(); err != nil {
			t.Fatal(err)
		}
		if err := q.setPeriods(); err != nil {
			t.Fatal(err)
		}
		var periods []string
		for _, p := range q.periods {
			if x.clicks != fromRows {
				q.chooseSources(p, x.clicks)
			}
			var list []string
			for _, s := range p.stretches {
				list = append(list, fmt.Sprintf("%s %v-%v", sourceNames[s.source], s.from.Sub(start).Hours(), s.to.Sub(start).Hours()))
			}
			periods = append(periods, strings.Join(list, ", "))
		}
		got := strings.Join(periods, "; ")
		if q.scans {
			got += ", scans"
		}
		if got != x.want {
			t.Errorf("%v to %v by %v: %s, want %s", x.from, x.to, q.Dimensions, got, x.want)
		}
	}
}

var sourceNames = map[source]string{
	fromRows: "rows", fromSplit: "split", fromCopy: "copy", fromLedger: "ledger", fromRollup: "rollup", fromUnmerged: "unmerged",
}

func by(dimensions ...string) func(*query) { return func(q *query) { q.Dimensions = dimensions } }
