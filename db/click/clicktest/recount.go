package clicktest

import (
	"math/big"

	"github.com/google/go-cmp/cmp"

	"switchyard/db/dbtest"
)

// recount adds up cost, revenue and pending revenue by day and source from the rows of clicks, conversions and spend, without the
// code under test.
func (x *MoneyEnv) recount() map[string]string {
	x.Helper()
	sums := map[string]*big.Rat{}
	add := func(key, amount, rate string) {
		if rate == "" {
			return
		}
		a, _ := new(big.Rat).SetString(amount)
		r, _ := new(big.Rat).SetString(rate)
		if sums[key] == nil {
			sums[key] = new(big.Rat)
		}
		sums[key].Add(sums[key], a.Mul(a, r))
	}
	type row struct{ Day, Source, Kind, Amount, Rate string }
	// Conversion costs have ten decimals. Spend that does not stand alone is already in the cost of the clicks.
	const facts = `
SELECT (at AT TIME ZONE 'UTC')::date::text AS day, source_id::text AS source, 'cost' AS kind, cost::text AS amount, coalesce(rate::text, '') AS rate
FROM clicks WHERE NOT is_bot
UNION ALL SELECT (f.at AT TIME ZONE 'UTC')::date::text, f.source_id::text, CASE v.status WHEN 'approved' THEN 'revenue' ELSE 'pending' END,
	v.payout::text, coalesce(v.rate::text, '') FROM conversions v JOIN clicks f ON f.id = v.click_id WHERE v.status IN ('approved', 'pending')
UNION ALL SELECT (f.at AT TIME ZONE 'UTC')::date::text, f.source_id::text, 'cost', round(CASE WHEN v.given_cost IS NOT NULL
	THEN v.given_cost * coalesce(v.rate, 0) ELSE f.conversion_cost * coalesce(f.rate, 0) + v.payout * f.revenue_share / 100 * coalesce(v.rate, 0) END, 10)::text,
	'1' FROM conversions v JOIN clicks f ON f.id = v.click_id WHERE v.status = 'approved'
UNION ALL SELECT day::text, source_id::text, 'cost', amount::text, coalesce(rate::text, '') FROM spend WHERE alone`
	for _, r := range dbtest.Select[row](x, x.DB, facts) {
		add(r.Day+" "+r.Source+" "+r.Kind, r.Amount, r.Rate)
	}
	out := map[string]string{}
	for k, v := range sums {
		if v.Sign() != 0 {
			out[k] = v.FloatString(30)
		}
	}
	return out
}

// counted returns the same sums as recount, but from the ledger.
func (x *MoneyEnv) counted() map[string]string {
	x.Helper()
	const q = `
SELECT (hour AT TIME ZONE 'UTC')::date::text AS day, source_id::text AS source, k.kind, sum(k.amount)::text AS amount
FROM ledger, LATERAL (VALUES ('cost', cost), ('revenue', revenue), ('pending', pending_revenue)) AS k (kind, amount)
GROUP BY 1, 2, 3 HAVING sum(k.amount) <> 0`
	out := map[string]string{}
	for _, r := range dbtest.Select[struct{ Day, Source, Kind, Amount string }](x, x.DB, q) {
		v, _ := new(big.Rat).SetString(r.Amount)
		out[r.Day+" "+r.Source+" "+r.Kind] = v.FloatString(30)
	}
	return out
}

// Check checks the fixed rates (see Watch). If all rows are in PostgreSQL, it also checks that the ledger agrees with them and
// with the recount.
func (x *MoneyEnv) Check(after string) {
	x.Helper()
	x.Watch(after)
	if x.Copied != nil { // some rows are only in ClickHouse
		return
	}
	x.CheckLedger(after)
	if diff := cmp.Diff(x.recount(), x.counted()); diff != "" {
		x.Fatalf("after %s ledger (+) and recount (-) differ: %s", after, diff)
	}
}
