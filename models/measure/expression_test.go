package measure

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"
)

// TestExpressions checks the results of formulas for a row, and that other texts are refused.
func TestExpressions(t *testing.T) {
	t.Parallel()
	row := map[string]string{"clicks": "100", "conversions": "4", "profit": "10.5", "cost": "20", "revenue": "30.5", "lp_clicks": "0"}
	value := func(name string) (decimal.Decimal, bool) {
		text, ok := row[name]
		return decimal.RequireFromString("0" + text), ok
	}
	for text, want := range map[string]string{
		"profit/conversions": "2.625", "cost / clicks * 1000": "200", "revenue-cost-profit": "0", "-profit+2": "-8.5",
		"(revenue-cost)/(clicks+lp_clicks)*1.5": "0.1575", "clicks-(2-1)*3": "97", "cost/lp_clicks": "", "cpa+1": "", "profit/3": "3.5",
	} {
		texts, list, err := ParseExpressions(text)
		if err != nil || len(list) != 1 || texts[0] != text {
			t.Errorf("%s is parsed as %v, %v, want one formula with this text", text, texts, err)
			continue
		}
		got, ok := list[0](value)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s = %s %v, want %s", text, got, ok, want)
		}
	}
	if _, list, err := ParseExpressions(""); len(list) != 0 || err != nil {
		t.Errorf("an empty text gives %d formulas and the error %v, want none", len(list), err)
	}
	for _, text := range []string{
		"profit/", "(profit", "profit)", "luck/clicks", "profit;clicks", "1e9*cost", "1.2.3*cost", "()", "cost,,cost", "1..2", ".", "=cost",
		strings.Repeat("1+", 60) + "cost", strings.TrimSuffix(strings.Repeat("cost*2,", 6), ","),
	} {
		if _, _, err := ParseExpressions(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
