package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/autorule"
)

// CopilotRules accesses the rules by which the Copilot changes the campaigns of accounts.
type CopilotRules struct{ records[autorule.Rule] }

// CopilotRules returns access to the rules on this store's connection.
func (s *Store) CopilotRules() CopilotRules {
	return CopilotRules{records[autorule.Rule]{s, copilotRuleTable}}
}

var copilotRuleTable = newTable(table[autorule.Rule]{
	name: "copilot_rules", what: "rule",
	allowance: allowance{what: "Copilot rules", limit: func(p models.Plan) int { return p.CopilotRules }},
	prepare: func(ctx context.Context, s *Store, r, old *autorule.Rule) error {
		if old == nil {
			old = &autorule.Rule{}
		}
		return checkScope(ctx, s, r, old)
	},
})

// CheckScope refuses a rule that refers to campaigns or traffic sources which the account does not have. Error: invalid_scope.
func (k CopilotRules) CheckScope(ctx context.Context, r autorule.Rule) error {
	return checkScope(ctx, k.s, &r, &autorule.Rule{})
}

// checkScope is CheckScope, except that it accepts the campaigns and sources to which the rule referred before.
func checkScope(ctx context.Context, s *Store, r, old *autorule.Rule) error {
	if err := checkLive(ctx, s, campaignTable, r.AccountID, r.CampaignIDs, old.CampaignIDs); err != nil {
		return err
	}
	return checkLive(ctx, s, sourceTable, r.AccountID, r.SourceIDs, old.SourceIDs)
}

// checkLive refuses ids that are not live records of the account. It accepts the ids in before.
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

const (
	// The alerts that the rule raised before the change end.
	endRuleAlerts = `UPDATE copilot_rule_targets SET alert_since = NULL WHERE account_id = $1 AND rule_id = $2`
	restartRule   = `UPDATE copilot_rules SET next_at = clock_timestamp(), taken_until = '-infinity', last_run = 'null'
WHERE account_id = $1 AND id = $2`
)

// Change changes a rule. It calls edit with the saved rule, under a lock. The rule becomes due at once, as if it were new. Targets
// in their cool-down stay in it.
func (k CopilotRules) Change(ctx context.Context, account, id uuid.UUID, edit func(*autorule.Rule) error) (autorule.Rule, error) {
	return txOf(ctx, k.s, func(s *Store) (autorule.Rule, error) {
		old, err := copilotRuleTable.findLocked(ctx, s, account, id)
		if err != nil {
			return old, err
		}
		rule := old
		rule.CampaignIDs, rule.SourceIDs = slices.Clone(old.CampaignIDs), slices.Clone(old.SourceIDs)
		if err := edit(&rule); err != nil {
			return old, err
		}
		if _, err := s.CopilotRules().Update(ctx, rule); err != nil {
			return old, err
		}
		for _, q := range []string{endRuleAlerts, restartRule} {
			if _, err := s.exec(ctx, "restart rule", q, account, id); err != nil {
				return old, err
			}
		}
		return s.CopilotRules().Find(ctx, account, id)
	})
}

const takeDueRules = `
UPDATE copilot_rules r SET taken_until = $2 WHERE r.id IN (
	SELECT d.id FROM copilot_rules d WHERE d.is_active AND d.next_at <= $1 AND d.taken_until <= $1 AND d.account_id IN (
		SELECT account_id FROM copilot_rules WHERE is_active AND next_at <= $1 AND taken_until <= $1
		GROUP BY account_id ORDER BY min(next_at), account_id LIMIT $3)
	FOR UPDATE SKIP LOCKED
) RETURNING r.account_id`

// TakeDue claims the due rules of at most limit accounts and returns the accounts. Rules that another job has claimed are left out.
// A claimed rule becomes due again at until, unless it has run by then. It is for workers.
func (k CopilotRules) TakeDue(ctx context.Context, now, until time.Time, limit int) ([]uuid.UUID, error) {
	list, err := db.Select[uuid.UUID](ctx, k.s.c, "due rules", takeDueRules, now, until, limit)
	slices.SortFunc(list, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(list), err
}

// Due lists the active rules of an account that are due. The rule that has waited longest comes first.
func (k CopilotRules) Due(ctx context.Context, account uuid.UUID, now time.Time) ([]autorule.Rule, error) {
	return db.Select[autorule.Rule](ctx, k.s.c, "due rules", copilotRuleTable.from+` WHERE `+copilotRuleTable.live+`
		AND t.is_active AND t.next_at <= $2 ORDER BY t.next_at, t.id`, account, now)
}

// ruleAmounts are the conditions of a rule. They may contain amounts.
type ruleAmounts struct {
	ID         uuid.UUID             `db:"id"`
	Conditions []autorule.Comparison `db:"conditions,json"`
}

func (k CopilotRules) amounts(ctx context.Context, account uuid.UUID) ([]ruleAmounts, error) {
	return db.Select[ruleAmounts](ctx, k.s.c, "amounts of rules",
		`SELECT id, conditions FROM copilot_rules WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE`, account)
}

// HasAmounts reports whether a rule of an account contains an amount in the account's currency. Call it in a transaction: the rules
// are locked until it ends.
func (k CopilotRules) HasAmounts(ctx context.Context, account uuid.UUID) (bool, error) {
	list, err := k.amounts(ctx, account)
	return slices.ContainsFunc(list, func(r ruleAmounts) bool {
		return slices.ContainsFunc(r.Conditions, autorule.Comparison.IsAmount)
	}), err
}

// Convert converts the amounts in an account's rules after its currency has changed. rate is the price of one unit of the former
// currency in the new one. Call it in a transaction.
func (k CopilotRules) Convert(ctx context.Context, account uuid.UUID, rate decimal.Decimal) error {
	list, err := k.amounts(ctx, account)
	if err != nil {
		return err
	}
	for _, r := range list {
		for i, c := range r.Conditions {
			r.Conditions[i] = c.Converted(rate)
		}
		if _, err := k.s.exec(ctx, "convert rule", `UPDATE copilot_rules SET conditions = $3, updated_at = clock_timestamp()
			WHERE account_id = $1 AND id = $2`, account, r.ID, db.Document(r.Conditions)); err != nil {
			return err
		}
	}
	return nil
}
