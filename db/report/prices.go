package report

import (
	"strconv"
	"strings"

	"switchyard/db/exchangerate"
	"switchyard/models"
)

// prices are the SQL by which amounts count in the account's currency.
type prices struct {
	in    *strings.Replacer // of the measures of clicks and conversions
	spend string            // what spend without clicks counts
	hour  string            // what an amount of the ledger is multiplied by; empty: nothing
}

// stored are the prices that facts and ledger have.
var stored = prices{in: strings.NewReplacer("{click rate}", "f.rate", "{rate}", "v.rate", "{cost}", "v.cost"), spend: "f.cost"}

// counting is the rate by which a conversion counts.
var counting = exchangerate.Counting("v", "v.recorded_at")

// changing are the prices while the currency is changed, as clicklog works them out: what facts have is of the former
// currency, or of the new one.
var changing = func() prices {
	click, rate := exchangerate.Changing("f", "f.at"), exchangerate.Changing("v", "v.recorded_at")
	scale := strconv.Itoa(models.MoneyScale)
	cost := `CASE WHEN v.status <> '` + models.StatusApproved + `' THEN 0
	WHEN v.given_cost IS NOT NULL THEN round(coalesce(v.given_cost * ` + rate + `, 0), ` + scale + `)
	ELSE round(coalesce(f.conversion_cost * ` + click + `, 0) + coalesce(v.payout * f.revenue_share / 100 * ` + rate + `, 0), ` + scale + `) END`
	return prices{
		in:    strings.NewReplacer("{click rate}", click, "{rate}", rate, "{cost}", cost),
		spend: "f.amount * " + exchangerate.Changing("f", "f.at"),
	}
}()

// archive is what amounts of the former currency are multiplied by, until the ledger before the change is restated.
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

// isMoney reports whether a figure is an amount.
func (m measure) isMoney() bool { return strings.Contains(m.click+m.conversion, "{") }
