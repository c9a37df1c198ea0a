package models_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// TestShareSpend checks that the shares add up to all spend, whatever clicks there are.
func TestShareSpend(t *testing.T) {
	t.Parallel()
	a, b, c := uuid.New(), uuid.New(), uuid.New()
	clicks := func(list ...any) models.ClicksBy {
		out := models.ClicksBy{}
		for i := 0; i < len(list); i += 3 {
			out.Add(list[i].(string), list[i+1].(uuid.UUID), int64(list[i+2].(int)))
		}
		return out
	}
	ten := int64(10)
	spent := []models.SpentOn{
		{"p1", decimal.RequireFromString("10"), &ten, nil},
		{"P2", decimal.RequireFromString("0.01"), nil, &ten},
		{"p3", decimal.RequireFromString("7"), &ten, nil},
		{"", decimal.RequireFromString("3"), nil, nil},
	}
	for name, tt := range map[string]struct {
		day, around models.ClicksBy
		matched     int
		want        map[uuid.UUID]string
	}{
		"no click":             {nil, nil, 0, map[uuid.UUID]string{uuid.Nil: "20.01"}},
		"one campaign":         {clicks("p1", a, 5), nil, 1, map[uuid.UUID]string{a: "20.01"}},
		"the rest to others":   {clicks("p1", a, 5, "", b, 1), nil, 1, map[uuid.UUID]string{a: "10", b: "10.01"}},
		"several of ours":      {clicks("p1", a, 1, "p1", b, 2, "p2", b, 1, "p3", b, 1, "", c, 9), nil, 3, map[uuid.UUID]string{a: "3.3333333333", b: "13.6766666667", c: "3"}},
		"the day before":       {clicks("x", b, 1), clicks("p1", a, 5, "x", b, 1), 1, map[uuid.UUID]string{a: "10", b: "10.01"}},
		"clicks without spend": {clicks("p1", a, 1, "p2", a, 1, "p3", a, 1, "x", b, 1, "y", c, 1), nil, 3, map[uuid.UUID]string{a: "17.01", b: "1.5", c: "1.5"}},
	} {
		shares, matched := models.ShareSpend(spent, tt.day, tt.around)
		if matched != tt.matched || len(shares) != len(tt.want) {
			t.Errorf("%s: %d rows of spend were matched, want %d; the shares are %v", name, matched, tt.matched, shares)
		}
		total, reported := decimal.Zero, int64(0)
		for _, s := range shares {
			total = total.Add(s.Amount)
			if s.Clicks != nil {
				reported += *s.Clicks
			}
			if s.Amount.String() != tt.want[s.CampaignID] {
				t.Errorf("%s: %s, want %s", name, s.Amount, tt.want[s.CampaignID])
			}
		}
		if total.String() != "20.01" || reported != 20 {
			t.Errorf("%s: the shares add up to %s and %d clicks, want 20.01 and 20", name, total, reported)
		}
	}
}
