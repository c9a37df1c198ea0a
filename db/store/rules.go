package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/flow"
)

// Rules are the saved rules of accounts.
type Rules struct{ records[models.Rule] }

// Rules gives the saved rules on this store's connection.
func (s *Store) Rules() Rules { return Rules{records[models.Rule]{s, ruleTable}} }

// Removing a rule frees its name, and no flow can be saved with it any more. Flows that use it keep routing by its
// conditions, and show it as an inline rule. Removing is one write, whatever the number of flows.
var ruleTable = newTable(table[models.Rule]{
	name: "rules", what: "rule", gone: "deleted_at", joined: `, lower(t.name) AS sort_name`,
})

// List lists the saved rules by name, without regard to case.
//
// Names may change between two pages. So a rule that was changed after the first page comes after all others, by id.
// A change only moves a rule ahead of the cursor, so none is missed. A rule that is changed after it came may come
// again.
func (k Rules) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Rule, string, error) {
	start, err := k.s.walkStart(ctx, account, ruleTable.name, p.Cursor, 4)
	if err != nil {
		return nil, "", err
	}
	return readPage(ctx, k.s, account, p, pageQuery[models.Rule]{
		Name: ruleTable.name, SQL: ruleTable.from + ` WHERE ` + ruleTable.live, Args: []any{account, start}, Asc: true,
		Order: []string{
			"(t.updated_at > $2):boolean", "CASE WHEN t.updated_at > $2 THEN '' ELSE lower(t.name) END:text", "t.id:uuid",
			"CAST($2 AS timestamptz):timestamptz",
		},
		Place: func(r models.Rule) []string {
			changed, by := r.UpdatedAt.After(start), r.SortName
			if changed {
				by = ""
			}
			return []string{strconv.FormatBool(changed), by, r.ID.String(), start.Format(time.RFC3339Nano)}
		},
	})
}

// Create adds a rule under a new id. A taken name is 400 duplicate_name.
func (k Rules) Create(ctx context.Context, r models.Rule) (models.Rule, error) {
	saved, err := k.records.Create(ctx, r)
	return saved, invalidName(err)
}

// Update writes every field of a rule, with effect on every flow that uses it. A taken name is 400 duplicate_name.
func (k Rules) Update(ctx context.Context, r models.Rule) (models.Rule, error) {
	saved, err := k.records.Update(ctx, r)
	return saved, invalidName(err)
}

// invalidName turns the conflict duplicate_name into 400, which the contract wants for rules.
func invalidName(err error) error {
	if e, ok := models.AsError(err); ok && e.Code == "duplicate_name" {
		return models.Invalid(e.Code, "%s", e.Message)
	}
	return err
}

// inlineDeleted replaces, in flows that were read, references to deleted rules by inline rules.
func (s *Store) inlineDeleted(ctx context.Context, account uuid.UUID, flows ...[]flow.Path) error {
	_, _, ids := flow.References(slices.Concat(flows...))
	if len(ids) == 0 {
		return nil
	}
	q := ruleTable.from + ` WHERE t.account_id = $1 AND t.id = ANY ($2) AND t.deleted_at IS NOT NULL`
	rows, err := db.Select[models.Rule](ctx, s.c, "rules of a flow", q, account, ids)
	if err != nil || len(rows) == 0 {
		return err
	}
	deleted := make(map[uuid.UUID]flow.InlineRule, len(rows))
	for _, r := range rows {
		deleted[r.ID] = flow.InlineRule{Logic: r.Logic, Conditions: r.Conditions}
	}
	for _, paths := range flows {
		flow.Inline(paths, deleted)
	}
	return nil
}
