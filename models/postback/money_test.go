package postback

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/models/money"
	"switchyard/models/param"
)

// TestReadMoney checks how payouts, currencies and costs are read. An amount whose currency is not understood is never booked in
// another currency.
func TestReadMoney(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		payout, currency, cost, fallback string
		want, invalid, given             string // payout with currency, the text that is no payout, and the cost
		reason                           string
	}{
		"plain":                            {payout: "12.50", want: "12.5 "},
		"the parameter":                    {payout: "12.50", currency: "eur", want: "12.5 EUR"},
		"a number":                         {payout: "12.50", currency: "978", want: "12.5 EUR"},
		"a name":                           {payout: "12.50", currency: "EURO", want: "12.5 EUR"},
		"a sign":                           {payout: "12.50", currency: "€", want: "12.5 EUR"},
		"in the payout":                    {payout: "12,50 EUR", want: "12.5 EUR"},
		"payout and parameter agree":       {payout: "€12,50", currency: "EUR", want: "12.5 EUR"},
		"payout and parameter disagree":    {payout: "€12,50", currency: "USD", want: "12.5 EUR", reason: `counts as EUR, as its own text says, although the currency parameter says "USD"`},
		"an unknown parameter":             {payout: "12.50", currency: "gold", want: "12.5 XXX", reason: `the currency "gold" is no currency`},
		"in the payout, unknown parameter": {payout: "€12.50", currency: "gold", want: "12.5 EUR", reason: `says "gold"`},
		"letters outside ISO 4217":         {payout: "12.50", currency: "abc", want: "12.5 ABC", reason: `the currency "abc" is no currency`},
		"a sign of several currencies":     {payout: "kr.123.45", want: "123.45 XXX", reason: "of several currencies"},
		"that sign and another currency":   {payout: "kr 12", currency: "USD", want: "12 XXX", reason: "of several currencies"},
		"that sign and one of them":        {payout: "kr 12", currency: "SEK", want: "12 SEK"},
		"that sign and the fallback":       {payout: "kr 12", fallback: "NOK", want: "12 NOK"},
		"ambiguous":                        {payout: "12.500", currency: "EUR", want: " EUR", invalid: "12.500", reason: `the payout "12.500" can be read in two ways`},
		"ambiguous in the fallback":        {payout: "12.500", fallback: "EUR", want: " ", invalid: "12.500", reason: "in two ways"},
		"not ambiguous in the fallback":    {payout: "12.500", fallback: "USD", want: "12.5 "},
		"a multiplier":                     {payout: "1.5K", want: " ", invalid: "1.5K", reason: "letters or signs that are no currency"},
		"a macro":                          {payout: "{payout}", want: " ", invalid: "{payout}", reason: "a macro that was not filled in"},
		"nothing":                          {want: " "},
		"a cost":                           {payout: "5", cost: "1,5", want: "5 ", given: "1.5"},
		"a cost in the same currency":      {payout: "5", currency: "EUR", cost: "1,5 €", want: "5 EUR", given: "1.5"},
		"a cost in another currency":       {payout: "5", currency: "EUR", cost: "$1", want: "5 EUR", reason: `the cost "$1" is in another currency`},
		"a cost that is no number":         {payout: "5", cost: "1K", want: "5 ", reason: `the cost "1K" has letters`},
		"a cost below zero":                {payout: "5", cost: "-1", want: "5 ", reason: "below zero"},
		"two reasons":                      {payout: "x", cost: "-1", want: " ", invalid: "x", reason: `no digits; the cost`},
		"a cost outside the fallback":      {payout: "5", cost: "€1", fallback: "USD", want: "5 ", reason: "another currency"},
	} {
		m := Read(map[string]string{"clickid": "c", "payout": c.payout, "currency": c.currency, "cost": c.cost}, Network{}, c.fallback)
		if got := text(m.Payout) + " " + m.Currency; got != c.want || m.InvalidPayout != c.invalid || text(m.Cost) != c.given {
			t.Errorf("%s: got the payout %q, the invalid payout %q and the cost %q, want %q, %q and %q",
				name, got, m.InvalidPayout, text(m.Cost), c.want, c.invalid, c.given)
		}
		if reason := m.AmountReason(); c.reason == "" && reason != "" || !strings.Contains(reason, c.reason) {
			t.Errorf("%s: the reason is %q, want %q in it", name, reason, c.reason)
		}
	}
}

