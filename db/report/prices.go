package report

import (
	"strconv"
	"strings"

	"switchyard/db/exchangerate"
	"switchyard/models"
)

// prices holds the SQL that converts amounts into the account's currency.
type prices struct {
	in   *strings.Replacer // replaces the braces in the SQL of measures
	hour string            // factor of an amount of the ledger; empty: no factor
}

// stored uses the rates and costs that are stored with facts and in the ledger.
var stored = prices{in: strings.NewReplacer("{click rate}", "f.rate", "{rate}", "v.rate", "{cost}", "v.cost", "{spend}", "f.cost")}

// counting is the SQL of the rate by which a conversion counts.
var counting = exchangerate.Counting("v", "v.recorded_at")

// changing is used while the currency is being changed, because stored rates may belong to the former or to the new currency. It
// calculates amounts in the same way as package ingest.
var changing = func() prices {
	click, rate := exchangerate.Changing("f", "f.at"), exchangerate.Changing("v", "v.recorded_at")
	scale := strconv.Itoa(models.MoneyScale)
	cost := `CASE WHEN v.status <> '` + models.StatusApproved + `' THEN 0
	WHEN v.given_cost IS NOT NULL THEN round(coalesce(v.given_cost * ` + rate + `, 0), ` + scale + `)
	ELSE round(coalesce(f.conversion_cost * ` + click + `, 0) + coalesce(v.payout * f.revenue_share / 100 * ` + rate + `, 0), ` + scale + `) END`
	return prices{in: strings.NewReplacer("{click rate}", click, "{rate}", rate, "{cost}", cost, "{spend}", "f.amount * "+click)}
}()

// archive is the factor for amounts in the former currency, until the old part of the ledger is restated.
const archive = `coalesce((SELECT k.rate FROM account_rates k WHERE k.account_id = $1 AND k.day = (f.hour AT TIME ZONE 'UTC')::date
	AND k.currency = (SELECT h.from_currency FROM currency_changes h WHERE h.account_id = $1)), 1)`

func pricesOf(k *exchangerate.Change) prices {
	switch {
	case k == nil:
		return stored
	case k.Archived:
		return changing
	}
	out := changing
	out.hour = archive
	return out
}
