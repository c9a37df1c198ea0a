package spend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/db/upload"
	"switchyard/models"
	"switchyard/models/measure"
)

// hasMoney is the condition that a row of the ledger has an amount that is not zero.
var hasMoney = measure.NotZero(measure.Each(measure.Amounts, "%s"))

// hasAmounts looks at source_integrations and conversion_uploads too, because the daily caps of uploads, and the amounts by which
// uploads count towards these caps, are in the account's currency.
var hasAmounts = `
SELECT EXISTS (
	SELECT FROM ledger WHERE account_id = $1 AND ` + hasMoney + `
) OR EXISTS (SELECT FROM conversions WHERE account_id = $1 AND payout <> 0) OR EXISTS (SELECT FROM account_rates WHERE account_id = $1)
OR EXISTS (SELECT FROM source_integrations WHERE account_id = $1)
OR EXISTS (SELECT FROM conversion_uploads WHERE account_id = $1 AND worth <> 0)`

// HasAmounts reports whether an account has anything that depends on its currency. It locks the account until the transaction of
// c ends.
func HasAmounts(ctx context.Context, c db.Conn, account uuid.UUID) (bool, error) {
	if err := db.Run(ctx, c, "lock account", `SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account); err != nil {
		return false, err
	}
	return db.Get[bool](ctx, c, "has amounts", hasAmounts, account)
}

// BeginCurrency changes the currency of an account, in the transaction of c, and begins to restate the account's amounts, which
// means to convert them to the new currency. The job with the given id restates the remaining amounts after the commit. The
// change is over when the job calls exchangerate.EndChange.
//
// Effects on amounts:
//   - Clicks, conversions and spend keep their own amounts and currencies. Each gets the exchange rate of its day to the new
//     currency. So a change back to the former currency gives the same figures as before.
//   - The ledger changes with these facts. Hours whose clicks are not kept any more exist only in the ledger. The amounts of
//     these hours are converted from the former currency by the rate of their day.
//   - The daily caps on the value of uploads are converted by today's rate, and so are the amounts of waiting and recent
//     uploads that count towards these caps.
//   - Amounts in the Copilot's rules are converted by today's rate, and suggestions that were judged by amounts expire. The
//     caller does both, with the rate that BeginCurrency returns.
//   - Offers, networks, campaigns, sites and goals have their own currencies. Caps of offers and paths are numbers, not
//     amounts. Events and postbacks that were sent contain the amounts of the time of sending. All these stay unchanged.
//
// From the commit on, the account is in the new currency, also for new facts. Reports convert every fact by the rate of its day
// to the new currency: see exchangerate.Counting. BeginCurrency returns the conflict rate_missing if a rate is missing, and busy
// while amounts are being restated.
func BeginCurrency(ctx context.Context, l click.Log, c db.Conn, account uuid.UUID, to string, job uuid.UUID) (
	factor decimal.Decimal, err error,
) {
	k := exchangerate.Change{Account: account, Job: job, To: to}
	if k.From, err = db.Get[string](ctx, c, "account", `SELECT currency FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account); err != nil {
		return factor, err
	}
	if k.From == to {
		return models.SameRate.Decimal, nil
	}
	if busy, open, err := exchangerate.FindChange(ctx, c, account); err != nil || open {
		return factor, cmp.Or[error](err, models.Conflict("busy", "the currency is being changed to %s: wait until job %s has ended", busy.To, busy.Job))
	}
	if keys, err := exchangerate.KeysToRestate(ctx, c, account); err != nil || len(keys) > 0 {
		return factor, cmp.Or[error](err, models.Conflict("busy", "amounts are being restated with new exchange rates: try again in a few minutes"))
	}
	if k.Kept, err = click.OldestDay(ctx, c, account); err != nil {
		return factor, err
	}
	days, err := db.Select[time.Time](ctx, c, "days of facts", selectMoneyDays, k.Account, k.Kept, time.Now())
	if err != nil {
		return factor, err
	}
	const set = `UPDATE accounts SET currency = $2, wants_currency = '' WHERE id = $1`
	if err := db.Run(ctx, c, "change currency", set, account, to); err != nil {
		return factor, err
	}
	rated, waiting, err := exchangerate.FixedKeys(ctx, c, account)
	if err != nil {
		return factor, err
	}
	needed := slices.Concat(rated, db.Map(days, func(day time.Time) exchangerate.Key { return exchangerate.NewKey(account, day, k.From) }))
	missing, err := exchangerate.Refix(ctx, c, needed)
	if err != nil {
		return factor, err
	}
	if len(missing) > 0 {
		return factor, rateMissing(ctx, c, missing[0], to)
	}
	if _, err := exchangerate.Refix(ctx, c, waiting); err != nil {
		return factor, err
	}
	if err := exchangerate.AddChange(ctx, c, k); err != nil {
		return factor, err
	}
	if factor, err = exchangerate.Factor(ctx, c, exchangerate.NewKey(account, l.Time(), k.From)); err != nil {
		return factor, err
	}
	return factor, upload.ConvertCaps(ctx, c, account, factor, l.Time().Add(-2*click.Day))
}

