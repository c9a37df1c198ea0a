package difference_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models/difference"
)

func checkLaw(t *testing.T, m difference.Measures, r difference.Row) {
	t.Helper()
	sum := r.Unexplained
	for _, p := range r.Causes {
		sum = sum.Plus(p.Figures)
	}
	want := r.Theirs.Minus(r.Ours)
	if m.Clicks && sum.Clicks != want.Clicks || m.Conversions && sum.Conversions != want.Conversions || m.Money && !sum.Money.Equal(want.Money) {
		t.Errorf("row %v: causes and rest give %v, the difference is %v", r.Cell, sum, want)
	}
	if !m.Clicks && sum.Clicks != 0 || !m.Conversions && sum.Conversions != 0 || !m.Money && !sum.Money.IsZero() {
		t.Errorf("row %v: figures that are not compared have causes: %v", r.Cell, sum)
	}
}

// TestLaw adds random figures and causes to sheets. In each row and in the totals, the causes and the rest must add up to the
// difference, and the rows must add up to the totals. Amounts have more decimals than answers show.
func TestLaw(t *testing.T) {
	t.Parallel()
	campaigns := []uuid.UUID{uuid.Nil, uuid.New(), uuid.New()}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 38))
		s := difference.NewSheet()
		figures := func() difference.Figures {
			return difference.Figures{
				Clicks: r.Int64N(200) - 100, Conversions: r.Int64N(20) - 10,
				Money: decimal.New(r.Int64N(2_000_000_000)-1_000_000_000, -9),
			}
		}
		for range r.IntN(300) {
			at := difference.Cell{Day: fmt.Sprintf("2026-11-%02d", 1+r.IntN(9)), Campaign: campaigns[r.IntN(3)]}
			switch r.IntN(4) {
			case 0:
				s.AddTheirs(at, figures())
			case 1:
				s.AddOurs(at, figures())
			default:
				s.Explain(at, difference.Causes[r.IntN(len(difference.Causes))], strconv.Itoa(r.IntN(50)), figures())
			}
		}
		out := difference.Result{Compares: difference.Measures{Clicks: seed%2 == 0, Conversions: seed%3 > 0, Money: seed%5 > 0}}
		s.Finish(&out)
		var total difference.Row
		for _, row := range out.Rows {
			checkLaw(t, out.Compares, row)
			total.Theirs, total.Ours = total.Theirs.Plus(row.Theirs), total.Ours.Plus(row.Ours)
			total.Unexplained = total.Unexplained.Plus(row.Unexplained)
		}
		checkLaw(t, out.Compares, out.Total)
		for what, pair := range map[string][2]difference.Figures{
			"theirs": {total.Theirs, out.Total.Theirs}, "ours": {total.Ours, out.Total.Ours}, "rest": {total.Unexplained, out.Total.Unexplained},
		} {
			if !pair[0].Minus(pair[1]).IsZero() {
				t.Errorf("seed %d: the rows have %s %v, the totals %v", seed, what, pair[0], pair[1])
			}
		}
	}
}

// TestLimits checks that reasons and examples are limited, and that the causes still add up to the difference.
func TestLimits(t *testing.T) {
	t.Parallel()
	s, at := difference.NewSheet(), difference.Cell{Day: "2026-11-01"}
	for i := range 50 {
		s.AddTheirs(at, difference.Figures{Conversions: int64(i + 1)})
		s.Explain(at, difference.Refused, fmt.Sprintf("reason %d", i), difference.Figures{Conversions: int64(i + 1)})
		for range 30 {
			s.AddExample(difference.Example{Cause: difference.Refused, Reason: fmt.Sprintf("reason %d", i)})
		}
	}
	out := difference.Result{Compares: difference.Measures{Conversions: true}}
	s.Finish(&out)
	if n := len(out.Total.Causes); n != 21 || out.Total.Causes[0].Conversions != 50 || out.Total.Causes[20].Reason != "" {
		t.Errorf("%d parts, the first %v and the last %v: want 21: the 20 largest, and one without a reason", n, out.Total.Causes[0], out.Total.Causes[n-1])
	}
	checkLaw(t, out.Compares, out.Total)
	if !out.Total.Unexplained.IsZero() {
		t.Errorf("%v is unexplained, want nothing unexplained", out.Total.Unexplained)
	}
	perReason := map[string]int{}
	for _, x := range out.Examples {
		perReason[x.Reason]++
	}
	if len(out.Examples) != 200 || perReason["reason 0"] != 10 {
		t.Errorf("got %d examples, %d of them for the first reason, want 200 and 10", len(out.Examples), perReason["reason 0"])
	}
}
