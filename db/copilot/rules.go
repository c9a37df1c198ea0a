package copilot

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models/autorule"
)

// Rules stores the rules of accounts, their runs and what they have done.
type Rules struct {
	store.CopilotRules
	s *store.Store
}

// NewRules returns Rules in a store.
func NewRules(s *store.Store) Rules { return Rules{s.CopilotRules(), s} }

const (
	// A change of a rule ends the alerts that the rule has raised.
	endRuleAlerts = `UPDATE copilot_rule_targets SET alert_since = NULL WHERE account_id = $1 AND rule_id = $2`
	restartRule   = `UPDATE copilot_rules SET next_at = clock_timestamp(), taken_until = '-infinity', last_run = 'null'
WHERE account_id = $1 AND id = $2`
)

// Change changes a rule with the function edit, under a lock. The rule becomes due at once, but the cool-downs of its targets do
// not end.
func (k Rules) Change(ctx context.Context, account, id uuid.UUID, edit func(*autorule.Rule) error) (autorule.Rule, error) {
	return store.TxOf(ctx, k.s, func(s *store.Store) (autorule.Rule, error) {
		old, err := NewRules(s).Lock(ctx, account, id)
		if err != nil {
			return old, err
		}
		rule := old
		rule.CampaignIDs, rule.SourceIDs = slices.Clone(old.CampaignIDs), slices.Clone(old.SourceIDs)
		if err := edit(&rule); err != nil {
			return old, err
		}
		if _, err := NewRules(s).Update(ctx, rule); err != nil {
			return old, err
		}
		for _, q := range []string{endRuleAlerts, restartRule} {
			if err := db.Run(ctx, s.Conn(), "restart rule", q, account, id); err != nil {
				return old, err
			}
		}
		return NewRules(s).Find(ctx, account, id)
	})
}

const claimDueRules = `
UPDATE copilot_rules r SET taken_until = $2 WHERE r.id IN (
	SELECT d.id FROM copilot_rules d WHERE d.is_active AND d.next_at <= $1 AND d.taken_until <= $1 AND d.account_id IN (
		SELECT account_id FROM copilot_rules WHERE is_active AND next_at <= $1 AND taken_until <= $1
		GROUP BY account_id ORDER BY min(next_at), account_id LIMIT $3)
	FOR UPDATE SKIP LOCKED
) RETURNING r.account_id`

// ClaimDue claims the due rules of at most limit accounts and returns the accounts. A claimed rule becomes due again at the time
// in the parameter until, unless it has run by then. Only workers call ClaimDue.
func (k Rules) ClaimDue(ctx context.Context, now, until time.Time, limit int) ([]uuid.UUID, error) {
	list, err := db.Select[uuid.UUID](ctx, k.s.Conn(), "due rules", claimDueRules, now, until, limit)
	slices.SortFunc(list, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(list), err
}

// ruleAmounts are the conditions of a rule, which may contain amounts.
type ruleAmounts struct {
	ID         uuid.UUID             `db:"id"`
	Conditions []autorule.Comparison `db:"conditions,json"`
}

func (k Rules) amounts(ctx context.Context, account uuid.UUID) ([]ruleAmounts, error) {
	return db.Select[ruleAmounts](ctx, k.s.Conn(), "amounts of rules",
		`SELECT id, conditions FROM copilot_rules WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE`, account)
}

// HasAmounts reports whether a rule of an account contains an amount in the account's currency. Call it in a transaction, which
// then locks the rules.
func (k Rules) HasAmounts(ctx context.Context, account uuid.UUID) (bool, error) {
	list, err := k.amounts(ctx, account)
	return slices.ContainsFunc(list, func(r ruleAmounts) bool {
		return slices.ContainsFunc(r.Conditions, autorule.Comparison.IsAmount)
	}), err
}

// Convert converts the amounts in an account's rules after its currency has changed. rate is the price of one unit of the former
// currency in the new one.
func (k Rules) Convert(ctx context.Context, account uuid.UUID, rate decimal.Decimal) error {
	list, err := k.amounts(ctx, account)
	if err != nil {
		return err
	}
	for _, r := range list {
		for i, c := range r.Conditions {
			r.Conditions[i] = c.Converted(rate)
		}
		if err := db.Run(ctx, k.s.Conn(), "convert rule", `UPDATE copilot_rules SET conditions = $3, updated_at = clock_timestamp()
			WHERE account_id = $1 AND id = $2`, account, r.ID, db.Document(r.Conditions)); err != nil {
			return err
		}
	}
	return nil
}
