package click

import (
	"strings"
	"testing"
)

// A decision that takes more steps than its budget sends the visitor to the fallback. A process starts even if the conditions of
// a saved campaign or rule could exceed the budget.
func TestDecisionsEndWithinTheBudget(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	slow := condition("user_agent", "regex", "^(a|bb)*(c|dd)*(e|f.)*z$")
	several := []m{slow, slow, slow, slow, slow}
	rules := []m{}
	for range 5 {
		rules = append(rules, m{"rule_id": w.rule("or", w.account, several...)})
	}
	everybody := path("redirect", m{"stream_type": "default"}, m{"url": "https://default.test/"})
	w.campaign("by-rules", m{"fallback_url": fallback}, path("redirect", m{"rules": rules, "logic": "or"}, m{"url": "https://in.test/"}),
		everybody)
	many := make([]m, 20)
	for i := range many {
		many[i] = slow
	}
	w.campaign("saved-before", m{"fallback_url": fallback}, path("redirect", m{"filters": many}, m{"url": "https://in.test/"}), everybody)
	over := w.rule("and", w.account, many...)
	w.campaign("with-it", m{"fallback_url": fallback}, rulePath("https://in.test/", over), everybody)
	w = w.reload()

	long := header("User-Agent", firefox+strings.Repeat(" abccdde", 50))
	for _, tt := range []struct {
		alias, want string
		edits       []edit
		counted     float64
	}{
		{"by-rules", "https://default.test/", nil, 0},
		{"by-rules", fallback, []edit{long}, 1},
		{"saved-before", fallback, nil, 1},
		{"with-it", "https://default.test/", []edit{long}, 1},
	} {
		if got := w.get("/"+tt.alias, tt.edits...).Header.Get("Location"); got != tt.want {
			t.Errorf("%s: to %s, want %s", tt.alias, got, tt.want)
		}
		if n := counter(t, w.h, "switchyard_routing_over_budget_total"); n != tt.counted {
			t.Errorf("%s: %v decisions are counted as over the budget, want %v", tt.alias, n, tt.counted)
		}
	}
	if n := counter(t, w.h, "switchyard_redirects_total"); n != 4 {
		t.Errorf("%v redirects are counted, want 4", n)
	}
	if n := counter(t, w.h, "switchyard_routing_unusable"); n != 2 {
		t.Errorf("%v records are counted as unusable, want 2", n)
	}
}
