package exchangerate

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// Key identifies a fixed rate: the rate of a currency on a day for an account. Amounts in the account's own currency need no
// rate, except while the currency is being changed.
type Key struct {
	Account uuid.UUID
	CurrencyDay
}

// NewKey returns the key for an amount at the given time.
func NewKey(account uuid.UUID, at time.Time, currency string) Key {
	return Key{account, CurrencyDay{at.UTC().Truncate(24 * time.Hour), currency}}
}

// arguments sorts keys, so that two transactions never deadlock, and returns their columns as query arguments.
func arguments(keys []Key) (sorted []Key, args []any) {
	sorted = slices.SortedFunc(slices.Values(keys), func(a, b Key) int {
		return cmp.Or(bytes.Compare(a.Account[:], b.Account[:]), a.Day.Compare(b.Day), cmp.Compare(a.Currency, b.Currency))
	})
	sorted = slices.Compact(sorted)
	return sorted, []any{
		db.UUIDs(db.Map(sorted, func(k Key) uuid.UUID { return k.Account })),
		db.Map(sorted, func(k Key) string { return k.Day.Format(time.DateOnly) }),
		db.Map(sorted, func(k Key) string { return k.Currency }),
	}
}

const (
	fromKeys = ` FROM unnest($1::uuid[], $2::date[], $3::text[]) WITH ORDINALITY AS k (account_id, day, currency, nth) `

	fixedRates = `SELECT k.nth, r.rate` + fromKeys + `JOIN account_rates r USING (account_id, day, currency) ORDER BY k.nth`

	fixRates = `
INSERT INTO account_rates (account_id, day, currency, rate)
SELECT account_id, day, currency, rate FROM unnest($1::uuid[], $2::date[], $3::text[], $4::numeric[]) AS k (account_id, day, currency, rate)
ON CONFLICT DO NOTHING`

	accountCurrencies = `SELECT k.nth, a.currency` + fromKeys + `JOIN accounts a ON a.id = k.account_id`
)

// LockRates returns the rates of keys and share-locks them until the transaction of c ends. A change of a rate therefore either
// sees the fact that is being written or waits for it. A key without a fixed rate is fixed now, with NULL if its day has no rate.
func LockRates(ctx context.Context, c db.Conn, keys []Key) (map[Key]decimal.NullDecimal, error) {
	out, missing, err := readFixed(ctx, c, keys, ` FOR SHARE OF r`)
	if err != nil || len(missing) == 0 {
		return out, err
	}
	found, err := compute(ctx, c, missing)
	if err != nil {
		return nil, err
	}
	known := slices.Collect(maps.Keys(found)) // without keys of deleted accounts
	sorted, args := arguments(known)
	args = append(args, pq.Array(db.Map(sorted, func(k Key) *string { return textOrNull(found[k]) })))
	if err := db.Run(ctx, c, "fix rates", fixRates, args...); err != nil {
		return nil, err
	}
	fixed, _, err := readFixed(ctx, c, missing, ` FOR SHARE OF r`) // another transaction may have been first
	maps.Copy(out, fixed)
	return out, err
}

// FindRates returns the rates that LockRates would return now. It takes no locks and writes nothing.
func FindRates(ctx context.Context, c db.Conn, keys []Key) (map[Key]decimal.NullDecimal, error) {
	out, missing, err := readFixed(ctx, c, keys, "")
	if err != nil || len(missing) == 0 {
		return out, err
	}
	found, err := compute(ctx, c, missing)
	maps.Copy(out, found)
	return out, err
}

func textOrNull(d decimal.NullDecimal) *string {
	if !d.Valid {
		return nil
	}
	text := d.Decimal.String()
	return &text
}

// readFixed returns the rates that are fixed, and the keys without a fixed rate. lock is SQL that locks the rows.
func readFixed(ctx context.Context, c db.Conn, keys []Key, lock string) (map[Key]decimal.NullDecimal, []Key, error) {
	out := map[Key]decimal.NullDecimal{}
	if len(keys) == 0 {
		return out, nil, nil
	}
	sorted, args := arguments(keys)
	found, err := db.Pairs[int, decimal.NullDecimal](ctx, c, "rates of an account", fixedRates+lock, args...)
	var missing []Key
	for i, k := range sorted {
		if rate, ok := found[i+1]; ok {
			out[k] = rate
		} else {
			missing = append(missing, k)
		}
	}
	return out, missing, err
}

// compute returns the rates of keys from the stored rates. It leaves out keys of deleted accounts.
func compute(ctx context.Context, c db.Conn, keys []Key) (map[Key]decimal.NullDecimal, error) {
	sorted, args := arguments(keys)
	currencies, err := db.Pairs[int, string](ctx, c, "currencies of accounts", accountCurrencies, args...) // by position in sorted, from 1
	if err != nil {
		return nil, err
	}
	var needed []CurrencyDay
	for i, k := range sorted {
		if currency, ok := currencies[i+1]; ok {
			needed = append(needed, k.CurrencyDay, CurrencyDay{k.Day, currency})
		}
	}
	euros, err := PerEuro(ctx, c, needed)
	out := map[Key]decimal.NullDecimal{}
	for i, k := range sorted {
		currency, ok := currencies[i+1]
		if !ok {
			continue
		}
		from, hasFrom := euros[k.CurrencyDay]
		to, hasTo := euros[CurrencyDay{k.Day, currency}]
		switch {
		case k.Currency == currency:
			out[k] = models.SameRate
		case hasFrom && hasTo:
			out[k] = decimal.NewNullDecimal(models.CrossRate(from, to))
		default:
			out[k] = decimal.NullDecimal{}
		}
	}
	return out, err
}
