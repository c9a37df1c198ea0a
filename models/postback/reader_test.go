package postback

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/param"
)

func fieldsOf(m Message) map[string]string {
	out := map[string]string{
		"click_id": m.ClickID, "currency": m.Currency, "status": m.OriginalStatus, "conversion_id": m.ConversionID, "goal": m.Goal,
		"secret": m.Secret, "invalid": m.InvalidPayout,
	}
	if m.Payout != nil {
		out["payout"] = m.Payout.String()
	}
	if m.Cost != nil {
		out["cost"] = m.Cost.String()
	}
	if !m.Time.IsZero() {
		out["time"] = m.Time.Format("2006-01-02")
	}
	for i, s := range m.Subs {
		out[fmt.Sprint("sub", i+1)] = s
	}
	maps.DeleteFunc(out, func(_, v string) bool { return v == "" })
	return out
}

// TestOneParameterOneField checks that a parameter in which a network sends a field is read only as that field.
func TestOneParameterOneField(t *testing.T) {
	t.Parallel()
	fields := slices.Sorted(maps.Keys(aliases))
	value := map[string]string{"payout": "7", "cost": "7", "currency": "EUR", "time": "2026-03-04"}
	for _, field := range fields {
		for name := range fieldParams {
			v := "seven"
			if value[field] != "" {
				v = value[field]
			}
			got := fieldsOf(Read(map[string]string{strings.ToUpper(name): v}, Network{Params: map[string]string{field: " " + name}}, ""))
			if want := map[string]string{field: v}; !maps.Equal(got, want) {
				t.Errorf("the parameter %s, sent as the %s, is read as %v, want %v", name, field, got, want)
			}
		}
	}
}

// TestFirstValidAlias checks which of several parameters of a field counts.
func TestFirstValidAlias(t *testing.T) {
	t.Parallel()
	id := models.FormatClickID(models.NewClickID())
	for query, want := range map[string]string{
		"cid=test_1234&subid=" + id: "click_id " + id, "click_id=8d0c7a1e-1111-4222-8333-abcdefabcdef&aff_sub=" + id: "click_id " + id,
		"clickid=0123456789012345678901&uclick=" + id: "click_id " + id, "clickid=&clickid=" + id: "click_id " + id,
		"clickid={clickid}&cid=" + id: "click_id " + id, "cid=a&subid=b": "click_id a", "myclick=test&subid=" + id: "click_id " + id,
		"clickid=" + strings.Repeat("x", 256): "click_id ", "clickid=" + strings.Repeat("x", 255): "click_id " + strings.Repeat("x", 255),
		"payout=abc&amount=7": "payout 7", "payout=abc&amount=def": "invalid abc", "payout={payout}": "invalid {payout}",
		"payout=&revenue=5&amount=7": "payout 5", "comm=abc&payout=7": "invalid abc", "comm=&payout=7": "payout 7", "comm={c}&payout=7": "payout 7",
		"currency=none&cur=eur": "currency EUR", "cur=usd&currency=": "currency USD",
		"time=yesterday&event_time=2026-03-04": "time 2026-03-04", "time=&datetime=2026-03-04": "time 2026-03-04",
		"status=odd&st=approved": "status odd", "goal=&et=sale": "goal sale",
	} {
		field, value, _ := strings.Cut(want, " ")
		n := Network{Params: map[string]string{"payout": "comm", "click_id": "MyClick"}}
		params := Collect(param.FromQuery(query, param.Clues{}), func(string) bool { return false })
		if got := fieldsOf(Read(params, n, ""))[field]; got != value {
			t.Errorf("%.60s: %s is %q, want %q", query, field, got, value)
		}
	}
}

// TestCollect checks that names that differ only in case are one parameter, and that the first filled value in the message is kept.
func TestCollect(t *testing.T) {
	t.Parallel()
	noneKnown := func(string) bool { return false }
	for query, want := range map[string]map[string]string{
		"Goal=a&goal=b&GOAL=c":               {"Goal": "a"},
		"goal=&GOAL=c&Goal=d":                {"goal": "c"},
		"goal=&GOAL={goal}&Goal=":            {"goal": ""},
		"=1&a=2":                             {"a": "2"},
		"a=" + strings.Repeat("ä", MaxValue): {"a": strings.Repeat("ä", MaxValue/2)},
	} {
		for range 20 {
			if got := Collect(param.FromQuery(query, param.Clues{}), noneKnown); !maps.Equal(got, want) {
				t.Fatalf("%.60s: Collect returns %q, want %q", query, got, want)
			}
		}
	}
	var list []param.Param
	for i := range 1000 {
		list = append(list, param.Param{Name: fmt.Sprint("x", i), Value: "v"})
	}
	list = append(list, param.Param{Name: "SubId", Value: "c"}, param.Param{Name: "Custom", Value: "v"}, param.Param{Name: "key", Value: "k"})
	got := Collect(list, func(name string) bool { return name == "custom" })
	if len(got) != maxOthers+3 || got["SubId"] != "c" || got["Custom"] != "v" || got["key"] != "k" || got["x0"] != "v" {
		t.Errorf("Collect kept %d parameters, want maxOthers of the unknown parameters and all three known parameters", len(got))
	}
}
