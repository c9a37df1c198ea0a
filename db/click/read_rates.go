package click

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/exchangerate"
	"switchyard/models"
)

// rated has what determines the rate of a click or conversion that was read, and a pointer to the rate.
type rated struct {
	at       time.Time
	currency string
	rate     *decimal.NullDecimal
}

// replaceRates replaces stored rates by the known rates into the new currency while the account's currency is being changed.
// Conversion.Cost, which is in the account's currency, stays as stored.
func (l Log) replaceRates(ctx context.Context, account uuid.UUID, list []rated) error {
	if len(list) == 0 {
		return nil
	}
	k, open, err := exchangerate.FindChange(ctx, l.Conn, account)
	if err != nil || !open {
		return err
	}
	keys := make([]exchangerate.Key, len(list))
	for i, f := range list {
		keys[i] = exchangerate.NewKey(account, f.at, cmp.Or(f.currency, k.From))
	}
	found, err := exchangerate.FindRates(ctx, l.Conn, keys)
	for i, f := range list {
		if rate := found[keys[i]]; rate.Valid {
			*f.rate = rate
		}
	}
	return err
}

func (l Log) replaceClickRates(ctx context.Context, account uuid.UUID, list []StoredClick) error {
	facts := make([]rated, len(list))
	for i := range list {
		facts[i] = rated{list[i].At, list[i].Currency, &list[i].Rate}
	}
	return l.replaceRates(ctx, account, facts)
}

func (l Log) replaceConversionRates(ctx context.Context, account uuid.UUID, list []models.Conversion) error {
	facts := make([]rated, len(list))
	for i := range list {
		facts[i] = rated{list[i].RecordedAt, list[i].Currency, &list[i].Rate}
	}
	return l.replaceRates(ctx, account, facts)
}
