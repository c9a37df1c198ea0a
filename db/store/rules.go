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
	nameTaken: models.Invalid, // as the contract wants for rules
})

// List lists the saved rules by name, without regard to case.
//
// Names may change between two pages. So a rule that was changed after the first page comes after all others, by id.
// A change only moves a rule ahead of the cursor, so none is missed. A rule that is changed after it came may come
// again.
func (k Rules) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Rule, string, error) {
	return readPage(ctx, k.s, account, p, pageQuery[models.Rule]{
		Name: ruleTable.name, SQL: ruleTable.from + ` WHERE ` + ruleTable.live, Args: []any{account}, Asc: true, Walk: true,
		Order: []string{
			"(t.updated_at > $2):boolean", "CASE WHEN t.updated_at > $2 THEN '' ELSE lower(t.name) END:text", "t.id:uuid",
		},
		Place: func(r models.Rule, start time.Time) []string {
			changed, by := r.UpdatedAt.After(start), r.SortName
			if changed {
				by = ""
			}
			return []string{strconv.FormatBool(changed), by, r.ID.String()}
		},
	})
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
