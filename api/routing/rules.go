package routing

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// rule is a saved rule. Its matcher is shared by all plans that use it, so that a change of a rule that ten thousand
// campaigns use compiles none of them.
type rule struct {
	Row     store.RoutingRule
	matcher *cond.Matcher
}

// ruleUse is a saved rule as a plan was compiled with it.
type ruleUse struct {
	id      uuid.UUID
	matcher *cond.Matcher // nil: it was not there
}

// putRule sets a saved rule, so that every plan that has it sees the change at once. Plans are compiled anew only if the
// rule is new to them, or needs something found out that it did not need.
func (d *Builder) putRule(row store.RoutingRule) {
	m := compileRule(row)
	if old, ok := d.rules.get(row.ID); ok && flow.SameCost(old.matcher, m) {
		old.matcher.Set(m)
		d.rules.put(row.ID, &rule{row, old.matcher})
		return
	}
	d.newRules = true
	d.rules.put(row.ID, &rule{row, cond.Shared(m)})
}

// compileRule gives a matcher that takes nobody for a rule that cannot be read, so that no path widens by a fault.
func compileRule(row store.RoutingRule) *cond.Matcher {
	var list []cond.Condition
	err := json.Unmarshal(row.Conditions, &list)
	var m *cond.Matcher
	if err == nil {
		m, err = cond.Compile(list, row.Logic)
	}
	if err != nil {
		slog.ErrorContext(context.Background(), "saved rule cannot be used", "rule_id", row.ID, "error", err)
		return cond.Never
	}
	return m
}

// ruleOf gives a saved rule of an account, nil when there is none such.
func (s *Snapshot) ruleOf(account, id uuid.UUID) *cond.Matcher {
	if r, ok := s.rules.get(id); ok && r.Row.AccountID == account {
		return r.matcher
	}
	return nil
}

// useRule gives a saved rule for the plan of a campaign, and notes which one it was.
func (d *Builder) useRule(c *Campaign, id uuid.UUID) *cond.Matcher {
	m := d.ruleOf(c.Row.AccountID, id)
	c.rules = append(c.rules, ruleUse{id, m})
	return m
}

// outdated tells whether the plan of a campaign has another matcher for a saved rule than there is now.
func (d *Builder) outdated(c *Campaign) bool {
	return slices.ContainsFunc(c.rules, func(u ruleUse) bool { return d.ruleOf(c.Row.AccountID, u.id) != u.matcher })
}
