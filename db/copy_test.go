package db_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/dbtest"
)

// TestCopyIn checks that copied values are read back unchanged, whatever characters they have.
func TestCopyIn(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	type row struct {
		N    int
		Text string
		Opt  *string
		Yes  bool
		ID   uuid.UUID
		At   time.Time
		Cost string
	}
	dbtest.Exec(t, d, `CREATE TABLE copied (n int, text text, opt text, yes bool, id uuid, at timestamptz, cost numeric)`)
	texts := []string{
		"", "plain", `back\slash`, `\N`, `\.`, "tab\tline\nreturn\r", "comma, quote\" and '", "unit\x1fseparator", "\x1e", "\x1e\x1f\\",
		"\x01\x7f", "Zürich 東京 🙂", "NULL", "null",
	}
	var want []row
	for n, text := range texts {
		r := row{
			N: n - 3, Text: text, Yes: n%2 == 0, ID: uuid.New(), Cost: fmt.Sprintf("%d.000001", n),
			At: time.Date(1969+n, 2, 3, 4, 5, 6, 789_000_000, time.UTC),
		}
		if n%3 == 0 {
			r.Opt = &texts[(n+5)%len(texts)]
		}
		want = append(want, r)
	}
	for _, pointers := range []bool{false, true} {
		err := db.Tx(t.Context(), d, func(c db.Conn) error {
			cells := make([]any, 7)
			return db.CopyIn(t.Context(), c, "copied", "n, text, opt, yes, id, at, cost", func(yield func([]any) bool) {
				for i := range want {
					r := &want[i]
					cost := decimal.RequireFromString(r.Cost)
					copy(cells, []any{r.N, r.Text, r.Opt, r.Yes, r.ID, r.At, cost})
					if pointers {
						copy(cells, []any{&r.N, &r.Text, r.Opt, &r.Yes, &r.ID, &r.At, &cost})
					}
					if !yield(cells) {
						return
					}
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.Select[row](t.Context(), d, "copied", `DELETE FROM copied RETURNING n, text, opt, yes, id, at, cost::text AS cost`)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, func(a, b row) int { return a.N - b.N })
		if len(got) != len(want) {
			t.Fatalf("%d rows were read back, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i].At = got[i].At.UTC(); !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("with pointers %t, the row is %+v, want %+v", pointers, got[i], want[i])
			}
		}
	}
	err := db.Tx(t.Context(), d, func(c db.Conn) error {
		return db.CopyIn(t.Context(), c, "copied", "text", slices.Values([][]any{{[]byte("x")}}))
	})
	if err == nil {
		t.Error("bytes were copied as a text")
	}
}
