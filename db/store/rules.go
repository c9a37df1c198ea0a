package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// Rules accesses the saved rules of accounts.
type Rules struct{ records[models.Rule] }

// Rules returns access to the saved rules.
func (s *Store) Rules() Rules { return Rules{records[models.Rule]{s, ruleTable}} }

// Removing a rule frees its name. Flows that use the rule keep routing by its conditions, and show it as an inline rule, so its
// row stays until no flow uses it.
var ruleTable = newTable(table[models.Rule]{
	name: "rules", what: "rule", removed: "deleted_at",
	allowance: allowance{what: "saved rules", limit: func(p models.Plan) int { return p.Rules }},
	nameTaken: models.Invalid, // the API contract asks for this error
	prepare: func(ctx context.Context, s *Store, r, old *models.Rule) error {
		if err := cond.CheckValues(r.Conditions, old.Conditions); err != nil {
			return models.Invalid("invalid_condition", "%s", err)
		}
		return s.allowMatching(ctx, r.AccountID, r.ID, r.MatchBytes)
	},
})

// List lists the saved rules, by name unless the page asks for another order.
func (k Rules) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Rule, string, error) {
	p.Sort = cmp.Or(p.Sort, SortName)
	return k.records.List(ctx, account, p)
}

// usedRules selects the saved rules that flows of the account $1 use, in campaigns and in saved flows. A null $1 means all
// accounts.
const usedRules = `
SELECT r ->> 'rule_id' FROM campaigns c, jsonb_path_query(c.streams, '$[*].rules[*]') r
WHERE ($1::uuid IS NULL OR c.account_id = $1) AND c.deleted_at IS NULL AND r ->> 'rule_id' IS NOT NULL
UNION
SELECT r ->> 'rule_id' FROM flows f, jsonb_path_query(f.paths, '$[*].rules[*]') r
WHERE ($1::uuid IS NULL OR f.account_id = $1) AND r ->> 'rule_id' IS NOT NULL`

// Remove removes a rule. It locks the account, so that no flow with the rule is saved at the same time.
func (k Rules) Remove(ctx context.Context, account, id uuid.UUID) error {
	return k.s.LockedTx(ctx, account, func(s *Store) error {
		if err := s.execOne(ctx, ruleTable.what, ruleTable.remove, account, id); err != nil {
			return err
		}
		const q = `DELETE FROM rules WHERE account_id = $1 AND id = $2 AND id::text NOT IN (` + usedRules + `)`
		return s.run(ctx, "forget rule", q, account, id)
	})
}

// DeleteUnused deletes, in all accounts, the rules that were removed more than an hour ago and are not used any more.
func (k Rules) DeleteUnused(ctx context.Context) (int64, error) {
	const q = `DELETE FROM rules WHERE deleted_at < now() - interval '1 hour' AND id::text NOT IN (` + usedRules + `)`
	return k.s.exec(ctx, "forget rules", q, nil)
}

// inlineDeleted replaces references to deleted rules by inline rules. It changes the flows in memory only.
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
