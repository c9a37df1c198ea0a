package exchangerate

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// keyRow is a row of account_rates.
type keyRow struct {
	Account  uuid.UUID           `db:"account_id"`
	Day      time.Time           `db:"day"`
	Currency string              `db:"currency"`
	Rate     decimal.NullDecimal `db:"rate"`
}

func (r keyRow) key() Key { return NewKey(r.Account, r.Day, r.Currency) }

const recordChanges = `
INSERT INTO rate_changes (day, currency)
SELECT day, currency FROM unnest($1::date[], $2::text[]) AS k (day, currency)
WHERE EXISTS (SELECT FROM account_rates r WHERE r.day >= k.day AND r.day <= k.day + $3::int)
ON CONFLICT DO NOTHING`

// recordChange records rates that a call of Save stored. UpdateFixed then finds the fixed rates that they affect.
func recordChange(ctx context.Context, c db.Conn, list []models.Rate) error {
	days, currencies := dayColumns(list)
	return db.Run(ctx, c, "record changes of rates", recordChanges, days, currencies, models.RateDays)
}

func dayColumns(list []models.Rate) (days, currencies []string) {
	return db.Map(list, func(r models.Rate) string { return r.Day.Format(time.DateOnly) }),
		db.Map(list, func(r models.Rate) string { return r.Currency })
}

const (
	selectChanges = `SELECT day, currency FROM rate_changes ORDER BY day, currency LIMIT $1`

	// A rate may have been used on its day and the seven days after it. The rate of an account's own currency affects the facts
	// in all other currencies.
	affected = `
SELECT r.account_id, r.day, r.currency, r.rate FROM account_rates r JOIN accounts a ON a.id = r.account_id
JOIN unnest($1::date[], $2::text[]) AS k (day, currency)
	ON r.day >= k.day AND r.day <= k.day + $3::int AND k.currency IN (r.currency, a.currency)
WHERE r.rate IS NOT NULL GROUP BY r.account_id, r.day, r.currency, r.rate`

	deleteChanges = `DELETE FROM rate_changes c USING unnest($1::date[], $2::text[]) AS k (day, currency)
WHERE c.day = k.day AND c.currency = k.currency`

	waiting = `
SELECT account_id, day, currency, rate FROM account_rates
WHERE rate IS NULL AND (account_id, day, currency) > ($1, $2::date, $3) ORDER BY account_id, day, currency LIMIT $4`

	changeRate = `UPDATE account_rates SET rate = $4, restating = true
WHERE account_id = $1 AND day = $2 AND currency = $3 AND rate IS DISTINCT FROM $4`
)

const updatedAtOnce = 500

// UpdateFixed sets fixed rates (rows of account_rates) that could not be computed before and now can. It computes again the fixed
// rates that follow from a replaced rate. The facts are restated afterwards: see AccountsToRestate.
func UpdateFixed(ctx context.Context, d *db.DB) error {
	for {
		changes, err := db.Select[models.Rate](ctx, d, "changes of rates", selectChanges, updatedAtOnce)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			break
		}
		days, currencies := dayColumns(changes)
		rows, err := db.Select[keyRow](ctx, d, "facts of rates", affected, days, currencies, models.RateDays)
		if err != nil {
			return err
		}
		if err := change(ctx, d, rows); err != nil {
			return err
		}
		if err := db.Run(ctx, d, "changes of rates", deleteChanges, days, currencies); err != nil {
			return err
		}
	}
	last := keyRow{}
	for {
		rows, err := db.Select[keyRow](ctx, d, "days without a rate", waiting, last.Account, last.Day.Format(time.DateOnly), last.Currency,
			updatedAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := change(ctx, d, rows); err != nil {
			return err
		}
		last = rows[len(rows)-1]
	}
}

// change sets the rates of rows to the present rates. Each row has its own transaction, which waits for transactions that write
// facts with the old rate.
func change(ctx context.Context, d *db.DB, rows []keyRow) error {
	if len(rows) == 0 {
		return nil
	}
	found, err := compute(ctx, d, db.Map(rows, keyRow.key))
	if err != nil {
		return err
	}
	for _, r := range rows {
		rate, ok := found[r.key()]
		if !ok || !rate.Valid || r.Rate.Valid && r.Rate.Decimal.Equal(rate.Decimal) {
			continue
		}
		if err := db.Run(ctx, d, "change a rate", changeRate, r.Account, r.Day.Format(time.DateOnly), r.Currency, rate); err != nil {
			return err
		}
	}
	return nil
}

// AccountsToRestate lists the accounts that may have facts whose rate is not the fixed rate of their day. It leaves out accounts
// whose currency is being changed.
func AccountsToRestate(ctx context.Context, c db.Conn) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, c, "accounts to restate", `SELECT DISTINCT account_id FROM account_rates r WHERE restating
		AND NOT EXISTS (SELECT FROM currency_changes k WHERE k.account_id = r.account_id)`)
}

// KeysToRestate lists the account's keys with facts that may still have another rate than the key.
func KeysToRestate(ctx context.Context, c db.Conn, account uuid.UUID) ([]Key, error) {
	rows, err := db.Select[keyRow](ctx, c, "days to restate",
		`SELECT account_id, day, currency, rate FROM account_rates WHERE account_id = $1 AND restating ORDER BY day, currency`, account)
	return db.Map(rows, keyRow.key), err
}

// RecordRestated records that all facts of a key have the given rate. ok is false if the key no longer has this rate.
func RecordRestated(ctx context.Context, c db.Conn, k Key, rate decimal.Decimal) (ok bool, err error) {
	n, err := db.Exec(ctx, c, "record restated rate", `UPDATE account_rates SET restating = false
		WHERE account_id = $1 AND day = $2 AND currency = $3 AND rate = $4`, k.Account, k.Day.Format(time.DateOnly), k.Currency, rate)
	return n > 0, err
}

// Unconverted counts the days of an account that have no rate for a currency.
type Unconverted struct {
	Currency string    `db:"currency"`
	Days     int       `db:"days"`
	First    time.Time `db:"first"`
	Since    time.Time `db:"since"` // time of the first fact without a rate
}

const selectUnconverted = `
SELECT currency, count(*) AS days, min(day)::timestamptz AS first, min(since) AS since FROM account_rates
WHERE account_id = $1 AND rate IS NULL GROUP BY currency ORDER BY currency LIMIT 100`

// UnconvertedOf lists an account's currencies with amounts that do not count, because a rate is missing.
func UnconvertedOf(ctx context.Context, c db.Conn, account uuid.UUID) ([]Unconverted, error) {
	return db.Select[Unconverted](ctx, c, "unconverted money", selectUnconverted, account)
}

// DeleteExpired deletes the fixed rates of days before the given day, at most limit at a time. The caller must have deleted the
// facts of these days. A rate that is marked as restating stays until a restatement has removed the mark.
func DeleteExpired(ctx context.Context, c db.Conn, before time.Time, limit int) error {
	_, err := db.InParts(ctx, c, "delete expired rates", `DELETE FROM account_rates WHERE ctid IN (
		SELECT ctid FROM account_rates WHERE day < $1 AND NOT restating LIMIT $2)`, limit, before.Format(time.DateOnly))
	return err
}
