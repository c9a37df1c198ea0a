package v1_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// slow returns a condition that takes some 12,000 steps for a long text.
func slow() map[string]any { return condition("user_agent", "regex", "^(a|bb)*(c|dd)*(e|f.)*z$") }

func times(n int, c map[string]any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = c
	}
	return list
}

// Conditions that would take too long for a click, or too much memory, are refused.
func TestMatchingBudget(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	refused := func(a apitest.Answer, code string) {
		t.Helper()
		a.Want(400, code)
		if text := string(a.Raw); !strings.Contains(text, "at most") || !strings.ContainsAny(text, "0123456789") {
			t.Errorf("the message does not say how much is allowed: %s", text)
		}
	}
	costly := with(rule("Costly"), "conditions", times(20, slow()))
	refused(d.Do("POST", "/rules", costly), "invalid_condition")
	big := make([]string, 200)
	for i := range big {
		// The values begin differently, so that their automaton would be too large.
		big[i] = strconv.Itoa(i) + strings.Repeat("x", 190)
	}
	refused(d.Do("POST", "/rules", with(rule("Big"), "conditions", times(20, condition("url", "contains", big)))), "invalid_condition")
	d.Do("POST", "/rules", with(rule("Bombs"), "conditions", times(1, condition("url", "regex", `[^\x{10}]{900}`)))).
		Want(400, "invalid_condition")
	within := d.Do("POST", "/rules", with(rule("Within"), "conditions", times(5, slow()))).Want(201, "").Map()["id"]

	paths := func(n, conditions int, rules ...any) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = with(with(redirectPath(fmt.Sprint("p", i)), "filters", times(conditions, slow())), "rules", rules)
		}
		return list
	}
	saved := map[string]any{"rule_id": within, "name": "within"}
	id := d.make(t, d.campaign("busy"))["id"]
	for name, list := range map[string][]any{"filters": paths(16, 20), "saved rules": paths(16, 0, saved)} {
		refused(d.Do("POST", "/flows", map[string]any{"name": name, "paths": list}), "invalid_filter")
		refused(d.Do("PUT", campaignPath(id)+"/flow", map[string]any{"streams": list}), "invalid_filter")
	}
	d.Do("PUT", campaignPath(id)+"/flow", map[string]any{"streams": paths(1, 2, saved)}).Want(200, "")
	link := smartlink("busy", d.ownDomain)
	link["rules"] = []any{linkRule("https://a.example", slow(), slow()), with(linkRule("https://b.example"), "conditions", times(20, slow()))}
	refused(d.Do("POST", "/short-links", link), "invalid_condition")
}

// The plan limits the memory for conditions and the number of records of each kind.
func TestMatchingAllowance(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	plan, _ := models.PlanNamed("growth")
	first := s.Do("POST", "/rules", rule("first")).Want(201, "").Map()["id"]
	dbtest.Exec(t, s.DB, `UPDATE rules SET match_bytes = $2 WHERE id = $1`, first, plan.MatchingBytes)
	s.Do("POST", "/rules", rule("second")).Want(402, "plan_limit")
	s.Do("PUT", "/rules", with(rule("first"), "id", first)).Want(200, "") // the rule is measured again
	s.Do("POST", "/rules", rule("second")).Want(201, "")
	dbtest.Exec(t, s.DB, `INSERT INTO rules (id, account_id, name, logic, conditions)
		SELECT gen_random_uuid(), $1, 'r' || n, 'and', '[]' FROM generate_series(3, $2) n`, s.Account.ID, plan.Rules)
	s.Do("POST", "/rules", rule("more")).Want(402, "plan_limit")
	dbtest.Exec(t, s.DB, `INSERT INTO flows (id, account_id, name, paths)
		SELECT gen_random_uuid(), $1, 'f' || n, '[]' FROM generate_series(1, $2) n`, s.Account.ID, plan.Flows)
	s.Do("POST", "/flows", savedFlow("more")).Want(402, "plan_limit")
	domain := addDomain(t, s, "l.example")
	dbtest.Exec(t, s.DB, `INSERT INTO smartlinks (id, account_id, domain_id, slug, destination_url)
		SELECT gen_random_uuid(), $1, $3, 's' || n, 'https://x.example' FROM generate_series(1, $2) n`, s.Account.ID,
		plan.Smartlinks, domain)
	s.Do("POST", "/short-links", smartlink("more", domain)).Want(402, "plan_limit")
}

// DELETE deletes the row of a rule at once if no flow uses the rule. Otherwise DeleteUnused deletes the row later, when no flow uses
// the rule any more.
func TestRemovedRulesAreDeleted(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	count := func() int {
		t.Helper()
		return dbtest.Get[int](t, d.DB, `SELECT count(*) FROM rules`)
	}
	made := func(name string) any { return d.Do("POST", "/rules", rule(name)).Want(201, "").Map()["id"] }
	unused, inFlow, inCampaign := made("a"), made("b"), made("c")
	using := func(id any) []any {
		return []any{with(redirectPath("p"), "rules", []any{map[string]any{"rule_id": id, "name": "r"}})}
	}
	flow := d.Do("POST", "/flows", map[string]any{"name": "f", "paths": using(inFlow)}).Want(201, "").Map()["id"]
	campaign := d.make(t, d.campaign("c"))["id"]
	d.Do("PUT", campaignPath(campaign)+"/flow", map[string]any{"streams": using(inCampaign)}).Want(200, "")
	for _, id := range []any{unused, inFlow, inCampaign} {
		d.Do("DELETE", fmt.Sprint("/rules?id=", id), nil).Want(200, "")
	}
	if n := count(); n != 2 {
		t.Errorf("%d rules are kept, want the 2 that are used", n)
	}
	deleteUnused := func(want int64) {
		t.Helper()
		dbtest.Exec(t, d.DB, `UPDATE rules SET deleted_at = now() - interval '2 hours'`)
		if n, err := d.Store.Rules().DeleteUnused(t.Context()); err != nil || n != want {
			t.Errorf("%d rules are deleted, want %d: %v", n, want, err)
		}
	}
	deleteUnused(0)
	d.Do("DELETE", fmt.Sprint("/flows?id=", flow), nil).Want(200, "")
	deleteUnused(1)
	d.Do("DELETE", campaignPath(campaign), nil).Want(200, "")
	deleteUnused(1)
}
