package spend_test

import (
	"fmt"
	"testing"

	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/models/parttest"
)

// TestConversionOfMoney makes random changes to facts in four currencies. Exchange rates are missing, arrive late or are
// replaced. The ledger, the rows and a recount must agree. Converting all amounts once more changes nothing.
func TestConversionOfMoney(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	for seed := range uint64(4) {
		x := clicktest.NewMoneyEnv(t, seed)
		for range 3 {
			x.Publish(clicktest.KeepRates)
		}
		x.Arrive(60)
		x.Check("clicks")
		for range 30 {
			name := ""
			switch x.Rnd.IntN(11) {
			case 0:
				name = "more clicks"
				x.Arrive(15)
			case 1, 2:
				name = "conversions"
				x.Sell(12)
			case 3, 9:
				name = "spend"
				x.Pay()
			case 4, 5:
				name = "rates"
				x.Publish(clicktest.KeepRates)
			case 6:
				name = "a replaced rate"
				x.Publish(x.Rnd.IntN(2) == 0)
			case 7:
				name = "a restatement that was cut off"
				x.Restate(x.Rnd.IntN(6))
			case 10:
				name = "moved conversions"
				x.Move()
			case 8:
				name = "a deletion"
				if x.Rnd.IntN(2) == 0 {
					name = "bots"
					x.Rescore()
				} else {
					x.Clear()
				}
			}
			x.Check(name)
		}
		for back := 10; back >= 0; back-- { // publish all possible rates
			for _, currency := range []string{"USD", "GBP", "JPY"} {
				x.SaveRate(x.DayText(back), currency, fmt.Sprintf("1.%d", 100+back), clicktest.KeepRates)
			}
		}
		x.Restate(clicktest.AllSteps)
		const open = `SELECT (SELECT count(*) FROM clicks WHERE rate IS NULL) + (SELECT count(*) FROM conversions WHERE rate IS NULL) +
			(SELECT count(*) FROM spend WHERE rate IS NULL) + (SELECT count(*) FROM account_rates WHERE rate IS NULL OR restating)`
		if n := dbtest.Get[int](t, x.DB, open); n != 0 {
			t.Errorf("%d facts or days are without a rate or not restated", n)
		}
		const wrong = `SELECT count(*) FROM (
			SELECT (at AT TIME ZONE 'UTC')::date AS day, currency, rate FROM clicks
			UNION ALL SELECT (recorded_at AT TIME ZONE 'UTC')::date, currency, rate FROM conversions
			UNION ALL SELECT day, currency, rate FROM spend
		) f LEFT JOIN account_rates r USING (day, currency) WHERE f.rate IS DISTINCT FROM coalesce(r.rate, 1) OR (r.rate IS NULL AND currency <> 'USD')`
		if n := dbtest.Get[int](t, x.DB, wrong); n != 0 {
			t.Errorf("%d facts do not have the rate of their day", n)
		}
		const all = `SELECT md5(concat((SELECT string_agg(c::text, ' ' ORDER BY id) FROM clicks c), (SELECT string_agg(v::text, ' ' ORDER BY id) FROM conversions v),
			(SELECT string_agg(s::text, ' ' ORDER BY s::text) FROM spend s), (SELECT count(*) FROM ledger)))`
		before := dbtest.Get[string](t, x.DB, all)
		dbtest.Exec(t, x.DB, `UPDATE account_rates SET restating = true`)
		x.Restate(clicktest.AllSteps)
		if dbtest.Get[string](t, x.DB, all) != before {
			t.Error("restating again changed figures")
		}
		clicktest.CheckFigures(t, x.DB)
	}
}
