// Package exchangerate stores exchange rates by day. They come from the European Central Bank or from the operator.
//
// The rate of a day is the rate that was published for that day or, without one, the latest earlier rate of the last
// models.RateDays days. Only the operator can change a stored rate.
//
// Stored amounts of money, such as costs and payouts, are called facts. The first fact of an account in a currency on a day fixes
// the rate for the account (LockRates): later facts of that day and currency get the same rate, whatever is published later. A
// day can be fixed without a rate, and UpdateFixed sets the rate once it is published. Apart from that, a fixed rate changes only
// when the operator replaces a rate, or when the account changes its currency. The facts are then restated, which means that they
// are counted by the new rate. A fact is written under a lock on its fixed rate, so a change of the rate finds every fact with
// the old rate.
package exchangerate

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// Saved counts the rates that Save has added, changed and kept.
type Saved struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Kept    int `json:"kept"` // not stored, because the day already had a rate
}

type savedRate struct {
	models.Rate
	Added bool `db:"added"`
}

const savedAtOnce = 5000

const saveRates = `
INSERT INTO currency_rates AS r (base, currency, day, rate, source)
SELECT '` + models.Euro + `', currency, day, rate, source FROM unnest($1::text[], $2::date[], $3::numeric[], $4::text[])
	AS k (currency, day, rate, source) ORDER BY currency, day
ON CONFLICT (base, currency, day) DO UPDATE SET rate = excluded.rate, source = excluded.source
	WHERE $5 AND r.rate <> excluded.rate
RETURNING currency, day, xmax = 0 AS added`

// Save stores rates in the transaction of c. A day that has a rate keeps it unless replace is set. Facts that were counted by a
// replaced rate will be restated. The list may have at most one rate for each day and currency.
func Save(ctx context.Context, c db.Conn, list []models.Rate, replace bool) (out Saved, err error) {
	for part := range slices.Chunk(list, savedAtOnce) {
		days, currencies := dayColumns(part)
		done, err := db.Select[savedRate](ctx, c, "save rates", saveRates, currencies, days,
			db.Map(part, func(r models.Rate) string { return r.Rate.String() }),
			db.Map(part, func(r models.Rate) string { return r.Source }), replace)
		if err != nil {
			return out, err
		}
		for _, rate := range done {
			if rate.Added {
				out.Added++
			} else {
				out.Changed++
			}
		}
		if replace {
			if err := recordChange(ctx, c, db.Map(done, func(r savedRate) models.Rate { return r.Rate })); err != nil {
				return out, err
			}
		}
	}
	out.Kept = len(list) - out.Added - out.Changed
	return out, nil
}

// Query selects rates.
type Query struct {
	Currency string    // empty: all currencies
	From, To time.Time // days, both included; zero: no bound
	Limit    int
}

const listRates = `
SELECT day, currency, rate, source FROM currency_rates
WHERE base = '` + models.Euro + `' AND ($1 = '' OR currency = $1) AND ($2::date IS NULL OR day >= $2) AND ($3::date IS NULL OR day <= $3)
ORDER BY day DESC, currency LIMIT $4`

// List returns rates, the latest day first.
func List(ctx context.Context, c db.Conn, q Query) ([]models.Rate, error) {
	return db.Select[models.Rate](ctx, c, "list rates", listRates, q.Currency, dayOrNull(q.From), dayOrNull(q.To), q.Limit)
}

func dayOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Format(time.DateOnly)
}

// CurrencyDay is a currency on a day.
type CurrencyDay struct {
	Day      time.Time // midnight UTC
	Currency string
}

const perEuro = `
SELECT k.nth, r.rate FROM unnest($1::date[], $2::text[]) WITH ORDINALITY AS k (day, currency, nth)
CROSS JOIN LATERAL (
	SELECT rate FROM currency_rates
	WHERE base = '` + models.Euro + `' AND currency = k.currency AND day <= k.day AND day >= k.day - $3::int
	ORDER BY day DESC LIMIT 1
) r`

// PerEuro returns for each currency and day the price of one euro in that currency. It leaves out entries without a rate.
func PerEuro(ctx context.Context, c db.Conn, list []CurrencyDay) (map[CurrencyDay]decimal.Decimal, error) {
	found, err := db.Pairs[int, decimal.Decimal](ctx, c, "rates of days", perEuro,
		db.Map(list, func(o CurrencyDay) string { return o.Day.Format(time.DateOnly) }),
		db.Map(list, func(o CurrencyDay) string { return o.Currency }), models.RateDays)
	out := map[CurrencyDay]decimal.Decimal{}
	for nth, rate := range found {
		out[list[nth-1]] = rate
	}
	for _, o := range list {
		if o.Currency == models.Euro {
			out[o] = decimal.NewFromInt(1)
		}
	}
	return out, err
}

const lastDay = `SELECT coalesce(max(day), '0001-01-01') FROM currency_rates WHERE source = $1`

// LastDay returns the last day for which a source has rates. It is zero if the source has no rates.
func LastDay(ctx context.Context, c db.Conn, source string) (time.Time, error) {
	day, err := db.Get[time.Time](ctx, c, "last day of rates", lastDay, source)
	return day.UTC(), err
}

// needsFetch is true if a record is in a foreign currency, if amounts wait for a rate, or if an account is about to change its
// currency.
const needsFetch = `
SELECT EXISTS (SELECT FROM campaigns r JOIN accounts a ON a.id = r.account_id WHERE r.currency NOT IN ('', a.currency))
	OR EXISTS (SELECT FROM offers r JOIN accounts a ON a.id = r.account_id WHERE r.currency NOT IN ('', a.currency))
	OR EXISTS (SELECT FROM networks r JOIN accounts a ON a.id = r.account_id WHERE r.currency NOT IN ('', a.currency))
	OR EXISTS (SELECT FROM sites r JOIN accounts a ON a.id = r.account_id WHERE r.currency NOT IN ('', a.currency))
	OR EXISTS (SELECT FROM goals r JOIN accounts a ON a.id = r.account_id WHERE r.currency NOT IN ('', a.currency))
	OR EXISTS (SELECT FROM account_rates WHERE rate IS NULL)
	OR EXISTS (SELECT FROM accounts WHERE wants_currency NOT IN ('', currency))`

// NeedsFetch reports whether rates have to be fetched.
func NeedsFetch(ctx context.Context, c db.Conn) (bool, error) {
	return db.Get[bool](ctx, c, "wanted rates", needsFetch)
}