func rateMissing(ctx context.Context, c db.Conn, k exchangerate.Key, to string) error {
	currency, err := exchangerate.MissingCurrency(ctx, c, k, to)
	return cmp.Or[error](err, models.Conflict("rate_missing",
		"there is no rate of %s on %s: nothing was changed. Rates are being read now: try again in a few minutes. If the rate is still missing, "+
			"ask the operator to import it", currency, k.Day.Format(time.DateOnly)))
}

// selectMoneyDays lists the days on which an account has facts. A day whose clicks are not kept any more and that is only in the
// ledger is listed only if it has amounts. Today is always listed, because caps are converted by today's rate.
var selectMoneyDays = `
SELECT d.day FROM generate_series((SELECT least(
	(SELECT min(hour) FROM ledger WHERE account_id = $1), (SELECT min(recorded_at) FROM conversions WHERE account_id = $1),
	(SELECT min(day)::timestamp AT TIME ZONE 'UTC' FROM spend WHERE account_id = $1), $3
) AT TIME ZONE 'UTC')::date::timestamp, ($3 AT TIME ZONE 'UTC')::date::timestamp, interval '1 day') AS s (at)
CROSS JOIN LATERAL (SELECT s.at AT TIME ZONE 'UTC' AS day, (s.at + interval '1 day') AT TIME ZONE 'UTC' AS next) d
WHERE d.next > $3
	OR EXISTS (SELECT FROM ledger WHERE account_id = $1 AND hour >= d.day AND hour < d.next
		AND (d.day >= $2 OR ` + hasMoney + `))
	OR EXISTS (SELECT FROM conversions WHERE account_id = $1 AND recorded_at >= d.day AND recorded_at < d.next)
	OR EXISTS (SELECT FROM spend f WHERE f.account_id = $1 AND f.day = s.at::date)
ORDER BY 1`

const (
	namedCurrency = `UPDATE %s f SET currency = $3 WHERE f.account_id = $1 AND f.%s >= $2 AND f.%s < $4 AND f.currency = ''`

	selectKeys = `
SELECT (at AT TIME ZONE 'UTC')::date AS day, currency FROM clicks WHERE account_id = $1 AND id >= $2 AND currency NOT IN ('', $3) GROUP BY 1, 2
UNION SELECT (recorded_at AT TIME ZONE 'UTC')::date, currency FROM conversions WHERE account_id = $1 AND currency NOT IN ('', $3) GROUP BY 1, 2
UNION SELECT day, currency FROM spend WHERE account_id = $1 AND currency NOT IN ('', $3)`
)

// RecordKeysToRestate records, in the transaction of c, the days and currencies of an account that must be restated after a
// change of the account's currency. Before that, it stores the former currency in facts without a currency. Call it after the
// transactions that still used the former currency have ended, so that it finds their facts: see OpenTransactions.
func RecordKeysToRestate(ctx context.Context, c db.Conn, k exchangerate.Change) error {
	if err := db.Run(ctx, c, "find currencies", allowLongStatements); err != nil {
		return err
	}
	low, high := models.FloorClickID(k.Kept), models.FloorClickID(k.Since)
	for table, id := range map[string]string{"clicks": "id", "conversions": "click_id"} {
		if err := db.Run(ctx, c, "name currencies", fmt.Sprintf(namedCurrency, table, id, id), k.Account, low, k.From, high); err != nil {
			return err
		}
	}
	found, err := db.Select[struct {
		Day      time.Time `db:"day"`
		Currency string    `db:"currency"`
	}](ctx, c, "currencies of facts", selectKeys, k.Account, low, k.To)
	if err != nil {
		return err
	}
	keys, waiting, err := exchangerate.FixedKeys(ctx, c, k.Account)
	if err != nil {
		return err
	}
	keys = append(keys, waiting...)
	for _, f := range found {
		keys = append(keys, exchangerate.NewKey(k.Account, f.Day, f.Currency))
	}
	_, err = exchangerate.Refix(ctx, c, keys)
	return err
}

