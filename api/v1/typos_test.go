package v1_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTypingErrorsAreRefused: a body with a mistyped name of a field, at any depth, is refused. The message has the name.
func TestTypingErrorsAreRefused(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, d.campaign("typos"))
	full := redirectPath("p")
	maps.Copy(full, map[string]any{
		"weight": 50, "daily_cap": 9, "rule_group": 1, "filters": []any{condition("country", "in", []string{"DE"})},
		"rules": []any{map[string]any{"name": "r", "logic": "or", "conditions": []any{condition("os", "in", []string{"iOS"})}}},
	})
	link := smartlink("typos", d.ownDomain)
	link["rules"] = []any{map[string]any{"name": "r", "conditions": []any{condition("os", "in", []string{"iOS"})}, "destination_url": "https://x.example"}}
	calls := []struct {
		method, path string
		body         map[string]any
	}{
		{"PUT", campaignPath(campaign["id"]) + "/flow", map[string]any{"streams": []any{full}}},
		{"POST", "/flows", map[string]any{"name": "typos", "paths": []any{full}}},
		{"POST", "/tools/simulate", map[string]any{"streams": []any{full}, "fallback_url": "https://x.example"}},
		{"POST", "/campaigns", with(d.campaign("typos 2"), "streams", []any{full})},
		{"PATCH", campaignPath(campaign["id"]), map[string]any{"name": "changed", "cost_model": "cpc", "cost_value": 1}},
		{"POST", "/short-links", link},
		{"POST", "/rules", rule("typos")},
		{"POST", "/offers", with(offer("typos"), "daily_cap", 5)},
		{"POST", "/landers", lander("typos")},
		{"POST", "/networks", with(network("typos"), "postback_secret", "s")},
		{"POST", "/traffic-sources", with(source("typos"), "cost_macro", "{cost}")},
		{"POST", "/reports/exports", map[string]any{
			"kind": "performance", "dimension": "country", "filters": []any{map[string]any{"dimension": "os", "value": "iOS"}},
		}},
		{"POST", "/webhooks", map[string]any{"url": "https://example.com/hook", "events": []string{"campaign.paused"}}},
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		c := calls[random.IntN(len(calls))]
		body := copied(t, c.body)
		objects := objectsIn(body)
		where := objects[random.IntN(len(objects))]
		name := slices.Sorted(maps.Keys(where))[random.IntN(len(where))]
		wrong := mistyped(random, name)
		if _, taken := where[wrong]; taken {
			continue
		}
		where[wrong] = where[name]
		delete(where, name)
		a := d.Do(c.method, c.path, body).Want(400, "invalid_input")
		if !strings.Contains(string(a.Raw), wrong+" is unknown") {
			t.Fatalf("seed %d: %s %s: the message does not say that %s is unknown: %s", seed, c.method, c.path, wrong, a.Raw)
		}
	}
	for _, c := range calls { // the names are right
		if a := d.Do(c.method, c.path, c.body, "Prefer", "respond-async"); a.Status >= 300 {
			t.Errorf("with the correct names, %s %s is answered with %d: %s", c.method, c.path, a.Status, a.Raw)
		}
	}
}

// TestNamesOfOtherCallsAreRefused: a field that a call does not have is refused, not ignored.
func TestNamesOfOtherCallsAreRefused(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, d.campaign("elsewhere"))
	read := d.Do("GET", campaignPath(campaign["id"])+"/flow", nil).Want(200, "").Map()
	one := read["streams"].([]any)[0].(map[string]any)["id"]
	id := d.Do("POST", "/offers", offer("elsewhere")).Want(201, "").Map()["id"]
	for _, c := range []struct {
		call string
		body map[string]any
		says string
	}{
		{"POST /campaigns", with(d.campaign("other"), "is_active", false), "is_active is unknown"},
		{"POST /campaigns", with(d.campaign("other"), "filters", []any{condition("country", "in", []string{"DE"})}), "filters is unknown"},
		{"POST /campaigns", with(d.campaign("other"), "daily_cap", 5), "daily_cap is unknown"},
		{"PATCH " + campaignPath(campaign["id"]), map[string]any{"notes": "n", "streams": []any{}}, "use PUT /campaigns/{id}/flow"},
		{"PATCH " + campaignPath(campaign["id"]) + "/flow", map[string]any{"path_id": one, "weight": 3, "name": "n"}, "name is unknown"},
		{"PATCH /offers", map[string]any{"id": id, "is_active": true, "payout": 9}, "payout is not changed by this call: use PUT /offers"},
		{"POST " + campaignPath(campaign["id"]) + "/test-click", map[string]any{"country": "US"}, "country is unknown"},
		{"POST /short-links", with(smartlink("elsewhere", d.ownDomain), "conditions", []any{}), "conditions is unknown"},
		{"POST /rules", with(rule("elsewhere"), "conditions", []any{
			condition("schedule", "equals", []any{map[string]any{"day": []int{1}, "from": "09:00", "to": "10:00"}}),
		}), "did you mean days?"},
	} {
		method, target, _ := strings.Cut(c.call, " ")
		a := d.Do(method, target, c.body)
		if a.Status != 400 || !strings.Contains(string(a.Raw), c.says) {
			t.Errorf("%s with the body %v is answered with %d: %s; want 400 and the text %q", c.call, c.body, a.Status, a.Raw, c.says)
		}
	}
	d.Do("POST", "/network-templates", `{"name": "x", "clickParams": "sub1"}`).Want(400, "invalid_template")
}

