package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/template"
)

// NetworkTemplates accesses the network templates that accounts have saved.
type NetworkTemplates struct{ s *Store }

// NetworkTemplates returns access to the network templates.
func (s *Store) NetworkTemplates() NetworkTemplates { return NetworkTemplates{s} }

var networkTemplateColumns = db.Columns[template.SavedNetwork]("")

var selectNetworkTemplates = `SELECT ` + networkTemplateColumns + ` FROM network_templates
WHERE account_id = $1 ORDER BY lower(name), id`

// List lists the account's own templates by name. It leaves out the built-in ones.
func (k NetworkTemplates) List(ctx context.Context, account uuid.UUID) ([]template.SavedNetwork, error) {
	return db.Select[template.SavedNetwork](ctx, k.s.c, "list network templates", selectNetworkTemplates, account)
}

var findNetworkTemplate = `SELECT ` + networkTemplateColumns + ` FROM network_templates
WHERE account_id = $1 AND (lower(name) = lower($2) OR id::text = lower($2)) ORDER BY lower(name) = lower($2) DESC LIMIT 1`

// Find returns one of the account's own templates by its name, ignoring case, or by its id.
func (k NetworkTemplates) Find(ctx context.Context, account uuid.UUID, name string) (template.SavedNetwork, bool, error) {
	return db.First[template.SavedNetwork](ctx, k.s.c, "network template", findNetworkTemplate, account, name)
}

// Of several templates with the same name, the last one is saved. PostgreSQL decides which names are the same.
var saveNetworkTemplates = `
WITH saved AS (
	INSERT INTO network_templates (id, account_id, name, settings)
	SELECT DISTINCT ON (lower(name)) gen_random_uuid(), $1::uuid, name, settings::jsonb
	FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS sent (name, settings, place)
	ORDER BY lower(name), place DESC
	ON CONFLICT (account_id, lower(name)) DO UPDATE
	SET name = excluded.name, settings = excluded.settings, updated_at = now()
	RETURNING *
)
SELECT ` + networkTemplateColumns + ` FROM saved ORDER BY lower(name), id`

// Save saves templates by name, ignoring case, either all or none. A replaced template keeps its id. If there would be more
// templates than the plan allows, the error is 400 too_many.
func (k NetworkTemplates) Save(ctx context.Context, account uuid.UUID, list []template.Network) (
	[]template.SavedNetwork, error,
) {
	names, settings := make([]string, len(list)), make([]string, len(list))
	for i, n := range list {
		text, err := db.Document(n).Value()
		if err != nil {
			return nil, fmt.Errorf("db: save network templates: %w", err)
		}
		names[i], settings[i] = n.Name, text.(string)
	}
	return TxOf(ctx, k.s, func(s *Store) ([]template.SavedNetwork, error) {
		const what = "network templates"
		plan, err := s.lockedPlan(ctx, account)
		if err != nil {
			return nil, err
		}
		saved, err := db.Select[template.SavedNetwork](ctx, s.c, what, saveNetworkTemplates, account, names, settings)
		if err != nil {
			return nil, err
		}
		have, err := db.Get[int](ctx, s.c, what, `SELECT count(*) FROM network_templates WHERE account_id = $1`, account)
		if err == nil && have > plan.Templates {
			err = models.Invalid("too_many", "the plan %q allows %d templates", plan.Name, plan.Templates)
		}
		return saved, err
	})
}

// Remove deletes one of the account's own templates. For a built-in template the error is not_found.
func (k NetworkTemplates) Remove(ctx context.Context, account, id uuid.UUID) error {
	const q = `DELETE FROM network_templates WHERE account_id = $1 AND id = $2`
	return k.s.execOne(ctx, "network template", q, account, id)
}
