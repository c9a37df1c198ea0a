package correction

import (
	"strings"
	"testing"
)

// TestCurrenciesOfFiles checks the currency of an amount. It is stated in the cell, in a column, in the heading or nowhere.
// fallback is for a row that does not state exactly one.
func TestCurrenciesOfFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header, row, fallback string
		want, reason, note    string // payout with currency; why the row is refused; what its note contains
		depends               bool
	}{
		"no currency is stated":                             {"click id;payout", "12,5", "", "12.5 ", "", "", false},
		"a currency in the heading":                         {"click id;Revenue (INR)", "1,25,000.50", "", "125000.5 INR", "", "", false},
		"a sign in the heading":                             {"click id;Payout, €", "12,5", "", "12.5 EUR", "", "", false},
		"a currency in its column":                          {"click id;payout;currency", "12,5;978", "", "12.5 EUR", "", "", false},
		"the column counts before the heading":              {"click id;payout (USD);currency", "12,5;EUR", "", "12.5 EUR", "", "counts as EUR, as its currency column says, although its heading says USD", false},
		"the column explains the heading's sign":            {"click id;payout (kr);currency", "12,5;SEK", "", "12.5 SEK", "", "", false},
		"a currency among other words":                      {"click id;payout (net, EUR)", "12,5", "USD", "12.5 EUR", "", "", false},
		"a currency before other words":                     {"click id;payout (EUR) per sale", "12,5", "USD", "12.5 EUR", "", "", false},
		"a currency as the first word":                      {"click id;EUR payout", "12,5", "USD", "12.5 EUR", "", "", false},
		"a currency in small letters":                       {"click id;payout eur", "12,5", "USD", "12.5 EUR", "", "", false},
		"a unit in the heading":                             {"click id;payout (micros)", "12500000", "USD", "", "a unit that is not understood", "", false},
		"a unit in the heading, a currency in the column":   {"click id;payout (cents);currency", "1250;USD", "", "", "a unit that is not understood", "", false},
		"the amount counts before the column":               {"click id;payout;currency", "$12.50;EUR", "", "12.5 USD", "", `"$12.50" counts as USD, as its own text says`, false},
		"the amount counts before the heading":              {"click id;payout (GBP);currency", "€12.50;", "", "12.5 EUR", "", "heading says GBP", false},
		"an unknown currency in the column":                 {"click id;payout;currency", "12,5;gold", "", "", `its currency "gold" is no currency`, "", false},
		"an unknown currency in the heading":                {"click id;payout (USDT)", "12,5", "", "", "heading of its payout names a currency", "", false},
		"a sign of several currencies in the heading":       {"click id;payout (kr)", "12,5", "", "", "heading of its payout names a currency", "", false},
		"a sign of several currencies":                      {"click id;payout", "12,5 kr", "USD", "", "of several currencies", "", true},
		"a sign of several currencies, one is the fallback": {"click id;payout", "12,5 kr", "SEK", "12.5 SEK", "", "", true},
		"an ambiguous amount":                               {"click id;payout", "12.500", "", "", "in two ways", "", true},
		"an ambiguous amount, with a fallback":              {"click id;payout", "12.500", "EUR", "", "in two ways", "", true},
		"thousands, because of the fallback":                {"click id;payout", "12.500", "VND", "12500 ", "", "", true},
		"an ambiguous amount, with a heading":               {"click id;payout (EUR)", "12.500", "USD", "", "in two ways", "", false},
		"an amount with a multiplier":                       {"click id;payout", "1.5K", "USD", "", "no currency", "", true},
		"no currency in parentheses":                        {"click id;payout (net)", "12,5", "", "12.5 ", "", "", false},
		"a currency without a payout":                       {"click id;payout;currency", ";EUR", "", " EUR", "", "", false},
	} {
		var fallback func(Conversion) string
		if c.fallback != "" {
			fallback = func(v Conversion) string {
				if v.ClickID != clickID {
					t.Errorf("%s: the fallback was called for another click, %s", name, v.ClickID)
				}
				return c.fallback
			}
		}
		rows, _, err := ReadConversions(c.header+"\n"+click+";"+c.row+"\n", fallback)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%s: the rows are %v (error %v), want one row", name, rows, err)
		}
		v, payout := rows[0], ""
		if v.Payout != nil {
			payout = v.Payout.String()
		}
		switch {
		case c.reason != "":
			if !strings.Contains(v.Refusal, c.reason) {
				t.Errorf("%s: refused %q, want %q", name, v.Refusal, c.reason)
			}
		case v.Refusal != "" || payout+" "+v.Currency != c.want:
			t.Errorf("%s: the payout is %s %s (refused: %q), want %s", name, payout, v.Currency, v.Refusal, c.want)
		}
		if v.DependsOnCurrency != c.depends || c.note == "" && v.Note != "" || !strings.Contains(v.Note, c.note) {
			t.Errorf("%s: DependsOnCurrency is %v and the note is %q, want %v and %q", name, v.DependsOnCurrency, v.Note, c.depends, c.note)
		}
	}
	costs, _, err := ReadCosts("Day,Source,Amount spent (INR)\n2026-11-01,Push,\"1,25,000\"\n2026-11-01,Push,\"$1,250\"\n", CostOptions{})
	if err != nil || len(costs) != 2 {
		t.Fatal(costs, err)
	}
	if v := costs[0]; v.Spend.String() != "125000" || v.Currency != "INR" || v.Refusal != "" {
		t.Errorf("a spend with the currency in the heading is %+v, want 125000 INR", v)
	}
	if v := costs[1]; v.Spend.String() != "1250" || v.Currency != "USD" || v.Note == "" {
		t.Errorf("a spend with the currency in the cell is %+v, want 1250 USD and a note", v)
	}
}