func copied(t *testing.T, body map[string]any) (out map[string]any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func objectsIn(v any) (list []map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		list = append(list, v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, objectsIn(v[name])...)
		}
	case []any:
		for _, item := range v {
			list = append(list, objectsIn(item)...)
		}
	}
	return list
}

func mistyped(random *rand.Rand, name string) string {
	i := random.IntN(len(name))
	switch random.IntN(4) {
	case 0:
		return name[:i] + name[i:i+1] + name[i:]
	case 1:
		return strings.ToUpper(name[:1]) + name[1:]
	case 2:
		return name[:i] + "q" + name[i:]
	}
	return name + "x"
}

// TestMistypedParametersAreRefused: a call with a mistyped parameter is refused. A deletion with a mistyped "from" must not
// delete everything. Only the parameter _ is ignored.
func TestMistypedParametersAreRefused(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, d.campaign("stays"))
	for call, hint := range map[string]string{
		"DELETE " + campaignPath(campaign["id"]) + "/stats?form=2026-01-01": "did you mean from?",
		"GET /reports/performance?dimensions=country":                       "did you mean dimension?",
		"GET /logs/clicks?limt=5":                                           "did you mean limit?",
		"GET /offers?colour=red":                                            "colour is unknown",
		"GET /offers?_=1":                                                   "",
	} {
		method, target, _ := strings.Cut(call, " ")
		a := d.Do(method, target, nil)
		if hint == "" {
			a.Want(200, "")
			continue
		}
		if a.Want(400, "invalid_input"); !strings.Contains(string(a.Raw), hint) {
			t.Errorf("%s: the message has no text %q: %s", call, hint, a.Raw)
		}
	}
}

// TestWhatWasReadCanBeSentBack: a record from GET can be sent unchanged as the body of PUT.
func TestWhatWasReadCanBeSentBack(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, d.campaign("echo"))
	flow := func() map[string]any {
		return d.Do("GET", campaignPath(campaign["id"]), nil).Want(200, "").Map()
	}
	before := flow()
	d.Do("PUT", campaignPath(campaign["id"])+"/flow", before).Want(200, "")
	if after := flow(); fmt.Sprint(after["streams"]) != fmt.Sprint(before["streams"]) {
		t.Errorf("after the flow was sent back, its streams are %v, want them unchanged: %v", after["streams"], before["streams"])
	}
	for list, body := range map[string]map[string]any{
		"/offers": offer("echo"), "/landers": lander("echo"), "/networks": network("echo"), "/traffic-sources": source("echo"),
		"/rules": rule("echo"), "/short-links": smartlink("echo", d.ownDomain), "/flows": savedFlow("echo"),
	} {
		id := d.Do("POST", list, body).Want(201, "").Map()["id"]
		before := rowOf(t, d.Server, list, id)
		if _, grouped := before["group"]; grouped {
			d.Do("PUT", list, with(before, "group_name", "Autumn")).Want(200, "")
			before = rowOf(t, d.Server, list, id)
			delete(before, "group_name")
			d.Do("PUT", list, before).Want(200, "")
			if before = rowOf(t, d.Server, list, id); before["group"] != "Autumn" || before["group_name"] != "Autumn" {
				t.Errorf("%s: a record sent with group alone has the group %q and the group_name %q, want Autumn for both", list, before["group"], before["group_name"])
			}
		}
		d.Do("PUT", list, before).Want(200, "")
		after := rowOf(t, d.Server, list, id)
		delete(before, "updated_at")
		delete(after, "updated_at")
		if fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s: after a record was sent back, it is %v, want it unchanged: %v", list, after, before)
		}
	}
}
