package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// Sources are the traffic sources of accounts.
type Sources struct{ s *Store }

// Sources gives the traffic sources on this store's connection.
func (s *Store) Sources() Sources { return Sources{s} }

const sourceColumns = `id, account_id, name, token_macros, cost_param, cost_model, postback_url, external_id_param,
	notes, traffic_loss_pct, group_name, tags, cost_macro, platform, is_active, created_at, updated_at`

type sourceRow struct {
	ID              uuid.UUID                    `db:"id"`
	AccountID       uuid.UUID                    `db:"account_id"`
	Name            string                       `db:"name"`
	TokenMacros     document[models.TokenMacros] `db:"token_macros"`
	CostParam       string                       `db:"cost_param"`
	CostModel       string                       `db:"cost_model"`
	PostbackURL     string                       `db:"postback_url"`
	ExternalIDParam string                       `db:"external_id_param"`
	Notes           string                       `db:"notes"`
	TrafficLossPct  decimal.Decimal              `db:"traffic_loss_pct"`
	GroupName       string                       `db:"group_name"`
	Tags            pq.StringArray               `db:"tags"`
	CostMacro       string                       `db:"cost_macro"`
	Platform        string                       `db:"platform"`
	IsActive        bool                         `db:"is_active"`
	CreatedAt       time.Time                    `db:"created_at"`
	UpdatedAt       time.Time                    `db:"updated_at"`
}

func (r sourceRow) model() models.TrafficSource {
	return models.TrafficSource{
		ID: r.ID, AccountID: r.AccountID, Name: r.Name, TokenMacros: r.TokenMacros.V, CostParam: r.CostParam,
		CostModel: r.CostModel, PostbackURL: r.PostbackURL, ExternalIDParam: r.ExternalIDParam, Notes: r.Notes,
		TrafficLossPct: r.TrafficLossPct, GroupName: r.GroupName, Tags: nonNil(r.Tags), CostMacro: r.CostMacro,
		Platform: r.Platform, IsActive: r.IsActive, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// List lists the traffic sources that are not deactivated, newest first.
func (o Sources) List(ctx context.Context, account uuid.UUID, p Page) ([]models.TrafficSource, string, error) {
	rows, next, err := List(ctx, o.s, account, p, ListQuery[sourceRow]{
		Name:  tableSources,
		SQL:   `SELECT ` + sourceColumns + ` FROM traffic_sources WHERE account_id = $1 AND deactivated_at IS NULL`,
		Args:  []any{account},
		Order: Newest,
		Place: func(r sourceRow) []string { return PlaceOf(r.CreatedAt, r.ID) },
	})
	return modelsOf(rows, sourceRow.model), next, err
}

// Find finds one traffic source that is not deactivated.
func (o Sources) Find(ctx context.Context, account, id uuid.UUID) (models.TrafficSource, error) {
	const q = `SELECT ` + sourceColumns + ` FROM traffic_sources
	           WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL`
	row, err := get[sourceRow](ctx, o.s, "traffic source", q, account, id)
	return row.model(), err
}

const insertSource = `
INSERT INTO traffic_sources (account_id, id, name, token_macros, cost_param, cost_model, postback_url,
	external_id_param, notes, traffic_loss_pct, group_name, tags, cost_macro, platform)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
RETURNING ` + sourceColumns

// Create adds a traffic source under a new id, within the plan's allowance of integrations.
func (o Sources) Create(ctx context.Context, source models.TrafficSource) (models.TrafficSource, error) {
	source.ID = uuid.Must(uuid.NewV7())
	var saved models.TrafficSource
	err := o.s.Tx(ctx, func(s *Store) error {
		err := s.allowIntegration(ctx, source.AccountID)
		if err != nil {
			return err
		}
		saved, err = s.Sources().save(ctx, insertSource, source)
		return err
	})
	return saved, err
}

const updateSource = `
UPDATE traffic_sources SET name = $3, token_macros = $4, cost_param = $5, cost_model = $6, postback_url = $7,
	external_id_param = $8, notes = $9, traffic_loss_pct = $10, group_name = $11, tags = $12, cost_macro = $13,
	platform = $14, updated_at = now()
WHERE account_id = $1 AND id = $2 AND deactivated_at IS NULL
RETURNING ` + sourceColumns

// Update writes every field of a traffic source but whether it is active.
func (o Sources) Update(ctx context.Context, source models.TrafficSource) (models.TrafficSource, error) {
	return o.save(ctx, updateSource, source)
}

// save runs one of the two writing statements, which take the same arguments.
func (o Sources) save(ctx context.Context, query string, f models.TrafficSource) (models.TrafficSource, error) {
	var row sourceRow
	err := sqlx.GetContext(ctx, o.s.c, &row, query, f.AccountID, f.ID, f.Name,
		documentOf(f.TokenMacros), f.CostParam, f.CostModel, f.PostbackURL, f.ExternalIDParam, f.Notes,
		f.TrafficLossPct, f.GroupName, pq.StringArray(nonNil(f.Tags)), f.CostMacro, f.Platform)
	return row.model(), saveError(err, "traffic_sources_name", "traffic source")
}

// SetActive pauses a traffic source, or resumes it within the plan's allowance of integrations.
func (o Sources) SetActive(ctx context.Context, account, id uuid.UUID, on bool) error {
	return o.s.setIntegrationActive(ctx, tableSources, "traffic source", account, id, on)
}

// Remove deactivates a traffic source: it is kept for history and no longer listed.
func (o Sources) Remove(ctx context.Context, account, id uuid.UUID) error {
	return o.s.deactivate(ctx, tableSources, "traffic source", account, id)
}