// TestUnreadableCharacters checks that an amount, a currency or a time with unreadable characters is not understood. The rest of
// the text could be another value.
func TestUnreadableCharacters(t *testing.T) {
	t.Parallel()
	spaces := strings.Repeat("+", 300)
	for query, want := range map[string]string{
		"payout=%A312.50":                            " , \ufffd",
		"payout=12,50%80":                            " , \ufffd",
		"payout=1%A0490,00":                          " , \ufffd",
		"payout=1490,00+%F0%F3%E1.":                  " , \ufffd",
		"payout=%A312.50&amount=5":                   "5 , ",
		"payout=%A312.50&payout=5":                   "5 , ",
		"payout=12%EF%BF%BD50":                       " , 12\ufffd50",
		"payout=12%0050":                             " , 12\ufffd50",
		"payout=12%0A50":                             " , 12 50",
		"payout=10%0920":                             " , 10 20",
		"payout=12%C2%8050":                          " , 12\ufffd50",
		"payout=+12.50%0D%0A":                        "12.5 , ",
		"payout=12.50&currency=%80":                  "12.5 XXX, ",
		"payout=12.50&currency=US%00D":               "12.5 XXX, ",
		"payout=12.50" + spaces + "K":                " , 12.50" + strings.Repeat(" ", money.MaxText-5),
		"payout=12.50" + spaces[:200]:                "12.5 , ",
		"sum=12.50" + strings.Repeat("+", 5e3) + "K": " , 12.50" + strings.Repeat(" ", money.MaxText-5),
	} {
		params := Collect(param.FromQuery("clickid=c&"+query, param.Clues{}), func(string) bool { return false })
		m := Read(params, Network{}, "")
		if got := text(m.Payout) + " " + m.Currency + ", " + m.InvalidPayout; got != want {
			t.Errorf("%.60s: %q, want %q", query, got, want)
		}
		if (m.InvalidPayout != "" || m.Currency == money.Unknown) != (m.AmountReason() != "") {
			t.Errorf("%.60s: the reason is %q, want one only if an amount or a currency is not understood", query, m.AmountReason())
		}
	}
	params := Collect(param.FromQuery("clickid=c&time=%FF%FE&goal=a%00b&txid=%FF%FE", param.Clues{}), func(string) bool { return false })
	if m := Read(params, Network{}, ""); m.TimeText != "\ufffd" || !m.Time.IsZero() || m.Goal != "ab" || m.ConversionID != "" {
		t.Errorf("the time, the goal or the id with unreadable characters is read wrongly: %+v", m)
	}
}

func text(d *decimal.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
}

// TestNegativeForms checks that each form of a negative amount is a reversal.
func TestNegativeForms(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"-12.50", "(12.50)", "\u221212.50", "12.50-", "($12.50)", "-$12.50", "12,50- €", "USD -12.50"} {
		if m := Read(map[string]string{"payout": form}, Network{}, "USD"); !m.Reversal || text(m.Payout) != "12.5" {
			t.Errorf("%s is read as %+v, want a reversal of 12.5", form, m)
		}
	}
}

// TestAmountsThatDependOnTheCurrency checks for which messages the amount depends on the default currency.
func TestAmountsThatDependOnTheCurrency(t *testing.T) {
	t.Parallel()
	for payout, want := range map[string]bool{"12.5": false, "1,234.50": false, "12.500": true, "1,250": true, "$12": true, "": false, "1.5K": true} {
		if m := Read(map[string]string{"payout": payout, "currency": ""}, Network{}, ""); m.DependsOnCurrency != want {
			t.Errorf("%q: DependsOnCurrency is %v, want %v", payout, m.DependsOnCurrency, want)
		}
	}
	if !Read(map[string]string{"payout": "1", "currency": "$"}, Network{}, "").DependsOnCurrency {
		t.Error("DependsOnCurrency is false for a sign in the currency parameter, want true")
	}
	if d := decimal.RequireFromString("1.125"); money.Text(d) != "1.1250" || money.Text(d.Neg()) != "-1.1250" || money.Text(d.Shift(1)) != "11.25" {
		t.Errorf("money.Text writes 1.125 as %s, want 1.1250; or it writes -1.125 or 11.25 wrongly", money.Text(d))
	}
}
