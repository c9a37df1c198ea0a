package rates

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

// Change is the change of an account's currency that is under way. The account is in the new currency from its beginning
// on, and the rates that are fixed are those to the new one. Facts and ledger are restated one after another: until all
// are, readers take rates from Counting.
type Change struct {
	Account  uuid.UUID `db:"account_id"`
	Job      uuid.UUID `db:"job_id"`
	From     string    `db:"from_currency"`
	To       string    `db:"to_currency"`
	Kept     time.Time `db:"kept_from"` // midnight UTC; before it figures are known by the ledger alone
	Archived bool      `db:"archived"`  // the ledger before Kept is restated
	Since    time.Time `db:"since"`
}

var changeColumns = db.Columns[Change]("")

// FindChange finds the change of an account's currency that is under way; ok is false if there is none.
func FindChange(ctx context.Context, c db.Conn, account uuid.UUID) (k Change, ok bool, err error) {
	return db.First[Change](ctx, c, "change of currency", `SELECT `+changeColumns+` FROM currency_changes WHERE account_id = $1`, account)
}

// AddChange stores that a change begins, in the transaction that sets the account's currency.
func AddChange(ctx context.Context, c db.Conn, k Change) error {
	_, err := db.Exec(ctx, c, "begin change of currency", `INSERT INTO currency_changes (account_id, job_id, from_currency, to_currency, kept_from)
		VALUES ($1, $2, $3, $4, $5)`, k.Account, k.Job, k.From, k.To, k.Kept)
	return err
}

// NoteArchived stores that the ledger before Kept is restated.
func NoteArchived(ctx context.Context, c db.Conn, account uuid.UUID) error {
	_, err := db.Exec(ctx, c, "archive is restated", `UPDATE currency_changes SET archived = true WHERE account_id = $1`, account)
	return err
}

// EndChange ends a change: everything has the rate of its day, but for what was changed meanwhile. What is in the account's own
// currency needs none any more.
func EndChange(ctx context.Context, c db.Conn, k Change) error {
	if _, err := db.Exec(ctx, c, "end change of currency", `DELETE FROM account_rates WHERE account_id = $1 AND currency = $2`, k.Account, k.To); err != nil {
		return err
	}
	_, err := db.Exec(ctx, c, "end change of currency", `DELETE FROM currency_changes WHERE account_id = $1`, k.Account)
	return err
}

// Want has the rates of a currency read, because an account is to change to it.
func Want(ctx context.Context, c db.Conn, account uuid.UUID, currency string) error {
	_, err := db.Exec(ctx, c, "want rates", `UPDATE accounts SET wants_currency = $2 WHERE id = $1`, account, currency)
	return err
}

// Counting is the SQL of the rate by which a fact counts, in a statement whose $1 is the account. at is the fact's time. It is the stored
// one but while the account's currency is changed: then it is that of the day, whether the fact has it already or not.
func Counting(fact, at string) string {
	return fmt.Sprintf(`CASE WHEN EXISTS (SELECT FROM currency_changes h WHERE h.account_id = $1) THEN %s ELSE %s.rate END`,
		Changing(fact, at), fact)
}

// Changing is Counting for statements that are asked while the currency is changed. A fact of before there were currencies
// is in the account's former one.
func Changing(fact, at string) string {
	return fmt.Sprintf(`coalesce((SELECT k.rate FROM account_rates k WHERE k.account_id = $1 AND k.day = (%[2]s AT TIME ZONE 'UTC')::date
	AND k.currency = coalesce(nullif(%[1]s.currency, ''), (SELECT h.from_currency FROM currency_changes h WHERE h.account_id = $1))), %[1]s.rate)`,
		fact, at)
}

// Fixed lists the keys of an account: those that have a rate, and those that wait for one.
func Fixed(ctx context.Context, c db.Conn, account uuid.UUID) (rated, waiting []Key, err error) {
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

// Refix gives keys the rates to the account's currency of now, and has their facts restated. It returns the keys without a
// rate.
func Refix(ctx context.Context, c db.Conn, keys []Key) (missing []Key, err error) {
	found, err := compute(ctx, c, keys)
	if err != nil {
		return nil, err
	}
	sorted, _ := arguments(keys)
	for part := range slices.Chunk(sorted, savedAtOnce) {
		_, args := arguments(part)
		args = append(args, pq.Array(db.Map(part, func(k Key) *string { return textOrNull(found[k]) })))
		if _, err := db.Exec(ctx, c, "fix rates anew", refix, args...); err != nil {
			return nil, err
		}
	}
	for _, k := range sorted {
		if !found[k].Valid {
			missing = append(missing, k)
		}
	}
	return missing, nil
}

// Missing says which currency has no rate on the day of a key that is to count in another: one of the two.
func Missing(ctx context.Context, c db.Conn, k Key, to string) (string, error) {
	known, err := PerEuro(ctx, c, []Of{k.Of, {k.Day, to}})
	if _, ok := known[k.Of]; !ok {
		return k.Currency, err
	}
	return to, err
}

// Factor is how much of the account's currency one of another is on a day, as it is fixed; 1 if it is not.
func Factor(ctx context.Context, c db.Conn, k Key) (decimal.Decimal, error) {
	found, _, err := fixed(ctx, c, []Key{k}, "")
	if rate := found[k]; rate.Valid {
		return rate.Decimal, err
	}
	return models.SameRate.Decimal, err
}
