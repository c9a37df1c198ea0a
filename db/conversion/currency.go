package conversion

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
)

const payoutCurrencies = `
SELECT k.id, coalesce(nullif(coalesce(o.currency, c.currency), ''), '` + defaultCurrency + `') FROM unnest($2::uuid[], $3::uuid[], $4::uuid[]) AS k (id, offer_id, campaign_id)
LEFT JOIN offers o ON o.account_id = $1 AND o.id = k.offer_id LEFT JOIN campaigns c ON c.account_id = $1 AND c.id = k.campaign_id`

// offerCurrencies returns for each click the currency of a payout that states none: the currency of the offer or, without an
// offer, of the campaign, or else defaultCurrency.
func offerCurrencies(ctx context.Context, c db.Conn, account uuid.UUID, clicks []*click.StoredClick) (map[uuid.UUID]string, error) {
	return db.Pairs[uuid.UUID, string](ctx, c, "currencies of payouts", payoutCurrencies, account,
		db.UUIDsOf(clicks, (*click.StoredClick).ClickID),
		db.UUIDsOf(clicks, func(k *click.StoredClick) uuid.UUID { return k.OfferID }),
		db.UUIDsOf(clicks, func(k *click.StoredClick) uuid.UUID { return k.CampaignID }))
}

// CurrenciesThatHold returns a function that gives the currency of a payout that states none, by the key of its conversion: the
// currency of the recorded conversion or, without such a conversion, the currency from offerCurrencies. It is empty if the click
// is not known.
func CurrenciesThatHold(ctx context.Context, l click.Log, c db.Conn, account uuid.UUID, clicks []uuid.UUID) (func(Key) string, error) {
	list, err := l.Store().Read(ctx, c, click.ChangeColumns, click.Set{Account: account, IDs: clicks})
	if err != nil {
		return nil, err
	}
	byClick, err := offerCurrencies(ctx, c, account, list)
	if err != nil {
		return nil, err
	}
	known, err := FindKnown(ctx, c, account, clicks)
	if err != nil {
		return nil, err
	}
	recorded := map[Key]string{}
	for _, k := range known {
		recorded[k.Key] = k.Currency
	}
	return func(k Key) string { return cmp.Or(recorded[k], byClick[k.ClickID]) }, nil
}
