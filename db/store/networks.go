package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/db/seal"
	"switchyard/models"
)

// Networks are the affiliate networks of accounts.
type Networks struct{ s *Store }

// Networks gives the affiliate networks on this store's connection.
func (s *Store) Networks() Networks { return Networks{s} }

const networkColumns = `id, account_id, name, currency, postback_params, status_map,
	postback_secret IS NOT NULL AS has_secret, url, offer_type, group_name, notes, manager_name, manager_email,
	manager_phone, manager_im, payment_terms, payment_frequency, tags, minimum_payout, macros, click_param, is_active,
	created_at, updated_at`

type networkRow struct {
	ID               uuid.UUID                     `db:"id"`
	AccountID        uuid.UUID                     `db:"account_id"`
	Name             string                        `db:"name"`
	Currency         string                        `db:"currency"`
	PostbackParams   document[map[string]string]   `db:"postback_params"`
	StatusMap        document[map[string][]string] `db:"status_map"`
	HasSecret        bool                          `db:"has_secret"`
	URL              string                        `db:"url"`
	OfferType        string                        `db:"offer_type"`
	GroupName        string                        `db:"group_name"`
	Notes            string                        `db:"notes"`
	ManagerName      string                        `db:"manager_name"`
	ManagerEmail     string                        `db:"manager_email"`
	ManagerPhone     string                        `db:"manager_phone"`
	ManagerIM        string                        `db:"manager_im"`
	PaymentTerms     string                        `db:"payment_terms"`
	PaymentFrequency string                        `db:"payment_frequency"`
	Tags             pq.StringArray                `db:"tags"`
	MinimumPayout    *models.Money                 `db:"minimum_payout"`
	Macros           document[map[string]string]   `db:"macros"`
	ClickParam       string                        `db:"click_param"`
	IsActive         bool                          `db:"is_active"`
	CreatedAt        time.Time                     `db:"created_at"`
	UpdatedAt        time.Time                     `db:"updated_at"`
}

func (r networkRow) model() models.Network {
	return models.Network{
		ID: r.ID, AccountID: r.AccountID, Name: r.Name, Currency: r.Currency, PostbackParams: r.PostbackParams.V,
		StatusMap: r.StatusMap.V, HasPostbackSecret: r.HasSecret, URL: r.URL, OfferType: r.OfferType,
		GroupName: r.GroupName, Notes: r.Notes, ManagerName: r.ManagerName, ManagerEmail: r.ManagerEmail,
		ManagerPhone: r.ManagerPhone, ManagerIM: r.ManagerIM, PaymentTerms: r.PaymentTerms,
		PaymentFrequency: r.PaymentFrequency, Tags: nonNil(r.Tags), MinimumPayout: r.MinimumPayout, Macros: r.Macros.V,
		ClickParam: r.ClickParam, IsActive: r.IsActive, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// List lists the networks that are not deactivated, newest first.
func (n Networks) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Network, string, error) {
	rows, next, err := List(ctx, n.s, account, p, ListQuery[networkRow]{
		Name:  tableNetworks,
		SQL:   `SELECT ` + networkColumns + ` FROM networks WHERE account_id = $1 AND deactivated_at IS NULL`,
		Args:  []any{account},
		Order: Newest,
		Place: func(r networkRow) []string { return PlaceOf(r.CreatedAt, r.ID) },
	})
	return modelsOf(rows, networkRow.model), next, err
}

// Find finds one network that is not deactivated.
func (n Networks) Find(ctx context.Context, account, id uuid.UUID) (models.Network, error) {
	const q = `SELECT ` + networkColumns + ` FROM networks WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
	row, err := get[networkRow](ctx, n.s, "network", q, account, id)
	return row.model(), err
}

const insertNetwork = `
INSERT INTO networks (account_id, id, name, currency, postback_params, status_map, postback_secret, url, offer_type,
	group_name, notes, manager_name, manager_email, manager_phone, manager_im, payment_terms, payment_frequency, tags,
	minimum_payout, macros, click_param)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
RETURNING ` + networkColumns

// Create adds a network under a new id, within the plan's allowance of integrations.
func (n Networks) Create(ctx context.Context, network models.Network) (models.Network, error) {
	network.ID = uuid.Must(uuid.NewV7())
	sealed, err := n.seal(ctx, network)
	if err != nil {
		return network, err
	}
	var saved models.Network
	err = n.s.Tx(ctx, func(s *Store) error {
		err := s.allowIntegration(ctx, network.AccountID)
		if err != nil {
			return err
		}
		saved, err = s.Networks().save(ctx, insertNetwork, network, sealed)
		return err
	})
	return saved, err
}

const updateNetwork = `
UPDATE networks SET name = $3, currency = $4, postback_params = $5, status_map = $6,
	postback_secret = coalesce($7, postback_secret), url = $8, offer_type = $9, group_name = $10, notes = $11,
	manager_name = $12, manager_email = $13, manager_phone = $14, manager_im = $15, payment_terms = $16,
	payment_frequency = $17, tags = $18, minimum_payout = $19, macros = $20, click_param = $21, updated_at = now()
WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL
RETURNING ` + networkColumns

// Update writes every field of a network but whether it is active; an empty secret leaves the saved one.
func (n Networks) Update(ctx context.Context, network models.Network) (models.Network, error) {
	sealed, err := n.seal(ctx, network)
	if err != nil {
		return network, err
	}
	return n.save(ctx, updateNetwork, network, sealed)
}

// seal seals the secret of a network; without one it is nil. It may need a query of its own, so it comes before the
// transaction.
func (n Networks) seal(ctx context.Context, f models.Network) ([]byte, error) {
	if f.PostbackSecret == "" {
		return nil, nil
	}
	sealed, err := n.s.box.SealOwn(ctx, postbackSecretPlace(f.AccountID, f.ID), []byte(f.PostbackSecret))
	if err != nil {
		return nil, fmt.Errorf("db: seal secret of network: %w", err)
	}
	return sealed, nil
}

// postbackSecretPlace is where the secret of a network is sealed.
func postbackSecretPlace(account, network uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: tableNetworks, Row: network.String(), Column: "postback_secret"}
}

// save runs one of the two writing statements, which take the same arguments.
func (n Networks) save(ctx context.Context, query string, f models.Network, sealed []byte) (models.Network, error) {
	var row networkRow
	err := sqlx.GetContext(ctx, n.s.c, &row, query, f.AccountID, f.ID, f.Name, f.Currency,
		documentOf(f.PostbackParams), documentOf(f.StatusMap), sealed, f.URL, f.OfferType, f.GroupName, f.Notes,
		f.ManagerName, f.ManagerEmail, f.ManagerPhone, f.ManagerIM, f.PaymentTerms, f.PaymentFrequency,
		pq.StringArray(nonNil(f.Tags)), f.MinimumPayout, documentOf(f.Macros), f.ClickParam)
	return row.model(), saveError(err, "networks_name", "network")
}

// SetActive pauses a network, or resumes it within the plan's allowance of integrations.
func (n Networks) SetActive(ctx context.Context, account, id uuid.UUID, on bool) error {
	return n.s.setIntegrationActive(ctx, tableNetworks, "network", account, id, on)
}

// Remove deactivates a network: it is kept for history and no longer listed.
func (n Networks) Remove(ctx context.Context, account, id uuid.UUID) error {
	return n.s.deactivate(ctx, tableNetworks, "network", account, id)
}
