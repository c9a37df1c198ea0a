package models

import (
	"testing"

	"github.com/shopspring/decimal"
)

func TestRatios(t *testing.T) {
	t.Parallel()
	f := Figures{
		Clicks: 8, LPViews: 4, LPClicks: 3, Approved: 2, Pending: 1, Rejected: 1, Chargebacks: 5,
		Cost: decimal.NewFromInt(4), Revenue: decimal.NewFromInt(10), PendingRevenue: decimal.NewFromInt(3),
	}
	if f.Conversions() != 3 || f.Profit().String() != "6" {
		t.Errorf("the figures have %d conversions and the profit %s, want 3 and 6", f.Conversions(), f.Profit())
	}
	format := func(d *Money) string {
		if d == nil {
			return "null"
		}
		return d.String()
	}
	for _, x := range []struct {
		f    Figures
		want [7]string // LPCTR, CR, ROI, EPC, CPC, CPA and ApproveRate
	}{
		{f, [7]string{"75", "37.5", "150", "1.25", "0.5", "1.333333", "50"}},
		{Figures{}, [7]string{"null", "null", "null", "null", "null", "null", "null"}},
		{Figures{Clicks: 3, Cost: decimal.NewFromInt(1)}, [7]string{"null", "0", "-100", "0", "0.333333", "null", "null"}},
	} {
		r := x.f.Row()
		got := [7]string{format(r.LPCTR), format(r.CR), format(r.ROI), format(r.EPC), format(r.CPC), format(r.CPA), format(r.ApproveRate)}
		if got != x.want {
			t.Errorf("the ratios are %v, want %v", got, x.want)
		}
	}
	if sum := f.Plus(f.Neg()); !sum.IsZero() {
		t.Errorf("figures and their negative do not add up to zero: %+v", sum)
	}
	if f.IsZero() || !f.Plus(Figures{}).Cost.Equal(f.Cost) {
		t.Error("Plus or IsZero leaves out a figure")
	}
}