// pg_locks lists the transactions of all databases and users. The query keeps only the transactions of the service's role in this
// database, because no other role writes facts.
const selectOlder = `
SELECT l.virtualtransaction FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'virtualxid' AND l.granted AND a.datname = current_database() AND a.usename = current_user
	AND l.pid <> pg_backend_pid()`

// OpenTransactions lists the open transactions of the service. If the result of an earlier call is given, the list has only the
// transactions of that result that are still open.
func OpenTransactions(ctx context.Context, c db.Conn, others []string) ([]string, error) {
	if others == nil {
		return db.Select[string](ctx, c, "open transactions", selectOlder)
	}
	return db.Select[string](ctx, c, "open transactions", selectOlder+` AND l.virtualtransaction = ANY ($1)`, others)
}

const archivedSpend = `
UPDATE spend s SET rate = k.rate FROM account_rates k
WHERE s.account_id = $1 AND s.day < ($2::timestamptz AT TIME ZONE 'UTC')::date
	AND k.account_id = $1 AND k.day = s.day AND k.currency = s.currency AND k.rate IS NOT NULL`

// RestateArchive restates, in the transaction of c, amounts that exist only in the ledger, and spend of days whose clicks are not
// kept any more. A repeated call changes nothing.
func RestateArchive(ctx context.Context, c db.Conn, account uuid.UUID) error {
	if err := lockAccount(ctx, c, account); err != nil {
		return err
	}
	k, open, err := exchangerate.FindChange(ctx, c, account)
	if err != nil || !open || k.Archived {
		return err
	}
	if err := ledger.Convert(ctx, c, account, k.Kept, k.From); err != nil {
		return err
	}
	if err := db.Run(ctx, c, "restate archive", archivedSpend, account, k.Kept); err != nil {
		return err
	}
	return exchangerate.RecordArchived(ctx, c, account)
}

const firstOrphaned = `
SELECT coalesce(date_trunc('day', min(recorded_at), 'UTC'), $3) FROM conversions WHERE account_id = $1 AND click_id < $2 AND recorded_at < $3`

// FirstOrphaned returns the earliest day before a given day that has conversions whose clicks are not kept any more. If there is no
// such day, it returns the given day.
func FirstOrphaned(ctx context.Context, c db.Conn, k exchangerate.Change, end time.Time) (time.Time, error) {
	return db.Get[time.Time](ctx, c, "conversions without clicks", firstOrphaned, k.Account, models.FloorClickID(k.Kept), end)
}

const archivedConversions = `
UPDATE conversions v SET rate = k.rate, cost = coalesce(round(v.cost * k.rate / nullif(v.rate, 0), $5), v.cost)
FROM account_rates k
WHERE v.account_id = $1 AND v.click_id < $2 AND v.recorded_at >= $3 AND v.recorded_at < $4
	AND k.account_id = $1 AND k.day = (v.recorded_at AT TIME ZONE 'UTC')::date AND k.currency = v.currency
	AND v.rate IS DISTINCT FROM k.rate AND k.rate IS NOT NULL`

// RestateOrphaned sets the rates and converts the costs, in the transaction of c, of conversions in [from, to) whose clicks are not
// kept any more. The ledger already has the figures of these conversions. A repeated call changes nothing.
func RestateOrphaned(ctx context.Context, c db.Conn, k exchangerate.Change, from, to time.Time) error {
	return db.Run(ctx, c, "restate conversions", archivedConversions, k.Account, models.FloorClickID(k.Kept), from, to, models.MoneyScale)
}
