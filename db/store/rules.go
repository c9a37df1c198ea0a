package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// Rules are the saved rules of accounts.
type Rules struct{ s *Store }

// Rules gives the saved rules on this store's connection.
func (s *Store) Rules() Rules { return Rules{s} }

const ruleColumns = `id, account_id, name, notes, logic, conditions, created_at, updated_at, lower(name) AS sort_name`

type ruleRow struct {
	ID         uuid.UUID                  `db:"id"`
	AccountID  uuid.UUID                  `db:"account_id"`
	Name       string                     `db:"name"`
	Notes      string                     `db:"notes"`
	Logic      string                     `db:"logic"`
	Conditions document[[]cond.Condition] `db:"conditions"`
	CreatedAt  time.Time                  `db:"created_at"`
	UpdatedAt  time.Time                  `db:"updated_at"`
	SortName   string                     `db:"sort_name"`
}

func (r ruleRow) model() models.Rule {
	return models.Rule{
		ID: r.ID, AccountID: r.AccountID, Name: r.Name, Notes: r.Notes, Logic: r.Logic,
		Conditions: nonNil(r.Conditions.V), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// List lists the saved rules by name, upper and lower case alike.
//
// Names change while a walk goes on, so a rule that was changed since the walk began comes after all others, by id: a
// change only moves a rule ahead of the walk, and none is missed. A rule that is changed after it came may come again.
func (k Rules) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Rule, string, error) {
	const name = "rules"
	start, err := k.s.walkStart(ctx, account, name, p.Cursor, 4)
	if err != nil {
		return nil, "", err
	}
	rows, next, err := List(ctx, k.s, account, p, ListQuery[ruleRow]{
		Name: name, SQL: `SELECT ` + ruleColumns + ` FROM rules WHERE account_id = $1 AND deleted_at IS NULL`,
		Args: []any{account, start}, Asc: true,
		Order: []string{
			"(updated_at > $2):boolean", "CASE WHEN updated_at > $2 THEN '' ELSE lower(name) END:text", "id:uuid",
			"CAST($2 AS timestamptz):timestamptz",
		},
		Place: func(r ruleRow) []string {
			changed, by := r.UpdatedAt.After(start), r.SortName
			if changed {
				by = ""
			}
			return []string{strconv.FormatBool(changed), by, r.ID.String(), start.Format(time.RFC3339Nano)}
		},
	})
	return modelsOf(rows, ruleRow.model), next, err
}

const insertRule = `
INSERT INTO rules (account_id, id, name, notes, logic, conditions) VALUES ($1, $2, $3, $4, $5, $6)
RETURNING ` + ruleColumns

// Create adds a rule under a new id. A name that another rule has is 400 duplicate_name.
func (k Rules) Create(ctx context.Context, rule models.Rule) (models.Rule, error) {
	rule.ID = uuid.Must(uuid.NewV7())
	return k.save(ctx, insertRule, rule)
}

const updateRule = `
UPDATE rules SET name = $3, notes = $4, logic = $5, conditions = $6, updated_at = clock_timestamp()
WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL
RETURNING ` + ruleColumns

// Update writes every field of a rule. Every flow that uses the rule follows.
func (k Rules) Update(ctx context.Context, rule models.Rule) (models.Rule, error) {
	return k.save(ctx, updateRule, rule)
}

func (k Rules) save(ctx context.Context, query string, r models.Rule) (models.Rule, error) {
	var row ruleRow
	err := sqlx.GetContext(ctx, k.s.c, &row, query, r.AccountID, r.ID, r.Name, r.Notes, r.Logic, documentOf(r.Conditions))
	if db.UniqueViolation(err) == "rules_name" {
		return r, models.Invalid("duplicate_name", "another rule has this name") // 400 here, as documented
	}
	return row.model(), saveError(err, "", "rule")
}

const deleteRule = `
UPDATE rules SET deleted_at = now(), updated_at = clock_timestamp()
WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`

// Remove deletes a rule: its name is free again and no flow can be saved with it. Flows that use it go on routing by its
// conditions, and show them as a rule of their own from now on. It takes one write, whatever the number of campaigns.
func (k Rules) Remove(ctx context.Context, account, id uuid.UUID) error {
	return k.s.one(ctx, "rule", deleteRule, account, id)
}

// inlineDeleted shows, in flows that were read, the rules deleted meanwhile as rules of the flows' own.
func (s *Store) inlineDeleted(ctx context.Context, account uuid.UUID, flows ...[]flow.Path) error {
	_, _, ids := flow.References(slices.Concat(flows...))
	if len(ids) == 0 {
		return nil
	}
	const q = `SELECT ` + ruleColumns + ` FROM rules WHERE account_id = $1 AND id = ANY ($2) AND deleted_at IS NOT NULL`
	var rows []ruleRow
	if err := sqlx.SelectContext(ctx, s.c, &rows, q, account, pq.Array(ids)); err != nil {
		return fmt.Errorf("db: rules of a flow: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	deleted := make(map[uuid.UUID]flow.InlineRule, len(rows))
	for _, r := range rows {
		deleted[r.ID] = flow.InlineRule{Logic: r.Logic, Conditions: r.Conditions.V}
	}
	for _, paths := range flows {
		flow.Inline(paths, deleted)
	}
	return nil
}
