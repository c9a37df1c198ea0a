package measure_test

import (
	"slices"
	"strings"
	"testing"

	"switchyard/models/measure"
)

// TestRows checks rules that every measure must obey.
func TestRows(t *testing.T) {
	t.Parallel()
	names, places := map[string]bool{}, map[int]bool{0: true}
	for i := range measure.All {
		m := &measure.All[i]
		if names[m.Name] || names[m.Field] || m.Name == "" || m.Field == "" || m.Kind == "" {
			t.Errorf("%q has no name, field or kind, or shares its name or field with another measure", m.Name)
		}
		names[m.Name], names[m.Field] = true, true
		if m.Change > 0 && (places[m.Change] || m.Change > len(measure.All)) {
			t.Errorf("%s: the place %d in changes is used twice or too high", m.Name, m.Change)
		}
		places[m.Change] = true
		counts := m.SQL.Click != "" || m.SQL.Conversion != ""
		if copies := m.SQL.CopyClick != "" || m.SQL.Sold != ""; counts != m.IsCounter() || copies != counts {
			t.Errorf("%s must have either a formula, or SQL for both engines", m.Name)
		}
		if (m.SQL.Conversion == "") != (m.SQL.Sold == "") || (m.SQL.Sold == "") != (m.SQL.CopySale == "") {
			t.Errorf("%s has SQL for conversions in some places but not in all", m.Name)
		}
		over, under := m.Terms()
		for _, side := range [][]measure.Term{over, under} {
			for _, term := range side {
				if term.Measure == nil {
					t.Fatalf("%s: %q names an unknown measure", m.Name, m.Formula)
				}
				if term.IsAmount() != side[0].IsAmount() {
					t.Errorf("%s: %q adds amounts and counts", m.Name, m.Formula)
				}
				if term.IsRatio() || term.Minus && !term.IsCounter() {
					t.Errorf("%s: %q has a term that is not a counter or a sum of counters", m.Name, m.Formula)
				}
			}
		}
	}
}

// TestSums checks that formulas become SQL over counters.
func TestSums(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]measure.Sum{
		"profit":       {{SQL: "revenue - cost", Amount: true}},
		"conversions":  {{SQL: "approved + pending"}},
		"cr":           {{SQL: "approved + pending"}, {SQL: "clicks"}},
		"roi":          {{SQL: "revenue - cost", Amount: true}, {SQL: "cost", Amount: true}},
		"approve_rate": {{SQL: "approved"}, {SQL: "approved + pending + rejected"}},
	} {
		if over, under := measure.Find(name).Sums(); [2]measure.Sum{over, under} != want {
			t.Errorf("%s: %v / %v, want %v", name, over, under, want)
		}
	}
}

// TestExpand checks that {percentages} becomes a list of the names of all percentages, with "and" before the last one.
func TestExpand(t *testing.T) {
	t.Parallel()
	want := measure.Names((*measure.Measure).IsPercent)
	text := measure.Expand("{percentages}")
	if got := strings.Split(strings.Replace(text, " and ", ", ", 1), ", "); !slices.Equal(got, want) || !strings.Contains(text, " and ") {
		t.Errorf("percentages: %q, want %v", text, want)
	}
}
