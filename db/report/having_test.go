package report

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/measure"
	"switchyard/models/parttest"
)

// TestHaving checks conditions on figures, and the totals of the groups that pass.
func TestHaving(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	h := newHistoryEnv(t, 41)
	storeClicks(t, h, h.start, h.start.Add(time.Hour), 120)
	h.onBoth(func() {
		h.t.Helper()
		q := Query{AccountID: h.account, From: h.start.Add(-day), To: h.start.Add(day), Dimensions: []string{"country", "campaign_id"}, Totals: true}
		all, err := h.reader.Performance(h.t.Context(), q)
		if err != nil {
			h.t.Fatal(err)
		}
		groups, dropped := all[:len(all)-1], 0
		for i := range measure.All {
			m := &measure.All[i]
			value := middle(groups, m.Name)
			for _, op := range models.FigureOps {
				q.Having, q.Limit = []models.FigureFilter{{Figure: m.Name, Op: op, Value: value}}, 0
				var want models.Figures
				n := 0
				for _, r := range groups {
					if meets(r.Figures, q.Having[0]) {
						want, n = want.Plus(r.Figures), n+1
					}
				}
				dropped += len(groups) - n
				got, err := h.reader.Performance(h.t.Context(), q)
				if err != nil {
					h.t.Fatalf("%s %s %s: %v", m.Name, op, value, err)
				}
				if total := got[len(got)-1]; len(got) != n+1 || !total.Total || sumsOf(total.Figures) != sumsOf(want) {
					h.t.Errorf("%s %s %s: %d groups, want %d, totals %+v, want %+v", m.Name, op, value, len(got)-1, n, total.Figures, want)
				}
				q.Limit = 1
				if got, err = h.reader.Performance(h.t.Context(), q); err != nil || len(got) != min(n, 1)+1 || sumsOf(got[len(got)-1].Figures) != sumsOf(want) {
					h.t.Errorf("%s %s %s, at most one group: %+v, %v, want the totals %+v", m.Name, op, value, got, err, want)
				}
			}
		}
		if len(groups) < 4 || dropped < len(groups)*8 {
			h.t.Errorf("the test has too few groups (%d), or its conditions leave out too few groups (%d)", len(groups), dropped)
		}
		q.Compare, q.Limit = &models.TimeRange{From: q.From.AddDate(0, 0, -2), To: q.From}, 0
		if got, err := h.reader.Performance(h.t.Context(), q); err != nil || len(got) == 0 {
			h.t.Errorf("with conditions and a second period: %d groups (%v), want at least 1", len(got), err)
		}
	})
}

// middle returns the median of a figure. A ratio gets a few more decimals, so that no group has this value: the test compares
// rounded ratios, and the engines compare exact ones.
func middle(groups []Row, name string) decimal.Decimal {
	var values []decimal.Decimal
	for _, r := range groups {
		if v, ok := r.Value(name); ok {
			values = append(values, v)
		}
	}
	slices.SortFunc(values, decimal.Decimal.Cmp)
	value := decimal.Zero
	if len(values) > 0 {
		value = values[len(values)/2]
	}
	if measure.Find(name).IsRatio() {
		return value.Truncate(4).Add(decimal.New(51, -6))
	}
	return value
}

func meets(f models.Figures, c models.FigureFilter) bool {
	value, ok := f.Value(c.Figure)
	order := value.Cmp(c.Value)
	return ok && map[string]bool{"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[c.Op]
}
