package click

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/cond"
)

// rule is a saved rule, compiled once for all campaigns that use it.
type rule struct {
	row     store.RoutingRule
	matcher *cond.Matcher
}

// ruleUse is a saved rule as a plan was compiled with it.
type ruleUse struct {
	id      uuid.UUID
	matcher *cond.Matcher // nil: it was not there
}

// putRule sets a saved rule. One that says the same as before (its name may be another) compiles nothing.
func (d *draft) putRule(row store.RoutingRule) {
	old, ok := d.rules.get(row.ID)
	if ok && old.row.Logic == row.Logic && bytes.Equal(old.row.Conditions, row.Conditions) {
		d.rules.put(row.ID, &rule{row, old.matcher})
		return
	}
	d.newRules = true
	d.rules.put(row.ID, &rule{row, compileRule(row)})
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
func (s *snapshot) ruleOf(account, id uuid.UUID) *cond.Matcher {
	if r, ok := s.rules.get(id); ok && r.row.AccountID == account {
		return r.matcher
	}
	return nil
}

// useRule gives a saved rule for the plan of a campaign, and notes which one it was.
func (d *draft) useRule(c *campaign, id uuid.UUID) *cond.Matcher {
	m := d.ruleOf(c.row.AccountID, id)
	c.rules = append(c.rules, ruleUse{id, m})
	return m
}

// outdated tells whether a saved rule in the plan of a campaign says something else now.
func (d *draft) outdated(c *campaign) bool {
	return slices.ContainsFunc(c.rules, func(u ruleUse) bool { return d.ruleOf(c.row.AccountID, u.id) != u.matcher })
}
