package v1_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/models/cond"
)

func condition(attribute, operator string, value any) map[string]any {
	return map[string]any{"attribute": attribute, "operator": operator, "value": value}
}

func rule(name string) map[string]any {
	return map[string]any{
		"name": name, "notes": "", "logic": "and", "conditions": []any{condition("country", "in", []string{"DE", "AT"})},
	}
}

func TestRuleRoundTrip(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/rules", map[string]any{
		"name": " German ", "notes": "n", "logic": "OR",
		"conditions": []any{condition("country", "equals", "DE"), condition("hour_of_day", "gte", 8)},
	}).Want(201, "").Map()
	same(t, made, map[string]any{
		"name": "German", "notes": "n", "logic": "or", "condition_count": 2.0,
		"conditions": "[map[attribute:country operator:equals value:DE] map[attribute:hour_of_day operator:gte value:8]]",
	})
	id := made["id"]
	if listed := rowOf(t, s, "/rules", id); fmt.Sprint(listed) != fmt.Sprint(made) {
		t.Errorf("the list shows the rule as %v, want it as it was created: %v", listed, made)
	}

	put := s.Do("PUT", "/rules", with(with(rule("Any"), "id", id), "logic", 5)).Want(200, "").Map()
	same(t, put, map[string]any{
		"id": id, "name": "Any", "notes": "", "logic": "and", "condition_count": 1.0,
		"created_at": made["created_at"],
	})
	least := s.Do("POST", "/rules", map[string]any{
		"name": "Least", "conditions": []any{condition("is_bot", "equals", true)},
	}).Want(201, "").Map()
	same(t, least, map[string]any{"notes": "", "logic": "and"})

	gone := s.Do("DELETE", fmt.Sprint("/rules?id=", id), nil).Want(200, "").Map()
	same(t, gone, map[string]any{"id": id, "deleted": true})
	s.Do("DELETE", fmt.Sprint("/rules?id=", id), nil).Want(404, "not_found")
	s.Do("PUT", "/rules", with(rule("x"), "id", id)).Want(404, "not_found")
	s.Do("POST", "/rules", rule("any")).Want(201, "") // the name is free again
}

func TestRuleLimits(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	var many, bad []any
	for i := range 25 {
		c := condition("country", "equals", "DE")
		if i >= cond.MaxConditions { // not checked
			c = condition("colour", "like", nil)
		}
		many, bad = append(many, c), append(bad, condition("colour", "like", nil))
	}
	same(t, s.Do("POST", "/rules", with(rule("many"), "conditions", many)).Want(201, "").Map(),
		map[string]any{"condition_count": 20.0})
	s.Do("POST", "/rules", with(rule("bad"), "conditions", bad)).Want(400, "invalid_condition")

	var values []any
	for i := range 250 {
		values = append(values, fmt.Sprintf("%03d%s", i, strings.Repeat("ä", 250)))
	}
	made := s.Do("POST", "/rules", with(rule("long"), "conditions", []any{
		condition("user_agent", "contains", values), condition("url", "contains", strings.Repeat("x", 300)),
	})).Want(201, "").Map()
	list := made["conditions"].([]any)
	items := list[0].(map[string]any)["value"].([]any)
	if len(items) != 200 || len([]rune(items[199].(string))) != 200 {
		t.Errorf("the condition has %d values, the last with %d characters, want 200 of each", len(items), len([]rune(items[len(items)-1].(string))))
	}
	if text := list[1].(map[string]any)["value"].(string); len(text) != 200 {
		t.Errorf("the value has %d characters, want 200", len(text))
	}
	whole := make([]any, cond.MaxConditions) // more memory than a rule may take, because each letter has two bytes
	for i := range whole {
		whole[i] = condition("city", "in", values)
	}
	put := func(conditions []any) apitest.Answer {
		return s.Do("PUT", "/rules", with(with(rule("whole"), "conditions", conditions), "id", made["id"]))
	}
	put(whole).Want(400, "invalid_condition")
	same(t, put(whole[:11]).Want(200, "").Map(), map[string]any{"condition_count": 11.0})
}

func TestRuleErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/rules", rule("Taken")).Want(201, "").Map()["id"]
	conditions := func(list ...any) map[string]any { return with(rule("x"), "conditions", list) }
	without := func(field string) map[string]any {
		b := rule("x")
		delete(b, field)
		return b
	}
	refused(t, s, "/rules", id, map[string]refusal{
		"array":              {`[]`, 400, "bad_body"},
		"no name":            {rule(""), 400, "required"},
		"blank name":         {rule(" "), 400, "required"},
		"long name":          {rule(strings.Repeat("n", 256)), 400, "too_long"},
		"long notes":         {with(rule("x"), "notes", strings.Repeat("n", 2001)), 400, "too_long"},
		"name type":          {with(rule("x"), "name", 1), 400, "invalid_input"},
		"notes type":         {with(rule("x"), "notes", []int{1}), 400, "invalid_input"},
		"empty conditions":   {conditions(), 400, "no_conditions"},
		"conditions missing": {without("conditions"), 400, "no_conditions"},
		"null conditions":    {with(rule("x"), "conditions", nil), 400, "no_conditions"},
		"conditions type":    {with(rule("x"), "conditions", "DE"), 400, "invalid_condition"},
		"condition type":     {conditions("country"), 400, "invalid_condition"},
		"null condition":     {conditions(nil), 400, "invalid_condition"},
		"attribute":          {conditions(condition("colour", "equals", "x")), 400, "invalid_condition"},
		"attribute type":     {conditions(map[string]any{"attribute": 5}), 400, "invalid_condition"},
		"operator":           {conditions(condition("country", "like", "x")), 400, "invalid_condition"},
		"in_cidr on country": {conditions(condition("country", "in_cidr", "10.0.0.0/8")), 400, "invalid_condition"},
		"no value":           {conditions(condition("country", "equals", nil)), 400, "invalid_condition"},
		"blank value":        {conditions(condition("country", "equals", " ")), 400, "invalid_condition"},
		"empty list":         {conditions(condition("country", "in", []string{})), 400, "invalid_condition"},
		"object value":       {conditions(condition("country", "equals", map[string]any{})), 400, "invalid_condition"},
		"regex":              {conditions(condition("url", "regex", "(")), 400, "invalid_condition"},
		"second is invalid":  {conditions(condition("country", "equals", "x"), condition("x", "y", 1)), 400, "invalid_condition"},
		"schedule":           {conditions(condition("schedule", "equals", []any{map[string]any{"days": []int{9}}})), 400, "invalid_condition"},
		"logic is forgiving": {with(rule("forgiven"), "logic", []any{}), 201, ""},
	})
	for _, field := range []string{"notes", "logic"} {
		s.Do("PUT", "/rules", with(without(field), "id", id)).Want(400, "required")
		s.Do("PUT", "/rules", with(with(rule("x"), field, nil), "id", id)).Want(400, "required")
	}
	s.Do("POST", "/rules", rule("TAKEN")).Want(400, "duplicate_name")
	second := s.Do("POST", "/rules", rule("Second")).Want(201, "").Map()["id"]
	s.Do("PUT", "/rules", with(rule("taken"), "id", second)).Want(400, "duplicate_name")
	s.Do("PUT", "/rules", with(rule("SECOND"), "id", second)).Want(200, "")

	_, otherKey, _ := s.NewAccount("scale")
	foreign := s.As(otherKey).Do("POST", "/rules", rule("Taken")).Want(201, "").Map()["id"]
	for _, missing := range []any{uuid.NewString(), foreign} {
		s.Do("PUT", "/rules", with(rule("x"), "id", missing)).Want(404, "not_found")
		s.Do("DELETE", fmt.Sprint("/rules?id=", missing), nil).Want(404, "not_found")
	}
	for _, bad := range []any{"x", 5, nil, ""} {
		s.Do("PUT", "/rules", with(rule("x"), "id", bad)).Want(400, "invalid_id")
	}
	s.Do("DELETE", "/rules", nil).Want(400, "invalid_id")
	s.Do("DELETE", "/rules?id=x", nil).Want(400, "invalid_id")
	s.Do("PATCH", "/rules", map[string]any{"id": id, "is_active": false}).Want(http.StatusMethodNotAllowed, "method_not_allowed")
	s.Do("GET", "/rules?cursor=x", nil).Want(400, "invalid_input")
	reader := s.As(s.ReadKey)
	reader.Do("POST", "/rules", rule("y")).Want(403, "read_only_key")
	reader.Do("PUT", "/rules", with(rule("y"), "id", id)).Want(403, "read_only_key")
	reader.Do("DELETE", fmt.Sprint("/rules?id=", id), nil).Want(403, "read_only_key")
	for _, r := range reader.Do("GET", "/rules", nil).Want(200, "").Map()["rows"].([]any) {
		if r.(map[string]any)["id"] == foreign {
			t.Error("another account's rule is listed")
		}
	}
}

