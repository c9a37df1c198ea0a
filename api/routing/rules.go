package routing

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/cond"
)

// rule is a saved rule. Its matcher is shared by all plans that use it, so that a change of a rule that ten thousand
// campaigns use compiles none of them.
type rule struct {
	saved   store.RoutingRule
	matcher *cond.Matcher
}

func (r *rule) row() store.RoutingRow { return &r.saved }

func (r *rule) leave(b *Builder) record { //nolint:unparam // of an interface
	b.stale.Store(true)
	return nil
}

// ruleUse is a saved rule as a plan was compiled with it.
type ruleUse struct {
	id      uuid.UUID
	matcher *cond.Matcher // nil: it was not there
}

// rule compiles a saved rule, so that every plan that has it sees the change at once. Plans are compiled anew only if
// the rule is new to them, or begins or ceases to look at the clicks of the day, which a campaign then counts.
func (b *Builder) rule(row *store.RoutingRule, old *rule) *rule {
	m := compileRule(row)
	if old != nil && old.matcher.Uses(cond.ClicksToday) == m.Uses(cond.ClicksToday) {
		old.matcher.Set(m)
		return &rule{*row, old.matcher}
	}
	b.stale.Store(true)
	return &rule{*row, cond.Shared(m)}
}

// compileRule gives a matcher that takes nobody for a rule that cannot be read, so that no path widens by a fault.
func compileRule(row *store.RoutingRule) *cond.Matcher {
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
	if r := find[*rule](s, rules, id); r != nil && r.saved.AccountID == account {
		return r.matcher
	}
	return nil
}
