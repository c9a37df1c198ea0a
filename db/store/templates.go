package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/models"
	"switchyard/models/template"
)

// maxTemplates is how many network templates an account may have of its own.
const maxTemplates = 5000

// NetworkTemplates are the network templates that accounts have saved.
type NetworkTemplates struct{ s *Store }

// NetworkTemplates gives the network templates on this store's connection.
func (s *Store) NetworkTemplates() NetworkTemplates { return NetworkTemplates{s} }

type networkTemplateRow struct {
	ID        uuid.UUID                  `db:"id"`
	AccountID uuid.UUID                  `db:"account_id"`
	Settings  document[template.Network] `db:"settings"`
	CreatedAt time.Time                  `db:"created_at"`
	UpdatedAt time.Time                  `db:"updated_at"`
}

func (r networkTemplateRow) model() template.SavedNetwork {
	return template.SavedNetwork{
		ID: r.ID, AccountID: r.AccountID, Network: r.Settings.V, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

const selectNetworkTemplates = `
SELECT id, account_id, settings, created_at, updated_at FROM network_templates
WHERE account_id = $1 ORDER BY lower(name), id`

// List lists the account's own templates by name, without the built-in ones.
func (k NetworkTemplates) List(ctx context.Context, account uuid.UUID) ([]template.SavedNetwork, error) {
	var rows []networkTemplateRow
	if err := sqlx.SelectContext(ctx, k.s.c, &rows, selectNetworkTemplates, account); err != nil {
		return nil, fmt.Errorf("db: list network templates: %w", err)
	}
	return modelsOf(rows, networkTemplateRow.model), nil
}

// Of several templates with one name the last one counts: PostgreSQL decides which names are the same.
const saveNetworkTemplates = `
WITH saved AS (
	INSERT INTO network_templates (id, account_id, name, settings)
	SELECT DISTINCT ON (lower(name)) gen_random_uuid(), $1::uuid, name, settings::jsonb
	FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS sent (name, settings, place)
	ORDER BY lower(name), place DESC
	ON CONFLICT (account_id, lower(name)) DO UPDATE
	SET name = excluded.name, settings = excluded.settings, updated_at = now()
	RETURNING id, account_id, name, settings, created_at, updated_at
)
SELECT id, account_id, settings, created_at, updated_at FROM saved ORDER BY lower(name), id`

// Save saves templates by their names, upper and lower case alike: an existing one is replaced and keeps its id. All are
// saved or none: more than an account may have are 400 too_many.
func (k NetworkTemplates) Save(ctx context.Context, account uuid.UUID, list []template.Network) (
	[]template.SavedNetwork, error,
) {
	names, settings := make([]string, len(list)), make([]string, len(list))
	for i, n := range list {
		text, err := documentOf(n).Value()
		if err != nil {
			return nil, fmt.Errorf("db: save network templates: %w", err)
		}
		names[i], settings[i] = n.Name, text.(string)
	}
	var rows []networkTemplateRow
	err := k.s.Tx(ctx, func(s *Store) error {
		if err := s.lockNames(ctx, account); err != nil {
			return err
		}
		err := sqlx.SelectContext(ctx, s.c, &rows, saveNetworkTemplates, account, pq.Array(names), pq.Array(settings))
		if err != nil {
			return fmt.Errorf("db: save network templates: %w", err)
		}
		const count = `SELECT count(*) FROM network_templates WHERE account_id = $1`
		have, err := get[int](ctx, s, "network templates", count, account)
		if err == nil && have > maxTemplates {
			err = models.Invalid("too_many", "an account may have at most %d templates", maxTemplates)
		}
		return err
	})
	return modelsOf(rows, networkTemplateRow.model), err
}

// Remove deletes one of the account's own templates. A built-in one is not the account's.
func (k NetworkTemplates) Remove(ctx context.Context, account, id uuid.UUID) error {
	const q = `DELETE FROM network_templates WHERE account_id = $1 AND id = $2`
	return k.s.one(ctx, "network template", q, account, id)
}
