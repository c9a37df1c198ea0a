package exchangerate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// Change is a change of an account's currency that is in progress. The account already has the new currency, and its fixed rates
// convert to it. The facts and the ledger are restated (converted) bit by bit. While the change is in progress, statements that
// read facts must use the SQL of Counting for the rate.
type Change struct {
	Account  uuid.UUID `db:"account_id"`
	Job      uuid.UUID `db:"job_id"`
	From     string    `db:"from_currency"`
	To       string    `db:"to_currency"`
	Kept     time.Time `db:"kept_from"` // midnight UTC; figures of earlier days are only in the ledger
	Archived bool      `db:"archived"`  // the ledger before Kept has been restated
	Since    time.Time `db:"since"`
}

var changeColumns = db.Columns[Change]("")

// FindChange returns the change of an account's currency that is in progress. ok is false without such a change.
func FindChange(ctx context.Context, c db.Conn, account uuid.UUID) (k Change, ok bool, err error) {
	return db.First[Change](ctx, c, "change of currency", `SELECT `+changeColumns+` FROM currency_changes WHERE account_id = $1`, account)
}

// AddChange stores the start of a change, in the transaction that sets the account's currency.
func AddChange(ctx context.Context, c db.Conn, k Change) error {
	return db.Run(ctx, c, "begin change of currency", `INSERT INTO currency_changes (account_id, job_id, from_currency, to_currency, kept_from)
		VALUES ($1, $2, $3, $4, $5)`, k.Account, k.Job, k.From, k.To, k.Kept)
}

// RecordArchived records that the ledger before Kept has been restated.
func RecordArchived(ctx context.Context, c db.Conn, account uuid.UUID) error {
	return db.Run(ctx, c, "record restated archive", `UPDATE currency_changes SET archived = true WHERE account_id = $1`, account)
}

// EndChange ends a change. It deletes the rates of the new currency, because amounts in the account's own currency need no rate.
// Facts whose rate changed while the change was in progress are restated afterwards: see AccountsToRestate.
func EndChange(ctx context.Context, c db.Conn, k Change) error {
	if err := db.Run(ctx, c, "end change of currency", `DELETE FROM account_rates WHERE account_id = $1 AND currency = $2`, k.Account, k.To); err != nil {
		return err
	}
	return db.Run(ctx, c, "end change of currency", `DELETE FROM currency_changes WHERE account_id = $1`, k.Account)
}

// RequestRates makes the next fetch read the rates of a currency, for an account that is about to change to it.
func RequestRates(ctx context.Context, c db.Conn, account uuid.UUID, currency string) error {
	return db.Run(ctx, c, "request rates", `UPDATE accounts SET wants_currency = $2 WHERE id = $1`, account, currency)
}

// Counting returns SQL for the rate by which a fact counts, for statements whose $1 is the account. The argument at is SQL for
// the fact's time. During a change of the account's currency the rate is the fixed rate of the fact's day, if there is one.
// Otherwise it is the rate of the fact.
func Counting(fact, at string) string {
	return fmt.Sprintf(`CASE WHEN EXISTS (SELECT FROM currency_changes h WHERE h.account_id = $1) THEN %s ELSE %s.rate END`,
		Changing(fact, at), fact)
}

// Changing does the same as Counting, for statements that run only while the currency is being changed. A fact without a currency
// is old, and in the account's former currency.
func Changing(fact, at string) string {
	return fmt.Sprintf(`coalesce((SELECT k.rate FROM account_rates k WHERE k.account_id = $1 AND k.day = (%[2]s AT TIME ZONE 'UTC')::date
	AND k.currency = coalesce(nullif(%[1]s.currency, ''), (SELECT h.from_currency FROM currency_changes h WHERE h.account_id = $1))), %[1]s.rate)`,
		fact, at)
}

// FixedKeys lists the fixed keys of an account: keys with a rate, and keys that wait for a rate.
func FixedKeys(ctx context.Context, c db.Conn, account uuid.UUID) (rated, waiting []Key, err error) {
	rows, err := db.Select[keyRow](ctx, c, "fixed rates", `SELECT account_id, day, currency, rate FROM account_rates WHERE account_id = $1`, account)
	for _, r := range rows {
		if r.Rate.Valid {
			rated = append(rated, r.key())
		} else {
			waiting = append(waiting, r.key())
		}
	}
	return rated, waiting, err
}

const refix = `
INSERT INTO account_rates AS r (account_id, day, currency, rate, restating)
SELECT account_id, day, currency, rate, rate IS NOT NULL
FROM unnest($1::uuid[], $2::date[], $3::text[], $4::numeric[]) AS k (account_id, day, currency, rate)
ON CONFLICT (account_id, day, currency) DO UPDATE SET rate = excluded.rate, restating = excluded.restating`

// Refix computes the rates of keys again after a change of the account's currency. It marks the facts of keys with a rate to be
// restated, and returns the keys without a rate.
func Refix(ctx context.Context, c db.Conn, keys []Key) (missing []Key, err error) {
	found, err := compute(ctx, c, keys)
	if err != nil {
		return nil, err
	}
	sorted, _ := arguments(keys)
	for part := range slices.Chunk(sorted, savedAtOnce) {
		_, args := arguments(part)
		args = append(args, pq.Array(db.Map(part, func(k Key) *string { return textOrNull(found[k]) })))
		if err := db.Run(ctx, c, "fix rates anew", refix, args...); err != nil {
			return nil, err
		}
	}
	return db.Without(sorted, func(k Key) bool { return found[k].Valid }), nil
}

// MissingCurrency returns the currency that has no rate on the day of a key: the key's own, or the one to which amounts are
// converted (to).
func MissingCurrency(ctx context.Context, c db.Conn, k Key, to string) (string, error) {
	known, err := PerEuro(ctx, c, []CurrencyDay{k.CurrencyDay, {k.Day, to}})
	if _, ok := known[k.CurrencyDay]; !ok {
		return k.Currency, err
	}
	return to, err
}

// Factor returns the fixed rate of a key: the value of one unit of the key's currency in the account's currency. Without a rate
// it returns 1.
func Factor(ctx context.Context, c db.Conn, k Key) (decimal.Decimal, error) {
	found, _, err := readFixed(ctx, c, []Key{k}, "")
	if rate := found[k]; rate.Valid {
		return rate.Decimal, err
	}
	return models.SameRate.Decimal, err
}
