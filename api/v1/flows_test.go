package v1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
)

func redirectPath(name string) map[string]any {
	return map[string]any{
		"name": name, "action": "redirect", "destinations": []any{map[string]any{"url": "https://x.example"}},
	}
}

func savedFlow(name string) map[string]any {
	return map[string]any{"name": name, "paths": []any{redirectPath("Only")}}
}

func TestFlowRoundTrip(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	offerID := s.Do("POST", "/offers", offer("O")).Want(201, "").Map()["id"]
	ruleID := s.Do("POST", "/rules", rule("R")).Want(201, "").Map()["id"]
	first := with(redirectPath("First"), "rules", []any{
		map[string]any{"rule_id": ruleID}, map[string]any{"conditions": []any{condition("os", "equals", "ios")}},
	})
	second := map[string]any{"action": "offer", "destinations": []any{
		map[string]any{"id": offerID}, map[string]any{"url": "https://y.example", "weight": 5},
	}}
	made := s.Do("POST", "/flows", map[string]any{
		"name": " Base ", "paths": []any{first, second}, "country": "de", "group_name": "G", "tags": []string{"a"}, "notes": "n",
	}).Want(201, "").Map()
	same(t, made, map[string]any{
		"name": "Base", "country": "DE", "group": "G", "tags": "[a]", "notes": "n",
		"status": "active", "rule_count": 2.0, "path_count": 2.0, "destination_count": 3.0,
	})
	id := made["id"]
	if listed := rowOf(t, s, "/flows", id); fmt.Sprint(listed) != fmt.Sprint(made) {
		t.Errorf("the list shows the flow as %v, want it as it was created: %v", listed, made)
	}

	paths := made["paths"].([]any)
	pathID := paths[1].(map[string]any)["id"]
	put := s.Do("PUT", "/flows", map[string]any{
		"id": id, "name": "Changed", "paths": []any{paths[1], with(redirectPath("New"), "id", uuid.NewString())},
	}).Want(200, "").Map()
	same(t, put, map[string]any{
		"id": id, "name": "Changed", "country": "", "group": "", "tags": "[]", "notes": "",
		"rule_count": 0.0, "path_count": 2.0, "created_at": made["created_at"],
	})
	if now := put["paths"].([]any)[0].(map[string]any)["id"]; now != pathID {
		t.Errorf("PUT changed the id of a path from %v to %v", pathID, now)
	}

	paused := s.Do("PATCH", "/flows", map[string]any{"id": id, "is_active": false}).Want(200, "").Map()
	same(t, paused, map[string]any{"id": id, "status": "paused"})
	again := s.Do("PUT", "/flows", with(savedFlow("Changed"), "id", id)).Want(200, "").Map()
	same(t, again, map[string]any{"status": "paused"})         // paused flows stay paused
	s.Do("POST", "/flows", savedFlow("changed")).Want(201, "") // names need not be unique

	deleted := s.Do("DELETE", fmt.Sprint("/flows?id=", id), nil).Want(200, "").Map()
	same(t, deleted, map[string]any{"id": id, "deleted": true})
	s.Do("DELETE", fmt.Sprint("/flows?id=", id), nil).Want(404, "not_found")
}

func TestFlowErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/flows", savedFlow("Mine")).Want(201, "").Map()["id"]
	flowWith := func(field string, value any) map[string]any {
		return map[string]any{"name": "x", "paths": []any{with(redirectPath("a"), field, value)}}
	}
	twoPathsWith := func(field string, value any) map[string]any {
		return map[string]any{"name": "x", "paths": []any{
			with(redirectPath("a"), field, value), with(redirectPath("b"), field, value),
		}}
	}
	list := func(items ...any) []any { return items }
	refused(t, s, "/flows", id, map[string]refusal{
		"text, not an object":     {`"x"`, 400, "bad_body"},
		"no name":                 {savedFlow(""), 400, "required"},
		"long name":               {savedFlow(strings.Repeat("n", 256)), 400, "too_long"},
		"long notes":              {with(savedFlow("x"), "notes", strings.Repeat("n", 2001)), 400, "too_long"},
		"long group":              {with(savedFlow("x"), "group_name", strings.Repeat("n", 256)), 400, "too_long"},
		"country":                 {with(savedFlow("x"), "country", "DEU"), 400, "invalid_country"},
		"tags":                    {with(savedFlow("x"), "tags", manyTags(21)), 400, "invalid_input"},
		"no paths":                {map[string]any{"name": "x"}, 400, "no_streams"},
		"empty paths":             {with(savedFlow("x"), "paths", []any{}), 400, "no_streams"},
		"duplicate path name":     {twoPathsWith("name", "same"), 400, "duplicate_path_name"},
		"duplicate rule name":     {twoPathsWith("rules", list(map[string]any{"name": "r", "conditions": list(condition("os", "equals", "x"))})), 400, "duplicate_rule_name"},
		"unknown action":          {flowWith("action", "fly"), 400, "invalid_action"},
		"stream type":             {flowWith("stream_type", "odd"), 400, "invalid_stream_type"},
		"transition":              {flowWith("transition", "308"), 400, "invalid_transition"},
		"rule group":              {flowWith("rule_group", 1000), 400, "invalid_rule_group"},
		"cap":                     {flowWith("daily_cap", 0), 400, "invalid_cap"},
		"no destination":          {flowWith("destinations", list()), 400, "destination_required"},
		"no lander":               {with(flowWith("action", "lander"), "name", "x"), 400, "lander_required"},
		"unknown offer":           {flowWith("destinations", list(map[string]any{"id": uuid.NewString()})), 400, "invalid_destination"},
		"destination address":     {flowWith("destinations", list(map[string]any{"url": "ftp://x.example"})), 400, "invalid_destination_url"},
		"weights of destinations": {flowWith("destinations", list(map[string]any{"url": "https://x.example", "weight": 0})), 400, "zero_weights"},
		"filter":                  {flowWith("filters", list(condition("colour", "equals", "x"))), 400, "invalid_filter"},
		"unknown rule":            {flowWith("rules", list(map[string]any{"rule_id": uuid.NewString()})), 400, "invalid_filter"},
		"weights of paths":        {flowWith("weight", 0), 400, "zero_path_weights"},
		"defaults":                {twoPathsWith("stream_type", "default"), 400, "multiple_defaults"},
	})
	refusedIDs(t, s, "/flows", savedFlow)
	for _, bad := range []any{"true", 1, nil} {
		s.Do("PATCH", "/flows", map[string]any{"id": id, "is_active": bad}).Want(400, "invalid_status")
	}

	_, otherKey, _ := s.NewAccount("scale")
	other := s.As(otherKey)
	theirOffer := other.Do("POST", "/offers", offer("O")).Want(201, "").Map()["id"]
	theirRule := other.Do("POST", "/rules", rule("R")).Want(201, "").Map()["id"]
	s.Do("POST", "/flows", flowWith("destinations", list(map[string]any{"id": theirOffer}))).Want(400, "invalid_destination")
	s.Do("POST", "/flows", flowWith("rules", list(map[string]any{"rule_id": theirRule}))).Want(400, "invalid_filter")
}

