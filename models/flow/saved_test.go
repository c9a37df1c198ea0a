package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

// TestInline checks that the paths are valid after Inline and have the conditions of the deleted rules.
func TestInline(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", flow.MaxNameLen)
	paths := flow.Normalize([]flow.Path{flow.NewPath(), flow.NewPath(), flow.NewPath(), flow.NewPath()})
	keptRule := flow.RuleRef{Name: "kept", RuleID: id(32).String()}
	for i := range paths {
		paths[i].Action = flow.ActionNothing
		paths[i].Rules = []flow.RuleRef{
			{Name: "deleted", RuleID: id(31).String()}, {Name: long, RuleID: id(31).String()}, keptRule,
		}
	}
	paths[1].Rules = append(paths[1].Rules, flow.RuleRef{
		Name: "deleted 2", Logic: "or", Conditions: []cond.Condition{{Attribute: "os", Operator: "equals", Value: "ios"}},
	})
	deleted := flow.InlineRule{Logic: "or", Conditions: []cond.Condition{
		{Attribute: "country", Operator: "equals", Value: "DE"},
	}}
	flow.Inline(paths, map[uuid.UUID]flow.InlineRule{id(31): deleted})
	if err := flow.Validate(paths, newAccount(t).known); err != nil {
		t.Error(err)
	}
	var names []string
	for _, p := range paths {
		r := p.Rules[0]
		if r.RuleID != "" || r.Logic != "or" || fmt.Sprint(r.Conditions) != fmt.Sprint(deleted.Conditions) {
			t.Errorf("the deleted rule became %+v, want its logic and conditions", r)
		}
		if fmt.Sprint(p.Rules[2]) != fmt.Sprint(keptRule) {
			t.Errorf("a rule that still exists became %+v, want it unchanged", p.Rules[2])
		}
		names = append(names, r.Name)
	}
	// "deleted 2" is taken by a rule of the second path.
	if got := fmt.Sprint(names); got != "[deleted deleted 3 deleted 4 deleted 5]" {
		t.Errorf("the inlined rules have the names %s, want each name once", got)
	}
	if rules, destinations := flow.Count(paths); rules != 13 || destinations != 0 {
		t.Errorf("Count returns %d rules and %d destinations, want 13 and 0", rules, destinations)
	}
}
