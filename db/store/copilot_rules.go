package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/autorule"
)

// CopilotRules accesses the rules by which the Copilot changes the campaigns of accounts.
type CopilotRules struct{ records[autorule.Rule] }

// CopilotRules returns access to the rules.
func (s *Store) CopilotRules() CopilotRules {
	return CopilotRules{records[autorule.Rule]{s, copilotRuleTable}}
}

var copilotRuleTable = newTable(table[autorule.Rule]{
	name: "copilot_rules", what: "rule",
	allowance: allowance{what: "Copilot rules", limit: func(p models.Plan) int { return p.CopilotRules }},
	prepare:   checkScope,
})

// CheckScope refuses a rule that refers to campaigns or traffic sources that the account does not have. Error: invalid_scope.
func (k CopilotRules) CheckScope(ctx context.Context, r autorule.Rule) error {
	return checkScope(ctx, k.s, &r, &autorule.Rule{})
}

// checkScope does the same as CheckScope, but accepts the campaigns and sources to which the rule referred before.
func checkScope(ctx context.Context, s *Store, r, old *autorule.Rule) error {
	if err := checkLive(ctx, s, campaignTable, r.AccountID, r.CampaignIDs, old.CampaignIDs); err != nil {
		return err
	}
	return checkLive(ctx, s, sourceTable, r.AccountID, r.SourceIDs, old.SourceIDs)
}

// checkLive refuses an id unless a live record of the account has it or the list `before` contains it.
func checkLive[R any](ctx context.Context, s *Store, t *table[R], account uuid.UUID, ids, before []uuid.UUID) error {
	q := `SELECT t.id FROM ` + t.name + ` t WHERE ` + t.live + ` AND t.id = ANY ($2::uuid[])`
	found, err := db.Select[uuid.UUID](ctx, s.c, t.what, q, account, db.UUIDs(ids))
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(found, id) && !slices.Contains(before, id) {
			return models.Invalid("invalid_scope", "there is no %s %s in this account", t.what, id)
		}
	}
	return nil
}

// ListDue lists the active rules of an account that are due. The rule that is due longest comes first.
func (k CopilotRules) ListDue(ctx context.Context, account uuid.UUID, now time.Time) ([]autorule.Rule, error) {
	return db.Select[autorule.Rule](ctx, k.s.c, "due rules", copilotRuleTable.from+` WHERE `+copilotRuleTable.live+`
		AND t.is_active AND t.next_at <= $2 ORDER BY t.next_at, t.id`, account, now)
}

var ruleRunColumns = db.Columns[autorule.Run]("t.")

// Runs returns a page of the log of a rule, newest first.
func (k CopilotRules) Runs(ctx context.Context, account, rule uuid.UUID, p Page) ([]autorule.Run, string, error) {
	if _, err := k.Find(ctx, account, rule); err != nil {
		return nil, "", err
	}
	return readPage(ctx, k.s, account, p, pageQuery[autorule.Run]{
		Name: "copilot_rule_runs", SQL: `SELECT ` + ruleRunColumns + ` FROM copilot_rule_runs t WHERE t.account_id = $1 AND t.rule_id = $2`,
		Args: []any{account, rule}, Filters: rule.String(),
		Order: []orderColumn{{"t.at", "%s::timestamptz"}, {"t.id", "%s::uuid"}},
		Place: func(r autorule.Run, _ time.Time) []string { return placeOf(r.At.Time, r.ID) },
	})
}
