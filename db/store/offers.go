package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/models"
)

// Offers are the offers of accounts.
type Offers struct{ s *Store }

// Offers gives the offers on this store's connection.
func (s *Store) Offers() Offers { return Offers{s} }

const offerColumns = `id, account_id, name, url, network_id, payout, payout_type, currency, country, daily_cap, notes,
	group_name, payout_from_param, tags, is_active, created_at, updated_at`

type offerRow struct {
	ID              uuid.UUID      `db:"id"`
	AccountID       uuid.UUID      `db:"account_id"`
	Name            string         `db:"name"`
	URL             string         `db:"url"`
	NetworkID       uuid.NullUUID  `db:"network_id"`
	Payout          models.Money   `db:"payout"`
	PayoutType      string         `db:"payout_type"`
	Currency        string         `db:"currency"`
	Country         string         `db:"country"`
	DailyCap        *int           `db:"daily_cap"`
	Notes           string         `db:"notes"`
	GroupName       string         `db:"group_name"`
	PayoutFromParam bool           `db:"payout_from_param"`
	Tags            pq.StringArray `db:"tags"`
	IsActive        bool           `db:"is_active"`
	CreatedAt       time.Time      `db:"created_at"`
	UpdatedAt       time.Time      `db:"updated_at"`
}

func (r offerRow) model() models.Offer {
	return models.Offer{
		ID: r.ID, AccountID: r.AccountID, Name: r.Name, URL: r.URL, NetworkID: r.NetworkID.UUID, Payout: r.Payout,
		PayoutType: r.PayoutType, Currency: r.Currency, Country: r.Country, DailyCap: r.DailyCap, Notes: r.Notes,
		GroupName: r.GroupName, PayoutFromParam: r.PayoutFromParam, Tags: nonNil(r.Tags), IsActive: r.IsActive,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// List lists the offers that are not deactivated, newest first.
func (o Offers) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Offer, string, error) {
	rows, next, err := List(ctx, o.s, account, p, ListQuery[offerRow]{
		Name:  "offers",
		SQL:   `SELECT ` + offerColumns + ` FROM offers WHERE account_id = $1 AND deactivated_at IS NULL`,
		Args:  []any{account},
		Order: Newest,
		Place: func(r offerRow) []string { return PlaceOf(r.CreatedAt, r.ID) },
	})
	return modelsOf(rows, offerRow.model), next, err
}

// Find finds one offer that is not deactivated.
func (o Offers) Find(ctx context.Context, account, id uuid.UUID) (models.Offer, error) {
	const q = `SELECT ` + offerColumns + ` FROM offers WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
	row, err := get[offerRow](ctx, o.s, "offer", q, account, id)
	return row.model(), err
}

const countOffers = `SELECT count(*) FROM offers WHERE account_id = $1 AND deactivated_at IS NULL`

const insertOffer = `
INSERT INTO offers (account_id, id, name, url, network_id, payout, payout_type, currency, country, daily_cap, notes,
	group_name, payout_from_param, tags)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
RETURNING ` + offerColumns

// Create adds an offer under a new id, within the plan's allowance.
func (o Offers) Create(ctx context.Context, offer models.Offer) (models.Offer, error) {
	offer.ID = uuid.Must(uuid.NewV7())
	var saved models.Offer
	err := o.s.Tx(ctx, func(s *Store) error {
		err := s.allow(ctx, offer.AccountID, "offers", countOffers, func(p models.Plan) int { return p.Offers })
		if err != nil {
			return err
		}
		if err := s.checkNetwork(ctx, offer.AccountID, offer.NetworkID); err != nil {
			return err
		}
		saved, err = s.Offers().save(ctx, insertOffer, offer)
		return err
	})
	return saved, err
}

const updateOffer = `
UPDATE offers SET name = $3, url = $4, network_id = $5, payout = $6, payout_type = $7, currency = $8, country = $9,
	daily_cap = $10, notes = $11, group_name = $12, payout_from_param = $13, tags = $14, updated_at = now()
WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL
RETURNING ` + offerColumns

// Update writes every field of an offer but whether it is active. A network that does not change passes, although it
// might not if it were new.
func (o Offers) Update(ctx context.Context, offer models.Offer) (models.Offer, error) {
	var saved models.Offer
	err := o.s.Tx(ctx, func(s *Store) (err error) {
		old, err := s.Offers().Find(ctx, offer.AccountID, offer.ID)
		if err != nil {
			return err
		}
		if offer.NetworkID != old.NetworkID {
			if err := s.checkNetwork(ctx, offer.AccountID, offer.NetworkID); err != nil {
				return err
			}
		}
		saved, err = s.Offers().save(ctx, updateOffer, offer)
		return err
	})
	return saved, err
}

// checkNetwork refuses a network that is not a live one of the account. No network passes.
func (s *Store) checkNetwork(ctx context.Context, account, id uuid.UUID) error {
	live, err := s.live(ctx, tableNetworks, account, id)
	if err == nil && live != id {
		err = models.Invalid("invalid_network", "network_id is not a network of this account")
	}
	return err
}

// save runs one of the two writing statements, which take the same arguments.
func (o Offers) save(ctx context.Context, query string, f models.Offer) (models.Offer, error) {
	var row offerRow
	err := sqlx.GetContext(ctx, o.s.c, &row, query, f.AccountID, f.ID, f.Name, f.URL, null(f.NetworkID), f.Payout,
		f.PayoutType, f.Currency, f.Country, f.DailyCap, f.Notes, f.GroupName, f.PayoutFromParam,
		pq.StringArray(nonNil(f.Tags)))
	return row.model(), saveError(err, "offers_name", "offer")
}

// SetActive pauses or resumes an offer.
func (o Offers) SetActive(ctx context.Context, account, id uuid.UUID, on bool) error {
	return o.s.setActive(ctx, tableOffers, "offer", account, id, on)
}

// Remove deactivates an offer: it is kept for history and no longer listed.
func (o Offers) Remove(ctx context.Context, account, id uuid.UUID) error {
	return o.s.deactivate(ctx, tableOffers, "offer", account, id)
}

// Clone copies an offer under a free name that ends in " (copy)", within the plan's allowance. A network that was
// deactivated since is not copied.
func (o Offers) Clone(ctx context.Context, account, id uuid.UUID) (models.Offer, error) {
	var saved models.Offer
	err := o.s.Tx(ctx, func(s *Store) error {
		offer, err := s.Offers().Find(ctx, account, id)
		if err != nil {
			return err
		}
		if err := s.lockNames(ctx, account); err != nil {
			return err
		}
		if offer.Name, err = s.copyName(ctx, tableOffers, "deactivated_at IS NULL", account, offer.Name); err != nil {
			return err
		}
		if offer.NetworkID, err = s.live(ctx, tableNetworks, account, offer.NetworkID); err != nil {
			return err
		}
		saved, err = s.Offers().Create(ctx, offer)
		return err
	})
	return saved, err
}