func TestFlowsAreListedByChange(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ids := map[string]any{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		ids[name] = s.Do("POST", "/flows", savedFlow(name)).Want(201, "").Map()["id"]
	}
	s.Do("PUT", "/flows", with(savedFlow("b"), "id", ids["b"])).Want(200, "")
	s.Do("PATCH", "/flows", map[string]any{"id": ids["d"], "is_active": false}).Want(200, "")
	if got := walk(s, "/flows", func(int) {}); !slices.Equal(got, []string{"d", "b", "e", "c", "a"}) {
		t.Errorf("the flows are listed as %v, want the most recently changed first", got)
	}
	// A flow that is changed while the list is read is listed last.
	got := walk(s, "/flows", func(page int) {
		if page == 1 {
			s.Do("PUT", "/flows", with(savedFlow("a, changed"), "id", ids["a"])).Want(200, "")
		}
	})
	if !slices.Equal(got, []string{"d", "b", "e", "c", "a, changed"}) {
		t.Errorf("with a change between two pages, the list is %v, want the changed flow last", got)
	}
}

func TestCampaignStartsWithASavedFlow(t *testing.T) {
	t.Parallel()
	s := newCampaignEnv(t).Server
	ruleID := s.Do("POST", "/rules", rule("R")).Want(201, "").Map()["id"]
	offerID := s.Do("POST", "/offers", offer("O")).Want(201, "").Map()["id"]
	path := map[string]any{
		"name": "From the flow", "action": "offer", "rules": []any{map[string]any{"name": "R", "rule_id": ruleID}},
		"destinations": []any{map[string]any{"id": offerID}},
	}
	made := s.Do("POST", "/flows", map[string]any{"name": "F", "paths": []any{path}}).Want(201, "").Map()
	id, pathID := made["id"], made["paths"].([]any)[0].(map[string]any)["id"]
	campaign := func(alias string, more ...any) map[string]any {
		b := map[string]any{"name": alias, "alias": alias, "flow_id": id}
		for i := 0; i+1 < len(more); i += 2 {
			b[more[i].(string)] = more[i+1]
		}
		return b
	}
	first := func(m map[string]any) map[string]any { return m["streams"].([]any)[0].(map[string]any) }
	started := s.Do("POST", "/campaigns", campaign("started")).Want(201, "").Map()
	got := first(started)
	same(t, got, map[string]any{"name": "From the flow", "action": "offer"})
	if got["id"] == pathID {
		t.Error("a copied path has the same id as the path of the flow")
	}
	if r := got["rules"].([]any)[0].(map[string]any); r["rule_id"] != ruleID {
		t.Errorf("the copied path has the rule %v, want a reference to the saved rule", r)
	}

	// A later change of the saved flow does not change the campaign.
	s.Do("PUT", "/flows", with(savedFlow("F"), "id", id)).Want(200, "")
	detail := s.Do("GET", fmt.Sprintf("/campaigns/%v", started["id"]), nil).Want(200, "").Map()
	same(t, first(detail), map[string]any{"name": "From the flow", "id": got["id"]})

	own := s.Do("POST", "/campaigns", campaign("with-streams", "streams", []any{redirectPath("Own")})).Want(201, "").Map()
	same(t, first(own), map[string]any{"name": "Own"})
	simple := s.Do("POST", "/campaigns", campaign("with-offer", "offer_id", offerID)).Want(201, "").Map()
	same(t, first(simple), map[string]any{"name": "Only"})

	// A campaign cannot start from a flow with a deleted destination.
	s.Do("PUT", "/flows", map[string]any{"id": id, "name": "F", "paths": []any{path}}).Want(200, "")
	s.Do("DELETE", fmt.Sprint("/offers?id=", offerID), nil).Want(200, "")
	s.Do("POST", "/campaigns", campaign("too-late")).Want(400, "invalid_destination")

	s.Do("PATCH", "/flows", map[string]any{"id": id, "is_active": false}).Want(200, "")
	_, otherKey, _ := s.NewAccount("scale")
	foreign := s.As(otherKey).Do("POST", "/flows", savedFlow("F")).Want(201, "").Map()["id"]
	for _, bad := range []any{id, foreign, uuid.NewString(), "x", 5} {
		s.Do("POST", "/campaigns", campaign("refused", "flow_id", bad)).Want(400, "invalid_flow")
	}
}
