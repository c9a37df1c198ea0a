package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Offers accesses the offers of accounts.
type Offers struct{ pausable[models.Offer] }

// Offers returns access to the offers.
func (s *Store) Offers() Offers {
	return Offers{pausable[models.Offer]{records[models.Offer]{s, offerTable}}}
}

var offerTable = newTable(table[models.Offer]{
	name: "offers", what: "offer", removed: "deactivated_at",
	allowance: allowance{limit: func(p models.Plan) int { return p.Offers }},
	prepare: func(ctx context.Context, s *Store, o, old *models.Offer) error {
		if o.NetworkID == old.NetworkID {
			return nil // the network may have been deactivated after the offer was saved
		}
		return networkTable.check(ctx, s, o.AccountID, o.NetworkID, "network")
	},
})

// WithCap lists at most 500 of the account's active offers that have a daily cap.
func (k Offers) WithCap(ctx context.Context, account uuid.UUID) ([]models.Offer, error) {
	q := offerTable.from + ` WHERE ` + offerTable.live + ` AND t.is_active AND t.daily_cap IS NOT NULL ORDER BY t.name, t.id LIMIT $2`
	return db.Select[models.Offer](ctx, k.s.c, "offers with a cap", q, account, MaxAlerts)
}

// Clone copies an offer, if the plan allows another offer. The copy has no network if the offer's network is deactivated.
func (k Offers) Clone(ctx context.Context, account, id uuid.UUID) (models.Offer, error) {
	return offerTable.clone(ctx, k.s, account, id, func(s *Store, o *models.Offer) (err error) {
		o.NetworkID, err = networkTable.orNone(ctx, s, account, o.NetworkID)
		return err
	}, offerTable.create)
}
