package ledger_test

import (
	"slices"
	"strings"
	"testing"

	"switchyard/db/dbtest"
	"switchyard/db/ledger"
	"switchyard/models/measure"
)

// TestColumns checks that ledger and ledger_rollups have a column for each counter of the table of measures, and no other sums.
func TestColumns(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	others := append(strings.Split(ledger.Keys, ", "), "merged", "rollup")
	for _, table := range []string{"ledger", "ledger_rollups"} {
		var have []string
		if err := d.SelectContext(t.Context(), &have, `SELECT column_name::text FROM information_schema.columns
			WHERE table_schema = 'public' AND table_name = $1`, table); err != nil {
			t.Fatal(err)
		}
		have = slices.DeleteFunc(have, func(name string) bool { return slices.Contains(others, name) })
		want := measure.Names((*measure.Measure).IsCounter)
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("%s has the columns %v, want %v as in the table of measures", table, have, want)
		}
	}
}
