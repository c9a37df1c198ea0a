package sourcepostback

import (
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/db/click"
	"switchyard/db/sourcepostback"
	"switchyard/models"
)

// TestProfit: the profit is in the currency of the payout.
func TestProfit(t *testing.T) {
	t.Parallel()
	rate := func(text string) (r decimal.NullDecimal) {
		if text != "" {
			r = decimal.NewNullDecimal(decimal.RequireFromString(text))
		}
		return r
	}
	// The payout is 10, the click costs 2. conversionCost is in dollars, the currency of the account.
	for _, c := range []struct {
		clickCurrency, clickRate, payoutCurrency, payoutRate, conversionCost string
		want                                                                 string
	}{
		{"USD", "1", "USD", "1", "0.5", "7.5"},
		{"EUR", "1.2", "EUR", "1.25", "0", "8"}, // equal currencies, so the rates are not used
		{"EUR", "", "EUR", "", "0", "8"},
		{"USD", "1", "EUR", "1.25", "0.5", "8"},      // 10 - 2/1.25 - 0.5/1.25
		{"EUR", "1.25", "USD", "1", "0.5", "7"},      // 10 - 2*1.25 - 0.5
		{"EUR", "1.25", "GBP", "1.6", "0", "8.4375"}, // 10 - 2*1.25/1.6
		{"EUR", "", "USD", "1", "0", ""},
		{"USD", "1", "EUR", "", "0", ""},
		{"EUR", "1.25", "EUR", "", "0.5", ""}, // conversionCost needs a rate
	} {
		v := values{click: &click.StoredClick{Rate: rate(c.clickRate)}, target: &sourcepostback.Target{
			SentPostback: models.SentPostback{
				Status: models.StatusApproved, Payout: decimal.NewFromInt(10), Currency: c.payoutCurrency, Rate: rate(c.payoutRate),
				Cost: decimal.RequireFromString(c.conversionCost),
			},
			SourcePostback: models.SourcePostback{SendPayoutPct: models.NewMoney(decimal.NewFromInt(100))},
		}}
		v.click.Cost, v.click.Currency = decimal.NewFromInt(2), c.clickCurrency
		if got := v.profit(); got != c.want {
			t.Errorf("%+v: the profit is %q", c, got)
		}
	}
}
