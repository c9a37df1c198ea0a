package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"switchyard/db"
	"switchyard/models/measure"
)

// TestTypesOfMeasures checks the dashboard's measures.gen.ts, and that each measure has a label in both languages.
func TestTypesOfMeasures(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range measure.All {
		m := &measure.All[i]
		over, under := m.Terms()
		raw, err := json.Marshal(map[string]any{
			"kind": m.Kind, "digits": cmp.Or(m.Digits, 2), "good": m.Good, "test": testOf(m), "over": termsOf(over), "under": termsOf(under),
		})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "  %s: %s,\n", m.Name, raw)
	}
	checkGenerated(t, "dashboard/web/src/measures.gen.ts", `// Made of the table of measures by the API's tests (-run TestTypes -update). Do not edit.
import type { FigureRow } from './api.gen.ts'

// A term is the name of a measure, after a minus if it is subtracted. Only quotients have terms in `+"`under`"+`.
type Term = keyof FigureRow | `+"`-${keyof FigureRow}`"+`
export interface Measure {
  kind: 'count' | 'money' | 'small' | 'percent'
  digits: number
  good: number
  test: '' | 'count' | 'share' | 'sales'
  over: Term[]
  under: Term[]
}
export const measures: Record<keyof FigureRow, Measure> = {
`+lines.String()+"}\n")
	for _, language := range []string{"en", "de"} {
		text, err := os.ReadFile("dashboard/web/src/text/" + language + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range measure.Names(measure.Every) {
			if !strings.Contains(string(text), "\n      "+name+": '") {
				t.Errorf("%s has no label in text/%s.ts (figures.names)", name, language)
			}
		}
	}
}

// testOf returns the statistical test with which the dashboard decides whether a change of a measure is more than chance. Without
// a test, every change counts as real.
func testOf(m *measure.Measure) string {
	switch {
	case m.BySales:
		return "sales"
	case m.Kind == measure.Count:
		return "count"
	case m.IsPercent():
		return "share"
	}
	return ""
}

func termsOf(list []measure.Term) []string {
	return append([]string{}, db.Map(list, func(t measure.Term) string {
		if t.Minus {
			return "-" + t.Name
		}
		return t.Name
	})...)
}
