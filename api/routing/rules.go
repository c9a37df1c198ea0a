package routing

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/cond"
)

// rule is a saved rule. All plans that use the rule share its matcher, so a change of the conditions usually recompiles no
// campaign.
type rule struct {
	saved    store.RoutingRule
	matcher  *cond.Matcher
	unusable bool // the saved rule cannot be used
}

func (r *rule) row() store.RoutingRow { return &r.saved }

func (r *rule) detach(b *Builder) record { //nolint:unparam // the interface needs the result
	b.stale.Store(true)
	return nil
}

// ruleUse is a saved rule in a plan, with the matcher that it had when the plan was compiled.
type ruleUse struct {
	id      uuid.UUID
	matcher *cond.Matcher // nil: the rule did not exist
}

// rule compiles a saved rule. Usually it only replaces the matcher that the plans share. Plans are recompiled if the rule is new,
// or if it begins or stops using the clicks of the day.
func (b *Builder) rule(row *store.RoutingRule, old *rule) *rule {
	m := compileRule(row, b.explained)
	if old != nil && old.matcher.Uses(cond.ClicksToday) == m.Uses(cond.ClicksToday) {
		old.matcher.Set(m)
		return &rule{*row, old.matcher, m == cond.Never}
	}
	b.stale.Store(true)
	return &rule{*row, cond.NewShared(m), m == cond.Never}
}

// compileRule returns a matcher that matches no visitor if the rule cannot be read or is over the budget. A fault therefore
// never lets more visitors into a path.
func compileRule(row *store.RoutingRule, explained bool) *cond.Matcher {
	var list []cond.Condition
	err := json.Unmarshal(row.Conditions, &list)
	var m *cond.Matcher
	if err == nil {
		m, err = cond.Compile(list, row.Logic)
	}
	if err == nil {
		err = m.Cost().Check(cond.RuleBudget)
	}
	if err != nil {
		slog.ErrorContext(context.Background(), "saved rule cannot be used", "rule_id", row.ID, "error", err)
		return cond.Never
	}
	if !explained {
		m.DiscardConditions()
	}
	return m
}

// ruleOf returns the matcher of an account's saved rule, or nil if the account has no such rule.
func (s *Snapshot) ruleOf(account, id uuid.UUID) *cond.Matcher {
	if r := find[*rule](s, rules, id); r != nil && r.saved.AccountID == account {
		return r.matcher
	}
	return nil
}

// CountUnusable counts the campaigns, saved rules and smartlinks that cannot be used as they were saved: they cannot be read, or
// their conditions are over the budget.
func (s *Snapshot) CountUnusable() int {
	return count(s, campaigns, func(c *Campaign) bool { return c.unusable }) +
		count(s, rules, func(r *rule) bool { return r.unusable }) +
		count(s, smartlinks, func(l *Smartlink) bool { return l.unusable })
}

func count[R record](s *Snapshot, k kindID, satisfies func(R) bool) (n int) {
	for r := range each[R](s, k) {
		if satisfies(r) {
			n++
		}
	}
	return n
}
