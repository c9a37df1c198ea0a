package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/models"
)

// Offers are the offers of accounts.
type Offers struct{ pausable[models.Offer] }

// Offers gives the offers on this store's connection.
func (s *Store) Offers() Offers {
	return Offers{pausable[models.Offer]{records[models.Offer]{s, offerTable}}}
}

var offerTable = newTable(table[models.Offer]{name: "offers", what: "offer", gone: "deactivated_at"})

// Create adds an offer under a new id, within the plan's allowance.
func (k Offers) Create(ctx context.Context, o models.Offer) (models.Offer, error) {
	return txOf(ctx, k.s, func(s *Store) (models.Offer, error) {
		if err := offerTable.allow(ctx, s, o.AccountID, func(p models.Plan) int { return p.Offers }); err != nil {
			return o, err
		}
		if err := networkTable.check(ctx, s, o.AccountID, o.NetworkID, "network"); err != nil {
			return o, err
		}
		return offerTable.add(ctx, s, o)
	})
}

// Update writes every field of an offer, except whether it is active. An unchanged network is not checked, as it may
// be deactivated by now.
func (k Offers) Update(ctx context.Context, o models.Offer) (models.Offer, error) {
	return txOf(ctx, k.s, func(s *Store) (models.Offer, error) {
		old, err := offerTable.find(ctx, s, o.AccountID, o.ID)
		if err != nil {
			return o, err
		}
		if o.NetworkID != old.NetworkID {
			if err := networkTable.check(ctx, s, o.AccountID, o.NetworkID, "network"); err != nil {
				return o, err
			}
		}
		return offerTable.save(ctx, s, o)
	})
}

// Clone copies an offer under a free name that ends in " (copy)", within the plan's allowance. A deactivated network
// is not copied.
func (k Offers) Clone(ctx context.Context, account, id uuid.UUID) (models.Offer, error) {
	return offerTable.clone(ctx, k.s, account, id, func(s *Store, o *models.Offer) (err error) {
		o.NetworkID, err = networkTable.orNone(ctx, s, account, o.NetworkID)
		return err
	}, func(s *Store, o models.Offer) (models.Offer, error) { return s.Offers().Create(ctx, o) })
}