// walk reads a list page by page and returns the names of its rows. After each page but the last, it calls the function `between`.
func walk(s *apitest.Server, path string, between func(page int)) (names []string) {
	cursor := ""
	for page := 1; ; page++ {
		data := s.Do("GET", path+"?limit=2&cursor="+cursor, nil).Want(200, "").Map()
		for _, r := range data["rows"].([]any) {
			names = append(names, r.(map[string]any)["name"].(string))
		}
		next, more := data["next_cursor"].(string)
		if !more {
			return names
		}
		cursor = next
		between(page)
	}
}

func TestRulesAreListedByName(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ids := map[string]any{}
	for _, name := range []string{"delta", "Alpha", "echo", "Charlie", "bravo"} {
		ids[name] = s.Do("POST", "/rules", rule(name)).Want(201, "").Map()["id"]
	}
	if got := walk(s, "/rules", func(int) {}); !slices.Equal(got, []string{"Alpha", "bravo", "Charlie", "delta", "echo"}) {
		t.Errorf("the rules are listed as %v, want them by name, ignoring case", got)
	}
	// A rule that is renamed while the list is read is still listed.
	got := walk(s, "/rules", func(page int) {
		if page == 1 {
			s.Do("PUT", "/rules", with(rule("Aardvark"), "id", ids["echo"])).Want(200, "")
		}
	})
	if !slices.Equal(got, []string{"Alpha", "bravo", "Charlie", "delta", "Aardvark"}) {
		t.Errorf("with a rename between two pages, the list is %v, want the renamed rule in its old place", got)
	}
}

func TestFlowsUseSavedRules(t *testing.T) {
	t.Parallel()
	s := newCampaignEnv(t).Server
	id := s.Do("POST", "/rules", rule("Region")).Want(201, "").Map()["id"]
	_, otherKey, _ := s.NewAccount("scale")
	foreign := s.As(otherKey).Do("POST", "/rules", rule("Region")).Want(201, "").Map()["id"]
	pathWith := func(rules ...map[string]any) map[string]any {
		return map[string]any{"action": "redirect", "rules": rules, "destinations": []any{map[string]any{"url": "https://x.example"}}}
	}
	ref := func(id any) map[string]any { return map[string]any{"name": "Here", "rule_id": id} }
	made := s.Do("POST", "/campaigns", map[string]any{
		"name": "C", "alias": "my-campaign", "streams": []any{pathWith(ref(id)), pathWith(ref(id))},
	}).Want(201, "").Map()["id"]
	campaign := campaignPath(made)
	for _, missing := range []any{foreign, uuid.NewString(), "x"} {
		s.Do("PUT", campaign+"/flow", map[string]any{"streams": []any{pathWith(ref(missing))}}).Want(400, "invalid_filter")
	}
	streams := func() []any { return s.Do("GET", campaign, nil).Want(200, "").Map()["streams"].([]any) }
	rules := func(n int) map[string]any {
		return streams()[n].(map[string]any)["rules"].([]any)[0].(map[string]any)
	}
	if r := rules(1); r["rule_id"] != id || r["conditions"] != nil {
		t.Errorf("the flow shows the saved rule as %v, want its id without conditions", r)
	}

	// A deleted rule becomes an inline rule of each path that used it.
	s.Do("DELETE", fmt.Sprint("/rules?id=", id), nil).Want(200, "")
	for n, name := range []string{"Here", "Here 2"} {
		r := rules(n)
		same(t, r, map[string]any{
			"name": name, "logic": "and",
			"conditions": "[map[attribute:country operator:in value:[DE AT]]]",
		})
		if r["rule_id"] != nil {
			t.Errorf("the flow still refers to the deleted rule: %v", r)
		}
	}
	tool := string(s.Do("GET", "/tools/routing", nil).Want(200, "").Data)
	if strings.Contains(tool, id.(string)) || !strings.Contains(tool, `"Here 2"`) {
		t.Errorf("GET /tools/routing must show the inline rule Here 2, not the deleted rule: %.600s", tool)
	}
	s.Do("POST", campaign+"/clone", nil).Want(201, "")
	s.Do("PUT", campaign+"/flow", map[string]any{"streams": streams()}).Want(200, "")
	s.Do("PUT", campaign+"/flow", map[string]any{"streams": []any{pathWith(ref(id))}}).Want(400, "invalid_filter")
}
