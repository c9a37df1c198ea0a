package routing

import (
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/money"
)

// TestCostOfALink reads the cost in a link. A cost whose amount or currency is unclear has the currency money.Unknown.
func TestCostOfALink(t *testing.T) {
	t.Parallel()
	p := newPrice("auto", decimal.Zero)
	for _, c := range []struct{ given, currency, want, in string }{
		{"0.0125", "USD", "0.0125", "USD"},
		{"3.0E-4", "USD", "0.0003", "USD"},
		{"0,0125", "EUR", "0.0125", "EUR"},
		{"", "USD", "0", "USD"},
		{"€0,50", "USD", "0.5", "EUR"},
		{"$0.50", "CAD", "0.5", "CAD"},
		{"0.50 USD", "EUR", "0.5", "USD"},
		{"Rs. 250", "INR", "250", "INR"},
		{"12.500", "USD", "12.5", "USD"},
		{"12.500", "EUR", "0", money.Unknown},
		{"1.5K", "USD", "0", money.Unknown},
		{"-1", "USD", "0", money.Unknown},
		{"12 kr", "USD", "12", money.Unknown},
		{"free", "USD", "0", money.Unknown},
	} {
		k := models.Click{Currency: c.currency}
		p.Apply(&k, decimal.Zero, &Source{}, Given{Amount: c.given})
		if k.Cost.String() != c.want || k.Currency != c.in {
			t.Errorf("%q in %s: %s %s, want %s %s", c.given, c.currency, k.Cost, k.Currency, c.want, c.in)
		}
	}
	k := models.Click{Currency: "USD"}
	fixed := newPrice("cpc", decimal.NewFromInt(2))
	if fixed.Apply(&k, decimal.Zero, &Source{}, Given{"€1", "EUR"}); k.Cost.String() != "2" || k.Currency != "USD" {
		t.Errorf("with a fixed cost, the click costs %s %s, want 2 USD whatever the link states", k.Cost, k.Currency)
	}
}

// TestCurrencyOfALink reads the cost of a link that states its currency in a parameter of its own.
func TestCurrencyOfALink(t *testing.T) {
	t.Parallel()
	p := newPrice("auto", decimal.Zero)
	for _, c := range []struct{ given, named, want, in string }{
		{"0.02", "EUR", "0.02", "EUR"},
		{"0.02", "eur", "0.02", "EUR"},
		{"0.02", "978", "0.02", "EUR"},
		{"0.02", "€", "0.02", "EUR"},
		{"0.02 GBP", "EUR", "0.02", "GBP"},
		{"12.500", "VND", "12500", "VND"},
		{"12.500", "EUR", "0", money.Unknown},
		{"0.02", "points", "0.02", money.Unknown},
		{"0.02", "kr", "0.02", money.Unknown},
		{"0.02", "BTC", "0.02", "BTC"},
		{"", "EUR", "0", "USD"},
	} {
		k := models.Click{Currency: "USD"}
		p.Apply(&k, decimal.Zero, &Source{}, Given{c.given, c.named})
		if k.Cost.String() != c.want || k.Currency != c.in {
			t.Errorf("%q in %q: %s %s, want %s %s", c.given, c.named, k.Cost, k.Currency, c.want, c.in)
		}
	}
}

func BenchmarkCostOfALink(b *testing.B) {
	b.ReportAllocs()
	p := newPrice("auto", decimal.Zero)
	source, k := &Source{}, models.Click{Currency: "USD"}
	for b.Loop() {
		p.Apply(&k, decimal.Zero, source, Given{Amount: "0.0125"})
	}
}
